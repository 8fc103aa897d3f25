"""Coverage of the cases of a library: which forms support each, and which references it meets."""
