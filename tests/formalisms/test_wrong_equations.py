"""Wrong equations that were printed or are often made: a verification names them.

Each stands in a module of its own, as somebody outside would write it. A word in the module is
the mistake; with another word in its place, the same module is right and agrees.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from formalisms.cases import Point, at, completed, folder, system
from mbx.cli.main import main
from mbx.formalism import registry
from mbx.verify.run_verification import Options, verify_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mbx.verify.verification import Verification

_HEAD: Final = '''
"""A form with a mistake that others made before."""

from fractions import Fraction

from mbx.expr.build import add, mul, neg, scale, sub
from mbx.expr.derivatives import gradient, pullback
from mbx.expr.algebra.elimination import split
from mbx.expr.build import cross, dot, matvec
from mbx.expr.evaluate import substitute
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.formalism.steps.shared_steps import constraint_residual, projected_residual
from mbx.mechanics import energy
from mbx.mechanics import invariants
from mbx.mechanics import loads
from mbx.mechanics import motion
from mbx.mechanics import loads
from mbx.mechanics import quasi
from mbx.mechanics.programme import complement
from mbx.system.find_features import Feature
from mbx.system.kinematics.solve_rates import independent


def in_speeds(system, moving, levels, rows, Z):
    """Return Z^T rows = 0 with the invariants, for rows that are affine in ud."""
    M, rest = split(rows, moving.ud)
    n = len(moving.u)
    p = Program()
    M = p.define("M", M)
    h = p.column("h", [neg(x) for x in rest])
    A = p.define("A", levels.A, columns=[s.path for s in moving.speeds])
    b = p.column("b", levels.b)
    Z = p.define("Z", Z)
    ud = p.solve("ud", p.stack(Z.T @ M, A), p.stack(Z.T @ h, -b), unique=n)
    return p.equations(
        system, "wrong", "Wrong", "none", {"ud": ud},
        [projected_residual(p, "own", n, M, h, Z), constraint_residual(p, n, A, b)],
    )


def active(moving):
    """Return the generalized active forces."""
    wrenches = loads.project(moving, loads.wrenches(moving))
    return [add(a, b) for a, b in zip(wrenches, loads.generalized(moving))]
'''
_TAIL: Final = """

CONVERTER = Converter(
    name="wrong", title="Wrong", reference="none", derive=derive,
    variants=(
        Variant(accepts=frozenset({
            Feature.NONHOLONOMIC, Feature.DECLARED_SPEEDS, Feature.QUATERNION_WITH_SPEEDS,
        })),
    ),
)
"""

_GIBBS: Final = """
def derive(system, variant):
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    G = []
    for m in moving.elements:
        G.append(scale(Fraction(1, 2), mul(m.m, dot(m.a, m.a))))
        if m.turns:
            turning = dot(m.wd, matvec(m.inertia, m.wd))
            linear = dot(m.wd, cross(m.w, matvec(m.inertia, m.w)))
            G.append(add(scale(Fraction(1, 2), turning), scale(LINEAR, linear)))
    slopes = gradient(add(*G), moving.ud)
    rows = [sub(s, f) for s, f in zip(slopes, active(moving))]
    return in_speeds(system, moving, levels, rows, complement(levels.A, len(rows)))
"""
_LAGRANGIAN: Final = """
def derive(system, variant):
    moving = motion.in_rates(system)
    levels = invariants.levels(moving, rates=True)
    A, _ = split(levels.velocity, moving.u)
    Z = complement(A, len(moving.u))
    _, star = independent(A)
    sharp = [k for k in range(len(moving.u)) if k not in star]
    # the constraints give the rates * in terms of the others
    allowed = [
        add(*(mul(Z[k][j], moving.u[i]) for j, i in enumerate(sharp))) for k in range(len(moving.u))
    ]
    there = {moving.u[k]: allowed[k] for k in star}
    T = substitute([energy.kinetic(moving)], WHEN)[0]
    operator = energy.lagrange_operator(moving, T)
    rows = [sub(x, f) for x, f in zip(operator, energy.active_forces(moving))]
    return in_speeds(system, moving, levels, rows, Z)
"""
_HAMEL: Final = """
def derive(system, variant):
    moving, in_rates = motion.in_speeds(system), motion.in_rates(system)
    levels = invariants.levels(moving)
    n = len(moving.u)
    _, star = independent(levels.A)
    sharp = [k for k in range(n) if k not in star]
    T = energy.kinetic(moving)
    p = gradient(T, moving.u)
    Gam = quasi.hamel_matrix(moving, in_rates, in_rates.express(moving.u))
    hamel = [dot([Gam[k][i] for k in SUMMED], [p[k] for k in SUMMED]) for i in range(len(system.q))]
    slopes = gradient(T, [v.symbol for v in system.q])
    open_ = [sub(g, s) for g, s in zip(hamel, slopes)]
    on_speeds = pullback([moving.qd[v.symbol] for v in system.q], open_, moving.u)
    terms = zip(moving.rate(p), on_speeds, active(moving))
    rows = [sub(add(r, x), f) for r, x, f in terms]
    return in_speeds(system, moving, levels, rows, complement(levels.A, n))
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A form, the word that is wrong in it with the right one, and models that show it."""

    source: str
    word: str
    wrong: str
    right: str
    models: tuple[str, ...]


MISTAKES: Final = {
    # G of a rigid body has wd . (w x I w), Orsino (A.34); half of wd . I wd is not all of it
    "a Gibbs function without its terms linear in acceleration": Mistake(
        _GIBBS, "LINEAR", "0", "1", ("heavy_top", "rolling_disc", "free_body_quaternion")
    ),
    # the rates of a nonholonomic constraint are not free to be left out before differentiating
    "constraints put into the Lagrangian before it is differentiated": Mistake(
        _LAGRANGIAN, "WHEN", "there", "{}", ("rolling_disc",)
    ),
    # (3.127) has # in its second term, where (3.126) and (A.7) have all quasi-velocities
    "Boltzmann-Hamel as printed in the thesis": Mistake(
        _HAMEL, "SUMMED", "sharp", "range(n)", ("chaplygin_sleigh",)
    ),
}
CASES: Final = [(name, model) for name, one in MISTAKES.items() for model in one.models]
BESIDE: Final = ("gibbs_appell", "kane", "lagrange", "newton_euler")


@pytest.fixture
def install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Mistake, str], None]]:
    """Return what installs a form, with one word or the other."""
    folder = tmp_path / "mbx_converters"
    folder.mkdir()

    def write(one: Mistake, word: str) -> None:
        text = _HEAD + one.source.replace(one.word, word) + _TAIL
        (folder / "wrong.py").write_text(text, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield write
    sys.modules.pop("mbx_converters.wrong", None)


def verified(model: str) -> Verification:
    return verify_system(system(model), Options(forms=("wrong", *BESIDE), states=4))


@pytest.mark.parametrize(("name", "model"), CASES)
def test_the_form_with_the_mistake_is_the_one_that_disagrees(
    install: Callable[[Mistake, str], None], name: str, model: str
) -> None:
    install(MISTAKES[name], MISTAKES[name].wrong)
    found = verified(model)
    assert found.verdict == "disagree"
    assert found.outliers == ("wrong",)
    assert not [one for one in found.excluded if one.status == "failed"]
    for pair in found.pairs:
        assert pair.verdict == ("disagree" if "wrong" in pair.forms else "agree"), pair.forms


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "model"), CASES)
def test_without_the_mistake_the_same_form_agrees(
    install: Callable[[Mistake, str], None], name: str, model: str
) -> None:
    install(MISTAKES[name], MISTAKES[name].right)
    assert verified(model).verdict == "agree"


def test_the_command_line_names_the_form_with_the_mistake(
    install: Callable[[Mistake, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    one = MISTAKES["Boltzmann-Hamel as printed in the thesis"]
    install(one, one.wrong)
    model = str(folder("chaplygin_sleigh") / "model.mb")
    named = [word for form in ("wrong", *BESIDE) for word in ("--form", form)]
    assert main(["verify", model, "--states", "2", *named]) == 4
    shown = capsys.readouterr().out
    assert "\nwrong: wrong\n" in shown
    assert "ChaplyginSleigh: disagree" in shown


def test_the_printed_equations_leave_a_sleigh_at_constant_speeds(
    install: Callable[[Mistake, str], None],
) -> None:
    """Its blade gives u' = a w^2 and w' = -m a u w/(J + m a^2); printed are u' = 0, w' = 0."""
    one = MISTAKES["Boltzmann-Hamel as printed in the thesis"]
    install(one, one.wrong)
    sleigh = system("chaplygin_sleigh")
    point = Point(completed(sleigh, {"phi": 0.4, "u": 0.7, "w": 1.9}))
    found = at(sleigh, registry.derive(sleigh, "wrong"), point)
    right = at(sleigh, registry.derive(sleigh, "boltzmann_hamel"), point)
    assert [found.of("u'"), found.of("w'")] == pytest.approx([0, 0], abs=1e-14)
    assert right.of("u'") == pytest.approx(0.3 * 1.9**2, rel=1e-13)
    assert right.of("w'") == pytest.approx(-2 * 0.3 * 0.7 * 1.9 / (0.4 + 2 * 0.3**2), rel=1e-13)
