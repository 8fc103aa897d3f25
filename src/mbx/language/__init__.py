"""The language: what a model file says, as a document, as text and as JSON."""
