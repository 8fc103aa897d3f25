"""Pages: the equations of a form as a textbook prints them, as data."""
