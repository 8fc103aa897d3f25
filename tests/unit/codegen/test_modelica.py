"""Modelica, compiled and run by a compiler that is not ours."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import rumoca
from scipy.integrate import solve_ivp

from hostile_names import HOSTILE, disguised
from mbx import pipeline
from mbx.base.errors import EquationsError
from mbx.codegen.python.modelica_text import described, unit_text
from mbx.codegen.targets.modelica import TARGET
from mbx.linking.library import cases
from mbx.numerics.execute.execute import run
from representative import marked
from sampled import ITERATED, arguments_of, sampled
from written import CLOSE, MODELS, REFUSED, case, library_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.target import Subject
    from written import Case

MEMBER = re.compile(
    r"^    (?:(parameter|input) )?Real (\w+)(?:\(.*?\))?(?: = \S+)? \"", re.MULTILINE
)
"""Parameters, inputs and states of the model Motion: they have descriptions and stand in order."""
STATES = ("q", "u", "higher")
TINY = 1e-9
"""Seconds: the rates are those at the start."""
RESULTS = ("ud", "qd", "M", "h", "A", "b")


@dataclass(frozen=True, eq=False)
class Compiled:
    """A model of a case; inputs are parameters of what stands around it."""

    case: Case
    arguments: Any
    model: Any
    names: dict[str, list[str]]

    def at(self, k: int, until: float, dt: float, **settings: Any) -> Any:
        """Return a run that starts at a state."""
        rows = {name: rows[k] for name, rows in self.arguments.items()}
        start = {
            f"m.{name}": float(x)
            for name, x in zip(
                self.names[""], [x for group in STATES for x in rows[group]], strict=True
            )
        }
        given = zip(self.names["parameter"], rows["parameters"], strict=True)
        values = {f"m.{name}": float(x) for name, x in given}
        values |= {f"given{j + 1}": float(x) for j, x in enumerate(rows["inputs"])}
        first = float(rows["t"])
        config = rumoca.SimConfig(**settings)
        return self.model.simulate(
            t=(first, first + until), dt=dt, start=start, params=values, config=config
        )


def package(subject: Subject) -> tuple[str, str]:
    """Return the name of a package, and its text."""
    ((name, text),) = TARGET.write(subject).items()
    return name.removesuffix(".mo"), text


def compiled(one: Case, model: str = "Motion") -> Compiled:
    """Compile a model of a package, with its inputs bound."""
    name, text = package(pipeline.subject(one.equations))
    arguments = arguments_of(one)
    count = arguments["inputs"].shape[1]
    names = members(text)
    bound = ", ".join(f"{one} = given{k + 1}" for k, one in enumerate(names["input"]))
    given = "".join(f"  parameter Real given{k + 1} = 0.0;\n" for k in range(count))
    around = f"model Run\n{given}  {name}.{model} m{f'({bound})' if bound else ''};\nend Run;\n"
    return Compiled(one, arguments, rumoca.Session().loads(text + around, model="Run"), names)


def members(text: str) -> dict[str, list[str]]:
    """Return the names of parameters, inputs and states of a package, in order."""
    (motion,) = re.findall(r"^  model Motion.*?^  equation", text, re.MULTILINE | re.DOTALL)
    found: dict[str, list[str]] = {"parameter": [], "input": [], "": []}
    for kind, name in MEMBER.findall(motion.partition("Real status")[0]):
        found[kind].append(name)
    return found


def error(one: Case, states: int) -> float:
    """Return the backward error of rates at the first states."""
    found = compiled(one)
    keys = [key for key in ("qd", "ud") if key in one.equations.results]
    results: dict[str, list[Any]] = {key: [] for key in keys}
    for k in range(states):
        trace = found.at(k, TINY, TINY)
        for key, values in results.items():
            count = one.matrices[key].shape[1]
            values.append([[trace[f"m.{key}[{i + 1}]"][0]] for i in range(count)])
    return _first(one, states).error(results)


def _first(one: Case, states: int) -> Case:
    return replace(
        one,
        values={node: x[:states] for node, x in one.values.items()},
        matrices={key: x[:states] for key, x in one.matrices.items()},
    )


def worst(model: str, forms: Sequence[str], states: int) -> dict[str, float]:
    """Return the backward errors of forms of a model, but for those that are refused."""
    errors = {}
    for form in forms:
        try:
            errors[form] = error(case(model, form), states)
        except EquationsError as refused:
            if not any(reason in str(refused) for reason in REFUSED):
                raise
    return errors


@pytest.mark.sample(
    0, "simple_pendulum", "heavy_top_quaternion", "programme_order_3", "cam_follower"
)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("model", marked(MODELS, quick=set(MODELS) - {ITERATED, "rolling_disc"}))
def test_a_model_starts_with_the_rates_of_the_equations(model: str) -> None:
    errors = worst(model, sampled(model), 1)
    assert errors
    assert max(errors.values()) <= CLOSE, errors


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", [path.name for path in cases()])
def test_the_library_starts_with_its_rates(model: str) -> None:
    errors = worst(model, library_forms(model, 1), 1)
    assert {form: error for form, error in errors.items() if not error <= CLOSE} == {}


@pytest.mark.parametrize("model", ["four_bar", "rolling_disc", "dc_motor"])
def test_what_is_observed_are_the_results_of_the_equations(model: str) -> None:
    one = _first(case(model, "kane"), 1)
    trace = compiled(one, "Observed").at(0, TINY, TINY)
    results = {key: np.zeros_like(one.matrices[key]) for key in RESULTS}
    for key, matrix in results.items():
        for _, i, j in np.ndindex(matrix.shape):
            place = f"{i + 1},{j + 1}" if key in {"M", "A"} else f"{i + 1}"
            matrix[0, i, j] = trace[f"m.r.{key}[{place}]"][0]
    assert one.error(results) <= CLOSE


@pytest.mark.sample(1)
@pytest.mark.parametrize("model", ["cam_follower", "four_bar", "rolling_disc", ITERATED])
def test_a_motion_is_that_of_the_numpy_run(model: str) -> None:
    one = case(model, "kane")
    runs = compiled(one)
    trace = runs.at(0, 0.2, 0.1, rtol=1e-10, atol=1e-12, solver="rk-like")
    signature = one.equations.signature
    symbols = [x.symbol for x in (*signature.q, *signature.u)]
    fixed = {node: x[0] for node, x in one.values.items()}

    def rate(t: float, x: Any) -> Any:
        values = {**fixed, **dict(zip(symbols, x, strict=True)), signature.t: t}
        found = run(one.equations, values)
        return np.concatenate([found.at(one.equations.results[k], 0)[:, 0] for k in ("qd", "ud")])

    first = fixed[signature.t]
    start = [fixed[node] for node in symbols]
    motion = solve_ivp(rate, (first, first + 0.2), start, rtol=1e-11, atol=1e-12, method="DOP853")
    names = [f"m.{name}" for name in runs.names[""]]
    assert [trace[name][-1] for name in names] == pytest.approx(motion.y[:, -1], rel=1e-8, abs=1e-9)


def test_accelerations_that_belong_to_the_state_move_on() -> None:
    one = case("programme_order_3", "modular")
    name, text = package(pipeline.subject(one.equations))
    for line in ("der(x_dot) = x_ddot;", "der(y_dot) = y_ddot;", "der(x_ddot) = ud[1];"):
        assert line in text
    assert rumoca.Session().loads(text, model=f"{name}.Motion").structure().is_balanced


def test_a_model_runs_as_it_is_written_with_starts_and_values_of_its_own() -> None:
    name, text = package(pipeline.subject(case("four_bar", "kane").equations))
    motion = rumoca.Session().loads(text, model=f"{name}.Motion")
    trace = motion.simulate(t=(0.0, 0.01), dt=0.01)
    assert trace["th1"][0] == 1.0
    assert motion.parameters["a"].value == 0.1
    assert motion.parameters["a"].unit == "m"


def test_hostile_texts_of_a_model_stay_inert() -> None:
    subject = pipeline.subject(case("four_bar", "kane").equations)
    bare = set()
    for text in ("plain text", *HOSTILE):
        one = replace(subject, equations=disguised(subject.equations, text, "M"))
        name, written = package(one)
        assert written.isascii()
        assert rumoca.Session().loads(written, model=f"{name}.Motion").states.names
        bare.add(_without_texts(written))
    assert len(bare) == 1


def test_a_hostile_name_of_a_model_is_none_of_its_package() -> None:
    subject = pipeline.subject(case("simple_pendulum", "kane").equations)
    for text in HOSTILE:
        name, written = package(replace(subject, equations=replace(subject.equations, model=text)))
        assert re.fullmatch(r"mb_[A-Za-z][A-Za-z0-9_]*", name)
        assert rumoca.Session().loads(written, model=f"{name}.Motion").states.names


def _without_texts(text: str) -> str:
    """Return Modelica without comments, strings and units."""
    text = re.sub(r'"(?:[^"\\\n]|\\[^\n])*"', '""', text)
    text = re.sub(r"unit = \"\"(?:, )?", "", text).replace("()", "")
    return re.sub(r"//.*", "", text)


@pytest.mark.parametrize("text", [*HOSTILE, "plain", 'a "quoted" \\ text\\'])
def test_a_string_ends_where_it_should_and_says_what_it_said(text: str) -> None:
    written = described(text)
    (found,) = re.findall(r'"((?:[^"\\]|\\.)*)"', written)
    assert written == f'"{found}"'
    assert written.isascii()
    assert "\n" not in written
    if text.isprintable() and text.isascii() and "plain" in text:
        assert found == text


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("1", "1"),
        ("1/s", "1/s"),
        ("m/s^2", "m/s2"),
        ("m/s/s", "m/(s.s)"),
        ("kg*m^2/s^3/A", "kg.m2/(s3.A)"),
        ("s*A", "s.A"),
        ("m^(1/2)", ""),
        ('"; end X; model Y', ""),
    ],
)
def test_units_are_those_of_modelica_or_left_out(unit: str, said: str) -> None:
    assert unit_text(unit) == said
