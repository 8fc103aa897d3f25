"""Six forms on the tree of links (Ivanov and Shimanovskiy)."""

CONVERTERS = (
    "tree_hamilton_extended",
    "tree_hamilton_multipliers",
    "tree_hamilton_reduced",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_newton_euler",
)
