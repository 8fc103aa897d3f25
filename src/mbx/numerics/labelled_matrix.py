"""Matrices of numbers whose rows and columns have labels, and their algebra.

A label is the path of a variable or of an invariant. Matrices are aligned by labels, whatever the
order of their rows and columns. Sums are those of Orsino's thesis, Definition 2.9: the labels of
(X, Y) are the union of those of X and of Y, and an entry that a matrix does not have is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import safe_text, suggestion
from mbx.base.errors import EquationsError
from mbx.base.short_repr import join_names
from mbx.numerics.execute.stacked_algebra import least_squares, nullspace, pinv
from mbx.numerics.ranks import rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.numerics.ranks import Array

__all__ = ["LabelledMatrix", "assemble", "beside", "stack"]

_DIGITS: Final = 6
"""Digits of an entry that is shown."""
_PLANE: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class LabelledMatrix:
    """A matrix of numbers with a label for each row and each column.

    `X @ Y` sums over the columns of X and the rows of Y with the same labels; where one of the
    two has more labels, what the other lacks is zero. `X + Y` and `X - Y` have the labels of both.
    `X["x'", "th'"]` is an entry, and lists of labels or `:` select a part.

    Attributes:
        array: The numbers; they are not written to.
        rows: A label for each row.
        columns: A label for each column.
    """

    array: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __post_init__(self) -> None:
        """Keep a copy of the numbers; refuse labels that do not fit."""
        array = np.array(self.array, dtype=np.float64)
        if array.ndim != _PLANE:
            raise EquationsError(f"a labelled matrix has rows and columns, not {array.ndim} axes")
        array.flags.writeable = False
        object.__setattr__(self, "array", array)
        for name, count in zip(("rows", "columns"), array.shape, strict=True):
            labels = getattr(self, name)
            if isinstance(labels, str):
                raise EquationsError(f"labels of {name} are a sequence of texts, not '{labels}'")
            labels = tuple(labels)
            object.__setattr__(self, name, labels)
            if len(labels) != count:
                raise EquationsError(f"there are {count} {name} and {len(labels)} labels of them")
            twice = sorted({label for label in labels if labels.count(label) > 1})
            if twice:
                raise EquationsError(f"two {name} have the label '{twice[0]}'")

    @classmethod
    def column(cls, values: Mapping[str, float], label: str = "1") -> LabelledMatrix:
        """Return a column of values by their labels, called `1` as those of equations are."""
        return cls(np.array([[x] for x in values.values()]).reshape(-1, 1), (*values,), (label,))

    @classmethod
    def identity(cls, labels: Sequence[str]) -> LabelledMatrix:
        """Return the unit matrix."""
        return cls(np.eye(len(labels)), tuple(labels), tuple(labels))

    # -- what it is --------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return len(self.rows), len(self.columns)

    @property
    def T(self) -> LabelledMatrix:  # noqa: N802  as NumPy has it
        """The transposed matrix."""
        return LabelledMatrix(self.array.T, self.columns, self.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: FBT001
        """Return the numbers, without labels."""
        return np.array(self.array, dtype=dtype, copy=True if copy is None else copy)

    def __str__(self) -> str:
        """Return a table with the labels."""
        cells = [[f"{x:.{_DIGITS}g}" for x in row] for row in self.array.tolist()]
        table = [["", *map(safe_text, self.columns)]]
        table += [[safe_text(a), *b] for a, b in zip(self.rows, cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = []
        for first, *others in table:
            row = [cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True)]
            lines.append("  ".join([first.ljust(widths[0]), *row]).rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return its size and its labels."""
        names = f"{join_names(self.rows)} by {join_names(self.columns)}"
        return f"<LabelledMatrix {self.shape[0]} by {self.shape[1]}: {names}>"

    # -- parts -------------------------------------------------------------------------------

    def __getitem__(self, place: Any) -> Any:
        """Return an entry, if the place is two labels; else the part of some rows and columns."""
        if not isinstance(place, tuple) or len(place) != _PLANE:
            raise EquationsError("a place in a labelled matrix is that of rows and that of columns")
        row, column = place
        part = self.part(_chosen(row, self.rows), _chosen(column, self.columns))
        return float(part.array[0, 0]) if isinstance(row, str) and isinstance(column, str) else part

    def part(
        self, rows: Iterable[str] | None = None, columns: Iterable[str] | None = None
    ) -> LabelledMatrix:
        """Return some rows and columns, in the order in which they are named; None: all."""
        rows = self.rows if rows is None else tuple(rows)
        columns = self.columns if columns is None else tuple(columns)
        for kind, named, known in (
            ("row", rows, self.rows),
            ("column", columns, self.columns),
        ):
            for label in named:
                if label not in known:
                    hint = suggestion(str(label), known, "; ")
                    raise EquationsError(f"there is no {kind} '{label}'{hint}")
        return self.extended(rows, columns)

    def extended(
        self, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None
    ) -> LabelledMatrix:
        """Return rows and columns of these labels, zero where the matrix has none; None: all."""
        rows = self.rows if rows is None else tuple(rows)
        columns = self.columns if columns is None else tuple(columns)
        array = np.zeros((len(rows), len(columns)))
        to_row, from_row = _common(rows, self.rows)
        to_column, from_column = _common(columns, self.columns)
        array[np.ix_(to_row, to_column)] = self.array[np.ix_(from_row, from_column)]
        return LabelledMatrix(array, rows, columns)

    # -- algebra -----------------------------------------------------------------------------

    def __add__(self, other: object) -> LabelledMatrix:
        """Return (X, Y): the sum over the labels of both."""
        if not isinstance(other, LabelledMatrix):
            return NotImplemented
        rows, columns = _union(self.rows, other.rows), _union(self.columns, other.columns)
        array = self.extended(rows, columns).array + other.extended(rows, columns).array
        return LabelledMatrix(array, rows, columns)

    def __sub__(self, other: object) -> LabelledMatrix:
        """Return the difference over the labels of both."""
        return self + -other if isinstance(other, LabelledMatrix) else NotImplemented

    def __neg__(self) -> LabelledMatrix:
        """Return the matrix with the other sign."""
        return LabelledMatrix(-self.array, self.rows, self.columns)

    def __mul__(self, factor: Any) -> LabelledMatrix:
        """Return the matrix times a number."""
        if isinstance(factor, LabelledMatrix) or np.ndim(factor):
            return NotImplemented
        return LabelledMatrix(self.array * factor, self.rows, self.columns)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> LabelledMatrix:
        """Return the matrix divided by a number."""
        if isinstance(divisor, LabelledMatrix) or np.ndim(divisor):
            return NotImplemented
        return LabelledMatrix(self.array / divisor, self.rows, self.columns)

    def __matmul__(self, other: object) -> LabelledMatrix:
        """Return the product, over the labels that the columns share with the rows of the other."""
        if not isinstance(other, LabelledMatrix):
            return NotImplemented
        shared = set(self.columns) & set(other.rows)
        if shared not in (set(self.columns), set(other.rows)):
            odd = next(label for label in self.columns if label not in other.rows)
            raise EquationsError(
                f"the columns of one and the rows of the other have only some labels in common:"
                f" not '{odd}'"
            )
        left, right = _common(self.columns, other.rows)
        array = self.array[:, left] @ other.array[right]
        return LabelledMatrix(array, self.rows, other.columns)

    def is_close(self, other: LabelledMatrix, within: float = 1e-12) -> bool:
        """Return whether a matrix is the same but for rounding, with its rows in any order.

        `within` is relative to the largest entry of both.
        """
        if set(self.rows) != set(other.rows) or set(self.columns) != set(other.columns):
            return False
        theirs = other.extended(self.rows, self.columns).array
        size = np.abs([self.array, theirs]).max(initial=0.0)
        return bool((np.abs(self.array - theirs) <= within * size).all())

    # -- equations ---------------------------------------------------------------------------

    def rank(self) -> int:
        """Return the rank, up to rounding."""
        return int(rank(self.array[None])[0])

    def null_space(self, independent: Iterable[str] | None = None) -> LabelledMatrix:
        """Return C with X C = 0, whose rows have the labels of the columns.

        With `independent` columns #, C is the unit matrix in their rows and has their labels,
        Orsino (2.29): the other rows say what depends on them. Without, C is orthonormal, and its
        columns are called `~1`, `~2` and so on.
        """
        if independent is None:
            found, nullity = nullspace(self.array[None])
            labels = tuple(f"~{k + 1}" for k in range(int(nullity[0])))
            return LabelledMatrix(
                found[0, :, len(self.columns) - len(labels) :], self.columns, labels
            )
        sharp = self.part(columns=independent)
        star = self.part(columns=[x for x in self.columns if x not in sharp.columns])
        if not star.rank() == self.rank() == len(star.columns):
            raise EquationsError(
                f"{join_names(sharp.columns)} are not independent columns that fix all others:"
                f" the rank of these is {star.rank()} of {len(star.columns)}, that of all columns"
                f" {self.rank()}"
            )
        dependent, _ = least_squares(star.array[None], -sharp.array[None])
        C = np.vstack([np.eye(len(sharp.columns)), dependent[0]])
        rows = (*sharp.columns, *star.columns)
        return LabelledMatrix(C, rows, sharp.columns).part(self.columns)

    def solve(self, right: LabelledMatrix, *, nearest: bool = False) -> LabelledMatrix:
        """Return Y with X Y = right, whose rows have the labels of the columns of X.

        Rows of X that the right side lacks are equal to zero, and rows may depend on each other.
        Without a solution, or with several, this is an error; `nearest` gives the least squares,
        of these the smallest.
        """
        extra = [label for label in right.rows if label not in self.rows]
        if extra:
            raise EquationsError(f"the right side has a row '{extra[0]}', and the matrix has none")
        b = right.extended(self.rows).array
        if nearest:
            return LabelledMatrix(pinv(self.array[None])[0] @ b, self.columns, right.columns)
        x, faults = least_squares(self.array[None], b[None], unique=len(self.columns))
        if faults[0]:
            raise EquationsError(f"the equations have no unique solution: they are {faults[0]}")
        return LabelledMatrix(x[0], self.columns, right.columns)


def assemble(*matrices: LabelledMatrix) -> LabelledMatrix:
    """Return (X, Y, ...): the sum over the labels of all, Orsino's Definition 2.9."""
    if not matrices:
        raise EquationsError("there is no matrix to assemble")
    return reduce(LabelledMatrix.__add__, matrices)


def stack(*matrices: LabelledMatrix) -> LabelledMatrix:
    """Return matrices below each other, of which no two have a row of the same label."""
    _require_apart("row", [matrix.rows for matrix in matrices])
    return assemble(*matrices)


def beside(*matrices: LabelledMatrix) -> LabelledMatrix:
    """Return matrices side by side, of which no two have a column of the same label."""
    _require_apart("column", [matrix.columns for matrix in matrices])
    return assemble(*matrices)


def _require_apart(kind: str, labels: Iterable[Sequence[str]]) -> None:
    seen: set[str] = set()
    for own in labels:
        both = sorted(seen & set(own))
        if both:
            raise EquationsError(f"two matrices have a {kind} '{both[0]}': assemble adds them up")
        seen |= set(own)


def _chosen(place: Any, labels: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(place, str):
        return (place,)
    return labels[place] if isinstance(place, slice) else tuple(place)


def _union(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    return (*a, *(label for label in b if label not in a))


def _common(wanted: Sequence[str], known: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the positions of the labels in common, in both."""
    places = {label: k for k, label in enumerate(known)}
    pairs = [(i, places[label]) for i, label in enumerate(wanted) if label in places]
    return [i for i, _ in pairs], [j for _, j in pairs]
