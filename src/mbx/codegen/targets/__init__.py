"""Ways to write equations: one file each."""
