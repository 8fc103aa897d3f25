"""States at rest and steady motions."""
