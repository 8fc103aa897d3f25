"""Whether two models mean the same physics: what they say, and how their bodies move."""
