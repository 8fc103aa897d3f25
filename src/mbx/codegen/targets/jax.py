"""Equations as a module on JAX: functions of one state, for `jit`, `vmap` and derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import Syntax, inert
from mbx.codegen.python.python_module import (
    RATES,
    both,
    commented,
    defaults,
    header,
    imports,
    is_column,
    keys,
    names_in,
    parameters_of,
    said_keys,
    said_sizes,
    unpacked,
)
from mbx.codegen.schedule import Assign, statements
from mbx.codegen.sources import copied
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.codegen.routine import Routine
    from mbx.codegen.schedule import Loop
    from mbx.codegen.target import Subject

__all__ = ["SYNTAX", "TARGET"]

_SAME: Final = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "abs", "sign", "sqrt")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"jnp.{name}({{0}})" for name in _SAME},
        **{name: f"jnp.arc{name[1:]}({{0}})" for name in ("asin", "acos", "atan")},
        "atan2": "jnp.arctan2({0}, {1})",
        "power": "jnp.power({0}, {1})",
    },
    less="jnp.where(({0}) < ({1}), 1.0, 0.0)",
    test="({0}) < ({1})",
    given="{0} != 0.0",
    choose="jnp.where({0}, {1}, {2})",
)


_TAKEN: Final = ("jax", "jnp", "require_doubles", "root", "step", "value", "y")


def _write(subject: Subject) -> dict[str, str]:
    """Return the module."""
    rates, every = both(subject)
    code = keys(subject.equations.results)
    wanted = {"require_doubles", *(("root",) if every.iterations or rates.iterations else ())}
    own = copied(("mbx.codegen.runtime.jax_runtime",), wanted)
    lines = [
        *header(subject, rates, names_in(rates, _TAKEN)),
        *commented(said_keys(code, said_sizes(every))),
        *commented(f"without {inert(key)}: {inert(why)}" for key, why in every.left_out.items()),
        "",
        *imports(own, "import jax", "import jax.numpy as jnp"),
        *own.text.strip("\n").split("\n"),
        "",
        "",
        "require_doubles()",
        *defaults(rates, "jnp.array({0}, dtype=float)"),
        "",
        "",
        *_rates(rates),
        "",
        "",
        *_results(every, code),
    ]
    return {f"mb_{subject.stem}_jax.py": "\n".join(lines) + "\n"}


def _rates(one: Routine) -> Iterator[str]:
    wanted = [key for key in RATES if key in one.results]
    yield f"def rates({parameters_of(one)}):"
    yield '    """Return the rates of q, if there are any, and those of u, at one state."""'
    yield from _body(one, wanted)


def _results(one: Routine, code: Mapping[str, str]) -> Iterator[str]:
    yield f"def results({parameters_of(one)}):"
    yield '    """Return all results by name, at one state: vectors and matrices."""'
    yield from _body(one, list(one.results), code)


def _body(
    one: Routine, wanted: Sequence[str], code: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield the statements of a function, and what it returns."""
    names = names_in(one, _TAKEN)
    yield from unpacked(one, names, "jnp.asarray({})")
    entries = [node for key in wanted for row in one.results[key] for node in row]
    body = statements(one, names.of, SYNTAX, entries)
    for k, each in enumerate(body.statements):
        if isinstance(each, Assign):
            yield f"    {each.name} = {each.text}"
        else:
            yield from _loop(each, k)
    rest = iter(body.entries)
    texts = []
    for key in wanted:
        rows = [[next(rest) for _ in row] for row in one.results[key]]
        texts.append(_array(key, rows))
    if code is None:
        yield f"    return {', '.join(texts)}"
        return
    yield "    return {"
    yield from (f'        "{code[key]}": {text},' for key, text in zip(wanted, texts, strict=True))
    yield "    }"


def _array(key: str, rows: Sequence[Sequence[str]]) -> str:
    if is_column(key, rows):
        return f"jnp.array([{', '.join(row[0] for row in rows)}], dtype=float)"
    inside = ", ".join(f"[{', '.join(row)}]" for row in rows)
    width = len(rows[0]) if rows else 0
    return f"jnp.array([{inside}], dtype=float).reshape({len(rows)}, {width})"


def _loop(one: Loop, k: int) -> Iterator[str]:
    """Yield what finds the unknowns of an iteration: their residual and Newton's step."""
    unknowns = f"{', '.join(one.unknowns)}{',' if len(one.unknowns) == 1 else ''}"
    yield ""
    yield f"    def g{k}(y):"
    yield f"        {unknowns} = y"
    yield from (f"        {each.name} = {each.text}" for each in one.body)
    for name, texts in (("value", one.residual), ("step", one.step)):
        yield f"        {name} = jnp.array([{', '.join(texts)}], dtype=float)"
    yield "        return value, step"
    yield ""
    yield f"    {unknowns} = root(g{k}, jnp.array([{', '.join(one.start)}], dtype=float))"


TARGET: Final = Target(name="jax", suffix=".py", title="a Python module on JAX", write=_write)
