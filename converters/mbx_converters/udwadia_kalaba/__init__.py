"""Udwadia-Kalaba equations, and their page: what the constraints add to a motion without them."""

CONVERTERS = ("udwadia_kalaba",)
