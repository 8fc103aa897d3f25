"""Steps of the recursive forward dynamics on absolute rates, node by node."""
