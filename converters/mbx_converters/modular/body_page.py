"""The page of a model without subsystems."""

from mbx.formalism.page.page_builder import PageBuilder


def write_body_page(system, equations, options):
    raise NotImplementedError
