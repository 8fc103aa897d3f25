"""Files of equations that are damaged or hostile: each ends in a message that names the place."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

import mbx
from mbx.cli.main import main
from mbx.cli.output import Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRIALS: Final = 60
"""Files that are changed at random places."""


@cache
def _text() -> str:
    return mbx.write(mbx.convert(mbx.read("lib:four_bar"), "maggi"), "json")


def changed(path: str, value: Any) -> str:
    """Return the equations with another value at a pointer."""
    data = json.loads(_text())
    *parents, last = path.strip("/").split("/")
    at = data
    for key in parents:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(data)


DAMAGED: Final[dict[str, tuple[Callable[[], str], str, str]]] = {
    "version": (lambda: changed("mbx_equations", 2), "MBX1009", "version 2 of equations"),
    "version-text": (lambda: changed("mbx_equations", "1"), "MBX1009", "no whole number"),
    "version-true": (lambda: changed("mbx_equations", value=True), "MBX1009", "no whole number"),
    "missing": (lambda: '{"mbx_equations": 1}', "MBX2103", "/formalism: Field required"),
    "unknown": (lambda: changed("system", {}), "MBX2103", "/system: Extra inputs"),
    "truncated": (lambda: _text()[:-400], "MBX2001", "not JSON"),
    "twice": (lambda: _text().replace('"title"', '"model"', 1), "MBX2004", "stands twice"),
    "nan": (lambda: changed("states/general/0/0", float("nan")), "MBX2002", "is no number"),
    "huge": (lambda: _text().replace('"general": [[', '"general": [[1e999, ', 1), "MBX5005", "out"),
    "control": (lambda: changed("model", "a\u001b[2Jb"), "MBX1003", "control character"),
    "deep": (lambda: changed("notes", json.loads("[" * 300 + "]" * 300)), "MBX5002", "deeper"),
    "operation": (lambda: changed("steps/0/op", "system"), "MBX2103", "/steps/0/op"),
    "node": (lambda: changed("nodes/3", ["eval", "1"]), "MBX2103", "node 3: there is no operation"),
    "row": (lambda: changed("states/general/0", [1.0]), "MBX2103", "/states/general/0: 1 values"),
    "text-in-row": (lambda: changed("states/further/1/0", "1"), "MBX2103", "/states/further/1/0"),
    "no-symbol": (lambda: changed("states/symbols/0", 10**5), "MBX2103", "not in the table"),
    "twice-a-symbol": (
        lambda: changed("states/symbols/1", json.loads(_text())["states"]["symbols"][0]),
        "MBX2103",
        "a symbol has two values",
    ),
    "no-value": (lambda: changed("states/values", []), "MBX2103", "/states/values"),
    "start": (lambda: changed("signature/q/0/start", "x"), "MBX2103", "/signature/q/0/start"),
    "many": (lambda: changed("notes", [0] * 2_000_001), "MBX5040", "more than 2000000 values"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_equations_are_refused_with_their_place(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, code, said = DAMAGED[name]
    path = tmp_path / "saved.json"
    path.write_text(make())
    status = main(["convert", str(path)])
    shown = capsys.readouterr().err
    assert status in {Status.MODEL, Status.TROUBLE}
    assert code in shown
    assert said in shown
    assert "saved.json:" in shown
    assert "Traceback" not in shown
    assert "\u001b" not in shown


def test_a_model_is_no_file_of_equations_and_the_reverse(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text(_text())
    with pytest.raises(mbx.SourceError, match="holds equations of motion, and no model"):
        mbx.read(path)
    model = mbx.dumps(mbx.read("lib:simple_pendulum"), "json")
    with pytest.raises(mbx.SourceError, match="the file holds no equations"):
        mbx.Equations.loads(model)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner if isinstance(value, (dict, list)) else ():
        found += _places(one, (*path, key)) if isinstance(one, (dict, list)) else [(*path, key)]
    return found


@pytest.mark.sample(20)
@pytest.mark.parametrize("trial", range(TRIALS))
def test_equations_changed_at_random_end_in_output_or_a_message(
    trial: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(trial)  # noqa: S311  no secrets
    data = json.loads(_text())
    places = _places({key: data[key] for key in data if key != "nodes"})
    places += [("nodes", k) for k in range(len(data["nodes"]))]
    for _ in range(rng.choice((1, 1, 3))):
        *parents, last = rng.choice(places[1:])
        at = data
        try:
            for key in parents:
                at = at[key]
            old = at[last]
            new = [0, 1, 2, 5, -1, "", "ud", None, [], {}, 1e300, old, deepcopy(data["nodes"][0])]
            at[last] = rng.choice(new)
            if rng.random() < 0.2:
                del at[last]
        except (IndexError, KeyError, TypeError):
            continue
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(data))
    status = main(
        ["convert", str(path), "--format", rng.choice(("julia", "numpy", "text", "latex"))]
    )
    shown = capsys.readouterr().err
    assert status in {Status.OK, Status.MODEL, Status.REFUSED, Status.TROUBLE}, shown
    assert "Traceback" not in shown
    assert (status == Status.OK) == (not shown)


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["text", "latex", "html", "numpy", "julia"])
def test_shared_parts_do_not_explode(target: str, tmp_path: Path) -> None:
    """Each node is the product of the one before it with itself: 2^5000 factors if expanded."""
    data = json.loads(_text())
    first = len(data["nodes"])
    (x,) = {q["symbol"] for q in data["signature"]["q"][:1]}
    last = x
    for _ in range(5_000):
        data["nodes"].append(["function", last, "sin"])
        data["nodes"].append(["product", last, len(data["nodes"]) - 1])
        last = len(data["nodes"]) - 1
    assert last > first
    step = next(step for step in data["steps"] if step["op"] == "define" and step["entries"])
    step["entries"][0][0] = last
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(data))
    status = main(["convert", str(path), "--format", target, "-o", str(tmp_path / "out")])
    assert status in {Status.OK, Status.MODEL, Status.REFUSED, Status.TROUBLE}
