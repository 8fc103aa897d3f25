"""What a model consists of, for people who want to see it at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import VARIABLES, label
from mbx.checking.rules.invariants import equation_quantity
from mbx.checking.rules.joints import placed_by
from mbx.checking.run_rules import examine
from mbx.language.document.bodies import Body
from mbx.language.document.kinematic_statements import Invariant
from mbx.language.text.expression_text import show

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope
    from mbx.checking.rules.joints import Parents
    from mbx.linking.link import Linked

__all__ = [
    "BodyFact",
    "Description",
    "InvariantFact",
    "JointFact",
    "Tree",
    "VariableFact",
    "describe",
]

_LOADS = frozenset(
    {
        "gravity",
        "force",
        "torque",
        "spring",
        "damper",
        "potential",
        "dissipation",
        "load",
        "effective",
    }
)


@dataclass(frozen=True, slots=True)
class VariableFact:
    """A generalized variable."""

    path: str
    order: int
    unit: str
    description: str


@dataclass(frozen=True, slots=True)
class InvariantFact:
    """An invariant, with the order at which it was written."""

    path: str
    order: int
    rows: int


@dataclass(frozen=True, slots=True)
class BodyFact:
    """A mass element, and how it is placed: by joint, frame or twist."""

    path: str
    kind: str
    placed: str


@dataclass(frozen=True, slots=True)
class JointFact:
    """A joint, and whether it closes a loop."""

    path: str
    kind: str
    loop: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A subsystem and those inside it."""

    name: str
    children: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """The parts of a model."""

    name: str
    title: str
    variables: tuple[VariableFact, ...]
    invariants: tuple[InvariantFact, ...]
    bodies: tuple[BodyFact, ...]
    joints: tuple[JointFact, ...]
    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    loads: tuple[str, ...]
    tree: Tree
    experiments: tuple[str, ...]


def describe(linked: Linked) -> Description:
    """Return the parts of a linked model that has no errors."""
    context, parents = examine(linked, Report())
    model = linked.model
    if context is None:
        return Description(
            model.name, model.title or "", (), (), (), (), (), (), (), Tree(model.name, ()), ()
        )
    symbols = list(context.root.all_symbols())
    return Description(
        name=model.name,
        title=model.title or "",
        variables=tuple(
            VariableFact(s.path, s.order, s.unit or "1", s.node.description or "")
            for s in symbols
            if s.kind in VARIABLES
        ),
        invariants=tuple(_invariants(context)),
        bodies=tuple(
            BodyFact(s.path, s.kind, (placed_by(s.node) or ["joint"])[0])
            for s in symbols
            if s.kind in {"body", "particle"}
        ),
        joints=tuple(_joints(context, parents)),
        parameters=tuple(s.path for s in symbols if s.kind == "param"),
        inputs=tuple(s.path for s in symbols if s.kind == "input"),
        loads=tuple(_loads(context)),
        tree=_tree(model.name, context.root),
        experiments=tuple(e.name for e in linked.document.experiments),
    )


def _invariants(context: Context) -> list[InvariantFact]:
    facts = []
    for scope in context.root.walk():
        inference = Inference(context, scope)
        for k, node in enumerate(scope.of(Invariant)):
            quantity = equation_quantity(node, inference)
            name = f"invariant {k + 1}" if node.name is None else label(node.name)
            rows = 3 if quantity.sort == "vector" else 1
            facts.append(InvariantFact(f"{scope.prefix}{name}", quantity.order, rows))
    return facts


def _joints(context: Context, parents: Parents) -> list[JointFact]:
    facts = []
    loops = {id(joint) for joint, _ in parents.loops}
    for scope in context.root.walk():
        for statement in scope.statements:
            if isinstance(statement, Body):
                facts += [
                    JointFact(f"{scope.prefix}{label(statement.name)}", c.call.joint, loop=False)
                    for c in statement.clauses
                    if c.kind == "joint"
                ]
            elif statement.kind == "joint":
                facts.append(
                    JointFact(
                        f"{scope.prefix}{label(statement.name)}",
                        statement.call.joint,
                        id(statement) in loops,
                    )
                )
    return facts


def _loads(context: Context) -> list[str]:
    loads = []
    for scope in context.root.walk():
        for statement in scope.statements:
            if statement.kind in _LOADS:
                name = getattr(statement, "name", None)
                what = statement.kind if name is None else f"{statement.kind} {label(name)}"
                if statement.kind == "effective":
                    what = f"effective {show(statement.on)}"
                loads.append(f"{scope.prefix}{what}")
    return loads


def _tree(name: str, scope: Scope) -> Tree:
    return Tree(name, tuple(_tree(n, s) for n, s in scope.children.items()))
