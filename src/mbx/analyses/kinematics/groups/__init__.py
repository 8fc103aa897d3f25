"""Structural groups: the decomposition of a mechanism, and its solution group by group."""
