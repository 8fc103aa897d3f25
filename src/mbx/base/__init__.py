"""What every package may use: diagnostics, errors, files, processes."""
