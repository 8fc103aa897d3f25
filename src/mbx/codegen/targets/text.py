"""Equations as text for a terminal."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.algebra_lines import Block, Plus, Ref, Times, Transposed, unknowns_of
from mbx.codegen.notation.display import display, operations, results, unreadable
from mbx.codegen.notation.plain import plain
from mbx.codegen.notation.symbol_table import (
    break_sum,
    headline,
    is_symmetric,
    rows_of,
    symbol_rows,
    table,
)
from mbx.codegen.pages.check.checked_text import write_checked
from mbx.codegen.reduce import IDENTITY, ZEROS
from mbx.codegen.target import Target
from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.notation.algebra_lines import Line, Matrix
    from mbx.codegen.notation.display import Display
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step

__all__ = ["TARGET", "matrix_lines"]

_WIDTH: Final = 98
_LINES: Final = 4000
_COLUMNS: Final = 12  # of a matrix that is drawn
_COMMENTS: Final = 40  # the column where comments begin, behind shorter lines
_KINDS: Final = {
    "general": "",
    "symmetric": "the matrix is symmetric",
    "positive": "the matrix is positive definite",
    "least_squares": "least squares where rows depend on each other",
}


def _write(subject: Subject) -> dict[str, str]:
    """Return equations as text."""
    equations = subject.equations
    if equations.page is not None and not subject.values:
        lines = [
            safe_text(line).rstrip()
            for line in write_checked(
                equations, subject.width, only_equations=subject.only_equations
            )
        ]
        return {f"{subject.stem}.txt": "".join(f"{line}\n" for line in lines)}
    shown = display(equations)
    body = list(_body(shown)) or ["  none: nothing moves"]
    if len(body) > _LINES:
        body = [
            f"  {len(body)} lines, too many to read; --format json has them.",
        ]
    parts = [
        *_head(equations),
        "",
        "Symbols",
        *table(symbol_rows(equations.signature), _WIDTH),
        "",
        "Equations",
        *body,
        "",
        "Results",
        *_results(shown),
        "",
        *_foot(shown),
    ]
    return {f"{subject.stem}.txt": "".join(f"{safe_text(line).rstrip()}\n" for line in parts)}


def _head(equations: Equations) -> Iterator[str]:
    yield headline(equations)
    yield from wrap(equations.reference, _WIDTH, initial_indent="  ", subsequent_indent="  ")


def _foot(shown: Display) -> Iterator[str]:
    for note in shown.equations.notes:
        yield from wrap(f"Note: {note.rstrip('.')}.", _WIDTH, subsequent_indent="  ")
    yield operations(shown)


def _results(shown: Display) -> Iterator[str]:
    rows, zero = [], []
    for key, name, meaning in results(shown):
        if name == ZEROS:
            zero.append(key)
        elif name == IDENTITY:
            rows.append((key, f"{meaning}: the unit matrix"))
        else:
            rows.append((key, meaning if name == key else f"{meaning}: {name}"))
    yield from table(rows, _WIDTH)
    if zero:
        yield from _wrapped(f"  zero or empty: {', '.join(zero)}")


# -- the program -----------------------------------------------------------------------------


def _body(shown: Display) -> Iterator[str]:
    if shown.parts:
        yield "  with"
        yield from _named(shown.parts, shown)
        yield ""
    if shown.rates:
        yield "  rates"
        yield from _named(shown.rates, shown)
    yield from _parted(shown.lines, shown, "  ")


def _parted(lines: Sequence[Line], shown: Display, indent: str) -> Iterator[str]:
    """Yield lines, and what part of the algorithm they are where one begins."""
    part = ""
    for line in lines:
        if line.step.part != part:
            part = line.step.part
            yield from ("", f"{indent}# {part[:1].upper()}{part[1:]}", "") if part else ()
        yield from _line(line, shown, indent)


def _named(pairs: Sequence[tuple[Node, Node]], shown: Display) -> Iterator[str]:
    for name, value in pairs:
        yield from break_sum(f"    {name.value} = ", plain(shown.layout(value)), _WIDTH)


def _line(line: Line, shown: Display, indent: str) -> Iterator[str]:
    step, args = line.step, [_matrix(a) for a in line.args]
    match step.op:
        case "define" | "given":
            yield from matrix_lines(step, shown, indent)
            return
        case "solve":
            why = _KINDS[step.kind or "general"]
            text = f"solve {_held(line.args[0])} {step.name} = {args[1]}"
            text += f"   ({why})" if why else ""
        case "nullspace":
            text = f"{step.name} = nullspace({args[0]})"
            if step.indices is not None:
                chosen = ", ".join(str(k + 1) for k in step.indices)
                text += f", the unit matrix in rows {chosen}"
        case "rows":
            text = f"{step.name} = {args[0]}[{rows_of(step.indices or ())}]"
        case "implicit":
            yield from _implicit(line, shown, indent)
            return
        case "pinv" | "sqrtm" | "absolute":
            word = {"pinv": "pinv", "sqrtm": "sqrt", "absolute": "abs"}[step.op]
            text = f"{step.name} = {word}({args[0]})"
        case _:
            text = f"{step.name} = {args[0]}"
    yield from _said(f"{indent}{text}", step.meaning)


def _said(text: str, meaning: str) -> Iterator[str]:
    """Yield a line and what it means, behind it or below it."""
    line = f"{text:<{_COMMENTS}}  # {meaning}" if meaning else text
    if len(line) <= _WIDTH:
        yield line
        return
    yield from _wrapped(text)
    if meaning:
        before = f"{_indent(text)}    # "
        yield from wrap(meaning, _WIDTH, initial_indent=before, subsequent_indent=before)


def _wrapped(text: str) -> list[str]:
    """Return a line in several, those after the first further to the right."""
    return wrap(text, _WIDTH, subsequent_indent=f"{_indent(text)}    ")


def _indent(text: str) -> str:
    return " " * (len(text) - len(text.lstrip()))


def _implicit(line: Line, shown: Display, indent: str) -> Iterator[str]:
    step = line.step
    yield from _said(
        f"{indent}find {step.name}{_entries_of(line)} with {step.residual} = 0, where", step.meaning
    )
    found = [inner for inner in line.inner if inner.step.op != "given"]
    yield from _parted(found, shown, f"{indent}    ")


def _entries_of(line: Line) -> str:
    """Return how the entries of an unknown are called, if expressions name them."""
    rows = unknowns_of(line)
    return f" = [{'; '.join(rows)}]" if rows else ""


# -- matrices --------------------------------------------------------------------------------


def matrix_lines(step: Step, shown: Display, indent: str) -> Iterator[str]:
    """Yield a matrix of expressions: drawn if it fits, else entry by entry."""
    why_not = unreadable(step)
    if why_not:
        yield from _said(f"{indent}{step.name}: {why_not}", step.meaning)
        return
    texts = [[plain(shown.layout(node)) for node in row] for row in step.entries]
    if len(texts) == 1 and len(texts[0]) == 1 and len(texts[0][0]) + len(step.name) < _WIDTH - 8:
        yield from _said(f"{indent}{step.name} = [{texts[0][0]}]", step.meaning)
        return
    drawn = list(_drawn(step, texts, indent))
    if not _is_sparse(step) and all(len(one) <= _WIDTH for one in drawn):
        yield from _said(f"{indent}{step.name} =", step.meaning)
        yield from drawn
        return
    symmetric = is_symmetric(step, texts)
    places = [
        (i, j)
        for i, row in enumerate(step.entries)
        for j, node in enumerate(row)
        if node is not ZERO and not (symmetric and j < i)
    ]
    column = len(texts[0]) == 1
    size = "" if column else f"{len(texts)} by {len(texts[0])}"
    size += ", symmetric" if symmetric else ""
    zeros = any(node is ZERO for row in step.entries for node in row)
    size += ", other entries are zero" if zeros else ""
    size = size.removeprefix(", ")
    yield from _said(
        f"{indent}{step.name}: {size}" if size else f"{indent}{step.name}:", step.meaning
    )
    for i, j in places:
        place = _label(step.row_labels, i)
        place += "" if column else f", {_label(step.column_labels, j)}"
        yield from break_sum(f"{indent}  {step.name}[{place}] = ", texts[i][j], _WIDTH)


def _label(labels: tuple[str, ...], k: int) -> str:
    return labels[k] if labels else str(k + 1)


def _is_sparse(step: Step) -> bool:
    """Whether a matrix is better listed than drawn."""
    entries = [node for row in step.entries for node in row]
    zeros = sum(node is ZERO for node in entries)
    many = len(step.entries) > _COLUMNS // 2 and zeros > len(entries) * 3 // 5
    return len(step.entries[0]) > _COLUMNS or many


def _drawn(step: Step, texts: list[list[str]], indent: str) -> Iterator[str]:
    widths = [max(len(row[j]) for row in texts) for j in range(len(texts[0]))]
    labels = [f"{label}" for label in step.row_labels] or [""] * len(texts)
    left = max(len(label) for label in labels)
    if step.column_labels and len(widths) > 1:
        heads = step.column_labels
        widths = [max(w, len(h)) for w, h in zip(widths, heads, strict=True)]
        above = "  ".join(f"{h:<{w}}" for h, w in zip(heads, widths, strict=True))
        yield f"{indent}  {'':<{left}}    {above}"
    for label, row in zip(labels, texts, strict=True):
        inside = "  ".join(f"{t:<{w}}" for t, w in zip(row, widths, strict=True))
        yield f"{indent}  {label:<{left}}  [ {inside} ]"


def _matrix(one: Matrix) -> str:
    match one:
        case Ref():
            return one.name
        case Transposed():
            return f"{_held(one.of)}^T"
        case Times():
            return " ".join(_held(f) for f in one.factors)
        case Plus():
            text = ""
            for sign, term in one.terms:
                body = _matrix(term)
                mark = "-" if sign < 0 else "+" if text else ""
                text += f" {mark} {body}" if text else f"{mark}{body}"
            return text
        case Block():
            return f"[{'; '.join(', '.join(_matrix(b) for b in row) for row in one.rows)}]"


def _held(one: Matrix) -> str:
    text = _matrix(one)
    return f"({text})" if isinstance(one, Plus | Times) else text


TARGET: Final = Target(
    name="text",
    suffix=".txt",
    title="text for a terminal",
    write=_write,
    specialised=False,
    has_page=True,
)
