"""Equations as a module on NumPy alone: the matrix program itself, for many states at once.

`rates` gives the rates of coordinates and speeds, where there are any, `results` all results and
the status of each state. Linear algebra, and the search for implicit unknowns, are those of mbx's
own runs: the functions are copied from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.python.numpy_program import Program
from mbx.codegen.python.numpy_ranks import ranks
from mbx.codegen.python.python_module import (
    MATRICES,
    NAMES,
    RATES,
    commented,
    defaults,
    groups,
    header,
    imports,
    keys,
    names_in,
    parameters_of,
    said_keys,
    unpacked,
)
from mbx.codegen.routine import routine
from mbx.codegen.sources import copied
from mbx.codegen.target import Target
from mbx.expr.evaluate import substitute
from mbx.expr.nodes import number
from mbx.formalism.shapes import needs, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.python.numpy_ranks import Ranks
    from mbx.codegen.routine import Routine
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

__all__ = ["TARGET"]

_SOURCES: Final = (
    "mbx.numerics.ranks",
    "mbx.numerics.execute.stacked_algebra",
    "mbx.numerics.execute.implicit_steps",
    "mbx.codegen.runtime.numpy_runtime",
)
_LOCALS: Final = frozenset(
    {
        *("np", "t", "q", "u", "inputs", "parameters", "states", "status", "only_rates"),
        *("given", "residual", "at", "y", "one", "faults", "bad", "rates", "results", "program"),
    }
)
_FUNCTIONS: Final = (
    *("basis", "evaluated", "fixed_point", "least_squares", "matrix", "noted", "pinv", "regular"),
    *("solve", "sqrtm"),
)


def _write(subject: Subject) -> dict[str, str]:
    """Return the module."""
    equations = subject.equations
    arguments = routine(subject, ())
    found = ranks(subject)
    steps = _leading_to(equations.results.values(), equations.steps)
    rates = [equations.results[key] for key in RATES if key in equations.results]
    first = _leading_to(rates, steps)
    everything = copied(_SOURCES, _FUNCTIONS)
    names = names_in(arguments, _LOCALS, everything.names)
    program = Program(
        names.of,
        _replaced(subject, arguments),
        found,
        _LOCALS | everything.names | {*NAMES.values()},
        sizes=_sizes(steps, found),
    )
    program.take([*first, *(step for step in steps if step not in first)])
    body = list(_program(subject, arguments, names, program, first, steps))
    own = copied(_SOURCES, {"evaluated", *program.uses})
    lines = [
        *header(subject, arguments, names),
        *commented(said_keys(keys(equations.results), _shown(subject, program))),
        "",
        *imports(own, "import numpy as np"),
        *defaults(arguments, "np.array({0}, dtype=float)"),
        "",
        "",
        *_public(subject, arguments),
        *body,
        "",
        "",
        "# -- linear algebra on stacks of matrices, as mbx itself does it",
        "",
        "",
    ]
    return {f"mb_{subject.stem}_numpy.py": "\n".join(lines) + own.text}


def _replaced(subject: Subject, arguments: Routine) -> dict[Node, Node]:
    """Return what stands for symbols that are no arguments: numbers, and what is made of others."""
    signature = subject.equations.signature
    found = {node: number(value) for node, value in subject.values.items()}
    known = {one.symbol for one in arguments.arguments}
    for one in (*signature.parameters, *signature.inputs, *signature.derived):
        if one.symbol not in known and one.symbol not in found and one.value is not None:
            (found[one.symbol],) = substitute([one.value], found)
    return found


def _leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that some matrices need, in order."""
    open_names, kept = set(wanted), []
    for step in reversed(steps):
        if step.name in open_names:
            open_names |= needs(step)
            kept.append(step)
    return kept[::-1]


def _sizes(steps: Sequence[Step], found: Ranks) -> dict[tuple[str, str], tuple[int, int]]:
    """Return rows and columns of all matrices, those of inner steps included."""
    sizes: dict[tuple[str, str], tuple[int, int]] = {}
    outer: dict[str, tuple[int | None, int | None]] = {}
    for step in steps:
        outer[step.name] = _size(step, outer, found, "")
        inner = dict(outer)
        for each in step.steps:
            inner[each.name] = _size(each, inner, found, step.name)
            sizes[step.name, each.name] = inner[each.name]  # type: ignore[assignment]
        sizes["", step.name] = outer[step.name]  # type: ignore[assignment]
    return sizes


def _size(
    step: Step, before: Mapping[str, tuple[int | None, int | None]], found: Ranks, scope: str
) -> tuple[int | None, int | None]:
    rows, columns = shape(step, before)
    return rows, found.nullities.get((scope, step.name), columns)


# -- functions -------------------------------------------------------------------------------


def _is_column(key: str, columns: int) -> bool:
    return columns == 1 and key not in MATRICES and not key.startswith("open:")


def _shown(subject: Subject, program: Program) -> dict[str, str]:
    found = {}
    for key, name in subject.equations.results.items():
        rows, columns = program.sizes["", name]
        found[key] = f"{rows}" if _is_column(key, columns) else f"{rows} by {columns}"
    return found


def _public(subject: Subject, arguments: Routine) -> Iterator[str]:
    """Yield the functions that a user calls."""
    taken = ", ".join(NAMES[one] for one in groups(arguments))
    sizes = ", ".join(
        "None" if one == "t" else str(len(arguments.group(one))) for one in groups(arguments)
    )
    yield from _public_rates(subject, arguments, taken, sizes)
    yield f"def results({parameters_of(arguments)}):"
    yield '    """Return all results by name; `status` is `regular`, or says why there are none.'
    yield ""
    yield "    A column is one axis, a matrix two; states come before them."
    yield '    """'
    yield f"    given = [{taken}]"
    yield f"    return evaluated(program, given, [{sizes}], only_rates=False)"
    yield ""
    yield ""


def _public_rates(subject: Subject, arguments: Routine, taken: str, sizes: str) -> Iterator[str]:
    """Yield the function that gives rates, where they are among the results."""
    rates = [key for key in RATES if key in subject.equations.results]
    if not rates:
        return
    what = "the rates of q and of u" if len(rates) > 1 else "the rates of u"
    if subject.equations.signature.higher:
        what = "the rates of q, and of the last of x"
    yield f"def rates({parameters_of(arguments)}):"
    yield f'    """Return {what}; NaN at states that have none.'
    yield ""
    yield "    Arguments have states along their first axes, if there are many, and broadcast."
    yield '    """'
    yield f"    given = [{taken}]"
    yield f"    found = evaluated(program, given, [{sizes}], only_rates=True)"
    found = ", ".join(f'found["{key}"]' for key in rates)
    yield f"    return {found}"
    yield ""
    yield ""


def _program(
    subject: Subject,
    arguments: Routine,
    names: ModelNames,
    program: Program,
    first: Sequence[Step],
    steps: Sequence[Step],
) -> Iterator[str]:
    """Yield the function that runs the steps; those for the rates come first."""
    results = subject.equations.results
    taken = ", ".join(NAMES[one] for one in groups(arguments))
    yield f"def program({taken}, status, *, only_rates):"
    yield '    """Return matrices, (states, rows, columns); states that fail are noted."""'
    yield "    states = len(t)"
    yield from unpacked(arguments, names, "{}.T")
    yield from _indented(program.lines(first))
    code = keys(results)
    if first:
        yield "    if only_rates:"
        yield f"        return {{{', '.join(_result(program, results, code, RATES))}}}"
    yield from _indented(program.lines(step for step in steps if step not in first))
    yield "    return {"
    yield from (f"        {line}," for line in _result(program, results, code, results))
    yield "    }"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from (f"    {part}" if part else "" for part in line.split("\n"))


def _result(
    program: Program,
    results: Mapping[str, str],
    code: Mapping[str, str],
    wanted: Iterable[str],
) -> Iterator[str]:
    for key in wanted:
        if key in results:
            name = results[key]
            column = _is_column(key, program.sizes["", name][1])
            yield f'"{code[key]}": {program.name(name)}{"[:, :, 0]" if column else ""}'


TARGET: Final = Target(
    name="numpy", suffix=".py", title="a Python module on NumPy alone", write=_write
)
