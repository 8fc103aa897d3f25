"""The page of the Udwadia-Kalaba equations: a, A, b, the violation e, Fc and the correction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import written
from mbx.expr.build import add, dot, mul, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.expr.show import show
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page_builder import PageBuilder
from mbx.formalism.page.page_constraints import write_conditions
from mbx.formalism.page.page_model import PageModel
from mbx.formalism.page.page_sections import reaction_names, write_kinematics, write_reduced
from mbx.mechanics import loads, reactions
from mbx_converters.udwadia_kalaba.short_inverse import ShortInverse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Sided
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.motion import Motion
    from mbx.system.system import System

    Inertia = Callable[[Motion], tuple[list[list[Node]], list[Node]]]

__all__ = ["write_correction_page"]

_SECOND: Final = 2
_WIDTH: Final = 70
"""Characters of a matrix that is drawn."""
_ENTRY: Final = 8
"""Operations of its entries."""
_ROUTES: Final = {
    "positive": "ud = a + M^-1/2 (A M^-1/2)^P e, with M positive definite.",
    "singular": "M may be singular: (1 - A^P A) M ud = (1 - A^P A) Q together with A ud = -b.",
    "augmented": "with M + A^P A in the place of M, which changes Fc, and so ud, by nothing.",
}


def write_correction_page(
    system: System, equations: Equations, options: PageOptions, inertia: Inertia
) -> Page:
    """Return the page of a model in a variant."""
    model = PageModel(system, equations, options)
    model.refuse_long()
    page = PageBuilder(system, "Udwadia-Kalaba equations")
    page.counts.extend(model.counts())
    if any(row.kind == "norm" for row in (*system.closed, *system.rows)):
        page.given("Quaternions have length 1.")
    written_page = _CorrectionPage(page, model, inertia)
    page.given(f"Variant {written_page.variant}: {_ROUTES[written_page.variant]}")
    written_page.write()
    return page.page()


class _CorrectionPage:
    """Writes what constraints add to the motion without them."""

    def __init__(self, page: PageBuilder, model: PageModel, inertia: Inertia) -> None:
        self.page = page
        self.model = model
        self.variant = model.equations.variant or "positive"
        M, Q = inertia(model.motion)
        n = len(model.u)
        flat = tidy([x for row in M for x in row])
        self.M = [flat[k * n : (k + 1) * n] for k in range(n)]
        self.Q = tidy(Q)
        self.star = tidy(loads.non_ideal(model.motion))
        self.has_star = any(x is not ZERO for x in self.star)
        self.multipliers: list[Node] = []
        self.forces: list[Node] = []
        self.e: list[Node] = []
        self.is_drawn = False

    def write(self) -> None:
        """Write the page."""
        model = self.model
        if model.system.order > _SECOND:
            self._write_programme()
            return
        if model.rows:
            self.multipliers = reaction_names(self.page, model)
        self._write_inertia()
        self._write_named()
        inverse = ShortInverse.find(self.M, self.Q, model.A, model.b, model.options.entry)
        if inverse is None or self.variant == "singular":
            self._write_singular()
        else:
            self._write_correction(inverse)
        write_kinematics(self.page, model)

    # -- M and Q -----------------------------------------------------------------------------

    def _write_inertia(self) -> None:
        """Write M and Q: as matrices, or row by row."""
        page, model = self.page, self.model
        page.step("Without the constraints", "M a = Q, from the rates of the momenta.")
        if not model.u:
            page.note("Nothing moves.")
            return
        entries = [x for row in self.M for x in row] + self.Q
        width = sum(max(len(show(x)) for x in column) + 2 for column in zip(*self.M, strict=True))
        self.is_drawn = width <= _WIDTH and all(written([x]) <= _ENTRY for x in entries)
        if self.is_drawn:
            page.grid("M", model.u, model.u, self.M)
            page.grid("Q", model.u, (), [[x] for x in self.Q])
            self.forces = list(self.Q)
            self._write_star()
            return
        self.forces = []
        nothing: list[tuple[Sided, Sided]] = []
        lines: list[tuple[Node, Node]] = []
        for k, speed in enumerate(model.motion.speeds):
            name = page.name("Q", speed.path)
            self.forces.append(name)
            if self.Q[k] is ZERO:
                nothing.append((name, ZERO))
            else:
                lines.append((name, self.Q[k]))
        if nothing:
            page.lines(*nothing)
        for name, value in lines:
            if self._is_short([value]):
                page.equal(name, value)
            else:
                page.left_out += 1
                index = self.forces.index(name)
                page.names.pop(str(name.value))
                self.forces[index] = self._known_force(index)
        self._write_star()

    def _write_star(self) -> None:
        """Write what constraints do in addition to their ideal part."""
        page, model = self.page, self.model
        if self.has_star:
            page.note("C* is what the constraints do in addition to their ideal part.")
            for k, x in enumerate(self.star):
                if x is not ZERO:
                    page.equal(page.name("C*", model.motion.speeds[k].path), x)

    def _known_force(self, k: int) -> Node:
        """Return a long force by what it must be: M ud - Fc - C*."""
        page, model = self.page, self.model
        name = page.name(
            "Fc", model.motion.speeds[k].path, meaning="constraint force", is_given=True
        )
        page.known[str(name.value)] = ("Fc", k)
        return sub(dot(self.M[k], model.ud), add(name, self.star[k]))

    def _write_named(self) -> None:
        """Write the reactions that loads name, by the multipliers."""
        model = self.model
        symbols = reactions.named_in(model.levels, [*self.Q, *self.star])
        rows = reactions.reaction_map(model.levels, symbols)
        for symbol, row in zip(symbols, rows, strict=True):
            if symbol in self.multipliers:
                continue
            value = tidy(
                [add(ZERO, *(mul(y, x) for y, x in zip(row, self.multipliers, strict=True)))]
            )
            self.page.equal(symbol, value[0], note="a reaction that a load names")

    def _is_short(self, nodes: Sequence[Node]) -> bool:
        return all(written([x]) <= self.model.options.entry for x in nodes)

    # -- the correction ----------------------------------------------------------------------

    def _write_correction(self, inverse: ShortInverse) -> None:
        page, model = self.page, self.model
        page.step("Unconstrained acceleration", "a = M^-1 Q.")
        a = [page.name("a", speed.path) for speed in model.motion.speeds]
        page_lines = list(zip(a, inverse.a, strict=True))
        nothing = [(x, y) for x, y in page_lines if y is ZERO]
        if nothing:
            page.lines(*nothing)
        for x, y in page_lines:
            if y is not ZERO:
                page.equal(x, y)
        for k, row in enumerate(self.M):
            left = dot(row, a)
            if self.is_drawn:
                break  # the matrices say it
            if self._is_short([left]) and (left, self.Q[k]) != (a[k], inverse.a[k]):
                page.equal(left, self.forces[k])
        if not model.rows:
            page.section("Equations of motion", "ud = a: there are no constraints.")
            for ud, name, value in zip(model.ud, a, inverse.a, strict=True):
                page.equal(ud, name, *((value,) if value is not name else ()))
            return
        self._write_violation(a)
        self._write_forces(a, inverse)

    def _write_violation(self, a: Sequence[Node]) -> None:
        """Write A ud + b = 0, and by how much a violates it."""
        page, model = self.page, self.model
        page.step("Constraints", "A ud + b = 0, and by how much a violates it: e = -(A a + b).")
        for row, line, rest in zip(model.rows, model.A, model.b, strict=True):
            value = add(rest, dot(line, model.ud))
            if value is not ZERO and self._is_short([value]):
                page.equal(value, ZERO, note=row.path)
        for row, line, rest in zip(model.rows, model.A, model.b, strict=True):
            name = page.name("e", row.path)
            self.e.append(name)
            page.equal(name, neg(add(rest, dot(line, a))))

    def _write_forces(self, a: Sequence[Node], inverse: ShortInverse) -> None:
        """Write A M^-1 A^T, the multipliers, Fc and the correction."""
        page, model = self.page, self.model
        m = len(model.rows)
        page.step("Constraint forces", "Fc = A^T λ with (A M^-1 A^T) λ = e.")
        W: list[list[Node]] = [[ZERO] * m for _ in range(m)]
        for i in range(m):
            for j in range(i + 1):
                value = inverse.W[i][j]
                if value is ZERO:
                    continue
                index = (
                    model.rows[i].path if i == j else f"{model.rows[i].path}_{model.rows[j].path}"
                )
                name = page.name("W", index)
                page.equal(name, value)
                W[i][j] = W[j][i] = name
        pushed = self._pushed(inverse)
        for i in range(m):
            left = dot(W[i], self.multipliers)
            right = sub(self.e[i], pushed[i])
            alone = [x for x in W[i] if x is not ZERO]
            if len(alone) == 1 and W[i][i] is not ZERO:
                page.equal(self.multipliers[i], mul(right, inverse.inverted(W[i][i])))
            else:
                page.equal(left, right)
        page.step("Correction", "c = M^-1 Fc, along the constraints only.")
        c = [page.name("c", speed.path) for speed in model.motion.speeds]
        push = [
            add(inverse.on_star(k, self.star), dot(inverse.MA[k], self.multipliers))
            for k in range(len(model.u))
        ]
        nothing = [(x, y) for x, y in zip(c, push, strict=True) if y is ZERO]
        if nothing:
            page.lines(*nothing)
        for x, y in zip(c, push, strict=True):
            if y is not ZERO:
                page.equal(x, y)
        page.section("Equations of motion", "ud = a + c.")
        for k, ud in enumerate(model.ud):
            page.equal(ud, add(a[k], c[k]))
        self._write_solved()

    def _pushed(self, inverse: ShortInverse) -> list[Node]:
        """Return A M^-1 C*."""
        model = self.model
        moved = [inverse.on_star(k, self.star) for k in range(len(model.u))]
        return [dot(line, moved) for line in model.A]

    def _write_solved(self) -> None:
        """Write the equations in the independent speeds alone."""
        model = self.model
        if not model.is_reduced:
            return
        elimination = model.elimination
        if elimination is not None:
            loose = [c for c in elimination.conditions if c not in model.constant]
            if loose:
                return
        rows = [
            sub(dot(row, model.ud), add(x, y))
            for row, x, y in zip(self.M, self.Q, self.star, strict=True)
        ]
        if elimination is not None:
            write_conditions(self.page, elimination.conditions)
        write_reduced(self.page, model, rows)

    # -- without an inverse ------------------------------------------------------------------

    def _write_singular(self) -> None:
        """Write M ud = Q + Fc and A ud + b = 0, which hold together."""
        page, model = self.page, self.model
        if model.rows:
            page.step("Constraints", "A ud + b = 0.")
            for row, line, rest in zip(model.rows, model.A, model.b, strict=True):
                value = add(rest, dot(line, model.ud))
                if value is ZERO:
                    continue
                if self._is_short([value]):
                    page.equal(value, ZERO, note=row.path)
                else:
                    page.left_out += 1
        reason = "M ud = Q + A^T λ, where A^T λ = Fc is all that A^P A lets through."
        page.section("Equations of motion", reason if model.rows else "M ud = Q.")
        for k, inertia in enumerate(self.M):
            left = dot(inertia, model.ud)
            pull = [mul(line[k], x) for line, x in zip(model.A, self.multipliers, strict=True)]
            right = add(self.forces[k], self.star[k], *pull)
            if left is ZERO and right is ZERO:
                continue
            if self._is_short([left, right]):
                page.equal(left, right)
            else:
                page.left_out += 1
        self._write_solved()

    def _write_programme(self) -> None:
        """Write what is differentiated under invariants of order 3 and more."""
        page, model = self.page, self.model
        page.step("Momenta and forces", "the rows of M ud - Q, which the constraint forces are.")
        for k, row in enumerate(self.M):
            name = page.name("Fc", model.motion.speeds[k].path)
            value = tidy([sub(dot(row, model.ud), add(self.Q[k], self.star[k]))])[0]
            if self._is_short([value]):
                page.equal(name, value)
            else:
                page.left_out += 1
        order = model.system.order
        page.note(
            f"The programme has order {order}: (1 - A^P A) Fc = 0 holds at every instant, and is "
            f"differentiated {order - _SECOND} times."
        )
