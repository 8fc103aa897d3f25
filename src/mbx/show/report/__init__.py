"""A report on a model: one page in HTML that needs nothing but itself.

gather    what is told: the model, its forms, whether they agree, what they cost
model     the model itself: symbols, subsystems, parts, what it says of its origin
heat      the errors of every two forms, as a picture
costs     operations, as bars
page      all of it together
"""
