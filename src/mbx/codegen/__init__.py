"""Equations as text for people and programs."""
