"""Which numbers a compiled function takes in and gives back, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import suggestion
from mbx.base.errors import EquationsError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from mbx.codegen.routine import Argument, Routine

__all__ = ["STATE", "Layout", "Result", "Results", "is_column"]

STATE: Final = ("t", "q", "u", "higher", "inputs")
"""The groups of numbers that may differ from state to state, in order."""
_MATRICES: Final = frozenset({"M", "A"})
"""Results that are matrices even if they have one column."""


def is_column(meaning: str, columns: int) -> bool:
    """Whether a result is a plain list of numbers."""
    return columns <= 1 and meaning not in _MATRICES


@dataclass(frozen=True, slots=True)
class Result:
    """A result among all numbers that come out: where it begins, and its size."""

    begin: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What a function gave: results as attributes and items, and the status of each state.

    A status is 0 where all is well, 1 where a number is infinite or none at all, and 2 where an
    iteration did not end.
    """

    values: Mapping[str, Any]
    status: Any

    def __getitem__(self, meaning: str) -> Any:
        """Return a result by its meaning."""
        return self.values[meaning]

    def __getattr__(self, meaning: str) -> Any:
        """Return a result by its meaning."""
        if not meaning.startswith("_") and meaning in self.values:
            return self.values[meaning]
        raise AttributeError(f"there is no result '{meaning}', only {', '.join(self.values)}")


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Names, sizes and values of their own that groups of arguments have; places of results."""

    paths: Mapping[str, tuple[str, ...]]
    defaults: Mapping[str, tuple[float | None, ...]]
    results: Mapping[str, Result]
    _known: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def of(cls, routine: Routine) -> Layout:
        """Return the layout of a routine."""
        groups: dict[str, list[Argument]] = {name: [] for name in (*STATE, "parameters")}
        for one in routine.arguments:
            groups[one.group].append(one)
        results, begin = {}, 0
        for meaning, rows in routine.results.items():
            results[meaning] = Result(begin, len(rows), len(rows[0]) if rows else 0)
            begin += sum(map(len, rows))
        return cls(
            {name: tuple(one.path for one in some) for name, some in groups.items()},
            {name: tuple(one.default for one in some) for name, some in groups.items()},
            results,
        )

    def size(self, group: str) -> int:
        """Return how many numbers a group has."""
        return len(self.paths[group])

    @property
    def width(self) -> int:
        """How many numbers come out."""
        return sum(one.rows * one.columns for one in self.results.values())

    # -- arguments ---------------------------------------------------------------------------

    def taken(self, group: str, said: ArrayLike | Mapping[str, Any] | None) -> NDArray[np.float64]:
        """Return the numbers of a group, the last axis along it.

        They are said in order, or by their paths; what is not said has the value of its own.
        """
        if said is None:
            return self._own(group)
        if isinstance(said, Mapping):
            return self._by_path(group, said)
        found = np.asarray(said, dtype=np.float64)
        count = self.size(group)
        if group != "t" and found.shape[-1:] != (count,):
            shape = "a number" if found.ndim == 0 else f"{found.shape[-1]} numbers"
            raise EquationsError(f"{group} has {count} numbers, and this has {shape}")
        return found

    def _own(self, group: str) -> NDArray[np.float64]:
        """Return the values of their own that the numbers of a group have."""
        found = self._known.get(group)
        if found is None:
            found = self._known[group] = self._by_path(group, {})
            found.setflags(write=False)
        return found

    def _by_path(self, group: str, said: Mapping[str, Any]) -> NDArray[np.float64]:
        paths = self.paths[group]
        for path in said:
            if path not in paths:
                hint = suggestion(path, list(paths), "; ")
                raise EquationsError(f"there is no '{path}' among {group}{hint}")
        values = [said.get(p, d) for p, d in zip(paths, self.defaults[group], strict=True)]
        missing = [path for path, value in zip(paths, values, strict=True) if value is None]
        if missing:
            raise EquationsError(f"no value for {', '.join(missing)} among {group}")
        if not values:
            return np.zeros(0)
        return np.stack(np.broadcast_arrays(*values), axis=-1).astype(np.float64)

    def with_values(self, said: Mapping[str, Mapping[str, float]]) -> Layout:
        """Return a layout whose numbers have other values of their own, by group and path."""
        defaults = {
            group: tuple(
                said.get(group, {}).get(path, own)
                for path, own in zip(self.paths[group], values, strict=True)
            )
            for group, values in self.defaults.items()
        }
        return Layout(self.paths, defaults, self.results)

    # -- results -----------------------------------------------------------------------------

    def given(self, numbers: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """Return results by their meaning, from all numbers along the last axis."""
        found = {}
        for meaning, one in self.results.items():
            part = numbers[..., one.begin : one.begin + one.rows * one.columns]
            if not is_column(meaning, one.columns):
                part = part.reshape(*numbers.shape[:-1], one.rows, one.columns)
            found[meaning] = part
        return found
