"""Changes of a model, or of what is asked of it, whose effect is known beforehand."""
