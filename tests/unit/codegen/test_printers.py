"""One printer, many languages: every operation has the kernel's value in each that is run here.

Julia is not: its text is C's, token by token, with other names of functions.
"""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import rumoca

from mbx.codegen.code_syntax import Printer, Syntax
from mbx.codegen.python import numpy_program
from mbx.codegen.targets import c, julia, matlab, modelica
from mbx.expr.build import add, choose, divide, function, less, mul, neg, power, scale, sub
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import FUNCTIONS, Node, number, symbol
from octave import numbers

if TYPE_CHECKING:
    from pathlib import Path

X, Y, Z = (symbol(f"printed {name}") for name in "xyz")
NAMES = {X: "x", Y: "y", Z: "z"}
POINTS = ((0.7, -0.4, 1.3), (-1.25, 0.3, 0.6), (2.0, -3.0, 1e-3))
EXACT = 1e-15
"""Relative: functions of libraries differ in the last place."""

OPERATIONS: dict[str, Node] = {
    "number": number(3),
    "number that is negative": number(-2),
    "number that is rational": number(Fraction(1, 3)),
    "number that is large": number(1e22),
    "number that is small": number(-1.5e-9),
    "sum": add(X, Y, Z),
    "sum with signs": add(neg(X), Y, scale(-2, Z)),
    "sum with a constant": add(X, number(Fraction(-1, 2))),
    "sum that begins with a minus": sub(scale(Fraction(-3, 7), X), number(4)),
    "scale": scale(Fraction(5, 3), X),
    "scale of a sum": scale(-3, add(X, Y)),
    "change of sign": neg(X),
    "change of sign of a sum": neg(mul(add(X, Y), Z)),
    "product": mul(X, Y, Z),
    "product with a scale": mul(scale(-2, X), Y),
    "product of sums": mul(add(X, Y), sub(X, Z)),
    "quotient": divide(X, Y),
    "quotient by a product": divide(X, mul(Y, Z)),
    "quotient by a sum": divide(add(X, Y), add(Y, Z)),
    "quotient of quotients": divide(divide(X, Y), divide(Z, Y)),
    "product with a quotient on the right": mul(X, power(Y, -2), Z),
    "reciprocal": power(X, -1),
    "reciprocal of a sum": power(add(X, Y), -1),
    "square": power(X, 2),
    "fourth power": power(X, 4),
    "seventh power": power(X, 7),
    "square of a sum": power(add(X, Y), 2),
    "third power of a scale": power(scale(-2, X), 3),
    "negative power": power(X, -3),
    "negative power of a sum": power(sub(X, Z), -2),
    "root": power(Z, Fraction(1, 2)),
    "reciprocal root": power(Z, Fraction(-1, 2)),
    "root of a sum": power(add(power(X, 2), power(Y, 2)), Fraction(1, 2)),
    "rational power": power(Z, Fraction(2, 3)),
    "negative rational power": power(add(Z, number(1)), Fraction(-5, 2)),
    "power of a product": mul(X, power(mul(Y, Z), 2)),
    "change of sign of a power": neg(power(X, 2)),
    "less": less(X, Y),
    "less of sums": less(add(X, Y), sub(Y, Z)),
    "less in a sum": add(less(X, Y), scale(-2, less(Y, Z)), number(1)),
    "less in a product": mul(less(Y, Z), X),
    "choose": choose(less(X, Y), X, Z),
    "choose of sums": choose(less(X, number(0)), add(X, Y), neg(Z)),
    "choose in a product": mul(X, choose(less(Y, X), neg(Y), Z)),
    "choose that is subtracted": sub(X, choose(less(Y, X), neg(Y), add(X, Z))),
    "choose by a choice": choose(choose(less(X, Y), less(Y, Z), number(0)), X, Z),
    "choose of a choice": choose(less(X, Z), choose(less(Y, number(0)), X, Y), Z),
    "choose by a number": choose(sub(number(1), less(X, Y)), Y, Z),
    "function of a function": function("sin", function("cos", mul(X, Y))),
    "function of a negative sum": function("exp", neg(add(X, Z))),
    "function in a product": mul(function("sin", X), power(function("cos", Y), 2)),
}
_INSIDE = {
    "asin": scale(Fraction(1, 5), X),
    "acos": scale(Fraction(1, 5), Y),
    "log": Z,
}
OPERATIONS |= {
    name: function(name, *((X, Y) if name == "atan2" else (_INSIDE.get(name, X),)))
    for name in FUNCTIONS
}
OPERATIONS |= {f"{name} of a negative": function(name, neg(add(X, Y))) for name in ("abs", "sign")}


def texts(syntax: Syntax) -> list[str]:
    """Return all operations in a language."""
    printer = Printer(syntax, dict(NAMES))
    return [printer.text(node) for node in OPERATIONS.values()]


def expected() -> Any:
    """Return the kernel's values, (points, operations)."""
    nodes = list(OPERATIONS.values())
    return np.array(
        [evaluate(nodes, dict(zip((X, Y, Z), map(float, point), strict=True))) for point in POINTS],
        dtype=float,
    )


def agree(found: Any) -> None:
    """Compare values of a language, one point after the other, with the kernel's."""
    own = expected()
    gap = np.abs(np.reshape(found, own.shape) - own) / np.maximum(np.abs(own), 1e-300)
    wrong = {
        name: float(gap[:, k].max())
        for k, name in enumerate(OPERATIONS)
        if not gap[:, k].max() <= EXACT
    }
    assert not wrong


def test_every_operation_is_there() -> None:
    ops = {node.op for node in OPERATIONS.values()}
    assert ops == {"number", "add", "scale", "product", "power", "function", "less", "choose"}
    assert {node.value for node in OPERATIONS.values() if node.op == "function"} == set(FUNCTIONS)


@pytest.mark.needs("gcc")
def test_c_has_the_values_of_the_kernel(tmp_path: Path) -> None:
    lines = [f'    printf("%.17g\\n", (double)({text}));' for text in texts(c.SYNTAX)]
    calls = [f"    all({', '.join(map(repr, map(float, point)))});" for point in POINTS]
    source = "\n".join(
        [
            "#include <math.h>",
            "#include <stdio.h>",
            "static double mb_sign(double x) { return (double)((x > 0.0) - (x < 0.0)); }",
            "static void all(double x, double y, double z)",
            "{",
            *lines,
            "}",
            "int main(void)",
            "{",
            *calls,
            "    return 0;",
            "}",
            "",
        ]
    )
    (tmp_path / "all.c").write_text(source, "ascii")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    subprocess.run(
        ["/usr/bin/gcc", *flags, "all.c", "-o", "all", "-lm"], cwd=tmp_path, check=True, timeout=60
    )
    done = subprocess.run(
        [tmp_path / "all"], capture_output=True, text=True, check=True, timeout=60
    )
    agree([float(word) for word in done.stdout.split()])


@pytest.mark.needs("octave")
def test_octave_has_the_values_of_the_kernel(tmp_path: Path) -> None:
    for name, text in matlab.HELPERS.items():
        (tmp_path / f"{name}.m").write_text(text, "ascii")
    lines = [f"    printf('%.17g\\n', {text});" for text in texts(matlab.SYNTAX)]
    body = "\n".join(["function found(x, y, z)", *lines, "end", ""])
    (tmp_path / "found.m").write_text(body, "ascii")
    agree(numbers("\n".join(f"found{point};" for point in POINTS), tmp_path))


def test_numpy_has_the_values_of_the_kernel() -> None:
    found = []
    for point in POINTS:
        space = {"np": np, **dict(zip("xyz", map(np.float64, point), strict=True))}
        # own text, of names and numbers alone
        found += [eval(text, space) for text in texts(numpy_program.SYNTAX)]  # noqa: S307
    agree(found)


def test_modelica_has_the_values_of_the_kernel() -> None:
    printed = texts(modelica.SYNTAX)
    lines = [f"  r[{k + 1}] := {text};" for k, text in enumerate(printed)]
    source = "\n".join(
        [
            "function all",
            "  input Real x;",
            "  input Real y;",
            "  input Real z;",
            f"  output Real r[{len(printed)}];",
            "algorithm",
            *lines,
            "end all;",
            "model Run",
            "  Real x(start = 0.0, fixed = true);",
            "  Real y(start = 0.0, fixed = true);",
            "  Real z(start = 0.0, fixed = true);",
            f"  Real r[{len(printed)}];",
            "equation",
            "  r = all(x, y, z);",
            *(f"  der({name}) = 0.0;" for name in "xyz"),
            "end Run;",
        ]
    )
    model = rumoca.Session().loads(source, model="Run")
    found = []
    for point in POINTS:
        trace = model.simulate(
            t=(0.0, 1e-9), dt=1e-9, start=dict(zip("xyz", map(float, point), strict=True))
        )
        found += [trace[f"r[{k + 1}]"][0] for k in range(len(printed))]
    agree(found)


# -- Julia -----------------------------------------------------------------------------------

JULIA = {
    **{name: f"mb_{name}" for name in ("sin", "cos", "tan", "asin", "acos", "log", "sqrt")},
    "pow": "mb_power",
    "fabs": "abs",
    "mb_sign": "sign",
    "atan2": "atan",
}
"""What functions of C are called in Julia; all else is the same in both."""
TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9]+\.[0-9]*(?:e[+-]?[0-9]+)?|[<>=!]=|[-+*/()<>?:,]")


def tokens(text: str) -> list[str]:
    found = TOKEN.findall(text)
    assert "".join(found) == text.replace(" ", "")
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_julia_has_the_tokens_of_c(name: str) -> None:
    own, other = (
        tokens(Printer(one, dict(NAMES)).text(OPERATIONS[name])) for one in (julia.SYNTAX, c.SYNTAX)
    )
    assert own == [JULIA.get(token, token) for token in other]


def test_choices_of_julia_have_blanks_where_it_needs_them() -> None:
    for text in texts(julia.SYNTAX):
        assert not re.search(r"\S[?:]|[?:]\S", text)


def test_functions_of_julia_are_those_of_its_base_or_defined_in_the_module() -> None:
    base = {"atan", "sinh", "cosh", "tanh", "exp", "abs", "sign"}
    used = {found for text in texts(julia.SYNTAX) for found in re.findall(r"(\w+)\(", text)}
    defined = {line.partition("(")[0] for line in julia.HELPERS}
    assert used - base == defined
    for line in julia.HELPERS:
        name = line.partition("(")[0]
        assert name == "mb_power" or f"? {name.removeprefix('mb_')}(x) :" in line
