"""Linked documents beside what is written by hand: values, starts, states, experiments.

Forms and oracle share parser, linker and document, so they agree on what these get wrong. A case
is a model `linked/NAME.mb` with `linked/NAME.toml`, which says in SI units what it means.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import MbxError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.analyses.experiments.experiment_plan import Expectation
    from mbx.analyses.experiments.read_experiments import Reader
    from mbx.linking.link import Linked

__all__ = ["cases", "differences", "failures"]

_FOLDER: Final = Path(__file__).with_name("linked")
_SAME: Final = 4e-15
"""Relative difference of two numbers that are the same up to rounding."""


def cases() -> tuple[str, ...]:
    """Return the names of all cases."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def failures() -> list[str]:
    """Return how linked documents differ from what is written by hand, in all cases."""
    return [f"{name}: {each}" for name in cases() for each in differences(name)]


def differences(name: str) -> list[str]:
    """Return how a case differs from what is written by hand, a line for each difference."""
    expected = tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))
    try:
        found = _meaning(_FOLDER / f"{name}.mb", "canonical" in expected)
    except MbxError as refused:
        return [f"it is refused: {' '.join(str(refused).split())}"]
    if "canonical" in expected:
        expected["canonical"] = json.loads(expected["canonical"])
    for optional in ("ranges", "states", "experiments"):
        expected.setdefault(optional, {})
    return list(_compared("", expected, found))


def _meaning(file: Path, canonical: bool) -> dict[str, Any]:  # noqa: FBT001  of one caller
    """Return what a file means, in the words of the hand-written tables."""
    from mbx.analyses.experiments.read_experiments import Reader  # noqa: PLC0415  after a fault is planted
    from mbx.linking.canonical import physics  # noqa: PLC0415  likewise
    from mbx.system.elaborate import elaborate  # noqa: PLC0415  likewise

    linked = _linked(file)
    system = elaborate(linked)
    reader = Reader.of(linked, system)
    variables = (*system.q, *system.u)
    values = {symbol.path: value for symbol, value in reader.context.values.items()}
    found: dict[str, Any] = {
        "values": values,
        "starts": {v.path: v.start for v in variables if v.start is not None},
        "ranges": {v.path: list(v.range) for v in variables if v.range is not None},
        "states": {name: dict(state) for name, state in system.states.items()},
        "experiments": {one.name: _experiment(reader, one) for one in linked.document.experiments},
    }
    if canonical:
        found["canonical"] = physics(linked.document)
    return found


def _linked(file: Path) -> Linked:
    from mbx.base.diagnostics import Report  # noqa: PLC0415  after a fault is planted
    from mbx.base.files import read_source  # noqa: PLC0415  likewise
    from mbx.language.limits import LIMITS  # noqa: PLC0415  likewise
    from mbx.language.text.read_text import read_text  # noqa: PLC0415  likewise
    from mbx.linking.link import link_document  # noqa: PLC0415  likewise

    source = read_source(file, limit=LIMITS.file_bytes)
    source.folder = file.parent
    report = Report()
    document = read_text(source, report)
    linked = None if document is None else link_document(document, None, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return linked


def _experiment(reader: Reader, experiment: Any) -> dict[str, Any]:
    plan = reader.plan(experiment)
    times = [plan.first, plan.last, plan.every]
    variables = (*plan.system.q, *plan.system.u)
    return {
        "parameters": dict(plan.parameters),
        "inputs": dict(plan.inputs),
        "said": dict(plan.said),
        "held": sorted(plan.held),
        "freed": sorted(plan.freed),
        "times": [time for time in times if time is not None],
        "starts": {v.path: v.start for v in variables if v.start is not None},
        "varied": [[v.path, v.lower, v.upper, v.steps] for v in reader.variations(experiment)],
        "expected": [_expectation(one) for one in plan.expected],
    }


def _expectation(one: Expectation) -> dict[str, Any]:
    where = {"state": one.state} if one.time is None else {"time": one.time}
    return {
        "quantity": one.quantity,
        **where,
        "value": one.value,
        "within": one.within,
        "unit": one.unit,
    }


def _compared(path: str, expected: Any, found: Any) -> Iterator[str]:
    """Yield where two trees of data differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            inner = f"{path} {key}".strip()
            if key not in found or key not in expected:
                missing = "is missing" if key not in found else "is not expected"
                yield f"{inner}: {missing}"
            else:
                yield from _compared(inner, expected[key], found[key])
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for k, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _compared(f"{path} {k + 1}".strip(), one, other)
    elif not _same(expected, found):
        yield f"{path}: expected {expected!r}, found {found!r}"


def _same(expected: Any, found: Any) -> bool:
    numbers = (int, float)
    if isinstance(expected, numbers) and isinstance(found, numbers):
        return abs(expected - found) <= _SAME * abs(expected)
    return bool(expected == found)
