"""Pages read back and evaluated as printed."""
