"""Why forms disagree: the smallest state, the variable and body, and the term (chapter 7)."""
