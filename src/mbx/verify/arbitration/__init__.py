"""Arbitration: whether a difference is rounding, and which forms are wrong."""
