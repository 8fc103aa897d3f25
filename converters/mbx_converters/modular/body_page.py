"""The page of a model without subsystems."""



def write_body_page(system, equations, options):
    raise NotImplementedError
