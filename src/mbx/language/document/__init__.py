"""The document: what was written, frozen."""
