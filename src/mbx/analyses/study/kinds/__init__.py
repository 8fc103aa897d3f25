"""Analyses that studies are made of, a module each."""
