"""Names of a model in code: kept where the language allows them, and nothing else of a model."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
import rumoca
import tree_sitter_julia
from tree_sitter import Language, Parser

import mbx
from c_programs import STRICT
from mbx import pipeline
from mbx.codegen.code_syntax import name_arguments
from mbx.codegen.routine import Argument, Routine
from mbx.codegen.target import get
from mbx.expr.nodes import symbol
from mbx.pipeline import write_files
from python_targets import arguments, load, matrices
from written import CLOSE, case

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.formalism.equations import Equations, Quantity

CODE: Final = ("c", "numpy", "matlab", "julia", "modelica", "casadi", "jax", "sympy")


def named(*paths: str, reserved: frozenset[str] = frozenset()) -> list[str]:
    """Return what coordinates of these paths are called."""
    some = [
        Argument(symbol(f"raw{k}"), "q", k, path, "1", "", None) for k, path in enumerate(paths)
    ]
    time = Argument(symbol("t"), "t", 0, "t", "s", "time", None)
    found = name_arguments(Routine((time, *some), (), {}, {}), reserved)
    return [found.of[one.symbol] for one in some]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("theta", "theta"),
        ("theta'", "theta_dot"),
        ("theta''", "theta_ddot"),
        ("theta'''", "theta_dddot"),
        ("legs[2].hip.q", "legs_2_hip_q"),
        ("motor.w'", "motor_w_dot"),
        ("Jw", "Jw"),
        ("_x", "x"),
        ("a__b", "a_b"),
        ("t", "t_"),
        ("for", "for_"),
        ("v1", "v1_"),
        ("y12", "y12_"),
        ("mb_sin", "q0"),
        ("__import__('os')", "q0"),
        ("a b", "q0"),
        ("a;b", "q0"),
        ("a\n", "q0"),
        ("\N{GREEK SMALL LETTER ALPHA}", "q0"),
        ("\N{FULLWIDTH LATIN SMALL LETTER A}", "q0"),
        ("'", "q0"),
        ("", "q0"),
        ("1a", "q0"),
        ("a" * 40, "a" * 40),
        ("a" * 41, "q0"),
        ("x" + "'" * 60, "q0"),
    ],
)
def test_a_path_becomes_an_identifier(path: str, name: str) -> None:
    assert named(path, reserved=frozenset({"for"})) == [name]


def test_names_are_distinct_and_those_of_the_model_come_first() -> None:
    assert named("a.b", "a_b") == ["a_b_", "a_b"]
    assert named("a.b", "a[b]", "a_b") == ["a_b_", "q1", "a_b"]
    assert named("x'", "x_dot", "x_dot_") == ["x_dot_2", "x_dot", "x_dot_"]
    assert named("a." + "b" * 38, "a_" + "b" * 38) == ["a_" + "b" * 38 + "_", "a_" + "b" * 38]
    assert named("bad one", "q0", "q0_") == ["q0_2", "q0", "q0_"]


RESERVED: Final = tuple(
    re.findall(
        r"\S+",
        "int for import end def sin cos mb_rates v1 w1 y1 q u p in out status work t qd ud NAN "
        "INFINITY FP_NAN linux unix class new lambda None print np jnp ca sm using begin function "
        "der time r model equation T zeros float NaN results rates structfun double register "
        "isfinite __init__ _Bool I E S a_b a.b a[1] a_1 a' a_dot x x' x_dot inputs parameters",
    )
)
"""Paths that a model, or a file of equations, may have, and that code must not take as they are."""


def renamed(equations: Equations, first: int) -> Equations:
    """Return equations whose quantities are called as reserved words, from one of them on."""
    words = iter(RESERVED[first:] + RESERVED[:first])

    def call(some: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
        return tuple(replace(one, path=next(words), latex="") for one in some)

    old = equations.signature
    signature = replace(
        old,
        q=call(old.q),
        u=call(old.u),
        inputs=call(old.inputs),
        parameters=call(old.parameters),
    )
    return replace(equations, signature=signature)


OFFSETS: Final = range(0, len(RESERVED), 14)


@pytest.mark.parametrize("first", OFFSETS)
def test_reserved_words_as_names_change_no_number(first: int, tmp_path: Path) -> None:
    one = case("four_bar", "kane")
    subject = pipeline.subject(one.equations)
    new = replace(subject, equations=renamed(one.equations, first))
    text = next(iter(get("numpy").write(new).values()))
    assert one.error(matrices(one, load(text).names["results"](*arguments(one)))) <= CLOSE
    results = load(next(iter(get("casadi").write(new).values()))).names["rates"]
    given = [x[0] for x in arguments(one)]
    found = np.array(results.call(given)[-1]).ravel()
    plain = load(next(iter(get("casadi").write(subject).values()))).names["rates"].call(given)[-1]
    assert found.tolist() == np.array(plain).ravel().tolist()
    compile(next(iter(get("jax").write(new).values())), "jax.py", "exec")
    load(next(iter(get("sympy").write(new).values())))
    for name, written in get("c").write(new).items():
        (tmp_path / name).write_text(written, "ascii")
    source = next(tmp_path.glob("*.c"))
    for command in (["gcc", *STRICT], ["gcc"], ["g++", "-x", "c++"]):
        subprocess.run([*command, "-c", source.name, "-o", "x.o"], cwd=tmp_path, check=True)
    (julia,) = get("julia").write(new).values()
    parser = Parser(Language(tree_sitter_julia.language()))
    assert not parser.parse(julia.encode()).root_node.has_error
    ((package, modelica),) = get("modelica").write(new).items()
    model = f"{package.removesuffix('.mo')}.Motion"
    assert rumoca.Session().loads(modelica, model=model).structure().is_balanced


@pytest.mark.parametrize("target", CODE)
def test_code_has_the_names_of_the_model_and_a_table_of_those_that_differ(target: str) -> None:
    text = "".join(write_files(mbx.convert(mbx.read("lib:dc_motor"), "kane"), target).values())
    assert re.search(r"\bJw\b.*\n", text)
    assert re.search(r"^[ *#%/]*motor_w: motor\.w$", text, re.MULTILINE)
    assert re.search(r"^[ *#%/]*theta_dot: theta'$", text, re.MULTILINE)
    assert not re.search(r"^[ *#%/]*Jw: Jw$", text, re.MULTILINE)
    code = re.sub(r"/\*.*?\*/|//[^\n]*|[#%][^\n]*|\"[^\"\n]*\"", "", text, flags=re.DOTALL)
    if target != "sympy":  # its symbols are called by strings
        assert {"motor_w", "motor_i", "theta_dot", "Jw", "v"} <= set(re.findall(r"\w+", code))
