"""How results are compared: what rounding explains, and what each declared result must fulfil."""
