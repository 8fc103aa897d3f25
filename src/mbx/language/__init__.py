"""The language: the content of a model file, as a document, as text and as JSON."""
