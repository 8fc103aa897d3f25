"""Algebra on the graph: polynomials, identities, linear systems."""
