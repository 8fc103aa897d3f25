"""A program as a textbook lays it out: headings, sentences and aligned equations.

It is written in a notation that is not known here; `mbx.codegen.notation.latex.latex_notation` and
`mbx.codegen.notation.mathml.mathml_notation` have one each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.algebra_lines import Block as Grid
from mbx.codegen.notation.algebra_lines import Plus, Ref, Times, Transposed, unknowns_of
from mbx.codegen.notation.display import results, unreadable
from mbx.codegen.notation.latex.latex_names import matrix_name
from mbx.codegen.notation.notation import Aligned, Formula, Heading, Row, Said
from mbx.codegen.notation.plain import plain
from mbx.codegen.notation.symbol_table import GROUPS, is_symmetric, rows_of
from mbx.codegen.reduce import IDENTITY, ZEROS
from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.algebra_lines import Line, Matrix
    from mbx.codegen.notation.display import Display
    from mbx.codegen.notation.notation import Block, Notation
    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

__all__ = ["LINES", "Exposition", "length"]

LINES: Final = 4000
"""So many lines of equations people read; more are left out, and that is said."""

_COLUMNS: Final = 12  # of a matrix that is drawn
_NAMES: Final = 14  # of matrices on a line
_KINDS: Final = {
    "symmetric": " (symmetric matrix)",
    "positive": " (positive definite matrix)",
    "least_squares": " (least squares where rows depend on each other)",
}
_RATES: Final = frozenset({"qd"})
"""Results that are kinematics."""


def length(blocks: Sequence[Block]) -> int:
    """Return how many lines blocks are."""
    return sum(len(one.rows) if isinstance(one, Aligned) else 1 for one in blocks)


@dataclass(frozen=True, slots=True)
class Exposition:
    """Lays out what is shown, in a notation."""

    shown: Display
    write: Notation

    def program(self) -> Iterator[Block]:
        """Yield named parts, rates, and the steps under their headings."""
        for title, pairs in (("Abbreviations", self.shown.parts), ("Rates", self.shown.rates)):
            if pairs:
                yield Heading(title)
                named = [(self.write.name(name.value), value) for name, value in pairs]
                yield Aligned(tuple(row for n, v in named for row in self._sum(n, v)))
        yield from self._parted(self.shown.lines, _Sections(self._kinematic()))

    def results(self) -> Iterator[tuple[str | Formula, tuple[str | Formula, ...]]]:
        """Yield what each result is called, and what is to be said of it."""
        for key, name, meaning in results(self.shown):
            kind, _, path = key.partition(":")
            left = key if path else Formula(self.write.matrix(kind))
            said: list[str | Formula] = [meaning]
            if name == ZEROS:
                said.append(": zero or empty")
            elif name == IDENTITY:
                said.append(": the unit matrix")
            elif name != key and (other := Formula(self._ref(name))) != left:
                said += [": ", other]  # only plain text tells some of them apart
            yield left, tuple(said)

    # -- steps ---------------------------------------------------------------------------------

    def _kinematic(self) -> frozenset[str]:
        """Return the steps that are rates of coordinates."""
        found = {self.shown.equations.results.get(key, "") for key in _RATES}
        return frozenset(self.shown.names[name] for name in found if name)

    def _parted(self, lines: Sequence[Line], sections: _Sections | None = None) -> Iterator[Block]:
        """Yield lines, and what part of the algorithm they are where one begins."""
        part = ""
        for line in lines:
            new = line.step.part or (sections.of(line.step) if sections is not None else "")
            if new != part:
                part = new
                if part:
                    yield Heading(part[:1].upper() + part[1:])
            yield from self._line(line)

    def _line(self, line: Line) -> Iterator[Block]:
        step, write = line.step, self.write
        left = write.matrix(step.name, step.symbol)
        args = [self._matrix(a) for a in line.args]
        right = ""
        match step.op:
            case "define" | "given":
                yield from self._entries(step)
                return
            case "implicit":
                yield from self._implicit(line, left)
                return
            case "solve":
                yield from _said("solve for ", Formula(left), step.meaning, step.kind or "")
                product = write.times([self._factor(line.args[0]), left])
                yield Aligned(tuple(self._equal(product, line.args[1])))
                return
            case "nullspace":
                right = write.null(self._held(line.args[0]))
            case "rows":
                right = write.rows(args[0], rows_of(step.indices or ()))
            case "pinv":
                right = write.raised(self._held(line.args[0]), "+")
            case "sqrtm":
                right = write.raised(self._held(line.args[0]), "1/2")
            case "absolute":
                right = write.magnitudes(args[0])
        if step.meaning:
            yield Said((step.meaning,))
        yield Aligned((Row(left, right),) if right else tuple(self._equal(left, line.args[0])))

    def _equal(self, left: str, one: Matrix) -> Iterator[Row]:
        """Yield what a matrix is, on lines that fit."""
        terms = one.terms if isinstance(one, Plus) else ()
        lines: list[list[tuple[int, Matrix]]] = [[]]
        length = 0
        for sign, term in terms:
            size = _names(term)
            if lines[-1] and length + size > _NAMES:
                lines.append([])
                length = 0
            lines[-1].append((sign, term))
            length += size
        if len(lines) == 1:
            yield Row(left, self._matrix(one))
            return
        for k, some in enumerate(lines):
            texts = [(sign, self._matrix(term)) for sign, term in some]
            yield Row("" if k else left, self.write.plus(texts, goes_on=k > 0))

    def _implicit(self, line: Line, left: str) -> Iterator[Block]:
        step, write = line.step, self.write
        rows = [[write.name(one)] for one in unknowns_of(line)]
        what = Formula(write.equal(left, write.grid(rows)) if rows else left)
        residual = Formula(write.equal(write.matrix(step.residual), write.constant(ZEROS)))
        yield Said(("find ", what, " with ", residual, ", where"))
        yield from self._parted([inner for inner in line.inner if inner.step.op != "given"])
        yield Said(("(end of ", Formula(left), ")"))

    # -- entries -------------------------------------------------------------------------------

    def _sum(self, left: str, node: Node) -> Iterator[Row]:
        """Yield the lines of one equation."""
        first, *more = self.write.lines(self.shown.layout(node), self.write.width)
        yield Row(left, first)
        yield from (Row("", line) for line in more)

    def _entries(self, step: Step) -> Iterator[Block]:
        """Yield a matrix of expressions: drawn if it fits, else entry by entry."""
        left = self.write.matrix(step.name, step.symbol)
        why_not = unreadable(step)
        if why_not:
            yield Said((f"{step.meaning}, " if step.meaning else "", Formula(left), f": {why_not}"))
            return
        sums = [[self.shown.layout(node) for node in row] for row in step.entries]
        texts = [[plain(one) for one in row] for row in sums]
        widths = [max(len(row[j]) for row in texts) for j in range(len(texts[0]))]
        if len(widths) <= _COLUMNS and sum(widths) + 2 * len(widths) <= self.write.width:
            if step.meaning:
                yield Said((step.meaning,))
            drawn = self.write.grid([[self.write.sum(one) for one in row] for row in sums])
            yield Aligned((Row(left, drawn),))
            return
        symmetric = is_symmetric(step, texts)
        zeros = any(node is ZERO for row in step.entries for node in row)
        why = ", symmetric" if symmetric else ""
        why += ", other entries are zero" if zeros else ""
        yield Said((f"{step.meaning} ({len(texts)} by {len(texts[0])}{why})",))
        found: list[Row] = []
        for i, row in enumerate(step.entries):
            for j, node in enumerate(row):
                if node is not ZERO and not (symmetric and j < i):
                    places = [self._label(step.row_labels, i)]
                    places += [self._label(step.column_labels, j)] if len(row) > 1 else []
                    found += self._sum(self.write.entry(left, places), node)
        yield Aligned(tuple(found))

    def _label(self, labels: tuple[str, ...], k: int) -> str:
        """Return what a row or a column belongs to, else its number."""
        if not labels:
            return self.write.constant(str(k + 1))
        signature = self.shown.equations.signature
        known = any(
            one.path == labels[k] for group, _ in GROUPS for one in getattr(signature, group)
        )
        return self.write.name(labels[k]) if known else self.write.words(labels[k])

    # -- matrices ------------------------------------------------------------------------------

    def _ref(self, name: str) -> str:
        if name in {ZEROS, IDENTITY} or name.startswith(f"{IDENTITY}_"):
            return self.write.constant(name)
        return self.write.matrix(name, self.shown.symbols.get(name, ""))

    def _matrix(self, one: Matrix) -> str:
        match one:
            case Ref():
                return self._ref(one.name)
            case Transposed():
                return self.write.raised(self._held(one.of), "T")
            case Times():
                return self.write.times([self._factor(f) for f in one.factors])
            case Plus():
                return self.write.plus([(sign, self._matrix(term)) for sign, term in one.terms])
            case Grid():
                return self.write.grid([[self._matrix(b) for b in row] for row in one.rows])

    def _factor(self, one: Matrix) -> str:
        """Return a factor of a product; a transpose needs no brackets."""
        return self._matrix(one) if isinstance(one, Transposed | Ref) else self._held(one)

    def _held(self, one: Matrix) -> str:
        text = self._matrix(one)
        if isinstance(one, Grid) or (isinstance(one, Ref) and not self._is_raised(one.name)):
            return text
        return self.write.held(text)

    def _is_raised(self, name: str) -> bool:
        """Whether the name of a matrix has something at its upper right already."""
        return "^" in matrix_name(name, self.shown.symbols.get(name, ""))


def _names(one: Matrix) -> int:
    """Return how many names of matrices something is written with."""
    match one:
        case Ref():
            return 1
        case Transposed():
            return _names(one.of)
        case Times():
            return sum(map(_names, one.factors))
        case Plus():
            return sum(_names(term) for _, term in one.terms)
        case Grid():
            return sum(max(_names(row[j]) for row in one.rows) for j in range(len(one.rows[0])))


@dataclass(slots=True)
class _Sections:
    """Headings of steps that belong to no part of an algorithm."""

    kinematic: frozenset[str]
    now: str = "Matrices"

    def of(self, step: Step) -> str:
        if step.name in self.kinematic:
            self.now = "Kinematics"
        elif step.op in {"solve", "implicit"}:
            self.now = "Equation of motion"
        elif self.now == "Kinematics":
            self.now = "Matrices"
        return self.now


def _said(word: str, what: Formula, meaning: str, kind: str) -> Iterator[Said]:
    why = _KINDS.get(kind, "")
    yield Said((word, what, f": {meaning}{why}" if meaning else why))
