"""Small motions about a state: the equations of motion with exact slopes, and linear systems."""
