"""From what was written to what it stands for: imports, repetition, subsystems, identity."""
