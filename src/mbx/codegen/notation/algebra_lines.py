"""The steps of a program as lines of matrix algebra, small steps written inside of others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.codegen.reduce import IDENTITY, ZEROS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.formalism.program import Step

__all__ = ["Block", "Line", "Matrix", "Plus", "Ref", "Times", "Transposed", "lines", "unknowns_of"]


@dataclass(frozen=True, slots=True)
class Ref:
    """A matrix by its name; `0` and `1` are the zero and the unit matrix."""

    name: str


@dataclass(frozen=True, slots=True)
class Transposed:
    """The transpose of a matrix."""

    of: Matrix


@dataclass(frozen=True, slots=True)
class Times:
    """A product."""

    factors: tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class Plus:
    """A sum with signs."""

    terms: tuple[tuple[int, Matrix], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A grid of matrices."""

    rows: tuple[tuple[Matrix, ...], ...]


Matrix = Ref | Transposed | Times | Plus | Block


@dataclass(frozen=True, slots=True)
class Line:
    """A step to be shown: its operation on matrices that may be written out in it.

    `args` are those of the step, of a `block`, a `sum` and a `product` the one matrix that it
    is. `inner` are the lines of an implicit step.
    """

    step: Step
    args: tuple[Matrix, ...] = ()
    inner: tuple[Line, ...] = ()


def lines(steps: Sequence[Step], wanted: Iterable[str]) -> tuple[Line, ...]:
    """Return the lines of a program; wanted names have lines of their own."""
    return tuple(_lines(steps, {}, frozenset(wanted)))


def unknowns_of(line: Line) -> tuple[str, ...]:
    """Return how expressions call the entries of the unknown of an implicit step."""
    given = [s for s in line.step.steps if s.name == line.step.unknown]
    nodes = [node for step in given for row in step.entries for node in row]
    unknown = line.step.unknown
    symbols = next((s.symbols for s in line.step.steps if s.args == (unknown,)), ())
    own = [node.value for node in nodes or symbols]
    return tuple(name for name in own if not name.startswith(f"{unknown}["))


def _lines(
    steps: Sequence[Step], outer: Mapping[str, Matrix], wanted: frozenset[str]
) -> Iterator[Line]:
    uses = Counter(name for step in steps for name in _named(step))
    inside = dict(outer)
    # expressions name entries of a matrix, so that it needs a name
    wanted |= {name for step in steps if step.op == "define" for name in step.args}
    for step in steps:
        found = _matrix(step, inside)
        if found is not None and step.name not in wanted and _slight(step, uses[step.name]):
            inside[step.name] = found
        elif found is not None:
            yield Line(step, (found,))
        else:
            args = tuple(_ref(name, inside) for name in step.args)
            inner: tuple[Line, ...] = ()
            if step.steps:
                kept = wanted | {step.unknown, step.residual}
                hidden = {n: m for n, m in inside.items() if n != step.unknown}
                inner = tuple(_lines(step.steps, hidden, kept))
            yield Line(step, args, inner)


def _named(step: Step) -> Iterator[str]:
    yield from step.args
    yield from (name for row in step.grid for name in row if name is not None)
    inside = {inner.name for inner in step.steps}
    for inner in step.steps:
        yield from (name for name in _named(inner) if name not in inside)


def _slight(step: Step, uses: int) -> bool:
    """Whether a step is written where it is used."""
    if step.op == "transpose" or (step.op == "sum" and len(step.args) == 1):
        return True
    return step.op in {"product", "sum"} and uses <= 1 and not step.meaning


def _ref(name: str, inside: Mapping[str, Matrix]) -> Matrix:
    return inside.get(name, Ref(name))


def _matrix(step: Step, inside: Mapping[str, Matrix]) -> Matrix | None:
    """Return what a step is in terms of others, if matrix algebra has it."""
    args = tuple(_ref(name, inside) for name in step.args)
    match step.op:
        case "transpose":
            return args[0].of if isinstance(args[0], Transposed) else Transposed(args[0])
        case "product":
            return Times(tuple(_factors(args)))
        case "sum":
            return Plus(tuple(_terms(zip(step.signs or (1,) * len(args), args, strict=True))))
        case "block":
            return Block(tuple(tuple(_ref(n or ZEROS, inside) for n in row) for row in step.grid))
        case "identity":
            return Ref(IDENTITY)
    return None


def _factors(args: Iterable[Matrix]) -> Iterator[Matrix]:
    for one in args:
        yield from one.factors if isinstance(one, Times) else (one,)


def _terms(args: Iterable[tuple[int, Matrix]]) -> Iterator[tuple[int, Matrix]]:
    for sign, one in args:
        if isinstance(one, Plus):
            yield from ((sign * s, m) for s, m in one.terms)
        else:
            yield sign, one
