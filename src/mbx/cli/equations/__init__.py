"""Verbs about equations of motion: convert, compare, forms, formats."""
