"""The tree of links: hinges, subspaces and what closes the tree."""
