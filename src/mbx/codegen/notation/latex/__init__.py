"""Mathematics in LaTeX."""
