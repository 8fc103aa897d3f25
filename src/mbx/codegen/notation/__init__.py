"""Equations as people read them: terms in order, aligned lines, pages."""
