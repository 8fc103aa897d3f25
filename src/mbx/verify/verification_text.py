"""A verification for people: tables of errors, and what is to be said of them."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.expectation import summary as count_references
from mbx.verify.agreement.state_counts import kind_of
from mbx.verify.findings import judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.verify.findings import Error
    from mbx.verify.verification import Verification

__all__ = ["lines", "remarks", "summary", "tables"]

_MARK: Final[Mapping[str, str]] = {"agree": " ", "undecided": "?", "disagree": "!"}
_SHOWN: Final = 8
_MATRIX: Final = 12
"""So many forms are shown pair by pair; of more, the worst pair of each."""


def summary(found: Verification) -> str:
    """Return the verdict in a line."""
    count = f"{_count(len(found.forms), 'form')} at {_count(found.compared, 'state')}"
    if found.oracle is not None and found.oracle.states:
        count += f", the oracle at {len(found.oracle.states)}"
    return f"{found.model}: {found.verdict} ({count})"


def lines(found: Verification) -> Iterator[str]:
    """Yield everything: the tables, and what is to be said of them."""
    if found.forms:
        yield from tables(found)
        yield ""
    yield from remarks(found)
    yield summary(found)


def tables(found: Verification) -> Iterator[str]:
    """Yield the errors of every two forms, and of each by itself."""
    if len(found.forms) <= _MATRIX:
        yield from _pairs(found)
        yield ""
    yield from _singles(found)
    errors = [e for pair in found.pairs for _, e in pair.errors()]
    errors += [e for form in found.forms for e in _of(found, form) if e is not None]
    if any(e.arbiter == "rounding" for e in errors):
        yield "~ rounding, as the arbiter shows in more digits"


def _pairs(found: Verification) -> Iterator[str]:
    """Yield the table of pairs: accelerations below the diagonal, constraint forces above it."""
    width = max(len(name) for name in found.forms) + 4
    yield (" " * width + "".join(f"{k:>7} " for k in range(1, len(found.forms) + 1))).rstrip()
    for k, a in enumerate(found.forms):
        cells = []
        for j, b in enumerate(found.forms):
            if j == k:
                cells.append(_cell(found.own.get(a)))
            else:
                pair = found.pair(a, b)
                mark = "*" if pair.via and j < k else ""
                cells.append(_cell(pair.ud if j < k else pair.Fc, mark))
        yield (f"{k + 1:>2} {a:{width - 3}}" + "".join(cells)).rstrip()
    yield "accelerations below the diagonal, constraint forces above, each form in itself on it"
    if any(pair.via for pair in found.pairs):
        yield "* judged in the equations of the other forms"


_COLUMNS: Final = ("oracle", "its Fc", "bodies", "reactions", "invariants", "results", "power")
_WORST: Final = ("itself", "ud", "Fc")


def _against(found: Verification, form: str) -> list[Error | None]:
    """Return the errors of one form: in itself, and the worst against any other."""
    mine = [pair for pair in found.pairs if form in pair.forms]
    return [
        found.own.get(form),
        _worst([pair.ud for pair in mine]),
        _worst([pair.Fc for pair in mine]),
    ]


def _of(found: Verification, form: str) -> list[Error | None]:
    """Return the errors of one form: beside the oracle, and the worst of its pairs."""
    mine = [pair for pair in found.pairs if form in pair.forms]
    oracle = found.oracle
    bodies = [pair.bodies for pair in mine]
    reactions = [pair.reactions for pair in mine]
    if oracle is not None:
        bodies.append(oracle.bodies.get(form))
        reactions.append(oracle.reactions.get(form))
    return [
        None if oracle is None else oracle.ud.get(form),
        None if oracle is None else oracle.Fc.get(form),
        _worst(bodies),
        _worst(reactions),
        found.invariants.get(form),
        found.results.get(form),
        found.power.get(form),
    ]


def _worst(errors: list[Error | None]) -> Error | None:
    known = [e for e in errors if e is not None]
    return max(known, key=lambda e: inf if isnan(e.value) else e.value, default=None)


def _singles(found: Verification) -> Iterator[str]:
    """Yield the table of single forms; a column that nobody fills is left out."""
    rows = [_of(found, form) for form in found.forms]
    columns: tuple[str, ...] = _COLUMNS
    if len(found.forms) > _MATRIX:
        columns = (*_WORST, *_COLUMNS)
        rows = [[*_against(found, form), *_of(found, form)] for form in found.forms]
    kept = [k for k in range(len(columns)) if any(row[k] is not None for row in rows)]
    width = max(len(name) for name in found.forms) + 4
    yield (" " * width + "".join(f"{columns[k]:>10} " for k in kept)).rstrip()
    for k, (form, row) in enumerate(zip(found.forms, rows, strict=True)):
        cells = "".join(f"   {_cell(row[j])}" for j in kept)
        yield f"{k + 1:>2} {form:{width - 3}}{cells}".rstrip()
    if len(found.forms) > _MATRIX:
        yield "ud and Fc: the worst against any other form; --json has every pair"


def remarks(found: Verification) -> Iterator[str]:
    """Yield what is to be said beside the tables."""
    yield from _findings(found)
    yield from found.broken
    if found.routes:
        worst = max(error.value for error in found.routes.values())
        yield f"inertia forces by {_count(len(found.routes), 'route')}: {worst:.0e}"
    if found.linear and all(judge(error) == "agree" for error in found.linear.values()):
        methods = " and ".join(found.linear)
        yield f"linearisation, {methods}: as differences of two forms"
    by_size = sum(found.arbitrated.values())
    if by_size:
        verb = "is" if by_size == 1 else "are"
        yield (
            f"{_count(by_size, 'error')} that {verb} small against other terms: decided by the "
            f"arbiter, {found.arbitrated['rounding']} as rounding"
        )
    if found.witnesses:
        yield f"also judged in the equations of {', '.join(found.witnesses)}"
    if found.oracle is not None and found.oracle.refused:
        yield f"oracle: {found.oracle.refused}"
    for one in found.excluded:
        yield f"{one.name}: {one.status}: {one.reason}"
    yield from _odd_states(found)
    for branch, number in found.branches.items():
        yield f"branch {branch}: {_count(number, 'state')}"
    yield from found.refused
    if found.rejected:
        yield f"{_count(found.rejected, 'random state')} rejected: no consistent one was near"
    yield from _few(found)
    if found.drawn:
        drawn = ", ".join(f"{path} = {value:.6g}" for path, value in found.drawn.items())
        yield f"drawn, for they have no value: {drawn}"
    yield from found.doubts
    yield from _references(found)


def _odd_states(found: Verification) -> Iterator[str]:
    """Yield what there is to say of states; of many random ones that are alike, once."""
    alike: dict[str, list[str]] = {}
    for state in found.states if found.forms else ():
        if state.status != "compared" or state.note:
            said = ": ".join(x for x in (state.status, state.note) if x)
            alike.setdefault(said, []).append(state.name)
    for said, names in alike.items():
        random = [name for name in names if kind_of(name) == "random"]
        many = random if len(random) > _SHOWN else []
        yield from (f"{name}: {said}" for name in names if name not in many)
        if many:
            yield f"{many[0]} to {many[-1]}: {said}, {_count(len(many), 'state')}"


def _few(found: Verification) -> Iterator[str]:
    """Yield what limits the states: those near the start, and forms that have fewer."""
    counts = found.counts
    if counts.nearer:
        yield f"{_count(counts.nearer, 'random state')} nearer to the start than the whole range"
    for form, number in counts.forms.items():
        if number < min(counts.asked, counts.compared):
            yield f"{form}: compared at {number} of {_count(counts.compared, 'state')}"


def _references(found: Verification) -> Iterator[str]:
    """Yield how many references are met, and those that are not, one by one."""
    if found.references:
        yield count_references(found.references)
    yield from (str(one) for one in found.references if not one.met or one.cannot_fail)


def _findings(found: Verification) -> Iterator[str]:
    """Yield what is not agreement, the worst first."""
    known = [
        (error, f"{' and '.join(pair.forms)}, {what}")
        for pair in found.pairs
        for what, error in pair.errors()
    ]
    beside = (
        ("in its own equations", found.own),
        ("in invariants", found.invariants),
        ("in its own results", found.results),
        ("in the balance of power", found.power),
    )
    known += [(e, f"{name} {what}") for what, errors in beside for name, e in errors.items()]
    known += [(e, f"invariants of {level}") for level, e in found.levels.items()]
    known += [(e, f"inertia forces by {route}") for route, e in found.routes.items()]
    known += [(e, f"{method} linearisation") for method, e in found.linear.items()]
    if found.oracle is not None:
        known += [
            (error, f"{form} beside the oracle, {what}")
            for form in found.forms
            for what, error in found.oracle.errors(form)
        ]
        if found.oracle.invariants is not None:
            known.append((found.oracle.invariants, "invariants as the oracle reads them"))
    known = [(error, what) for error, what in known if judge(error) != "agree"]
    known.sort(key=lambda one: -inf if isnan(one[0].value) else -one[0].value)
    for error, what in known[:_SHOWN]:
        row = f", {error.row}" if error.row else ""
        place = f" at {error.state}{row}" if error.state else ""
        yield f"{judge(error)}: {what}: {error.value:.1e}{place}"
    if len(known) > _SHOWN:
        yield f"and {len(known) - _SHOWN} more"
    if found.against_oracle:
        yield "all against oracle: what all forms share is wrong, or the oracle is"
    if found.outliers:
        yield f"wrong: {', '.join(found.outliers)}"


def _cell(error: Error | None, mark: str = "") -> str:
    """Return an error in eight characters, the last for its mark."""
    if error is None:
        return f"{'-':>7} "
    text = f"{error.value:.0e}{mark}"
    last = "~" if error.arbiter == "rounding" else _MARK[judge(error)]
    return f"{text:>7}{last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
