"""Verbs about model files: check, format, draw, report and others."""
