"""Experiments of a model: what they expect, and whether the equations of motion give it."""
