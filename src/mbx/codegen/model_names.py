"""Names of a model in code: for each argument an identifier that the language allows.

A name of the model is kept where it is a plain ASCII identifier that nothing else has. Dots and
indices of a path become underscores, and primes `_dot`, `_ddot`. A name that is taken gets an
underscore or a number behind it. What is no path of a model, which texts of foreign equations may
be, gets the name of its group and its place: no other text of a model reaches code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_comments import inert

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mbx.codegen.code_syntax import Syntax
    from mbx.codegen.routine import Argument, Routine
    from mbx.expr.nodes import Node

__all__ = ["ModelNames", "function_names", "name_arguments", "words_in"]

_SEGMENT: Final = r"[A-Za-z_][A-Za-z0-9_]*(?:\[[0-9]+\])?"
_PATH: Final = re.compile(rf"({_SEGMENT}(?:\.{_SEGMENT})*)('*)")
_LONGEST: Final = 40
"""Letters of a name of the model in code; all languages tell these apart, and a number behind."""
_NAME: Final = re.compile(r"(?![Mm][Bb]_)(?!.*__)[A-Za-z][A-Za-z0-9_]*")
"""Names with two underscores are reserved in C++, and `mb_` begins the names of mbx."""
_TEMPORARY: Final = re.compile(r"[vwy][0-9]+")
"""What values and unknowns are called in written code."""
_ITERATED: Final = re.compile(r"(?:[dgvwy]|sought)[0-9]+")
"""The same where unknowns are iterated for, with their steps."""
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_GROUPS: Final = {"q": "q", "u": "u", "higher": "x", "inputs": "inp", "parameters": "p"}


@dataclass(frozen=True, slots=True)
class ModelNames:
    """What arguments are called in code.

    Attributes:
        of: The name of each argument by its symbol, the time among them.
        arguments: All arguments but the time.
    """

    of: Mapping[Node, str]
    arguments: tuple[Argument, ...]

    def used_in(self, texts: Iterable[str]) -> Iterator[tuple[str, Argument]]:
        """Yield the arguments that occur in texts of code, with their names, in order."""
        words = words_in(texts)
        for one in self.arguments:
            name = self.of[one.symbol]
            if name in words:
                yield name, one

    def changed(self) -> Iterator[str]:
        """Yield lines that map names in code to those of the model where they differ: inert."""
        pairs = [(self.of[one.symbol], one.path) for one in self.arguments]
        different = [(name, path) for name, path in pairs if name != path]
        if different:
            yield "names in this code, and in the model:"
            yield from (f"  {name}: {inert(path)}" for name, path in different)


def name_arguments(routine: Routine, reserved: Collection[str]) -> ModelNames:
    """Return names for the arguments of a routine, none of them a reserved word."""
    time, *arguments = routine.arguments
    found: dict[Node, str] = {time.symbol: "t"}
    taken = {"t", *reserved}
    temporary = _ITERATED if routine.iterations else _TEMPORARY

    def is_free(name: str) -> bool:
        plain = _NAME.fullmatch(name) is not None
        return plain and name not in taken and temporary.fullmatch(name) is None

    for one in arguments:
        if len(one.path) <= _LONGEST and is_free(one.path):
            found[one.symbol] = one.path
            taken.add(one.path)
    for one in arguments:
        if one.symbol not in found:
            name = next(filter(is_free, _candidates(one)))
            found[one.symbol] = name
            taken.add(name)
    return ModelNames(found, tuple(arguments))


def words_in(texts: Iterable[str]) -> set[str]:
    """Return all words of some code."""
    return {word for text in texts for word in _WORD.findall(text)}


def function_names(syntax: Syntax) -> set[str]:
    """Return the names that expressions of a language use."""
    templates = (syntax.less, syntax.test, syntax.given, syntax.choose, syntax.number)
    return words_in([*syntax.functions.values(), *templates])


def _candidates(one: Argument) -> Iterator[str]:
    base = _identifier(one.path)
    if not _NAME.fullmatch(base):
        base = f"{_GROUPS[one.group]}{one.index}"
    yield base
    yield f"{base}_"
    number = 2
    while True:
        yield f"{base}_{number}"
        number += 1


def _identifier(path: str) -> str:
    """Return a path of a model as an identifier; an empty text if it is none."""
    found = _PATH.fullmatch(path)
    if found is None:
        return ""
    plain = re.sub(r"[][._]+", "_", found[1]).strip("_")
    name = f"{plain}_{'d' * len(found[2])}ot" if found[2] else plain
    return name if len(name) <= _LONGEST else ""
