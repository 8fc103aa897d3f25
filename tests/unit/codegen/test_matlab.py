"""Code for MATLAB, run by Octave."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hostile_names import HOSTILE, disguised
from mbx import pipeline
from mbx.base.errors import EquationsError
from mbx.codegen.targets.matlab import TARGET
from mbx.linking.library import cases
from octave import array, numbers, words
from representative import marked
from sampled import ITERATED, arguments_of, sampled
from written import CLOSE, MODELS, REFUSED, case, library_forms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mbx.codegen.target import Subject
    from written import Case

SHORT = {"q": "q", "u": "u", "higher": "a", "inputs": "in", "parameters": "p"}


@dataclass(frozen=True, eq=False)
class Written:
    """A case whose code stands in a folder, and what its functions begin with."""

    case: Case
    name: str

    def calls(self) -> Iterator[str]:
        """Yield what prints the rates and results at all states, each with its status."""
        arguments = arguments_of(self.case)
        always = {"inputs", "parameters"}
        stand = [
            short for group, short in SHORT.items() if group in always or arguments[group].size
        ]
        given = ", ".join(["t", *stand])
        rates = "qd, ud" if "qd" in self.case.equations.results else "ud"
        for k in range(len(self.case)):
            yield f"t = {float(arguments['t'][k])!r};"
            for group, short in SHORT.items():
                yield f"{short} = {array(arguments[group][k])};"
            yield f"[{rates}, s] = {self.name}_rates({given});"
            yield f"printf('%.17g\\n', {rates}, s);"
            yield f"[r, s] = {self.name}_results({given});"
            yield "printf('%.17g\\n', s, numel(fieldnames(r)));"
            yield "for [m, key] = r"
            yield "  printf('%s %d %d ', key, size(m)); printf('%.17g ', m.');"
            yield "end"

    def errors(self, found: Iterator[str]) -> tuple[float, float]:
        """Return the backward errors of rates and of all results, read in that order."""
        keys = [key for key in ("qd", "ud") if key in self.case.equations.results]
        rates: dict[str, list[Any]] = {key: [] for key in keys}
        results: dict[str, list[Any]] = {}
        for _ in range(len(self.case)):
            for key, values in rates.items():
                values.append(_matrix(found, self.case.matrices[key].shape[1:]))
            assert next(found) == "0"
            assert next(found) == "0"
            for _ in range(int(next(found))):
                key, *shape = next(found), int(next(found)), int(next(found))
                results.setdefault(key, []).append(_matrix(found, shape))
        return self.case.error(rates), self.case.error(results)


def _matrix(found: Iterator[str], shape: Sequence[int]) -> Any:
    return np.array([float(next(found)) for _ in range(int(np.prod(shape)))]).reshape(shape)


def put(subject: Subject, folder: Path) -> str:
    """Write a subject into a folder and return what its functions begin with."""
    files = TARGET.write(subject)
    for name, text in files.items():
        (folder / name).write_text(text, "ascii")
    return next(iter(files)).removesuffix("_rates.m")


def worst(model: str, forms: Sequence[str], folder: Path) -> dict[str, tuple[float, float]]:
    """Return the backward errors of forms of a model, but for those that are refused."""
    done: dict[str, Written] = {}
    for form in forms:
        one = case(model, form)
        try:
            done[form] = Written(one, put(pipeline.subject(one.equations), folder))
        except EquationsError as refused:
            if not any(reason in str(refused) for reason in REFUSED):
                raise
    found = iter(words("\n".join(line for one in done.values() for line in one.calls()), folder))
    errors = {form: one.errors(found) for form, one in done.items()}
    assert next(found, None) is None
    return errors


@pytest.mark.sample(
    0, "simple_pendulum", "heavy_top_quaternion", "programme_order_3", "cam_follower"
)
@pytest.mark.timeout(600)
@pytest.mark.needs("octave")
@pytest.mark.parametrize("model", marked(MODELS, quick=set(MODELS) - {ITERATED, "rolling_disc"}))
def test_octave_computes_what_the_equations_say(model: str, tmp_path: Path) -> None:
    errors = worst(model, sampled(model), tmp_path)
    assert errors
    assert max(max(both) for both in errors.values()) <= CLOSE, errors


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.needs("octave")
@pytest.mark.parametrize("model", [path.name for path in cases()])
def test_octave_computes_what_the_library_says(model: str, tmp_path: Path) -> None:
    errors = worst(model, library_forms(model, 3), tmp_path)
    assert {form: both for form, both in errors.items() if not max(both) <= CLOSE} == {}


@pytest.mark.needs("octave")
def test_a_state_moves_as_ode45_wants_it_also_where_accelerations_belong_to_it(
    tmp_path: Path,
) -> None:
    names = [
        put(pipeline.subject(case(*one).equations), tmp_path)
        for one in (("simple_pendulum", "lagrange"), ("programme_order_3", "modular"))
    ]
    found = numbers(
        f"""
        [in, p] = {names[0]}_defaults();
        printf('%.17g\\n', in, p);
        [t, x] = ode45(@(t, x) {names[0]}_ode(t, x, in, p), [0 0.1], [1; 0]);
        printf('%.17g\\n', x(end, :));
        [in, p] = {names[1]}_defaults();
        printf('%.17g\\n', {names[1]}_ode(0.1, (1:6)', in, p));
        """,
        tmp_path,
    )
    assert list(found[:3]) == [1, 1, 9.81]
    swing = 1.5 * 9.81 * np.sin(1.0)
    assert found[3:5] == pytest.approx([1 - swing * 0.1**2 / 2, -swing * 0.1], rel=2e-2)
    assert list(found[5:9]) == [3, 4, 5, 6]


@pytest.mark.needs("octave")
def test_where_there_are_no_rates_the_status_says_so_and_a_solver_stops(tmp_path: Path) -> None:
    name = put(pipeline.subject(case("simple_pendulum", "lagrange").equations), tmp_path)
    found = numbers(
        f"""
        [qd, ud, status] = {name}_rates(0, 1, 0, [], [0; 1; 9.81]);
        printf('%d\\n', status);
        try
          {name}_ode(0, [1; 0], [], [0; 1; 9.81]);
          printf('0\\n');
        catch problem
          printf('%d\\n', strcmp(problem.identifier, 'mbx:noRates'));
        end
        """,
        tmp_path,
    )
    assert list(found) == [1, 1]


@pytest.mark.needs("octave")
def test_hostile_texts_of_a_model_stay_inert(tmp_path: Path) -> None:
    subject = pipeline.subject(case("four_bar", "kane").equations)
    script = []
    for k, text in enumerate(HOSTILE):
        one = replace(subject, equations=disguised(subject.equations, text, f"{text}{k}"))
        name = put(one, tmp_path)
        script.append(f"[in, p] = {name}_defaults(); printf('%.17g\\n', numel(p));")
        script.append(f"[r, s] = {name}_results(0, ones(3, 1), ones(3, 1), in, p);")
        script.append(f"[qd, ud, s] = {name}_rates(0, ones(3, 1), ones(3, 1), in, p);")
    assert list(numbers("\n".join(script), tmp_path)) == [8] * len(HOSTILE)


def test_names_of_a_model_are_all_of_its_texts_that_code_has(tmp_path: Path) -> None:
    subject = pipeline.subject(case("four_bar", "kane").equations)
    texts = {}
    for letter in ("x", "y"):
        one = replace(subject, equations=disguised(subject.equations, letter * 9, "M"))
        put(one, tmp_path)
        texts[letter] = [path.read_text("ascii") for path in sorted(tmp_path.glob("*.m"))]
    bare = {key: [_without_comments(text) for text in all_] for key, all_ in texts.items()}
    assert texts["x"] != texts["y"]
    named = [[re.sub("[xy]{9}", "name", text) for text in bare[letter]] for letter in "xy"]
    assert bare["x"] != bare["y"]
    assert named[0] == named[1]
    foreign = replace(subject, equations=disguised(subject.equations, "x y", "M"))
    put(foreign, tmp_path)
    assert not any("x y" in _without_comments(p.read_text("ascii")) for p in tmp_path.glob("*.m"))


def _without_comments(text: str) -> str:
    # signs of per cent stand in formats of numbers, with no blank behind them, and in comments
    return "\n".join(line.partition("% ")[0] for line in text.splitlines() if line[:1] != "%")


def test_long_names_are_cut_so_that_matlab_tells_them_apart() -> None:
    subject = pipeline.subject(case("simple_pendulum", "lagrange").equations)
    named = [
        set(TARGET.write(replace(subject, equations=replace(subject.equations, model=model))))
        for model in ("A" * 80, "A" * 81)
    ]
    assert named[0].isdisjoint(named[1])
    assert all(len(name.removesuffix(".m")) <= 63 for names in named for name in names)
