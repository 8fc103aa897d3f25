"""Orsino's modular method, and its page: subsystems level by level, or bodies and joints."""

CONVERTERS = ("modular",)
