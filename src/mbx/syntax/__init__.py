"""The one grammar: texts to parse, expressions to build and to show."""
