"""Certificates of a verification."""
