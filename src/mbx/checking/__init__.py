"""The rules a sound model obeys; one rule is one function, each finding has a code."""
