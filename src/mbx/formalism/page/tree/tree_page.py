"""What all pages of a tree share: names of components, lines within a budget, and the closing.

A line whose parts are named nowhere is left out, with all that needs it, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, mul, neg, sub
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import NUMBER, ZERO, Node
from mbx.expr.show import show
from mbx.formalism.page.bodies import find_plane
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_constraints import describe_constraints, write_constraints
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import (
    put_in,
    reaction_names,
    write_kinematics,
    write_reduced,
)
from mbx.formalism.page.tree.tree_rows import Names, Shortener, tree_rows
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import centred
from mbx.mechanics.tree.ties import ties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix
    from mbx.expr.build import Vector as Vector3
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_builder import Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.formalism.page.tree.tree_rows import Axes, LinkRows
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

__all__ = ["TreePage", "Vector"]

Vector = list[Node]

_LINES: Final = (34, 22, 12)
"""Lines of the sweeps of a page that is not the full one, by how much is abbreviated."""
_ROOM: Final = 92
"""Characters of equations side by side."""
_WHOLE: Final = 8
"""Operations of a value that stands beside its formula."""
_FEW: Final = 16
"""Names up to which values are looked at without names."""
_ROW: Final = 60
"""Operations of an equation of motion that is written out."""
_LARGEST: Final = 1500
"""Operations of equations of motion that are brought to a short form."""
_PLACE: Final = 90
"""Operations of axes and of an origin that have no names."""
_EFFORT: Final = 5_000
"""Operations that are shortened for a page."""
_PULL: Final = 24
"""Operations of a multiplier's part in a force."""
_CONSTRAINTS: Final = 150
"""Operations of constraints that have no short solution."""
_RAW: Final = 10
"""How much longer an expression is that is not shortened before it is left out."""
_KINEMATICS: Final = 300
"""Operations of the rates of all coordinates."""
_LONG: Final = 40
"""Operations of an expression whose characters are not counted."""
_HUGE: Final = 400
"""Operations of an expression that is not looked at."""
_LINEAR: Final = ("x", "y", "z")
_ANGULAR: Final = ("l", "m", "n")
_TURN: Final = 3


@dataclass(slots=True)
class _Pending:
    """Definitions that wait for a common line."""

    equations: list[tuple[Node, ...]] = field(default_factory=list)


class TreePage:
    """A tree of links on a page.

    Attributes:
        page: The page.
        model: The model.
        tree: Its links.
        closing: What closes the tree.
        rows: The links in the rows that move.
        words: What the links are called.
        values: What the names of the page stand for, in the order of their definitions.
    """

    def __init__(
        self,
        system: System,
        equations: Equations,
        options: PageOptions,
        title: str,
        *,
        is_centred: bool = False,
    ) -> None:
        """Begin the page of a tree."""
        self.model = PageModel(system, equations, options)
        self.page = PageBuilder(system, title)
        self.tree: Links = links(self.model.motion)
        if is_centred:
            self.tree = centred(self.tree)
        self.closing = ties(self.tree, self.model.levels)
        self.words = _words([link.path for link in self.tree.links])
        self.plane = find_plane(self.model.motion)
        self.short = Shortener(_EFFORT * (10 if options.is_full else 1))
        self.values: dict[Node, Node] = {}
        self.rows: list[LinkRows] = []
        self._undefined: set[Node] = set()
        self._pending = _Pending()
        self._left = 10_000 if options.is_full else _LINES[options.level]
        self.multipliers = reaction_names(self.page, self.model)
        self.reactions = set(self.multipliers)
        self._forces: dict[int, Node] = {}

    # -- the beginning -----------------------------------------------------------------------

    def begin(self, *words: Words) -> None:
        """Write counts, the tree in a sentence, and in which components vectors are."""
        self.page.counts.extend(self.model.counts())
        if words:
            self.page.given(*words)
        variant = self.model.equations.variant
        if variant and variant != "projection":
            self.page.given(f"The variant {variant} is another way to solve the same equations.")
        if not self.tree.links:
            self.page.given("No body has a hinge: all speeds are beside the tree.")
        if self.is_tied:
            tied = [w for k, w in enumerate(self.words) if self._is_tied(k)]
            self.page.given(
                f"Expressions place {', '.join(tied)}, no joint does: the rates of their hinges "
                "are tied to the speeds."
            )
        if any(r.kind == "norm" for r in (*self.model.system.closed, *self.model.system.rows)):
            self.page.given("Quaternions have length 1.")

    @property
    def chain(self) -> str:
        """The links in words: `cart, pole on cart`."""
        parts = [
            word
            if link.parent is None
            else word
            if link.parent == k - 1 and k
            else f"{word} on {self.words[link.parent]}"
            for k, (word, link) in enumerate(zip(self.words, self.tree.links, strict=True))
        ]
        return ", ".join(parts) or "none"

    @property
    def is_tied(self) -> bool:
        """Whether a rate of a hinge is no speed."""
        return any(map(self._is_tied, range(len(self.tree.links))))

    def _is_tied(self, k: int) -> bool:
        return any(self.tree.direct[j] is None for j in self.tree.links[k].own)

    def take(self, axes: Axes, letters: Sequence[str] = (), *, is_whole: bool = False) -> None:
        """Find the rows of all links; with letters, twists get names: of what moves and turns."""
        plane: tuple[int, ...] = ()
        if is_whole:
            flat = self.plane
            plane = tuple(range(6))
            if flat is not None and not any(link.frame is None for link in self.tree.links):
                plane = self._plane_rows(flat.normal)

        def keep(k: int, six: Sequence[Node]) -> Vector:
            return self.keep_twist(k, six, letters) if letters else list(six)

        names = Names(self.short, keep, self._keep_axes, self._keep_origin)
        self.rows = tree_rows(self.tree, self.closing, axes, names, plane)
        self.flush()

    def _keep_axes(self, k: int, R: Matrix) -> Matrix:
        """Return names of the direction cosines of a link that are long."""
        if written([x for row in R for x in row]) <= _PLACE:
            return R
        named: list[Vector3] = []
        for a, row in zip("xyz", R, strict=True):
            marked = zip("xyz", row, strict=True)
            x, y, z = (self.define(f"A{a}{b}", self.words[k], value) for b, value in marked)
            named.append((x, y, z))
        self.flush()
        return named[0], named[1], named[2]

    def _keep_origin(self, k: int, p: Vector3) -> Vector3:
        """Return names of the components of the origin of a link that are long."""
        if written(p) <= _PLACE:
            return p
        x, y, z = (
            self.define(f"R{a}", self.words[k], value) for a, value in zip("xyz", p, strict=True)
        )
        self.flush()
        return x, y, z

    def _plane_rows(self, normal: int) -> tuple[int, ...]:
        return tuple(sorted({k for k in range(3) if k != normal} | {3 + normal}))

    def keep_twist(self, k: int, six: Sequence[Node], letters: Sequence[str]) -> Vector:
        """Return names of the components of a twist that are more than a rate."""
        kept = list(six)
        angular = [i for i in range(3, 6) if six[i] is not ZERO]
        for i, value in enumerate(six):
            letter = letters[i >= _TURN]
            if value is ZERO or not letter or cost([value]) <= 1:
                continue
            label = _LINEAR[i % 3] if i < _TURN or len(angular) > 1 or self.plane is None else ""
            kept[i] = self.define(letter + label, self.words[k], value)
        return kept

    # -- names and lines ---------------------------------------------------------------------

    def label(self, k: int, i: int) -> str:
        """Return the mark of a component of a link: x, y, z along axes, l, m, n about them."""
        rows = self.rows[k].rows
        if len(rows) == 1:
            return ""
        row = rows[i]
        if row < _TURN:
            return _LINEAR[row]
        turning = [r for r in rows if r >= _TURN]
        return "n" if len(turning) == 1 else _ANGULAR[row - _TURN]

    def define(self, letter: str, index: str, *sides: Node, is_own: bool = False) -> Node:
        """Return a name for a value where it is worth one; `is_own`: wherever it is not zero."""
        value = sides[-1]
        if written([value]) > (_HUGE if not self.model.options.is_full else 8 * _HUGE):
            name = self.page.name(letter, index)
            self.values[name] = value
            self._left_out([(name, value)])
            return name
        short = self.short([value])[0]
        if short is ZERO:
            return ZERO
        if not is_own and (cost([short]) <= 1 or short.op is NUMBER):
            return short
        name = self.page.name(letter, index)
        stated = [*sides[:-1], value] if cost([value]) <= cost([short]) else [*sides[:-1], short]
        if len(self.values) < _FEW and short not in self.values:
            whole = self.short(self.expand([value]))[0]
            known = self.reactions.isdisjoint(free_symbols([whole]))
            if known and whole is not short and 0 < cost([whole]) <= _WHOLE:
                stated.append(whole)
        self.values[name] = value
        self._pending.equations.append((name, *stated))
        return name

    def flush(self, *, is_apart: bool = False) -> None:
        """Write the definitions that wait, side by side where they fit."""
        line: list[tuple[Node, ...]] = []
        width = 0
        for equation in self._pending.equations:
            size = sum(_length(side) + 3 for side in equation)
            if line and (is_apart or width + size > _ROOM):
                self.put(*line)
                line, width = [], 0
            line.append(equation)
            width += size
        if line:
            self.put(*line)
        self._pending.equations.clear()

    def put(self, *equations: Sequence[Node], is_last: bool = False) -> bool:
        """Write equations under one number, unless they are long or need what is left out.

        `is_last`: equations of motion, which have a place on every page.
        """
        entry = self.model.options.entry
        size = 0
        for head, *others in equations:
            size += 1 + max(written([x]) for x in (head, *others)) // 12
            known = free_symbols([head, *others] if head not in self.values else others)
            if not self._undefined.isdisjoint(known) or written([head, *others]) > entry:
                self._left_out(equations)
                return False
        if self._left < size and not is_last:
            self._left_out(equations)
            return False
        self._left -= size if len(equations) == 1 else max(1, len(equations) // 4)
        self.page.lines(*equations)
        return True

    def _left_out(self, equations: Sequence[Sequence[Node]]) -> None:
        self.page.left_out += len(equations)
        self._undefined |= {head for head, *_ in equations if head in self.values}

    def is_known(self, nodes: Sequence[Node]) -> bool:
        """Return whether all names in expressions are defined on the page."""
        return self._undefined.isdisjoint(free_symbols(nodes))

    def expand(self, nodes: Sequence[Node]) -> Vector:
        """Return expressions without the names of the page."""
        opened: dict[Node, Node] = {}
        for name, value in self.values.items():
            [opened[name]] = substitute([value], opened)
        return substitute(list(nodes), opened)

    # -- loads and rates ---------------------------------------------------------------------

    def load_on_speed(self, u: int) -> Node:
        """Return the loads on a speed that are no wrenches on links."""
        closing = self.closing
        n, at = len(closing.rates), closing.order[u]
        value = closing.Q[at] if at < n else closing.he[at - n]
        added = closing.Ma[at] if at < n else closing.Me[at - n]
        by_path = {
            s.path: ud for s, ud in zip(self.model.motion.speeds, self.model.ud, strict=True)
        }
        terms = [mul(m, by_path[path]) for m, path in zip(added, closing.beside, strict=True)]
        return add(value, *(neg(x) for x in terms))

    def force_of_constraints(self, u: int) -> Node:
        """Return what the multipliers do to a speed; of long constraints, by a name."""
        column = [row[u] for row in self.model.short.A]
        is_long = self.model.elimination is None and written(column) > _RAW * _PULL
        if not is_long:
            column = [row[u] for row in self.model.A]
        if all(x is ZERO for x in column):
            return ZERO
        if is_long or written(column) > _PULL:
            if u not in self._forces:
                path = self.model.motion.speeds[u].path.rstrip("'")
                meaning = f"force of the constraints on {path}"
                name = self.page.name("Fc", path, meaning=meaning, is_given=True)
                self.page.known[str(name.value)] = ("Fc", u)
                self._forces[u] = name
                self.reactions.add(name)
            return self._forces[u]
        return add(ZERO, *(mul(x, lam) for x, lam in zip(column, self.multipliers, strict=True)))

    def acceleration(self, j: int) -> Node:
        """Return the acceleration of a rate of the tree in those of the speeds."""
        direct = self.tree.direct[j]
        if direct is not None:
            return self.model.ud[direct]
        terms = [mul(p, ud) for p, ud in zip(self.tree.P[j], self.model.ud, strict=True)]
        return self.short([add(*terms, self.tree.pd[j])])[0]

    def own_accelerations(self, letter: str = "z") -> Vector:
        """Return the accelerations of all rates of the tree; tied ones get names."""
        found: Vector = []
        for k, link in enumerate(self.tree.links):
            for position, j in enumerate(link.own):
                value = self.acceleration(j)
                if self.tree.direct[j] is None:
                    value = self.define(letter + self.rate_label(k, position), self.words[k], value)
                found.append(value)
        self.flush()
        return found

    def rate_label(self, k: int, position: int) -> str:
        """Return the mark of a rate of a hinge: of the component that it is, or its number."""
        link = self.tree.links[k]
        if link.freedoms == 1:
            return ""
        name = link.names[position].rpartition(":")[2]
        components = {"vx": "x", "vy": "y", "vz": "z", "wx": "l", "wy": "m", "wz": "n"}
        return components.get(name, str(position + 1))

    def by_speeds(self, of_rates: Sequence[Node]) -> Vector:
        """Return forces on the speeds of forces on the rates of the tree: P^T tau."""
        P = self.tree.P
        return [
            add(ZERO, *(mul(P[j][u], tau) for j, tau in enumerate(of_rates)))
            for u in range(len(self.model.u))
        ]

    # -- the end -----------------------------------------------------------------------------

    def write_constraints(self) -> None:
        """Write the constraints as a step, where there are some."""
        model = self.model
        if not model.rows:
            return
        self.page.step("Constraints", *describe_constraints(model))
        if model.elimination is None and self._are_long():
            self.page.left_out += len(model.rows)
        else:
            write_constraints(self.page, model)

    def _are_long(self) -> bool:
        """Return whether the constraints are too long for the page."""
        raw = [x for x in self.model.short.velocity if x is not None]
        if written(raw) > _RAW * _CONSTRAINTS:
            return True
        return written([x for x in self.model.velocity if x is not None]) > _CONSTRAINTS

    def tidied(self, nodes: Sequence[Node]) -> Vector:
        """Return expressions in short form, trivial speeds put in."""
        return put_in(self.model, nodes)

    def finish(self, rows: Sequence[Node], named: Sequence[Node] = ()) -> None:
        """Write the equations of motion, in names and without, and the kinematic equations.

        Args:
            rows: What is zero for each speed without constraints, in names or not.
            named: The same in names, where these are still to be written.
        """
        if named:
            self._write_named(named)
        if self.model.is_reduced:
            self._write_opened(self.expand(rows))
        self.page.drop_empty()
        rates = [self.model.motion.qd[v.symbol] for v in self.model.system.q]
        if written(rates) > _KINEMATICS:
            self.page.left_out += len(rates)
        else:
            write_kinematics(self.page, self.model)

    def _write_opened(self, rows: Sequence[Node]) -> None:
        """Write the equations of motion without names."""
        if cost(rows) > _LARGEST:
            self.page.left_out += len(self.model.free)
        elif write_reduced(self.page, self.model, rows) is None:
            self._write_rows(rows)

    def _write_named(self, named: Sequence[Node]) -> None:
        """Write C^T E = 0."""
        model, elimination = self.model, self.model.elimination
        for position, j in enumerate(model.free):
            value = named[j]
            if elimination is not None:
                C = model.ratios or elimination.C
                value = add(*(mul(C[k][position], named[k]) for k in range(len(model.u))))
            elif model.rows:
                value = sub(value, self.force_of_constraints(j))
            self.put((value, ZERO), is_last=True)

    def _write_rows(self, rows: Sequence[Node]) -> None:
        """Write equations as they are, where there is no constraint and they are short."""
        if self.model.rows:
            return
        short = self.short(rows)
        if all(written([row]) <= _ROW for row in short):
            self.page.note("written out")
            for row in short:
                self.page.equal(row, ZERO)


def _length(side: Node) -> int:
    """Return about how many characters an expression has."""
    return len(show(side)) if written([side]) <= _LONG else _ROOM


def _words(paths: Sequence[str]) -> list[str]:
    """Return the last part of each name where that is enough, else the whole name."""
    short = [path.rpartition(".")[2] for path in paths]
    return [s if short.count(s) == 1 else p for s, p in zip(short, paths, strict=True)]
