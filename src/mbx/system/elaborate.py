"""From a linked model to the resolved system."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from mbx.base.diagnostics import Report
from mbx.base.errors import NoValueError, SourceError
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.known_values import Evaluator, fill_values
from mbx.checking.expressions.scope import VARIABLES, binding_of, label, resolve
from mbx.checking.run_rules import check_linked, examine
from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.build import NULL
from mbx.expr.evaluate import free_symbols
from mbx.language.document.declarations import KeptRate
from mbx.language.document.document import Branch, ExpectRank, Independent, State
from mbx.language.document.experiments import Initial
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.units import per_second, si_unit
from mbx.system.build_world import bound_to, build_world
from mbx.system.find_features import find_features, refuse_unknown_inputs
from mbx.system.invariant_rows import closing_joint, rows_of
from mbx.system.kinematics.solve_rates import settle, solve_rates, solve_speeds
from mbx.system.lower_expressions import Lowering
from mbx.system.symbol_names import rate_symbol
from mbx.system.system import Parameter, Row, System, Variable
from mbx.system.system_loads import lower_loads, spread_gravity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mbx.base.diagnostics import Span
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.expr.nodes import Node
    from mbx.linking.link import Linked
    from mbx.system.world import World


__all__ = [
    "Expectation",
    "assigned",
    "elaborate",
    "find_branches",
    "find_expectations",
    "find_starts",
    "find_states",
]


def find_starts(context: Context) -> dict[str, float]:
    """Return the starts of variables: that of the highest level that names a variable."""
    starts: dict[str, float] = {}
    for symbol in context.order:
        if symbol.kind in VARIABLES and symbol.node.value is not None:
            value = Evaluator(context, symbol.scope).in_unit(symbol.node.value, symbol.unit)
            if value is not None:
                starts[symbol.path] = value
    for scope in reversed(list(context.root.walk())):  # the highest level comes last and wins
        for statement in scope.of(Initial):
            starts |= assigned(statement.items, context, scope)
    return starts


def find_states(context: Context) -> dict[str, dict[str, float]]:
    """Return the named states, by path."""
    return {
        f"{scope.prefix}{statement.name}": assigned(statement.items, context, scope)
        for scope in context.root.walk()
        for statement in scope.of(State)
    }


def assigned(items: Iterable[Any], context: Context, scope: Scope) -> dict[str, float]:
    """Return the values that assignments give, by path; of rates with their primes."""
    starts: dict[str, float] = {}
    evaluator = Evaluator(context, scope)
    for item in items:
        target = resolve(item.target, scope)
        if target is None:
            continue
        unit = None if item.target.primes else target.symbol.unit
        value = evaluator.in_unit(item.value, unit)
        if value is not None:
            starts[target.symbol.path + "'" * item.target.primes] = value
    return starts


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the constraint matrix is like at a named state; a rank of None is a loss of rank."""

    state: str
    rank: int | None


def find_branches(context: Context, world: World) -> dict[str, Node]:
    """Return the conditions that distinguish assemblies, each 1 or 0, by path."""
    return {
        f"{scope.prefix}{statement.name}": Lowering(world, scope).condition(statement.condition)
        for scope in context.root.walk()
        for statement in scope.of(Branch)
    }


def find_expectations(context: Context) -> tuple[Expectation, ...]:
    """Return what is expected of the constraint matrix at named states."""
    expectations = []
    for scope in context.root.walk():
        expectations += [
            Expectation(f"{scope.prefix}{state.name}", None)
            for state in scope.of(State)
            if state.singular
        ]
        for statement in scope.of(ExpectRank):
            rank = Evaluator(context, scope).in_unit(statement.rank, None)
            if rank is not None:
                expectations.append(Expectation(f"{scope.prefix}{statement.state}", round(rank)))
    return tuple(expectations)


_TINY = 1e-9
_SYSTEMS: WeakKeyDictionary[Linked, System] = WeakKeyDictionary()
"""The systems of the linked models in use: a model is checked and resolved once."""


def elaborate(linked: Linked, *, checked: bool = False, let_go: Collection[str] = ()) -> System:
    """Return the system that a linked model means; faults raise `SourceError`.

    A linked model is resolved once, and its system is kept as long as the model is. Joints that
    place bodies are released if `let_go` has their paths: as if a load named their reactions, which
    then are multipliers; such a system is not kept.
    """
    if let_go:
        return _resolve(linked, let_go, checked=checked)
    system = _SYSTEMS.get(linked)
    if system is None:
        system = _SYSTEMS[linked] = _resolve(linked, (), checked=checked)
    return system


def _resolve(linked: Linked, let_go: Collection[str], *, checked: bool) -> System:
    report = Report()
    if not checked:
        check_linked(linked, report)
    if not report.ok:
        raise SourceError(report)
    context, parents = examine(linked, report)
    if context is None or not report.ok:
        raise SourceError(report)
    fill_values(context)
    try:
        return _elaborate(context, parents, let_go)
    except NoValueError as bad:  # of rates and of rows, which have no span of their own
        name = linked.model.name
        raise SourceError(bad.report(linked.model.at, f"in model '{name}', ")) from bad


def _elaborate(context: Context, parents: Parents, let_go: Collection[str]) -> System:
    root = context.root
    world = build_world(context, parents, _highest(context), let_go)
    spread_gravity(root, world)
    loads = lower_loads(root, world)
    coordinates = [s for s in context.order if s.kind in VARIABLES and s.order == 0]
    declared = [s for s in context.order if s.kind in VARIABLES and s.order == 1]
    coordinates.sort(key=_written_order(root))
    declared.sort(key=_written_order(root))
    every, spans = rows_of(context, parents, world)
    rows = [r for r in every if not r.idle]
    kept = _kept(root)
    definitions = [r for r in rows if r.kind == "definition" and r.order <= 1]
    constraints = [r for r in rows if r.kind != "definition" or r.order > 1]
    rates = [rate_symbol(s.path, 1) for s in coordinates]
    reactions = _joint_reactions(context, world)
    solved = solve_rates(
        definitions,
        [r for r in constraints if r.order == 0 and not _keeps_multiplier(r, reactions)],
        [r for r in rates if r not in kept],
        [rate_symbol(s.path, 0) for s in declared],
        world.rates,
    )
    extra = [_auxiliary(row) for row in world.auxiliary]
    closed = {id(r) for r in solved.closed}
    starts = find_starts(context)
    q = tuple(_variable(s, 0, context, starts) for s in coordinates)
    u = tuple(
        _variable(s, 1, context, starts)
        for s in sorted([*coordinates, *declared], key=_written_order(root))
        if s.order == 1 or rate_symbol(s.path, 1) not in solved.qd
    )
    q = (*q, *(a for a, _ in extra))
    u = (*u, *(b for _, b in extra))
    higher = [s for s in context.order if s.kind in VARIABLES and s.order > 1]
    position = _written_order(root)
    higher.sort(key=lambda s: (s.order, position(s)))
    lines_of = {**{s.path: s.at for s in higher}, **spans}
    active = [*(r for r in constraints if id(r) not in closed), *solved.left]
    reduced = settle(
        [(s.order, _variable(s, s.order, context, starts)) for s in higher],
        active,
        loads,
        world.rates,
        world.orders,
        lines_of,
    )
    speeds = [rate_symbol(s.path, 0) for s in declared]
    named = [s for s in context.order if s.kind in VARIABLES or s.path in world.elements]
    lines = {**{s.path: s.at for s in named}, **loads.spans, **spans}
    system = System(
        name=context.linked.model.name,
        title=context.linked.model.title or "",
        parts=tuple(scope.prefix for scope in root.walk()),
        q=q,
        u=u,
        qd={v.rate: solved.qd.get(v.rate, v.rate) for v in q},
        defined=solve_speeds(definitions, speeds),
        rates=world.rates,
        parameters=tuple(_parameters(context, world, "param")),
        inputs=tuple(_parameters(context, world, "input")),
        elements=tuple(world.elements.values()),
        rows=tuple(reduced.rows),
        closed=solved.closed,
        forces=tuple(loads.forces),
        generalized=tuple(loads.generalized),
        potentials=tuple(loads.potentials),
        dissipations=tuple(loads.dissipations),
        effective=tuple(loads.effective),
        independent=_independent(root, world),
        joint_reactions=reactions,
        order=max([2, *(_lifted(r) for r in active)]),
        states=find_states(context),
        branches=find_branches(context, world),
        expectations=find_expectations(context),
        idle=tuple(r for r in every if r.idle),
        loops=tuple(
            closing_joint(Lowering(world, scope), joint, f"{scope.prefix}{label(joint.name)}")
            for joint, scope in parents.loops
        ),
        lines={path: _line(at) for path, at in lines.items() if at is not None},
        quasi=reduced.quasi,
        written=reduced.written,
    )
    refuse_unknown_inputs(system, {s.path: s.at for s in context.order if s.kind == "input"})
    refuse_nonlinear_loads(system, loads.spans)
    return find_features(system)


def _line(at: Span) -> str:
    """Return where a statement stands: file, line and column."""
    line, column = at.position
    return f"{at.source.name}:{line}:{column}"


def _lifted(row: Row) -> int:
    """Return the order at which an invariant is affine in its highest rates (Orsino, 2.3)."""
    return row.order + (not row.affine and row.order > 0)


def _written_order(root: Scope) -> Any:
    """Return a key that sorts symbols as they are written, level by level."""
    order = {s: k for k, s in enumerate(s for scope in root.walk() for s in scope.symbols.values())}
    return order.__getitem__


def _highest(context: Context) -> int:
    """Return up to which order rates are needed: more where an equation has a higher order."""
    most = 0
    for scope in context.root.walk():
        inference = Inference(context, scope)
        for statement in scope.of((Invariant, Define)):
            sides = (statement.left, statement.right)
            most = max(most, *(inference.of(side).order for side in sides))
    return max(3, 2 * most + 2)


def _kept(root: Scope) -> set[Node]:
    return {
        rate_symbol(scope.prefix + label(k.rate.path[0]), 1)
        for scope in root.walk()
        for k in scope.of(KeptRate)
    }


def _joint_reactions(context: Context, world: World) -> dict[str, tuple[Node, ...]]:
    """Return the symbols of the reactions of joints: three of force, three of torque."""
    reactions: dict[str, tuple[Node, ...]] = {}
    for s in context.order:
        if s.kind == "reaction" and s.node.kind == "joint":
            value = world.values[s]
            reactions[s.path] = (*value.force, *value.torque)
    return reactions


def _keeps_multiplier(row: Row, reactions: dict[str, tuple[Node, ...]]) -> bool:
    """Return whether the reaction of a row has a name: then it keeps its multiplier."""
    return row.reaction is not None or row.joint in reactions


def _independent(root: Scope, world: World) -> dict[str, tuple[Node, ...]]:
    """Return the proposed independent speeds, level by level."""
    proposed: dict[str, tuple[Node, ...]] = {}
    for scope in root.walk():
        lowering = Lowering(world, scope)
        items = [lowering.scalar(item) for hint in scope.of(Independent) for item in hint.items]
        if items:
            proposed[scope.prefix] = tuple(dict.fromkeys(items))
    return proposed


def _variable(s: Symbol, order: int, context: Context, starts: dict[str, float]) -> Variable:
    """Return a coordinate (order 0), or a speed (order 1), which may be a coordinate's rate."""
    primes = order - s.order
    path = s.path + "'" * primes
    node = s.node
    unit = _unit(s, context)
    span = None
    if node.range is not None and not primes:
        evaluator = Evaluator(context, s.scope)
        bounds = [evaluator.in_unit(b, s.unit) for b in (node.range.lower, node.range.upper)]
        if None not in bounds:
            span = (bounds[0], bounds[1])
    return Variable(
        symbol=rate_symbol(s.path, primes),
        rate=rate_symbol(s.path, primes + 1),
        path=path,
        unit=per_second(unit, primes),
        part=s.scope.prefix,
        meaning=node.description or "",
        latex=_latex(node.latex, primes),
        start=starts.get(path),
        range=span,  # type: ignore[arg-type]
        base=rate_symbol(s.path, 0) if primes else None,
    )


def _auxiliary(row: Row) -> tuple[Variable, Variable]:
    """Return the forbidden motion behind an auxiliary row, and its rate."""
    name: str = row.value.value
    angle = row.wrench is not None and row.wrench[0] is NULL
    first = Variable(
        symbol=row.value,
        rate=rate_symbol(name, 1),
        path=name,
        unit="rad" if angle else "m",
        part=row.part,
        meaning="a motion that the joint forbids",
        start=0.0,
        range=(-0.5, 0.5),
    )
    second = replace(
        first,
        symbol=first.rate,
        rate=rate_symbol(name, 2),
        path=name + "'",
        unit=per_second(first.unit),
        range=None,
        base=first.symbol,
    )
    return first, second


def _unit(s: Symbol, context: Context) -> str:
    """Return the SI unit of the kind that is declared; of a model without units, 1."""
    return "1" if context.quantities[s].dimension is None else si_unit(s.unit)


def _latex(written: str | None, primes: int) -> str:
    if written is None:
        return ""
    return written if not primes else rf"\dot{{{written}}}"


def _parameters(context: Context, world: World, kind: str) -> Iterator[Parameter]:
    for s in context.order:
        if s.kind != kind or s.unit == "integer":
            continue
        if bound_to(s, world) is not None:
            continue
        bound = binding_of(s)
        value = None
        if bound is not None:
            value = Lowering(world, bound[1]).in_unit(bound[0], s.unit)
        elif s.node.value is not None:
            value = Lowering(world, s.scope).in_unit(s.node.value, s.unit)
        span = None
        if s.node.range is not None:
            evaluator = Evaluator(context, s.scope)
            bounds = [
                evaluator.in_unit(b, s.unit) for b in (s.node.range.lower, s.node.range.upper)
            ]
            if None not in bounds:
                span = (bounds[0], bounds[1])
        yield Parameter(
            symbol=rate_symbol(s.path, 0),
            path=s.path,
            unit=_unit(s, context),
            meaning=s.node.description or "",
            latex=s.node.latex or "",
            value=value,
            range=span,  # type: ignore[arg-type]
        )


def refuse_nonlinear_loads(system: System, spans: Mapping[str, Span | None]) -> None:
    """Raise an error for every load that is not affine in the accelerations, MBX4021.

    Equations of motion are linear in the accelerations that they are solved for. An added mass,
    `-m_a*x''`, is one more term of them; a force that goes with `x''^2` is none.
    """
    direction = system.rates.direction
    second = [direction[v.rate] for v in system.q] + [direction[v.symbol] for v in system.u]
    accelerations = set(second)
    report = Report()
    reported: set[str] = set()
    for path, nodes in _loads(system):
        named = [x for x in free_symbols(nodes) if x in accelerations]
        if not named or path in reported:
            continue
        try:
            split(nodes, named)
        except NotAffineError:
            reported.add(path)  # a force between two elements is there twice
            report.add(
                "MBX4021",
                f"'{path}' is not affine in the accelerations",
                spans.get(path),
                help="accelerations may be added and multiplied by what does not contain them",
            )
    if not report.ok:
        raise SourceError(report)


def _loads(system: System) -> Iterator[tuple[str, Sequence[Node]]]:
    for force in system.forces:
        yield force.path, [*force.force, *force.torque]
    for load in system.generalized:
        yield load.path, [load.value]
    for known in system.effective:
        yield known.path, [known.value]
