"""Decisions on numbers that the whole program shares: ranks, and the rounding behind them."""
