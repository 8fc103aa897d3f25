"""Documents as .mb text: read, with comments, and written in canonical layout."""
