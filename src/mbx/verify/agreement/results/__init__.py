"""Checks of declared results: what each must fulfil, and what rounding explains."""
