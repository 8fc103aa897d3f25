"""A report on a model: one page in HTML that needs nothing but itself.

gather        the contents: the model, its forms, whether they agree, their costs
model_part    the model: symbols, subsystems, parts, origin
heat          the errors of every two forms, as a picture
report_page   the page
"""
