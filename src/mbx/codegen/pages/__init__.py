"""Pages written in a notation, and read back and evaluated as printed."""
