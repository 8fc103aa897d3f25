"""What the Python-based targets share."""
