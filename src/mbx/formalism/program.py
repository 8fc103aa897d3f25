"""The matrix program: equations as a textbook prints them, a list of small matrix steps.

A step names a matrix and how it comes from those before it. Nothing is evaluated here;
`mbx.numerics.execute.execute` runs a program, writers print it. See chapter 6 of the specification.

    define       entries are expressions of t, q, u, inputs and parameters, with arguments
                 also of the entries of these
    given        a matrix that comes from outside (accelerations under test, an unknown)
    identity     the unit matrix
    product      args multiplied in order
    sum          args added with the signs of the step
    transpose    of one argument
    absolute     magnitudes of the entries
    block        a grid of arguments; None is a zero block
    rows         some rows of an argument
    solve        x with args[0] x = args[1]
    pinv         Moore-Penrose inverse
    sqrtm        square root of a symmetric positive definite matrix
    nullspace    columns that args[0] takes to zero
    implicit     an unknown y with residual(y) = 0, by inner steps
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mbx.expr.nodes import symbol

if TYPE_CHECKING:
    from mbx.expr.nodes import Node

__all__ = ["Op", "Residual", "SolveKind", "Step", "entries_of"]

Op = Literal[
    "define",
    "given",
    "identity",
    "product",
    "sum",
    "transpose",
    "absolute",
    "block",
    "rows",
    "solve",
    "pinv",
    "sqrtm",
    "nullspace",
    "implicit",
]

SolveKind = Literal["general", "symmetric", "positive", "least_squares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One matrix of a program.

    Attributes:
        name: Its name, unique in the program; an identifier of ASCII letters, digits and `_`.
        op: How it comes about.
        args: Names of the matrices it is made of.
        meaning: What it is, in a few words.
        symbol: Its name in LaTeX.
        part: The part of the algorithm that it belongs to, in a few words: a heading.
        entries: `define`: rows of expressions; `given`: rows of symbols that stand for its
            entries in expressions, if there are any.
        symbols: `define` with arguments: what stands for their entries in `entries`, row by row
            of each matrix, one argument after the other.
        row_labels: What the rows belong to (paths of variables, bodies, invariants), if stated.
        column_labels: What the columns belong to, if stated.
        size: `given`: rows and columns; `identity`: n and n; `define` without rows: likewise.
        signs: `sum`: one of 1 and -1 for each argument; none: all are 1.
        grid: `block`: names row by row; None is zero.
        indices: `rows`: which rows; `nullspace`: the columns of args[0] that are independent,
            such that the result is the unit matrix there; None: an orthonormal basis.
        kind: `solve`: what is known of the matrix. `least_squares` takes dependent rows: of
            the unknowns that are not unique, the smallest.
        together: `solve` with `least_squares`: that many first rows are projections, and are
            scaled as one, for any of them may be rounding only.
        unique: `solve` with `least_squares`: that many first unknowns must be unique, else
            the state is singular.
        steps: `implicit`: the steps from the unknown, which is `given` among them under
            `unknown`, to the residual.
        unknown: `implicit`: name of the unknown among the inner steps.
        residual: `implicit`: name of the residual among the inner steps.
    """

    name: str
    op: Op
    args: tuple[str, ...] = ()
    meaning: str = ""
    symbol: str = ""
    part: str = ""
    entries: tuple[tuple[Node, ...], ...] = ()
    symbols: tuple[Node, ...] = ()
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    size: tuple[int, int] | None = None
    signs: tuple[int, ...] = ()
    grid: tuple[tuple[str | None, ...], ...] = ()
    indices: tuple[int, ...] | None = None
    kind: SolveKind | None = None
    unique: int | None = None
    together: int = 0
    steps: tuple[Step, ...] = ()
    unknown: str = ""
    residual: str = ""


def entries_of(name: str, rows: int, columns: int = 1) -> tuple[tuple[Node, ...], ...]:
    """Return symbols for the entries of a matrix, `v[3,1]` for the third of a column v.

    A name of a model has at most one index, so that these are no names of a model.
    """
    return tuple(
        tuple(symbol(f"{name}[{i + 1},{j + 1}]") for j in range(columns)) for i in range(rows)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """A form's own equations, to put other accelerations into.

    Attributes:
        name: Which equations they are.
        steps: From `ud`, which is `given` among them, to the value and its magnitude; they may
            use the matrices of the program.
        value: Name of the residual: zero for the true accelerations.
        magnitude: Name of the sum of magnitudes of the terms of each row.
        labels: What the rows belong to, if stated.
    """

    name: str
    steps: tuple[Step, ...]
    value: str
    magnitude: str
    labels: tuple[str, ...] = ()
