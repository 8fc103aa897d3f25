"""States that a model allows: positions and velocities brought onto the invariants."""
