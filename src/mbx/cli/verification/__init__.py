"""Verbs that verify: `mbx verify`, its certificates and its self-test."""
