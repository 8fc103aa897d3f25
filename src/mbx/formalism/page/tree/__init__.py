"""Trees of links on pages: what sweeps need of each link, the names of it, and what closes a tree."""
