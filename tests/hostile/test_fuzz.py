"""Damaged texts: whatever is read, the answer is a document or a report, never another exception.

All that is random here comes from a seed, so a failure comes back.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest

import mbx

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report
    from mbx.pipeline import Form

ROOT: Final = Path(__file__).parents[2]
TEXTS: Final = [
    text
    for path in sorted(ROOT.glob("library/*/model.mb"))
    if len(text := path.read_text("utf-8")) < 3_000
]
TOKEN: Final = re.compile(r"[A-Za-z_]\w*|[0-9.]+|\"[^\"\n]*\"|//[^\n]*|\s+|.")
STRANGE: Final = [
    *"{}[]()=:,.'^*/+-<>\"\\",
    *("..", "1e999", "0", "-1", "1/0", "9^9^9", "__x", "t", "pi", "ground", "own", "x''''"),
    *("if", "for", "in", "of", "at", "model", "param", "body", "[0, 0]", '"\\q"', "\x1b", "\u200d"),
]
VALUES: Final[list[Any]] = [
    *(None, True, 0, -1, 10**17, 1e300, "", "x", "(", "1 +", "\x1b", "ground", "a" * 100),
    *([], {}, [[]], ["Add"], ["Add", 1, [1]], {"kind": "model"}, {"kind": []}, {"name": 1}),
]
BATCH: Final = 20


def report_of(text: str, form: Form = "mb") -> Report:
    """Return what reading and checking a text found."""
    try:
        return mbx.check(mbx.loads(text, form))
    except mbx.SourceError as bad:
        return bad.report


def attempt(text: str, form: Form = "mb") -> None:
    """Read and check a text; only a report may come of it."""
    report_of(text, form).render()


@pytest.mark.parametrize("batch", range(200 // BATCH))
@pytest.mark.parametrize("form", ["mb", "json"])
def test_random_bytes(batch: int, form: Form) -> None:
    chance = random.Random(f"bytes {form} {batch}")  # noqa: S311  comes back by its seed
    for _ in range(BATCH):
        attempt(chance.randbytes(chance.randrange(400)).decode("latin-1"), form)


@pytest.mark.sample(2)
@pytest.mark.parametrize("part", range(5))
def test_every_beginning_of_a_text(part: int) -> None:
    text = min(TEXTS, key=len)
    whole = text.rindex("}") + 1
    for end in range(part, whole, 5):
        attempt(text[:end])


def test_no_beginning_that_ends_inside_a_model_is_accepted() -> None:
    text = (ROOT / "tests/fixtures/pendulum.mb").read_text("utf-8")
    for end in range(text.rindex("}")):
        assert not report_of(text[:end]).ok


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with a few words or signs lost, doubled, swapped or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(chance.randint(1, 4)):
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(5):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = tokens[other]
            case _:
                tokens[at] = chance.choice(STRANGE)
    return "".join(tokens)


@pytest.mark.parametrize("batch", range(200 // BATCH))
def test_a_text_with_some_words_changed(batch: int) -> None:
    chance = random.Random(f"text {batch}")  # noqa: S311  comes back by its seed
    for _ in range(BATCH):
        attempt(mutated(chance.choice(TEXTS), chance))


def holders(value: Any) -> list[Any]:
    """Return the objects and lists in a JSON value that hold something."""
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list) and one:
            found.append(one)
            waiting += one.values() if isinstance(one, dict) else one
    return found


def damage(value: Any, chance: random.Random) -> None:
    """Take away, double, replace or exchange one value inside a JSON value."""
    holder = chance.choice(holders(value))
    key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    match chance.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 1:
            holder[f"{key}_"] = holder[key]
        case 2:
            donor = chance.choice(holders(value))
            taken = donor if isinstance(donor, list) else list(donor.values())
            holder[key] = json.loads(json.dumps(chance.choice(taken)))
        case _:
            holder[key] = chance.choice(VALUES)


@pytest.mark.parametrize("math", ["text", "tree"])
@pytest.mark.parametrize("batch", range(100 // BATCH))
def test_a_json_document_with_some_values_changed(
    batch: int, math: Literal["text", "tree"]
) -> None:
    chance = random.Random(f"json {math} {batch}")  # noqa: S311  comes back by its seed
    for _ in range(BATCH // 2):
        data = json.loads(mbx.dumps(mbx.loads(chance.choice(TEXTS), "mb"), "json", math))
        for _ in range(chance.randint(1, 3)):
            damage(data, chance)
        attempt(json.dumps(data), "json")


def test_a_json_document_with_a_key_twice() -> None:
    chance = random.Random("keys")  # noqa: S311  comes back by its seed
    for _ in range(BATCH):
        text = mbx.dumps(mbx.loads(chance.choice(TEXTS), "mb"), "json")
        found = chance.choice(list(re.finditer(r'"\w+": "[^"]*",', text)))
        with pytest.raises(mbx.SourceError, match="MBX2004"):
            mbx.loads(text[: found.end()] + found.group() + text[found.end() :], "json")
