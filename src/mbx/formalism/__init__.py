"""Equations of motion as matrix programs, and the converters that derive them."""
