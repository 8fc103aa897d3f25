"""Agreement of forms: states, comparisons and the oracle."""
