"""Recursive forward dynamics on absolute rates, node by node (Deepak and Ghosal)."""

CONVERTERS = ("rfda",)
