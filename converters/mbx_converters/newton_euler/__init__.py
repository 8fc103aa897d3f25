"""Newton-Euler equations, and their page: balances body by body with named reactions."""

CONVERTERS = ("newton_euler",)
