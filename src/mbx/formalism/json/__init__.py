"""Equations as JSON, and back."""
