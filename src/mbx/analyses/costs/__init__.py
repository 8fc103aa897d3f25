"""Which form is cheapest: operations that are counted, and operations that are estimated.

topologies   trees as parent arrays, and the limit systems
table        the published estimates for three methods on a tree
hinges       the tree of a model
count        operations of a form of a model, counted
timing       what code of a form takes, measured
rank, text   the forms of a model by their operations
models       limit systems as models
polynomial   polynomials with exact coefficients
extend       counts of a few sizes, extended to all
select       which method is cheapest where
maps, draw   that in words, as data and as a picture
"""
