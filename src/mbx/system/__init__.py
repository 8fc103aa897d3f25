"""A linked model with its meaning: names resolved, orders found."""
