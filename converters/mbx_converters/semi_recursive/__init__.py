"""Semi-recursive forms: from bodies to joint rates."""

CONVERTERS = (
    "semi_recursive_1",
    "semi_recursive_2",
)
