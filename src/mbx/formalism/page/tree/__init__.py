"""Trees of links on pages: what sweeps need of links, their names, and what closes a tree."""
