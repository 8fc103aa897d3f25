"""Numbers of the oracle: series, functions, units, linear equations."""
