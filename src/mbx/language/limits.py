"""The published limits on what is read. A flag may raise them, a model never."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "Limits"]


@dataclass(slots=True)
class Limits:
    """Sizes above which a text is refused (spec, chapter 3)."""

    file_bytes: int = 10 * 1024 * 1024
    tokens: int = 250_000
    elements: int = 100_000
    equation_elements: int = 2_000_000
    nesting: int = 200
    levels: int = 50
    identifier: int = 64
    string: int = 10_000
    line: int = 10_000
    integer_digits: int = 18
    number_characters: int = 40
    largest_number: float = 1e300
    largest_exponent: int = 64
    largest_log2: float = 1000.0
    expression_nodes: int = 200_000
    expanded_nodes: int = 10_000_000
    statements: int = 50_000
    bodies: int = 1_000
    joints: int = 1_000
    constraints: int = 1_000
    parameters: int = 10_000
    primes: int = 8
    import_depth: int = 8
    import_files: int = 64
    import_bytes: int = 20 * 1024 * 1024
    seconds: int = 10
    memory_bytes: int = 1024 * 1024 * 1024

    def set(self, name: str, value: float) -> None:
        """Set a limit; the command line does this at the request of a user."""
        known = type(getattr(self, name))
        setattr(self, name, known(value))


LIMITS = Limits()
