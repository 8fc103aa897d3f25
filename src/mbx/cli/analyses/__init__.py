"""Verbs that analyse a model: simulate, inverse, linearize, study and others."""
