"""Integrators: the steps of every method, and how the invariants are kept."""
