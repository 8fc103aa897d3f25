"""Whether two models mean the same physics: their statements, and how their bodies move."""
