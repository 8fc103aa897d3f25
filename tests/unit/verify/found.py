"""Verifications as they could be found, for tests of what is done with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from mbx.numerics.states.complete import StatePoint
from mbx.verify.findings import Error, Pair, StateRow
from mbx.verify.verification import Verification

__all__ = ["everything", "found"]


def found(error: Error | None = None, *, seed: int = 1, **more: Any) -> Verification:
    """Return a verification of two forms whose accelerations differ by an error."""
    error = error or Error(1e-16, "random 1", "x'")
    return Verification(
        **{
            "model": "M",
            "hash": "0" * 64,
            "seed": seed,
            "forms": ("kane", "lagrange"),
            "excluded": (),
            "pairs": (Pair(("kane", "lagrange"), 1, error, None),),
            "own": {},
            "invariants": {},
            "information": {},
            "states": (StateRow("random 1", "compared"),),
            "points": (StatePoint("random 1", 0.5, {"x": 0.1, "x'": 0.2}),),
            "rejected": 0,
            "refused": (),
            "drawn": {},
            "void": 0,
            **more,
        }
    )


def everything(thing: Any) -> str:
    """Return all of a result as text, in digits that tell each number, and also NaN."""
    if is_dataclass(thing) and not isinstance(thing, type):
        inside = (f"{one.name}={everything(getattr(thing, one.name))}" for one in fields(thing))
        return f"{type(thing).__name__}({', '.join(inside)})"
    if isinstance(thing, Mapping):
        return f"{{{', '.join(f'{k!r}: {everything(v)}' for k, v in thing.items())}}}"
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(everything, thing))}]"
    return repr(thing)
