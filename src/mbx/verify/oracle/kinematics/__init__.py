"""Motion in the oracle: frames, points and expressions as series in time."""
