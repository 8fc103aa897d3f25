"""Mathematics in Typst."""
