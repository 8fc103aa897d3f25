"""Whether the forms of one model agree: states, comparisons, verdicts (chapter 7)."""
