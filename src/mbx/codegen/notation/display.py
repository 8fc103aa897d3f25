"""Equations prepared for people: what says nothing is left out, and entries are short.

Small entries are simplified. Where much is left, parts get names of their own, and entries
are written in terms of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.codegen.entry_names import named, owners
from mbx.codegen.notation.algebra_lines import lines
from mbx.codegen.notation.term_layout import Layout
from mbx.codegen.reduce import reduce
from mbx.expr.algebra.shorten import cost, intermediates, shortened, written
from mbx.expr.evaluate import ordered, substitute

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from mbx.codegen.notation.algebra_lines import Line
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity
    from mbx.formalism.program import Step

__all__ = ["MEANINGS", "Display", "display", "operations", "results", "unreadable"]

_WRITTEN_OUT: Final = 150  # operations that are shown without named parts
_ENTRY: Final = 40  # likewise, of one entry
_INSIDE: Final = 200  # likewise, of one that depends on the entries of other matrices
_READABLE: Final = 6000  # operations of a matrix that somebody might read
_SIMPLIFIED: Final = 800  # operations that are simplified

MEANINGS: Final = {
    "ud": "rates of the speeds",
    "qd": "rates of the coordinates",
    "qdd": "second rates of the coordinates",
    "pd": "rates of the momenta",
    "Fc": "ideal constraint forces, one for each speed",
    "lam": "multipliers",
    "M": "inertia matrix",
    "h": "forces without accelerations",
    "A": "invariants by the highest rates",
    "b": "invariants without the highest rates",
    "X": "reactions",
    "quasi": "declared variables of order 2 and more, and their rates",
}
"""What results are called."""
_OF: Final = {
    "reaction": "force and torque of",
    "open": "what the equations leave open of the reaction of",
}
"""Likewise of `KIND:PATH`."""


@dataclass(frozen=True, slots=True)
class Display:
    """Equations as they are shown.

    Attributes:
        equations: What is shown.
        layout: The order in which expressions are written.
        parts: Names for parts of entries, each in terms of those before it.
        rates: The rates that entries are written in, with what they are.
        lines: The program.
        names: What each step of the program has become.
        written: Operations of all entries as derived, every part written out.
        shared: Operations of all entries as derived, shared parts once.
        shown: Operations as shown.
        left_out: How many steps are not shown, for they say nothing here.
        places: Of each name for an entry of a matrix, the matrix and the place in it.
        symbols: Of each matrix that is shown, its name in LaTeX.
    """

    equations: Equations
    layout: Layout
    parts: tuple[tuple[Node, Node], ...]
    rates: tuple[tuple[Node, Node], ...]
    lines: tuple[Line, ...]
    names: Mapping[str, str]
    written: int
    shared: int
    shown: int
    left_out: int
    places: Mapping[str, tuple[str, str]]
    symbols: Mapping[str, str]


def display(equations: Equations) -> Display:
    """Return equations prepared for people."""
    equations = _without_plain_rates(equations)
    before = list(_entries(equations.steps))
    simple = _simplified(equations.steps)
    wanted = equations.results.values()
    reduced = reduce(simple, wanted)
    places: dict[str, tuple[str, str]] = {}
    steps, names = _renamed(equations, reduced.steps, dict(reduced.names), places)
    parts, steps, rates = _in_parts(equations, steps, places)
    after = [*(value for _, value in parts), *_entries(steps)]
    return Display(
        equations=equations,
        layout=Layout.of(equations.signature),
        parts=tuple(parts),
        rates=rates,
        lines=lines(steps, {names[name] for name in wanted}),
        names=names,
        written=written(before),
        shared=cost(before),
        shown=cost(after),
        left_out=len(_every(equations.steps)) - len(_every(steps)),
        places=places,
        symbols={step.name: step.symbol for step in steps},
    )


def _without_plain_rates(equations: Equations) -> Equations:
    """Return equations without qd where it says no more than that rates are speeds."""
    if "qd" not in equations.results:
        return equations
    signature = equations.signature
    said = {one.symbol for one in (*signature.u, *signature.derived)}
    step = equations.step(equations.results["qd"])
    plain = step.op == "define" and all(
        row[0] in said or any(row[0] is one.value for one in signature.derived)
        for row in step.entries
    )
    if not plain:
        return equations
    return replace(
        equations,
        steps=tuple(one for one in equations.steps if one is not step),
        results={k: v for k, v in equations.results.items() if k != "qd"},
    )


def results(shown: Display) -> Iterator[tuple[str, str, str]]:
    """Yield what each result is called, the matrix it is, and its meaning."""
    for key, step in shown.equations.results.items():
        kind, _, path = key.partition(":")
        meaning = _OF.get(kind, "") if path else MEANINGS.get(kind, "")
        own = shown.equations.step(step).meaning
        yield key, shown.names[step], f"{meaning} {path}".rstrip() if meaning else own


def unreadable(step: Step) -> str:
    """Return what is said of a matrix instead of its entries where nobody would read them."""
    entries = [node for row in step.entries for node in row]
    long = written(entries)
    if long <= _READABLE:
        return ""
    size = f"{len(step.entries)} by {len(step.entries[0])}"
    shared = f"{cost(entries):,} with shared parts once"
    return f"{size}, too long to read: {long:,} operations written out, {shared}"


def operations(shown: Display) -> str:
    """Return the sentence on the number of operations."""
    return (
        f"Operations: {shown.written} written out, {shown.shared} with shared parts once, "
        f"{shown.shown} as shown."
    )


def _every(steps: Sequence[Step]) -> list[Step]:
    return [one for step in steps for one in (step, *_every(step.steps))]


def _entries(steps: Sequence[Step], places: Container[str] = ()) -> Iterator[Node]:
    """Yield expressions; not those in entries of other matrices that have places."""
    for step in _every(steps):
        if step.op == "define" and not _is_local(step, places):
            yield from (node for row in step.entries for node in row)


def _is_local(step: Step, places: Container[str]) -> bool:
    return any(node.value in places for node in step.symbols)


def _simplified(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps with simplified entries, as many as can be simplified while people wait."""
    entries: list[Node] = []
    spent = 0
    for step in _every(steps):
        if step.op == "define":
            own = [node for row in step.entries for node in row]
            spent += cost(own)
            entries += shortened(own) if spent <= _SIMPLIFIED else own
    rest = iter(entries)
    return tuple(_with_entries(step, rest) for step in steps)


def _with_entries(step: Step, entries: Iterator[Node], places: Container[str] = ()) -> Step:
    """Return a step, and those in it, with other entries."""
    if _is_local(step, places):
        return step
    if step.op == "define":
        return replace(step, entries=tuple(tuple(next(entries) for _ in r) for r in step.entries))
    return replace(step, steps=tuple(_with_entries(one, entries, places) for one in step.steps))


def _in_parts(
    equations: Equations, steps: Sequence[Step], places: Container[str] = ()
) -> tuple[list[tuple[Node, Node]], tuple[Step, ...], tuple[tuple[Node, Node], ...]]:
    """Return named parts, if they are wanted, and steps and rates in terms of them.

    Parts come first, so that none is in terms of entries, which come later.
    """
    names, meant = _rates(equations)
    inside = _inside(steps, places)
    entries = [*_entries(steps, places), *inside, *meant]
    if written(entries) <= _WRITTEN_OUT and all(written([e]) <= _ENTRY for e in entries):
        return [], tuple(steps), tuple(zip(names, meant, strict=True))
    taken = {one.path for one in _quantities(equations)} | {one.name for one in _every(steps)}
    once = list(dict.fromkeys(entries))  # what is an entry twice, as in M, needs no name
    parts, new = intermediates(once, taken)
    found = dict(zip(once, new, strict=True))
    rest = iter([found[entry] for entry in entries])
    steps = tuple(_with_entries(step, rest, places) for step in steps)
    within = {node: next(rest) for node in inside}
    steps = tuple(_with_inside(step, within, places) for step in steps)
    return parts, steps, tuple(zip(names, rest, strict=True))


def _inside(steps: Sequence[Step], places: Container[str]) -> list[Node]:
    """Return what does not depend on entries of matrices inside of long entries that do."""
    found: dict[Node, None] = {}
    for step in _every(steps):
        if step.op != "define" or not _is_local(step, places):
            continue
        long = [n for row in step.entries for n in row if written([n]) > _INSIDE]
        local = set(step.symbols)
        for node in ordered(long):
            if any(a in local for a in node.args):
                local.add(node)
        roots = [n for n in long if n not in local]
        roots += [a for n in ordered(long) if n in local for a in n.args if a not in local]
        found |= dict.fromkeys(n for n in roots if cost([n]) > 1)
    return list(found)


def _with_inside(step: Step, within: Mapping[Node, Node], places: Container[str]) -> Step:
    """Return a step, and those in it, with other parts of entries that depend on matrices."""
    inner = tuple(_with_inside(one, within, places) for one in step.steps)
    if step.op != "define" or not within or not _is_local(step, places):
        return replace(step, steps=inner)
    rows = tuple(tuple(substitute(row, within)) for row in step.entries)
    return replace(step, entries=rows)


def _rates(equations: Equations) -> tuple[list[Node], list[Node]]:
    """Return rates that have a value, and the values."""
    pairs = [(o.symbol, o.value) for o in equations.signature.derived if o.value is not None]
    return [name for name, _ in pairs], shortened([value for _, value in pairs])


def _quantities(equations: Equations) -> Iterator[Quantity]:
    s = equations.signature
    for group in (s.q, s.u, s.higher, s.highest, s.inputs, s.parameters, s.derived):
        yield from group


def _renamed(
    equations: Equations,
    steps: Sequence[Step],
    names: dict[str, str],
    places: dict[str, tuple[str, str]],
) -> tuple[tuple[Step, ...], dict[str, str]]:
    """Return steps in which a result has the name of its meaning, and no name is a symbol's.

    `places` takes in how expressions call entries of matrices.
    """
    own = {step.name for step in _every(steps)}
    new = {name: name for name in own}
    for key, step in equations.results.items():
        root = names[step]
        free = key.isidentifier() and key not in new.values()
        if free and new.get(root) == root and root not in equations.results:
            new[root] = key
    symbols = {one.path for one in _quantities(equations)} | {"t"}
    with_rows = symbols | {path.partition("[")[0] for path in symbols}
    indexed = {name for step in _every(steps) if owners([step]) for name in step.args}
    uses = Counter(new.values())
    for name in sorted(own):
        clash = with_rows if name in indexed else symbols
        while new[name] in clash or uses[new[name]] > 1:
            uses[new[name]] -= 1
            new[name] += "_"
            uses[new[name]] += 1
    return (
        tuple(_rename(step, new, places) for step in steps),
        {name: new.get(root, root) for name, root in names.items()},
    )


def _rename(step: Step, new: Mapping[str, str], places: dict[str, tuple[str, str]]) -> Step:
    inner = {**new, step.unknown: new.get(step.name, step.name)} if step.steps else new
    renamed = replace(
        step,
        name=new.get(step.name, step.name),
        args=tuple(new.get(name, name) for name in step.args),
        grid=tuple(tuple(None if n is None else new.get(n, n) for n in r) for r in step.grid),
        steps=tuple(_rename(one, inner, places) for one in step.steps),
        unknown=inner[step.unknown] if step.unknown else "",
        residual=inner.get(step.residual, step.residual),
    )
    return named(renamed, places) if step.symbols else renamed
