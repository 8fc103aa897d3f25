"""Faults planted in a form: a verification never calls them agreement.

Each fault changes the equations of Kane's form, and stands beside forms that are right.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from mbx.verify import run_verification
from mbx.verify.run_verification import Options, verify_system
from unit.verify.models import PENDULUM, system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mbx.verify.verification import Verification

PAIR: Final = """
mbx 1
model Pair {
  coordinate a: rad = 0.3, b: rad = -0.4
  body upper {
    mass 1 kg  com [0, -0.5 m, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a)
  }
  body lower {
    mass 2 kg  com [0, -0.4 m, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(upper at [0, -1 m, 0], axis = z, angle = b)
  }
  gravity [0, -9.81 [m/s^2], 0]
}
"""

MODULE: Final = '''
"""A form with a fault."""

import os
import sys
from dataclasses import replace
from fractions import Fraction

from mbx.expr.build import (
    add, choose, function, less, mul, neg, power, scale, sub
)
from mbx.expr.nodes import number
from mbx.expr.evaluate import substitute
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane


def entries(equations, name, change):
    """Return the equations where some entries of a matrix are others."""
    steps = tuple(
        replace(s, entries=change(s.entries)) if s.name == name else s for s in equations.steps
    )
    return replace(equations, steps=steps)


def first(change):
    """Return what changes the first entry of a matrix."""
    return lambda rows: ((change(rows[0][0]), *rows[0][1:]), *rows[1:])


def after(steps):
    """Return a program that begins with these steps."""
    program = Program()
    for step in steps:
        program.add(step)
    return program


def result(equations, meaning, program, value, **others):
    """Return the equations where a result is another value."""
    return replace(
        equations,
        steps=tuple(program.steps),
        results={**equations.results, meaning: value.name},
        **others,
    )


def silent(equations, large):
    """Return a residual that is always zero."""
    n = len(equations.signature.u)
    p = Program()
    p.given("ud", size=n)
    p.column("none", [number(0)] * n)
    p.column("large", [number(large)] * n)
    one = equations.residuals[0]
    return (replace(one, steps=tuple(p.steps), value="none", magnitude="large", labels=()),)


def derive(system, variant):
    e = kane.derive(system, variant)
    p = after(e.steps)
    n = len(system.u)
    q, u = [v.symbol for v in system.q], [v.symbol for v in system.u]
    BODY


CONVERTER = Converter(
    name="planted", title="Planted", reference="none", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
'''


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: what `derive` does, the model it is seen on, and what is said of it."""

    body: str
    text: str = PAIR
    reason: str = ""
    beside: tuple[str, ...] = ("kane", "lagrange")


_SCALED: Final = "return entries(e, 'h', first(lambda x: scale(Fraction({0} + 1, {0}), x)))"
_WRONG: Final = "bad = p.let('bad', p.find('ud') + p.column('wrong', [number(1)] * n))"
_EXPLICIT: Final = ("udwadia_kalaba:positive",)

FAULTS: Final = {
    "a load is wrong by 1e-6": Fault(_SCALED.format(10**6)),
    "a load is wrong by 1e-9": Fault(_SCALED.format(10**9)),
    "a load is wrong by 1e-11": Fault(_SCALED.format(10**11)),
    "there are no Coriolis terms": Fault(
        "return entries(e, 'h', lambda rows: tuple(\n"
        "        tuple(substitute(row, dict.fromkeys(u, number(0)))) for row in rows))"
    ),
    "a sign of b is wrong": Fault("return entries(e, 'b', first(neg))", PENDULUM),
    "there is no b": Fault("return entries(e, 'b', first(lambda _: number(0)))", PENDULUM),
    "a rotation is turned back": Fault(
        "return entries(e, 'M', lambda rows: tuple(\n"
        "        tuple(substitute(row, {q[1]: add(q[1], number(1))})) for row in rows))"
    ),
    "an inertia is missing": Fault("return entries(e, 'M', first(lambda _: number(1)))"),
    "two rows are swapped": Fault(
        "bad = p.let('bad', p.find('ud').rows([1, 0])); return result(e, 'ud', p, bad)"
    ),
    "it is right at rest only": Fault(
        "bad = p.let('bad', p.find('ud') + p.column('wrong', [mul(u[0], u[0])] * n));"
        " return result(e, 'ud', p, bad)"
    ),
    "it is right for small angles only": Fault(
        "return entries(e, 'h', lambda rows: tuple(\n"
        "        tuple(substitute(row, {function('sin', q[0]): q[0]})) for row in rows))"
    ),
    "it is right on one side only": Fault(
        "return entries(e, 'h', first(lambda x: choose(less(q[0], number(0)), x, neg(x))))"
    ),
    "its constraint forces are zero": Fault(
        "return result(e, 'Fc', p, p.column('bad', [number(0)] * n))", PENDULUM
    ),
    "its constraint forces are zero, and its inertia is large": Fault(
        "bad = p.column('bad', [number(0)] * n)\n"
        "    p.define('heavy', [[number(10**25)] * n] * n, rows=[v.path for v in system.u])\n"
        "    return result(replace(e, results={**e.results, 'M': 'heavy'}), 'Fc', p, bad)",
        PENDULUM,
        beside=("lagrange",),
    ),
    "its constraint forces have another sign": Fault(
        "return result(e, 'Fc', p, p.let('bad', -p.find('Fc')))", PENDULUM
    ),
    "its residual is always zero": Fault(
        f"{_WRONG}; return result(e, 'ud', p, bad, residuals=silent(e, 0))"
    ),
    "its residual is always zero, and nobody else has one": Fault(
        f"{_WRONG}; return result(e, 'ud', p, bad, residuals=silent(e, 1))", beside=_EXPLICIT
    ),
    "its residual is small beside what it says of its terms": Fault(
        f"{_WRONG}; r = e.residuals[0]; x = after(r.steps)\n"
        "    x.column('large', [number(10**30)] * n)\n"
        "    r = replace(r, steps=tuple(x.steps), magnitude='large')\n"
        "    return result(e, 'ud', p, bad, residuals=(r,))",
        beside=_EXPLICIT,
    ),
    "it has no residual": Fault(
        f"{_WRONG}; return result(e, 'ud', p, bad, residuals=())", beside=_EXPLICIT
    ),
    "its residual is wrong": Fault(
        "r = e.residuals[0]; x = after(r.steps)\n"
        "    x.let('bad', x.find(r.value) + x.column('one', [number(1)] * n))\n"
        "    return replace(e, residuals=(replace(r, steps=tuple(x.steps), value='bad'),))"
    ),
    "it has no number at one state": Fault(
        "wrong = p.column('wrong', [function('log', add(q[0], number(1)))] * n)\n"
        "    none = p.let('none', p.product(wrong))\n"
        "    return result(e, 'ud', p, p.let('bad', p.find('ud') + none - none))",
        PAIR.replace('}\n"', "").rstrip().removesuffix("}") + "state back { a = -2 rad } }",
        "not finite at state back",
    ),
    "it is too short": Fault(
        "return result(e, 'ud', p, p.let('bad', p.find('ud').rows([0])))",
        reason="'ud' is 1 by 1, not 2 by 1",
    ),
    "its rates are not those of the coordinates": Fault(
        "return result(e, 'qd', p, p.let('bad', p.find('qd') + p.find('qd')))"
    ),
    "its multipliers do not fit its forces": Fault(
        "return result(e, 'lam', p, p.let('bad', p.find('lam') + p.find('lam')))", PENDULUM
    ),
    "its inertia matrix does not fit its forces": Fault(
        "twice = [[scale(Fraction(2), x) for x in row] for row in e.step('M').entries];"
        " labels = [v.path for v in system.u];"
        " return result(e, 'M', p, p.define('bad', twice, rows=labels, columns=labels))"
    ),
    "it has a number that is not real": Fault(
        "return result(e, 'ud', p, p.column('bad', [number(1j)] * n))", reason="Error"
    ),
    "it changes the system": Fault(
        "object.__setattr__(system, 'rows', ()); return e", PENDULUM, "it changes the system"
    ),
    "it changes mechanics": Fault(
        "from mbx.mechanics import balance\n    balance.inertia_wrench = None\n    return e",
        reason="it changes mbx.mechanics.balance.inertia_wrench",
    ),
    "it changes the verdict": Fault(
        "from mbx.verify.verification import Verification\n"
        "    Verification.verdict = 'agree'\n"
        "    return e",
        reason="it changes mbx.verify.verification.Verification.verdict",
    ),
    "it exits": Fault("sys.exit(0)", reason="SystemExit: 0"),
    "it interrupts": Fault("raise KeyboardInterrupt", reason="KeyboardInterrupt"),
    "it takes all memory": Fault("raise MemoryError", reason="MemoryError"),
    "it calls itself": Fault("f = lambda: f(); f()", reason="RecursionError"),
    "it prints a verdict": Fault(
        "print('Pair: agree'); os.write(1, b'Pair: agree'); sys.__stdout__.write('Pair: agree')\n"
        "    raise ValueError",
        reason="ValueError",
    ),
}


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what installs a form with a fault."""
    folder = tmp_path / "mbx_converters"
    folder.mkdir()
    before = set(sys.modules)

    def install(body: str) -> None:
        (folder / "planted.py").write_text(MODULE.replace("BODY", body), "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(run_verification, "EACH", 1.0)

    yield install
    for name in set(sys.modules) - before:
        if name.startswith("mbx_converters"):
            del sys.modules[name]


def verified(text: str, *forms: str) -> Verification:
    return verify_system(system(text), Options(forms=("planted", *forms), states=4))


@pytest.mark.parametrize("text", [PAIR, PENDULUM])
def test_without_a_fault_the_form_agrees(plant: Callable[[str], None], text: str) -> None:
    plant("return e")
    assert verified(text, "kane", "lagrange").verdict == "agree"
    assert verified(text, *_EXPLICIT).verdict == "agree"


def test_a_form_that_never_ends_is_no_agreement(plant: Callable[[str], None]) -> None:
    plant("while True: pass")
    found = verified(PAIR, "kane", "lagrange")
    assert found.verdict == "undecided"
    assert [(one.name, one.status) for one in found.excluded] == [("planted", "out of time")]


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_no_agreement(
    plant: Callable[[str], None], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    fault = FAULTS[name]
    plant(fault.body)
    found = verified(fault.text, *fault.beside)
    assert found.verdict == "disagree", "\n".join(found.lines())
    failed = [one for one in found.excluded if one.status == "failed"]
    if fault.reason:
        assert [one.name for one in failed] == ["planted"]
        assert fault.reason in failed[0].reason
    else:
        assert not failed
    if len(fault.beside) > 1:
        assert found.pair(*fault.beside).verdict == "agree"
    assert capfd.readouterr().out == ""
