"""Forward dynamics: a model integrated through time."""
