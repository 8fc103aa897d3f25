"""The matrix program in numbers: NumPy, for many states at once."""
