"""Mutants of model files: damaged bytes, words and JSON values, and models that mean other things.

Everything random comes from the number of a run, so that a failure can be repeated.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mbx

if TYPE_CHECKING:
    import random

__all__ = ["Mutant", "mutant", "sources"]

ROOT: Final = Path(__file__).parents[2]
LONGEST: Final = 2_600
"""Characters of a model that is mutated: small ones go through everything quickly."""

_TOKEN: Final = re.compile(r"[A-Za-z_]\w*|[0-9.]+|\"[^\"\n]*\"|//[^\n]*|\s+|.", re.DOTALL)
_NUMBER: Final = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?![\w.])")
_NAME: Final = re.compile(r"\b[A-Za-z]\w*\b")
_UNITS: Final = ("m", "kg", "s", "rad", "N", "N*m", "m/s^2", "kg*m^2", "1", "deg", "rad/s", "degC")
_EXTREME: Final = (
    *("0", "1", "(-1)", "1e-300", "1e300", "1e150", "1e-150", "0.1", "1e16", "(-0.0)", "(1/3)"),
    *("0", "9007199254740993", "3.141592653589793", "1e9", "1e-9", "(1 - 1)", "1e20", "1e-20"),
    "1e999",
)
_STRANGE: Final = (
    *"{}[]()=:,.'^*/+-<>\"\\",
    *("..", "__x", "t", "pi", "ground", "own", "x''''", "if", "for", "in", "of", "at", "model"),
    *("param", "body", "[0, 0]", '"\\q"', "\x1b", "\u200d", "sqrt(-1)", "abs", "sign(t)", "exp"),
)
_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, 0, -1, 10**17, 1e300, 1e-300, "", "x", "(", "1 +", "\x1b", "ground", "a" * 100),
    *([], {}, [[]], ["Add"], ["Add", 1, [1]], {"kind": "model"}, {"kind": []}, {"name": 1}),
)


class Mutant:
    """A damaged file: its name, its content, and what it was made from."""

    def __init__(self, name: str, data: bytes, origin: str) -> None:
        """Keep what a mutant is."""
        self.name = name
        self.data = data
        self.origin = origin


@cache
def sources() -> dict[str, str]:
    """Return the texts that are mutated, by name."""
    found = {}
    for pattern in ("library/*/model.mb", "tests/fixtures/*.mb", "tests/conformance/**/*.pass.mb"):
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text("utf-8")
            if len(text) <= LONGEST and 'from "' not in text:
                found[str(path.relative_to(ROOT))] = text
    return found


@cache
def _as_json(name: str) -> str | None:
    """Return a source in the JSON form; None where it is no whole document."""
    try:
        return mbx.dumps(mbx.loads(sources()[name], "mb"), "json", "text")
    except mbx.SourceError:
        return None


def mutant(chance: random.Random) -> Mutant:
    """Return a random mutant."""
    cases = [name for name in sources() if name.startswith("library")]
    every = list(sources())
    origin = chance.choice(cases if chance.random() < 0.7 else every)
    how = chance.random()
    text = sources()[origin]
    if how < 0.1:
        data = _damaged_json(origin, chance)
        if data is not None:
            return Mutant("model.json", data, origin)
    if how < 0.14:
        return Mutant("model.mb", _bytes(text.encode(), chance), origin)
    if how < 0.22:
        return Mutant("model.mb", _tokens(text, chance).encode("utf-8", "ignore"), origin)
    if how < 0.34:
        return Mutant("model.mb", text.encode(), origin)  # sound, for odd options
    for _ in range(chance.choice((1, 1, 1, 1, 2))):
        text = chance.choice(_MEANINGS)(text, chance)
    return Mutant("model.mb", text.encode("utf-8", "ignore"), origin)


# -- damage ------------------------------------------------------------------------------------


def _bytes(data: bytes, chance: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(found))
        match chance.randrange(4):
            case 0:
                found[at] = chance.randrange(256)
            case 1:
                found[at:at] = chance.randbytes(chance.randint(1, 8))
            case 2:
                del found[at : at + chance.randint(1, 40)]
            case _:
                del found[at:]
        if not found:
            break
    return bytes(found)


def _tokens(text: str, chance: random.Random) -> str:
    tokens = _TOKEN.findall(text)
    for _ in range(chance.randint(1, 3)):
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(5):
            case 0:
                tokens[at] = ""
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 3:
                tokens[at] = tokens[other]
            case _:
                tokens[at] = chance.choice(_STRANGE)
    return "".join(tokens)


def _damaged_json(origin: str, chance: random.Random) -> bytes | None:
    text = _as_json(origin)
    if text is None:
        return None
    value = json.loads(text)
    for _ in range(chance.randint(1, 2)):
        holders, waiting = [], [value]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict | list) and one:
                holders.append(one)
                waiting += one.values() if isinstance(one, dict) else one
        if not holders:
            break
        holder = chance.choice(holders)
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        match chance.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 2:
                donor = chance.choice(holders)
                taken = donor if isinstance(donor, list) else list(donor.values())
                holder[key] = json.loads(json.dumps(chance.choice(taken)))
            case _:
                holder[key] = chance.choice(_VALUES)
    return json.dumps(value).encode()


# -- other meanings ----------------------------------------------------------------------------


def _replaced(pattern: re.Pattern[str], text: str, new: str, chance: random.Random) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    one = chance.choice(found)
    return text[: one.start()] + new + text[one.end() :]


def _number(text: str, chance: random.Random) -> str:
    """Make a number extreme."""
    return _replaced(_NUMBER, text, chance.choice(_EXTREME), chance)


def _scaled(text: str, chance: random.Random) -> str:
    """Change a number a little, or its sign."""
    new = f"{chance.choice((-1, 1)) * chance.random() * 10 ** chance.randint(-3, 3):.3g}"
    return _replaced(_NUMBER, text, f"({new})" if new.startswith("-") else new, chance)


def _unit(text: str, chance: random.Random) -> str:
    """Change a unit."""
    return _replaced(re.compile(r"(?<=: )[a-zA-Z][\w/*^]*"), text, chance.choice(_UNITS), chance)


def _swapped(text: str, chance: random.Random) -> str:
    """Write one name for another."""
    names = _NAME.findall(text)
    return _replaced(_NAME, text, chance.choice(names), chance) if names else text


def _renamed(text: str, chance: random.Random) -> str:
    """Exchange two names throughout."""
    names = sorted(set(_NAME.findall(text)))
    one, other = chance.choice(names), chance.choice(names)
    pairs = {one: other, other: one}
    return _NAME.sub(lambda m: pairs.get(m[0], m[0]), text)


def _without(text: str, chance: random.Random) -> str:
    """Leave out a line."""
    lines = text.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return "".join(lines)


def _twice(text: str, chance: random.Random) -> str:
    """Put a line somewhere else again."""
    lines = text.splitlines(keepends=True)
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return "".join(lines)


def _moved(text: str, chance: random.Random) -> str:
    """Exchange two lines."""
    lines = text.splitlines(keepends=True)
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def _unvalued(text: str, chance: random.Random) -> str:
    """Take away the value of something."""
    return _replaced(re.compile(r" = [^,\n{}]+(?=[,\n])"), text, "", chance)


def _sign(text: str, chance: random.Random) -> str:
    """Write another operator."""
    return _replaced(re.compile(r"(?<=\w)\s*[-+*]\s*(?=\w)"), text, chance.choice("+-*"), chance)


def _experiment(text: str, chance: random.Random) -> str:
    """Change what an experiment says."""
    at = text.find("experiment ")
    if at < 0:
        name = re.search(r"model (\w+)", text)
        of = name[1] if name else "M"
        return text + f"\nexperiment e of {of} {{ simulate 0 s .. 0.01 s every 1 ms }}\n"
    change = chance.choice((_number, _scaled, _swapped, _without, _moved, _twice))
    return text[:at] + change(text[at:], chance)


_MEANINGS: Final = (
    *(_number, _number, _number, _scaled, _scaled, _scaled, _unit, _swapped, _renamed, _without),
    *(_twice, _moved, _unvalued, _unvalued, _experiment, _experiment, _experiment, _sign, _sign),
)
