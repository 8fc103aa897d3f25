"""Verbs about the library of cases and parts."""
