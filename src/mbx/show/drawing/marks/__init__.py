"""Marks on paper: bodies, joints, lines, labels."""
