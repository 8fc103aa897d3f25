"""Mathematics in MathML."""
