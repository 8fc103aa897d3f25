"""What every installed converter owes, whoever wrote it."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from formalisms.cases import system
from formalisms.feature_models import MODELS
from formalisms.features import found, state_of, system_with
from mbx.base.errors import NotApplicableError
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.formalism import registry
from mbx.formalism.shapes import check
from mbx.mechanics import energy, motion
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.system.find_features import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

NAMES: Final = registry.names()
FORMS: Final = tuple(
    f"{name}:{variant.name}" if variant.name else name
    for name in NAMES
    for variant in registry.get(name).variants
)
CASES: Final = (
    "four_bar",  # loops
    "five_node_tree",  # a tree of parts
    "rolling_disc",
    "slider_crank_3d_friction",
    "sleigh_accelerometer",  # a variable of order 2
)
"""Larger models of the library."""


def _systems() -> Iterator[tuple[str, System]]:
    for feature in MODELS:
        yield feature, system_with(feature)
    for case in CASES:
        yield case, system(case)


@cache
def _accepted(form: str) -> list[tuple[str, System, Equations]]:
    """Return the models that a form accepts, with their equations; there are always some."""
    accepted = []
    for name, one in _systems():
        try:
            accepted.append((name, one, registry.derive(one, form)))
        except NotApplicableError:
            continue
    assert len(accepted) >= 10
    return accepted


# -- the record --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_converter_has_the_name_of_its_module_and_says_what_it_follows(name: str) -> None:
    converter = importlib.import_module(registry.addresses()[name]).CONVERTER
    assert converter.name == name
    assert converter.title
    assert converter.reference
    for variant in converter.variants:
        assert all(isinstance(feature, Feature) for feature in variant.accepts)


@pytest.mark.parametrize("name", NAMES)
def test_the_variant_that_a_converter_chooses_is_one_of_its_own(name: str) -> None:
    converter = registry.get(name)
    if converter.choose is None:
        first = converter.variants[0].name
        assert all(equations.variant == first for _, _, equations in _accepted(name))
        return
    known = {variant.name for variant in converter.variants}
    assert {converter.choose(one) for _, one in _systems()} <= known


_MAY_IMPORT: Final = (
    "mbx.base.errors",
    "mbx.expr",
    "mbx.formalism",
    "mbx.mechanics",
    "mbx.system",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_converter_imports_mechanics_and_no_other_converter(name: str) -> None:
    address = registry.addresses()[name]
    file = importlib.import_module(address).__file__
    family, _, _ = address.rpartition(".")
    shared = {f"{family}.{module.name}" for module in iter_modules([str(Path(str(file)).parent)])}
    shared -= {*registry.addresses().values()}
    assert file is not None
    for node in ast.walk(ast.parse(Path(file).read_text("utf-8"))):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                assert node.level == 0
                names = [str(node.module)]
                if node.module == family:
                    names = [f"{family}.{alias.name}" for alias in node.names]
            case _:
                continue
        for module in names:
            package = module.partition(".")[0]
            own = any(module == x or module.startswith(f"{x}.") for x in _MAY_IMPORT)
            of_family = family != "mbx_converters" and module in shared
            assert own or of_family or package in sys.stdlib_module_names, module


# -- the derivation ----------------------------------------------------------------------------


def _nodes(steps: Iterable[Step]) -> Iterator[Node]:
    for step in steps:
        yield from (node for row in step.entries for node in row)
        yield from _nodes(step.steps)


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", FORMS)
def test_deriving_twice_gives_the_same_nodes(form: str) -> None:
    for name, one, first in _accepted(form):
        second = registry.derive(one, form)
        assert [s.name for s in first.steps] == [s.name for s in second.steps], name
        for a, b in zip(_nodes(first.steps), _nodes(second.steps), strict=True):
            assert a is b, name
        assert first == second, name


def _unknown(steps: Iterable[Step], known: set[Node]) -> set[Node]:
    """Return the symbols of expressions that nothing says the value of."""
    unknown: set[Node] = set()
    for step in steps:
        if step.op == "given":
            known = known | {node for row in step.entries for node in row}
        elif step.op == "define":
            entries = [node for row in step.entries for node in row]
            unknown |= set(free_symbols(entries)) - known - set(step.symbols)
        unknown |= _unknown(step.steps, known)
    return unknown


@pytest.mark.parametrize("form", FORMS)
def test_every_symbol_is_in_the_signature(form: str) -> None:
    for name, _, equations in _accepted(form):
        s = equations.signature
        groups = (s.q, s.u, s.higher, s.inputs, s.parameters, s.derived)
        known = {s.t, *(quantity.symbol for group in groups for quantity in group)}
        steps = [*equations.steps, *(x for r in equations.residuals for x in r.steps)]
        assert _unknown(steps, known) == set(), name


@pytest.mark.parametrize("form", FORMS)
def test_steps_results_and_residuals_fit_together(form: str) -> None:
    for name, one, equations in _accepted(form):
        check(equations)
        assert {"ud", "Fc", "lam", "A", "b"} <= set(equations.results), name
        assert equations.formalism == form.partition(":")[0]
        assert equations.variant == form.partition(":")[2]
        assert [x.symbol for x in equations.signature.u] == [v.symbol for v in one.u]


def _rows(label: str) -> list[list[str]]:
    """Return the cells of a table of chapter 6."""
    text = (Path(__file__).parents[2] / "spec" / "6_equations.md").read_text("utf-8")
    table = text.partition(f"({label})=\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.split(" |")] for line in table]


def test_results_have_the_meanings_of_the_chapter() -> None:
    said = {one for row in _rows("result-table") for one in re.findall(r"`([^`]+)`", row[0])}
    given = {
        re.sub(r":.*", ":PATH", key)
        for form in FORMS
        for _, _, equations in _accepted(form)
        for key in equations.results
    }
    assert given == said


@pytest.mark.full
def test_forms_have_the_expressions_of_the_chapter() -> None:
    said = {row[0].strip("|` "): (bool(row[1]), bool(row[2])) for row in _rows("expressions-table")}
    assert tuple(said) == NAMES
    for form in FORMS:
        for name, one, equations in _accepted(form):
            if one.quasi:  # what M is of all variables is no matrix of the speeds
                assert not hasattr(equations, "mass_matrix"), (form, name)
                continue
            has = (hasattr(equations, "mass_matrix"), hasattr(equations, "forcing"))
            assert has == said[equations.formalism], (form, name)


# -- the numbers -------------------------------------------------------------------------------


_SLOW: Final = {  # as where a load names the reaction of an invariant, with more to solve
    "load names the reaction of a loop joint",
    "load names the reaction of a placing joint",
    "non-ideal part",
}


def _regular(form: str) -> Iterator[tuple[str, System, Evaluation]]:
    for feature in [name for name in MODELS if name not in _SLOW]:
        try:
            given = found(feature, form)
        except NotApplicableError:
            continue
        if given.status == "regular":
            yield feature, system_with(feature), given


@pytest.mark.parametrize("form", FORMS)
def test_results_have_a_row_for_each_speed(form: str) -> None:
    for name, one, given in _regular(form):
        assert given.ud.shape == given.Fc.shape == (len(one.u),), name
        assert np.isfinite([*given.ud, *given.Fc, *given.lam]).all(), name


@pytest.mark.parametrize("form", FORMS)
def test_accelerations_keep_the_invariants(form: str) -> None:
    for name, _, given in _regular(form):
        a = given["qdd"] if "qdd" in given.equations.results else given.ud
        assert given["A"] @ a + given["b"] == pytest.approx(0 * given["b"], abs=1e-9), name


@pytest.mark.parametrize("form", FORMS)
def test_constraint_forces_do_no_work_on_what_the_invariants_allow(form: str) -> None:
    for name, _, given in _regular(form):
        A, F = given["A"], given["Fq" if "qdd" in given.equations.results else "Fc"]
        Z = np.eye(len(F)) - np.linalg.pinv(A) @ A
        assert np.abs(Z @ F).max() < 1e-9, name


_WITHOUT_INERTIA: Final = {
    "articulated_body",
    "modular",
    "newton_euler",
    "rfda",
    "tree_hamilton_extended",
    "tree_hamilton_multipliers",
    "tree_hamilton_reduced",
    "tree_lagrange_1",
    "tree_lagrange_2",
    "tree_newton_euler",
}
"""Forms that write no inertia of the whole."""


@pytest.mark.parametrize("form", FORMS)
def test_inertia_is_symmetric_and_gives_the_kinetic_energy(form: str) -> None:
    if "M" not in _accepted(form)[0][2].results:
        assert form.partition(":")[0] in _WITHOUT_INERTIA
        return
    compared = 0
    for name, one, given in _regular(form):
        if Feature.EFFECTIVE_ROWS in one.features:
            continue
        M = given["M"]
        assert np.abs(M - M.T).max() <= 1e-12 * np.abs(M).max(), name
        labels = given.equations.step(given.equations.results["M"]).row_labels
        if labels and labels != tuple(v.path for v in one.u):  # a product has none
            continue  # in rates of coordinates that are no speeds
        state = state_of(name)
        values = values_of(given.equations, state, t=MODELS[name].t)
        T = float(evaluate_arrays([energy.kinetic(motion.in_speeds(one))], values)[0])
        u = np.array([state[v.path] for v in one.u])
        assert u @ M @ u / 2 == pytest.approx(T, rel=1e-12), name
        compared += 1
    assert compared >= 5


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", FORMS)
def test_many_states_at_once_are_each_as_if_alone(form: str) -> None:
    for name, _, given in _regular(form):
        if MODELS[name].higher:
            continue  # other states are not consistent
        states = [state_of(name, factor) for factor in (1.0, 0.9, 1.05)]
        many = given.equations.evaluate({x: np.array([s[x] for s in states]) for x in states[0]})
        for k, state in enumerate(states):
            alone = given if k == 0 else given.equations.evaluate(state)
            assert many.status[k] == alone.status == "regular", name
            assert many.ud[k] == pytest.approx(alone.ud, rel=1e-12, abs=1e-12), name
            assert many.Fc[k] == pytest.approx(alone.Fc, rel=1e-12, abs=1e-12), name


# -- a form of one's own -----------------------------------------------------------------------

_NEW: Final = '''
"""Jourdain's principle for systems without invariants."""

from mbx.expr.build import sub
from mbx.expr.algebra.elimination import split
from mbx.expr.build import neg
from mbx.expr.nodes import ZERO
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx.mechanics import balance
from mbx.mechanics import loads
from mbx.mechanics import motion
from mbx.mechanics import loads


def derive(system, variant):
    moving = motion.in_speeds(system)
    active = loads.project(moving, loads.wrenches(moving))
    inertia = loads.project(moving, [balance.inertia_wrench(m) for m in moving.elements])
    M, rest = split([sub(i, f) for i, f in zip(inertia, active)], moving.ud)
    p = Program()
    M = p.define("M", M)
    h = p.column("h", [neg(x) for x in rest])
    ud = p.solve("ud", M, h, "positive")
    Fc = p.column("Fc", [ZERO for _ in moving.u])
    return p.equations(
        system, "jourdain_of_a_lab", "Jourdain", "a lab", {"ud": ud, "Fc": Fc, "M": M}
    )


CONVERTER = Converter(
    name="jourdain_of_a_lab", title="Jourdain", reference="a lab", derive=derive,
    variants=(Variant(accepts=frozenset()),),
)
'''


@pytest.fixture
def _jourdain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install one file in a folder of somebody's own."""
    file = tmp_path / "mbx_converters" / "jourdain_of_a_lab.py"
    file.parent.mkdir()
    file.write_text(_NEW, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("mbx_converters.jourdain_of_a_lab", None)


@pytest.mark.usefixtures("_jourdain")
def test_one_file_anywhere_on_the_path_is_a_form_like_any_other() -> None:
    assert set(registry.names()) == {*NAMES, "jourdain_of_a_lab"}
    converters, faulty = registry.survey()
    assert not faulty
    assert "jourdain_of_a_lab" in [converter.name for converter in converters]
    one = system_with("holonomic minimal")
    assert registry.refusals(one, "jourdain_of_a_lab") == ()
    equations = registry.derive(one, "jourdain_of_a_lab")
    check(equations)
    given = equations.evaluate(state_of("holonomic minimal"))
    assert given.ud == pytest.approx(found("holonomic minimal", "kane").ud, rel=1e-12)


@pytest.mark.usefixtures("_jourdain")
def test_a_new_form_refuses_what_it_does_not_accept() -> None:
    with pytest.raises(
        NotApplicableError, match=r"does not support an invariant of order 0 \(rod\)"
    ):
        registry.derive(system_with("holonomic redundant"), "jourdain_of_a_lab")


def test_a_form_is_gone_with_its_file() -> None:
    assert registry.names() == NAMES
