"""Output for people: drawings, reports, notebooks, coverage pages."""
