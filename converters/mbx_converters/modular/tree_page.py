"""The page of a model with subsystems: its tree, and at each node C, S and fbar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, dot, mul, neg, sub
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page import TreeNode as Drawn
from mbx.formalism.page.page_builder import PageBuilder, as_prose
from mbx.formalism.page.page_constraints import write_conditions
from mbx.formalism.page.page_sections import (
    reaction_names,
    write_kinematics,
    write_reactions,
    write_reduced,
)
from mbx_converters.modular.tree_nodes import TreeModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_builder import Words
    from mbx.formalism.page.page_options import PageOptions
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.subsystem_tree import Part
    from mbx.system.system import System
    from mbx_converters.modular.tree_nodes import TreeNode

    Forces = Callable[[Motion, Part], tuple[list[list[Node]], list[Node]]]

__all__ = ["write_tree_page"]

_COLUMNS: Final = 5
"""Columns of a matrix that is drawn."""
_ROWS: Final = 9
"""Its rows."""
_ENTRY: Final = 6
"""Operations of its entries, and of a velocity ratio without a name."""
_REACTIONS: Final = 12
"""Reactions that are written without a request."""
_RATES: Final = 8
"""Rates of dependent speeds that are written without a request."""
_SECOND: Final = 2
_TITLE: Final = "Orsino's modular method"


def write_tree_page(
    system: System, equations: Equations, options: PageOptions, forces: Forces
) -> Page:
    """Return the tree, C, S and fbar from the leaves to the root, and fbar of the root = 0."""
    model = TreeModel(system, equations, options)
    page = PageBuilder(system, _TITLE)
    page.counts.append(_size(model.root_part))
    model.begin(page)
    page.step("The tree", "each node has variables of its own and the invariants that name them.")
    page.tree(_draw(model, model.root_part))
    return _TreePage(page, model, forces).write()


def _size(root: Part) -> str:
    parts, levels = _measure(root)
    subsystems = f"{parts - 1} subsystem" + ("" if parts == 2 else "s")  # noqa: PLR2004  a plural
    return f"{subsystems} on {levels} level" + ("" if levels == 1 else "s")


def _measure(part: Part) -> tuple[int, int]:
    sizes = [_measure(child) for child in part.children]
    return 1 + sum(n for n, _ in sizes), 1 + max((depth for _, depth in sizes), default=0)


def _draw(model: TreeModel, part: Part) -> Drawn:
    """Return a node as it is drawn: its variables, and the names of its invariants."""
    words: list[Words] = []
    for j, k in enumerate(part.own):
        words += [", " if j else "", model.u[k]]
    names = [_last(model.rows[k].path, part) for k in part.rows]
    words.append(("; " if words else "") + _listed(names) if names else "")
    name = part.path.rstrip(".").rpartition(".")[2] or model.system.name
    children = tuple(_draw(model, child) for child in part.children)
    return Drawn(name, as_prose([w for w in words if w != ""]), children)


def _last(path: str, part: Part) -> str:
    return path.removeprefix(part.path)


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no invariant"
    return ("invariant " if len(names) == 1 else "invariants ") + ", ".join(names)


class _TreePage:
    """Writes the levels of a tree, deepest first."""

    def __init__(self, page: PageBuilder, model: TreeModel, forces: Forces) -> None:
        self.page = page
        self.model = model
        self.of_node: dict[str, list[Node]] = {}
        self.total: list[Node] = [ZERO] * len(model.u)
        self.named: list[Node] = [ZERO] * len(model.u)
        self.fbar: dict[tuple[str, int], Node] = {}
        self.shown: dict[tuple[str, int], Node] = {}
        self._take(model.root_part, forces)
        self.long = {
            k
            for values in self.of_node.values()
            for k, x in enumerate(values)
            if cost([x]) > 4 * model.options.entry or written([x]) > model.options.entry
        }

    def _take(self, part: Part, forces: Forces) -> None:
        """Take the effective forces of the nodes, by variable: h - M ud."""
        model = self.model
        M, h = forces(model.motion, part)
        ud = [model.ud[k] for k in part.below]
        values = [sub(x, dot(row, ud)) for row, x in zip(M, h, strict=True)]
        short = tidy(values)
        of_node = [ZERO] * len(model.u)
        for k, x in zip(part.below, short, strict=True):
            of_node[k] = x
            self.total[k] = add(self.total[k], x)
        self.of_node[part.path] = of_node
        for child in part.children:
            self._take(child, forces)

    # -- the page ----------------------------------------------------------------------------

    def write(self) -> Page:
        page, model = self.page, self.model
        if self.long:
            self._write_reaction_forces()
        if model.system.order > _SECOND:
            self._write_programme()
            return page.page()
        root = model.tree
        nodes = list(root.walk())
        for level in range(max(node.level for node in nodes), 1, -1):
            here = [node for node in nodes if node.level == level]
            leaves = ", the leaves" if all(not n.children for n in here) else ""
            page.step(
                f"Level {level}{leaves}",
                "what is left free by C, and fbar = C^T f." if leaves else "S = R C and fbar.",
            )
            for node in here:
                self._write_node(node)
        page.step("Level 1, the whole", "what the invariants of the root leave free.")
        self._write_node(root)
        if model.open_rows:
            self._write_with_multipliers()
        else:
            self._write_equations()
        write_kinematics(page, model)
        return page.page()

    def _write_programme(self) -> None:
        """Write the forces under invariants of order 3 and more, where fbar is differentiated."""
        page, model = self.page, self.model
        page.step("Forces", "active minus inertia forces: f = h - M ud.")
        for k, value in enumerate(tidy(self.total)):
            if k not in self.long and value is not ZERO:
                page.equal(page.name("f", model.motion.speeds[k].path), value)
        order = model.system.order
        page.section("Equations of motion", f"a programme of order {order}.")
        page.note(
            f"fbar = C^T f = 0 with C of the invariants lifted to order {order} holds at every "
            f"instant, and is differentiated {order - _SECOND} times."
        )

    def _write_equations(self) -> None:
        """Write fbar of the root = 0 on its freedoms, and what follows."""
        page, model = self.page, self.model
        root = model.tree
        page.section("Equations of motion", "fbar of the root = 0.")
        for k in sorted(root.free):
            if model.rows or k not in self.long:
                page.equal(self.fbar[root.part.path, k], ZERO)
        if not self.long or model.options.is_full:
            write_reduced(page, model, [neg(x) for x in self.total])
        self._write_rates()
        if not model.rows:
            return
        if len(model.rows) <= _REACTIONS or model.options.is_full:
            reason = "the row of a dependent variable, before it is taken out: A^T λ = -f."
            named = [neg(x) for x in self.named]
            rows = [neg(x) for x in self.total]
            write_reactions(page, model, named, rows, "Reactions", reason)
        else:
            page.left_out += len(model.rows)

    def _write_with_multipliers(self) -> None:
        """Write fbar of the root with the reactions of invariants without a short C."""
        page, model = self.page, self.model
        root = model.tree
        page.section(
            "Equations of motion", "fbar + B^T λ = 0 with the reactions of what is left; B u = 0."
        )
        names = reaction_names(page, model)
        for k in model.open_rows:
            value = model.velocity[k]
            if value is None or value is ZERO:
                continue
            if written([value]) <= model.options.entry and True:
                page.equal(value, ZERO, note=model.rows[k].path)
            else:
                page.left_out += 1
        pulls = [(names[k], model.by_freedoms(k)) for k in model.open_rows]
        for j, k in enumerate(root.free):
            fbar = self.fbar[root.part.path, k]
            value = add(fbar, *(mul(row[j], lam) for lam, row in pulls))
            if value is ZERO:
                continue
            if written([value]) <= model.options.entry and True:
                page.equal(value, ZERO)
            else:
                page.left_out += 1

    def _write_reaction_forces(self) -> None:
        """State that long forces are minus the constraint forces."""
        words: list[Words] = ["The forces on "]
        for j, k in enumerate(sorted(self.long)):
            words += [", " if j else "", self.model.u[k]]
        self.page.given(*words, " are long (--full): f = -Fc, with Fc what the reactions give.")
        self.page.left_out += len(self.long)

    def _force(self, k: int) -> Node:
        """Return a force that is not written out."""
        name = self.page.name(
            "Fc", self.model.motion.speeds[k].path, meaning="constraint force", is_given=True
        )
        self.page.known[str(name.value)] = ("Fc", k)
        return neg(name)

    def _write_node(self, node: TreeNode) -> None:
        """Write what a node leaves free, and the forces on it."""
        page, model = self.page, self.model
        if node.level > 1 and not self._says_something(node):
            page.note(*self._heading(node), ", no force")
            self._carry(node, {})
            return
        if node.level > 1 or node.part.rows:
            page.note(*self._heading(node))
        ratios = self._write_freedoms(node)
        forces = self._write_forces(node)
        self._carry(node, forces, ratios)
        del model

    def _says_something(self, node: TreeNode) -> bool:
        forces = any(x is not ZERO for x in self.of_node[node.part.path])
        return forces or node.elimination is not None or bool(node.children)

    def _heading(self, node: TreeNode) -> list[Words]:
        words: list[Words] = [node.word or self.model.system.name, ": "]
        if not node.part.rows:
            return [*words, "C = 1"]
        if node.is_open:
            return [*words, "C = nullspace(A R), nothing short; all are passed on"]
        words.append("free ")
        if not node.free:
            words.append("is nothing")
        for j, k in enumerate(node.free):
            words += [", " if j else "", self.model.u[k]]
        return words

    def _write_freedoms(self, node: TreeNode) -> tuple[tuple[Node, ...], ...]:
        """Write the dependent variables of a node and C, with names for long ratios."""
        page, model = self.page, self.model
        elimination = node.elimination
        if elimination is None:
            return node.C
        C = [list(row) for row in elimination.C]
        for i in elimination.dependent:
            for j, x in enumerate(C[i]):
                if cost([x]) > _ENTRY:
                    index = model.motion.speeds[node.columns[i]].path.rstrip("'")
                    if len(node.free) > 1:
                        index += "_" + model.motion.speeds[node.free[j]].path.rstrip("'")
                    name = page.name("k", index)
                    page.equal(name, x)
                    C[i][j] = name
        is_linear = all(
            model.rows[i].affine and model.velocity[i] is not None for i in node.part.rows
        )
        for i, row in zip(elimination.dependent, elimination.rows, strict=True):
            k = node.columns[i]
            path = model.rows[node.part.rows[row]].path
            value = _combined(C[i], [model.u[f] for f in node.free])
            if is_linear:
                page.equal(model.u[k], add(value, elimination.d[i]), note=_last(path, node.part))
            else:
                ahead = _combined(C[i], [model.ud[f] for f in node.free])
                page.equal(model.ud[k], add(ahead, elimination.g[i]), note=_last(path, node.part))
        for i in elimination.redundant:
            page.note(f"{model.rows[node.part.rows[i]].path} follows from the others.")
        write_conditions(page, elimination.conditions)
        if is_linear:
            self._draw_matrices(node, C)
        return tuple(map(tuple, C))

    def _draw_matrices(self, node: TreeNode, C: Sequence[Sequence[Node]]) -> None:
        """Draw C of a node with parts, and S where it has further rows."""
        model = self.model
        free = [model.u[k] for k in node.free]
        if not node.children or not 0 < len(free) <= _COLUMNS:
            return
        if len(node.columns) <= _ROWS:
            self.page.grid("C", [model.u[k] for k in node.columns], free, C)
        further = [k for k in node.part.below if k not in node.columns]
        entries = [node.S[k] for k in further]
        if not further or len(further) > _ROWS or node.level == 1:
            return
        if all(cost([x]) <= _ENTRY for row in entries for x in row):
            self.page.grid("S", [model.u[k] for k in further], free, entries)

    def _write_forces(self, node: TreeNode) -> dict[int, Node]:
        """Write the forces of a node itself, and return them by variable."""
        page, model = self.page, self.model
        forces: dict[int, Node] = {}
        for k, value in enumerate(self.of_node[node.part.path]):
            if value is ZERO:
                continue
            if k in self.long:
                if (("", k)) not in self.shown:
                    self.shown["", k] = self._force(k)
                    forces[k] = self.named[k] = self.shown["", k]
                continue
            name = page.name("f", model.motion.speeds[k].path)
            page.equal(name, value)
            forces[k] = name
            self.named[k] = add(self.named[k], name)
        return forces

    def _carry(
        self,
        node: TreeNode,
        forces: dict[int, Node],
        ratios: Sequence[Sequence[Node]] | None = None,
    ) -> None:
        """Add fbar of a node: C^T of fbar of its parts and of R^T f."""
        inner = dict.fromkeys(node.columns, ZERO)
        for k in node.part.own:
            inner[k] = forces.get(k, ZERO)
        for child in node.children:
            for j, c in enumerate(child.free):
                carried = [mul(row[j], forces[k]) for k, row in child.S.items() if k in forces]
                inner[c] = add(self.fbar[child.part.path, c], *carried)
        C = node.C if ratios is None else ratios
        nothing: list[Node] = []
        for j, k in enumerate(node.free):
            terms = [mul(C[i][j], inner[c]) for i, c in enumerate(node.columns)]
            value = add(*terms) if terms else ZERO
            self.fbar[node.part.path, k] = value
            if value is ZERO:
                nothing.append(self.model.u[k])
            elif node.level > 1 and node.elimination is not None and cost([value]) > 0:
                name = self.page.name("fbar", self.model.motion.speeds[k].path)
                self.page.equal(name, value)
                self.fbar[node.part.path, k] = name

    # -- after the levels --------------------------------------------------------------------

    def _write_rates(self) -> None:
        """Write the rates of the dependent speeds."""
        page, model = self.page, self.model
        elimination = model.elimination
        if elimination is None:
            return
        values = [model.dependent_rate(k) for k in elimination.dependent]
        if len(values) > _RATES and not model.options.is_full:
            page.left_out += len(values)
            return
        short = [
            (model.ud[k], value)
            for k, value in zip(elimination.dependent, tidy(values), strict=True)
            if written([value]) <= model.options.entry
        ]
        page.left_out += len(values) - len(short)
        if short:
            page.section("The other rates", "the invariants once more by t.")
            page.lines(*short)


def _combined(factors: Sequence[Node], values: Sequence[Node]) -> Node:
    terms = [mul(c, x) for c, x in zip(factors, values, strict=True) if c is not ZERO]
    return add(*terms) if terms else ZERO
