"""Frames, points and rates of the resolved system."""
