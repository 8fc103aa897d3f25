"""Inverse dynamics: inputs and reactions for a prescribed motion."""
