"""Documents as JSON: read, written, described by a schema, upgraded."""
