"""Inverse dynamics that is linear in the inertial parameters, and what of these matters."""
