"""Certificates that somebody forged: each is refused, or what it claims is computed anew."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
import rfc8785

from mbx.cli.main import main
from mbx.verify import many

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODEL = """
mbx 1
model Swing {
  param m: kg = 1, l: m = 0.5, g: m/s^2 = 9.81
  coordinate th: rad = 0.3
  body rod { mass m  com [l/2, 0, 0]  inertia m*l^2/12 about z
             joint revolute(ground, axis = z, angle = th) }
  gravity [g, 0, 0]
}
experiment release of Swing {
  expect th'' = -8.697160 [rad/s^2] within 1e-5 [rad/s^2]
    source "analytic: -3 g sin(th)/(2 l)"
}
"""


@pytest.fixture(scope="module", autouse=True)
def _remembered() -> Any:
    """Verify the one model of this file once for each request: what it is asked for counts."""
    known: dict[tuple[Any, ...], Any] = {}
    verify = many.verify_parts

    def remembered(linked: Any, asked: Any, pool: Any) -> Any:
        key = tuple((o.forms, o.states, o.oracle, o.seed, o.references) for o in asked)
        if key not in known:
            known[key] = verify(linked, asked, pool)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many, "verify_parts", remembered)
        yield


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("honest")
    (folder / "m.mb").write_text(MODEL, "utf-8")
    path = folder / "c.json"
    assert main(["verify", str(folder / "m.mb"), "--quiet", "--certificate", str(path)]) == 0
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return data


@pytest.fixture
def check(
    honest: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return what checks a certificate with a change, and a digest that fits it."""

    def command(change: Callable[[dict[str, Any]], object]) -> tuple[int, dict[str, Any]]:
        data = json.loads(json.dumps(honest))
        change(data)
        rest = {key: value for key, value in data.items() if key != "digest"}
        data["digest"] = hashlib.sha256(rfc8785.dumps(rest)).hexdigest()
        (tmp_path / "m.mb").write_text(MODEL, "utf-8")
        (tmp_path / "c.json").write_text(json.dumps(data), "utf-8")
        capsys.readouterr()
        status = main(
            ["verify", str(tmp_path / "m.mb"), "--json", "--certificate", str(tmp_path / "c.json")]
        )
        return status, json.loads(capsys.readouterr().out)

    return command


def states(c: dict[str, Any]) -> list[str]:
    found: list[str] = c["parts"][0]["states"]
    return found


def set_largest(c: dict[str, Any], name: str, value: float) -> None:
    c["parts"][0]["largest"][c["variables"].index(name)] = value


def test_an_honest_certificate_holds(check: Any) -> None:
    status, data = check(lambda _: None)
    assert (status, data["verdict"], data["reasons"]) == (0, "holds", [])
    counts = data["counts"]
    assert (counts["asked"], counts["kinds"]["random"], counts["random_moving"]) == (16, 16, 16)


def one_state_at_rest(c: dict[str, Any]) -> None:
    c["asked"]["states"] = 10_000
    c["parts"][0]["states"] = ["rest"]


def one_state_in_every_part(c: dict[str, Any]) -> None:
    c["asked"]["states"] = 64
    c["parts"][0]["states"] = [f"random {k}" for k in range(1, 65)]
    c["parts"][0]["largest"] = [0.0 for _ in c["variables"]]


def very_fast(c: dict[str, Any]) -> None:
    set_largest(c, "th'", 1e10)


def very_slow(c: dict[str, Any]) -> None:
    set_largest(c, "th'", 0.0)


def older_without_margins(c: dict[str, Any]) -> None:
    c["versions"]["mbx"] = "0.0.1"
    keep_margins(c, {"accelerations", "beside the oracle, accelerations"})


def keep_margins(c: dict[str, Any], kept: set[str]) -> None:
    c["margins"] = [m for m in c["margins"] if m["quantity"] in kept]
    for form in c["forms"]:
        form["margins"] = {k: v for k, v in form["margins"].items() if k in kept}
        form["forward"] = [k for k in form["forward"] if k in kept]


def without_form(c: dict[str, Any]) -> None:
    gone = c["forms"].pop()["name"]
    for margin in c["margins"]:
        if gone in margin["forms"]:
            margin["forms"] = [c["forms"][0]["name"]]


def without_oracle(c: dict[str, Any]) -> None:
    c["asked"]["oracle"] = 0
    c["parts"][0]["oracle"] = 0
    without_margins_of_the_oracle(c)


def without_margins_of_the_oracle(c: dict[str, Any]) -> None:
    keep_margins(c, {m["quantity"] for m in c["margins"] if "oracle" not in m["quantity"]})


def margins_of_nothing(c: dict[str, Any]) -> None:
    for margin in c["margins"]:
        margin["value"] = 9e-13
    for form in c["forms"]:
        form["margins"] = dict.fromkeys(form["margins"], 9e-13)


def older_file(c: dict[str, Any]) -> None:
    c["mbx_certificate"] = 1


FORGERIES: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "one state at rest, 10,000 claimed": (one_state_at_rest, "refused", "157 parts, and has 1"),
    "the same state at rest 64 times": (one_state_in_every_part, "refused", "seed 1"),
    "states at 1e10 rad/s": (very_fast, "refused", "are not drawn from seed 1: th' is 1e+10"),
    "states that do not move": (very_slow, "refused", "are not drawn from seed 1: th' is 0"),
    "an older version, margins missing": (older_without_margins, "refused", "lacks the margin"),
    "an older file": (older_file, "old format", "verified again"),
    "no file of mbx": (lambda c: c.update(mbx_certificate=0), "refused", "of version 0"),
    "margins of nothing": (
        margins_of_nothing,
        "refused",
        "does not hold",
    ),
    "a form taken out": (without_form, "refused", "it lacks the form"),
    "no oracle": (without_oracle, "weaker than the default", "the oracle at 0 states"),
    "the oracle claimed, its margins gone": (
        without_margins_of_the_oracle,
        "refused",
        "lacks the margin",
    ),
    "more of the oracle claimed": (
        lambda c: c["asked"].update(oracle=8),
        "refused",
        "the oracle answers at 8 states",
    ),
    "another seed": (
        lambda c: (c["asked"].update(seed=2), c["parts"][0].update(seed=2)),
        "refused",
        "from seed 2",
    ),
    "a state twice": (
        lambda c: states(c).append("random 17"),
        "refused",
        "'random 17' is not drawn from seed 1",
    ),
    "a state of 1e300": (
        lambda c: set_largest(c, "th", 1e200),
        "refused",
        "th is 1e+200",
    ),
    "another model": (lambda c: c.update(hash="0" * 64), "refused", "the physics has changed"),
    "other experiments": (
        lambda c: c.update(experiment_hash="0" * 64),
        "refused",
        "the physics has not",
    ),
    "wider tolerances": (
        lambda c: c["tolerances"].update(fail=1.0),
        "refused",
        "its tolerances are not",
    ),
    "a remark more": (lambda c: c.update(signed=True), "refused", "a key that is not known"),
    "references dropped": (lambda c: c.update(references=[]), "refused", "its references are not"),
    "a reference that is wider": (
        lambda c: c["references"][0].update(within=1.0),
        "refused",
        "its references are not",
    ),
    "one form made worse than all": (
        lambda c: c["forms"][0]["margins"].update(accelerations=9e-13),
        "refused",
        "its margin of accelerations is",
    ),
    "a form whose margin is gone": (
        lambda c: c["forms"][0]["margins"].pop("in the balance of power"),
        "refused",
        "lacks the margin of articulated_body, in the balance of power",
    ),
    "an arbiter that found a difference of a form": (
        lambda c: c["forms"][0].update(arbiter={"accelerations": "different"}),
        "refused",
        "its own margins do not agree",
    ),
    "an arbiter that found a difference": (
        lambda c: c["margins"][0].update(arbiter="different"),
        "refused",
        "its own margins do not agree",
    ),
    "another verdict": (lambda c: c.update(verdict="proved"), "refused", "'verdict'"),
    "forms that apply, said not to": (
        lambda c: c["excluded"].append(
            {"name": "kane", "status": "not applicable", "reason": "too hard"}
        ),
        "refused",
        "'excluded' does not come out again",
    ),
    "a better condition": (
        lambda c: [f.update(condition=1e-9) for f in c["forms"]],
        "refused",
        "the condition number of",
    ),
}


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_certificate_does_not_hold(name: str, check: Any) -> None:
    change, verdict, said = FORGERIES[name]
    status, data = check(change)
    assert status == 4
    assert data["verdict"] == verdict
    assert data["holds"] is False
    assert said in "; ".join(data["reasons"])


def test_numbers_that_are_none_are_refused_when_they_are_read(
    honest: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for bad in ("NaN", "Infinity", "1e999"):
        data = json.loads(json.dumps(honest))
        data["parts"][0]["largest"][0] = "HERE"
        (tmp_path / "m.mb").write_text(MODEL, "utf-8")
        (tmp_path / "c.json").write_text(json.dumps(data).replace('"HERE"', bad), "utf-8")
        arguments = ["verify", str(tmp_path / "m.mb"), "--certificate", str(tmp_path / "c.json")]
        assert main(arguments) == 4
        assert "is refused" in capsys.readouterr().err
