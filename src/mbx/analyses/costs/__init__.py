"""Which form is cheapest: operations that are counted, and operations that are estimated.

topologies                     trees as parent arrays, and the limit systems
limit_systems                  limit systems as models
published_costs                published estimates for three methods on a tree
model_hinges                   the tree of a model
operation_counts, counted      operations of equations, and of a form of a model
timing                         the time that code of a form takes
cost_ranking, cost_text        the forms of a model by their operations
cost_polynomial, extend        counts of a few sizes, extended to all
cheapest                       which method is cheapest where
cost_maps, cost_map_drawing    the same as text, as data and as a picture
"""
