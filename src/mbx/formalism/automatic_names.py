"""Names of steps that have no name of their own: those that a reader would give them.

The transpose of A is `At`, minus b is `bm`, the product of Ct and M is `CtM`; a number at the end
stays there: the transpose of S_1 is `St_1`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix

__all__ = ["automatic_name"]

_ENDINGS: Final = {
    "transpose": "t",
    "absolute": "a",
    "rows": "r",
    "pinv": "p",
    "sqrtm": "s",
    "nullspace": "n",
}
_LONGEST: Final = 16
_NUMBERED: Final = re.compile(r"(.*?)(_?\d*)", re.DOTALL)


def automatic_name(
    program: Program, matrix: Matrix, args: Sequence[str], taken: Collection[str]
) -> str:
    """Return a name for a value with these names of its arguments, unlike all in use."""
    name = program.hints.get(matrix) or _join_apart(program, matrix, args)
    used = {*program.names, *program.automatic.values(), *taken}
    if name not in used:
        return name
    count = 2
    while f"{name}_{count}" in used:
        count += 1
    return f"{name}_{count}"


def _join_apart(program: Program, matrix: Matrix, args: Sequence[str]) -> str:
    """Return names joined; in a residual, values begin with `r_` and magnitudes with `s_`."""
    if not program.apart:
        return _join(matrix, args)
    if matrix.op == "absolute":
        return f"s_{args[0]}"
    start = "s_" if args and all(arg.startswith("s_") for arg in args) else "r_"
    return start + _join(matrix, [arg[2:] if arg[:2] in {"r_", "s_"} else arg for arg in args])


def _join(matrix: Matrix, args: Sequence[str]) -> str:
    """Return the names of the arguments with a sign of the operation, if that is short."""
    if not args:
        return {"identity": "one"}.get(matrix.op, matrix.op)
    split = [_NUMBERED.fullmatch(arg) for arg in args]
    parts = [(m[1], m[2]) if m else (arg, "") for m, arg in zip(split, args, strict=True)]
    number = parts[0][1]
    if any(n != number for _, n in parts):
        parts, number = [(arg, "") for arg in args], ""
    stems = [stem for stem, _ in parts]
    match matrix.op:
        case "sum" if matrix.template.signs == (-1,):
            stem = f"{stems[0]}m"
        case "sum":
            signs = ["p" if sign > 0 else "m" for sign in matrix.template.signs]
            stem = stems[0] + "".join(
                f"{sign}{each}" for sign, each in zip(signs[1:], stems[1:], strict=False)
            )
        case "product" | "block":
            stem = "".join(stems)
        case "solve":
            stem = f"{stems[0]}i{stems[1]}"
        case _:
            stem = stems[0] + _ENDINGS.get(matrix.op, "")
    if len(stem) > _LONGEST:
        stem = matrix.op
    return stem + number
