"""Steps of the matrix program that several formalisms share."""
