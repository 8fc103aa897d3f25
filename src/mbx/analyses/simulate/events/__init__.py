"""Events of a run: switches, kinks, jumps and singular configurations."""
