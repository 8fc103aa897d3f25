"""Equations as a LaTeX document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.codegen.algebra import Block, Plus, Ref, Times, Transposed, unknowns_of
from mbx.codegen.display import display, operations, results
from mbx.codegen.latex_names import Names, escape, matrix_name
from mbx.codegen.latex_sums import Writer
from mbx.codegen.plain import plain
from mbx.codegen.reduce import IDENTITY, ZEROS
from mbx.codegen.table import GROUPS, headline, is_symmetric, rows_of, symbol_rows
from mbx.codegen.target import Target
from mbx.expr.nodes import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.algebra import Line, Matrix
    from mbx.codegen.display import Display
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step

__all__ = ["TARGET"]

_WIDTH: Final = 75  # characters of plain text that fit on a line
_COLUMNS: Final = 12  # of a matrix that is drawn
_LINES: Final = 4000
_HEAD: Final = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=2cm]{geometry}
\usepackage{amsmath}
\usepackage{longtable}
\setcounter{MaxMatrixCols}{12}
\allowdisplaybreaks
\begin{document}
"""

_KINDS: Final = {
    "symmetric": " (symmetric matrix)",
    "positive": " (positive definite matrix)",
    "least_squares": " (least squares where rows depend on each other)",
}


def _write(equations: Equations) -> str:
    """Return equations as a LaTeX document."""
    shown = display(equations)
    names = Names(equations.signature)
    write = Writer(names)
    body = [one for line in shown.lines for one in _line(line, shown, write)]
    body = [*_parts(shown, write), *body]
    if len(body) > _LINES:
        body = [f"{len(body)} lines, too many to read; the JSON form has them."]
    parts = [
        rf"\section*{{{escape(headline(equations))}}}",
        escape(equations.reference),
        r"\subsection*{Symbols}",
        *_symbols(equations, names),
        r"\subsection*{Equations}",
        *body,
        r"\subsection*{Results}",
        *_results(shown),
        *(rf"\par\noindent Note: {escape(note.rstrip('.'))}." for note in equations.notes),
        r"\par\noindent " + operations(shown),
    ]
    return _HEAD + "\n".join(parts) + "\n\\end{document}\n"


def _symbols(equations: Equations, names: Names) -> Iterator[str]:
    yield r"\begin{longtable}{lllp{8cm}}"
    for group, path, unit, meaning in symbol_rows(equations.signature):
        raised = re.sub(r"\\textasciicircum{}([0-9]+)", r"\\textsuperscript{\1}", escape(unit))
        yield rf"{escape(group)} & ${names(path)}$ & {raised} & {escape(meaning)} \\"
    yield r"\end{longtable}"


def _results(shown: Display) -> Iterator[str]:
    yield r"\begin{longtable}{lp{10cm}}"
    for key, name, meaning in results(shown):
        kind, _, path = key.partition(":")
        left = escape(key) if path else f"${matrix_name(kind)}$"
        same = {key: "", ZEROS: ": zero or empty", IDENTITY: ": the unit matrix"}
        more = same[name] if name in same else f": ${_ref(name, shown)}$"
        more = "" if more == f": {left}" else more  # only plain text tells them apart
        yield rf"{left} & {escape(meaning)}{more} \\"
    yield r"\end{longtable}"


# -- the program -----------------------------------------------------------------------------


def _parts(shown: Display, write: Writer) -> Iterator[str]:
    for word, pairs in (("with", shown.parts), ("rates", shown.rates)):
        if not pairs:
            continue
        yield rf"\par\noindent {word}"
        rows = [(write.name(name.value), value) for name, value in pairs]
        yield from _aligned([line for n, v in rows for line in _sum(n, v, shown, write)])


def _aligned(lines: Sequence[str]) -> Iterator[str]:
    yield r"\begin{align*}"
    yield " \\\\\n".join(lines)
    yield r"\end{align*}"


def _sum(left: str, node: Node, shown: Display, write: Writer) -> Iterator[str]:
    """Yield the lines of one equation."""
    first, *more = write.lines(shown.layout(node), _WIDTH)
    yield f"{left} &= {first}"
    yield from (rf"&\quad{line}" for line in more)


def _line(line: Line, shown: Display, write: Writer) -> Iterator[str]:
    step = line.step
    left = matrix_name(step.name, step.symbol)
    args = [_matrix(a, shown) for a in line.args]
    text = ""
    match step.op:
        case "define" | "given":
            yield from _entries(step, shown, write)
            return
        case "solve":
            text = rf"{_factor(line.args[0], shown)} \, {left} &= {args[1]}"
        case "nullspace":
            text = rf"{left} &= \operatorname{{null}} {_held(line.args[0], shown)}"
        case "rows":
            span = rows_of(step.indices or ()).replace("..", r"\ldots ")
            text = rf"{left} &= \left[{args[0]}\right]_{{{span}}}"
        case "pinv":
            text = rf"{left} &= {_held(line.args[0], shown)}^{{+}}"
        case "sqrtm":
            text = rf"{left} &= {_held(line.args[0], shown)}^{{1/2}}"
        case "absolute":
            text = rf"{left} &= \left|{args[0]}\right|"
        case "implicit":
            residual = matrix_name(step.residual)
            rows = r" \\ ".join(write.name(one) for one in unknowns_of(line))
            left += rf" = \begin{{bmatrix}} {rows} \end{{bmatrix}}" if rows else ""
            yield rf"\par\noindent find ${left}$ with ${residual} = 0$, where"
            for inner in line.inner:
                if inner.step.op != "given":
                    yield from _line(inner, shown, write)
            yield rf"\par\noindent (end of ${left}$)"
            return
        case _:
            text = f"{left} &= {args[0]}"
    why = _KINDS.get(step.kind or "", "") if step.op == "solve" else ""
    word = f"solve for ${left}$" if step.op == "solve" else ""
    yield from _said(word, step.meaning, why)
    yield from _aligned([text])


def _said(word: str, meaning: str, why: str = "") -> Iterator[str]:
    said = ": ".join(one for one in (word, escape(meaning)) if one) + why
    if said:
        yield rf"\par\noindent {said}"


# -- matrices --------------------------------------------------------------------------------


def _entries(step: Step, shown: Display, write: Writer) -> Iterator[str]:
    """Yield a matrix of expressions: drawn if it fits, else entry by entry."""
    left = matrix_name(step.name, step.symbol)
    sums = [[shown.layout(node) for node in row] for row in step.entries]
    texts = [[plain(one) for one in row] for row in sums]
    widths = [max(len(row[j]) for row in texts) for j in range(len(texts[0]))]
    if len(widths) <= _COLUMNS and sum(widths) + 2 * len(widths) <= _WIDTH:
        yield from _said("", step.meaning)
        rows = [" & ".join(write.sum(one) for one in row) for row in sums]
        inside = " \\\\\n".join(rows)
        yield from _aligned([f"{left} &= \\begin{{bmatrix}}\n{inside}\n\\end{{bmatrix}}"])
        return
    symmetric = is_symmetric(step, texts)
    zeros = any(node is ZERO for row in step.entries for node in row)
    why = ", symmetric" if symmetric else ""
    why += ", other entries are zero" if zeros else ""
    yield from _said("", step.meaning, f" ({len(texts)} by {len(texts[0])}{why})")
    known = {one.path for group in GROUPS for one in getattr(shown.equations.signature, group[0])}

    def label(labels: tuple[str, ...], k: int) -> str:
        if not labels:
            return str(k + 1)
        return write.name(labels[k]) if labels[k] in known else rf"\text{{{escape(labels[k])}}}"

    found: list[str] = []
    for i, row in enumerate(step.entries):
        for j, node in enumerate(row):
            if node is not ZERO and not (symmetric and j < i):
                place = label(step.row_labels, i)
                place += f", {label(step.column_labels, j)}" if len(row) > 1 else ""
                found += _sum(rf"{left}\left[{place}\right]", node, shown, write)
    yield from _aligned(found)


def _ref(name: str, shown: Display) -> str:
    if name in {ZEROS, IDENTITY} or name.startswith(f"{IDENTITY}_"):
        return re.sub("_(.*)", r"_{\1}", name)
    return matrix_name(name, next((s.symbol for s in _steps(shown) if s.name == name), ""))


def _steps(shown: Display) -> Iterator[Step]:
    return (line.step for line in shown.lines)


def _matrix(one: Matrix, shown: Display) -> str:
    match one:
        case Ref():
            return _ref(one.name, shown)
        case Transposed():
            return f"{_held(one.of, shown)}^{{T}}"
        case Times():
            return r" \, ".join(_factor(f, shown) for f in one.factors)
        case Plus():
            text = ""
            for sign, term in one.terms:
                mark = "-" if sign < 0 else "+" if text else ""
                text += f" {mark} {_matrix(term, shown)}"
            return text.strip()
        case Block():
            rows = (" & ".join(_matrix(b, shown) for b in row) for row in one.rows)
            inside = r" \\ ".join(rows)
            return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"


def _factor(one: Matrix, shown: Display) -> str:
    """Return a factor of a product; a transpose needs no brackets."""
    return _matrix(one, shown) if isinstance(one, Transposed | Ref) else _held(one, shown)


def _held(one: Matrix, shown: Display) -> str:
    text = _matrix(one, shown)
    bare = isinstance(one, Ref) and "^" not in text
    return text if bare or isinstance(one, Block) else rf"\left({text}\right)"


TARGET: Final = Target(name="latex", suffix=".tex", title="a LaTeX document", write=_write)
