"""How models are written in programming languages: expressions, names and comments.

One printer, and one table for each language. A name of the model is kept where it is a plain ASCII
identifier that nothing else has; texts of a model reach code in comments only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import safe_text
from mbx.expr.nodes import ADD, CHOOSE, FUNCTION, LESS, NUMBER, POWER, PRODUCT, SCALE, SYMBOL, Node

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mbx.codegen.routine import Argument, Routine
    from mbx.codegen.target import Subject


__all__ = [
    "ModelNames",
    "Printer",
    "Syntax",
    "about",
    "float_text",
    "function_names",
    "inert",
    "listed",
    "name_arguments",
    "words_in",
]

_LONGEST_COMMENT: Final = 500
_NAMED: Final = ("pi", "beta")
"""Results whose rows are neither variables nor invariants."""
_WIDTH: Final = 90
_TITLES: Final = {
    "q": "coordinates",
    "u": "speeds",
    "higher": "accelerations and beyond that belong to the state",
    "inputs": "inputs",
    "parameters": "parameters",
}


def inert(text: str) -> str:
    """Return a text that is a comment in C, Python, MATLAB, Julia and Modelica, and nothing else.

    Signs that could end a comment, continue a line or stand for another character are parted.
    """
    ascii_text = safe_text(text).encode("ascii", "backslashreplace").decode("ascii")
    parted = re.sub(
        r"(?<=\*)(?=/)|(?<=/)(?=[*/])|(?<=\?)(?=\?)|(?<=#)(?==)|(?<==)(?=#)", " ", ascii_text
    )
    parted = re.sub(r"(?<=[%#])(?=[{}%])", " ", parted).replace("...", ". . .")
    parted = re.sub("coding(?=[:=])", "coding ", " ".join(parted.split()))
    return parted[:_LONGEST_COMMENT].rstrip("\\")


def about(subject: Subject) -> Iterator[str]:
    """Yield lines that say what the code is: inert."""
    one = subject.equations
    form = f"{one.formalism}:{one.variant}" if one.variant else one.formalism
    what = "Equations of motion" if "ud" in one.results else "Inverse dynamics"
    yield f"{what} of {inert(one.model)} in the form {inert(form)}."
    yield inert(one.title)
    yield "Written by mbx; numbers are in SI units."
    for key in _NAMED:
        if key in one.results:
            names = ", ".join(one.step(one.results[key]).row_labels)
            yield from map(inert, wrap(f"{key}: {names}", _WIDTH, subsequent_indent="    "))


def listed(routine: Routine, first: int = 0) -> Iterator[str]:
    """Yield lines that say what each argument is, by group and place from `first`: inert."""
    for group, title in _TITLES.items():
        arguments: Iterable[Argument] = routine.group(group)  # type: ignore[arg-type]
        for k, one in enumerate(arguments):
            if not k:
                yield f"{title}:"
            own = "" if one.default is None else f" = {one.default!r}"
            meaning = f"  {inert(one.meaning)}" if one.meaning else ""
            yield f"  {one.index + first}: {inert(one.path)} [{inert(one.unit)}]{own}{meaning}"


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


_SUM: Final = 1
_PRODUCT: Final = 2
_ATOM: Final = 3
_SHORT: Final = 4
"""Up to this power, a product is written."""
_HALF: Final = Fraction(1, 2)


def float_text(value: Any) -> str:
    """Return a number as a literal that is read as the same double in every language here."""
    text = repr(float(value))
    return text if "e" not in text or "." in text else text.replace("e", ".0e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """A language: templates of operations, with `{0}`, `{1}`, `{2}` for what they are made of.

    Attributes:
        functions: Templates of elementary functions by name; `sqrt` and `power` are among them.
        less: Template of a condition as a number, 1 or 0.
        test: Template of the condition itself, as `choose` takes it.
        given: Template of a number as a condition.
        choose: Template of a choice: condition, value if it holds, value if not.
        times, over: Signs of multiplication and division, by element where that is a choice.
        number: Template of a literal.
    """

    functions: Mapping[str, str]
    less: str
    test: str
    given: str
    choose: str
    times: str = "*"
    over: str = "/"
    number: str = "{0}"


@dataclass(frozen=True, slots=True)
class Printer:
    """Writes expressions in a language; `names` says what nodes are called that have a name."""

    syntax: Syntax
    names: dict[Node, str] = field(default_factory=dict)

    def text(self, node: Node) -> str:
        """Return an expression."""
        return self._named(node)[0]

    def definition(self, node: Node) -> str:
        """Return what a node is made of, also if it has a name."""
        return self._written(node)[0]

    def _named(self, node: Node) -> tuple[str, int]:
        name = self.names.get(node)
        return (name, _ATOM) if name is not None else self._written(node)

    def _at(self, node: Node, level: int) -> str:
        text, own = self._named(node)
        return text if own >= level else f"({text})"

    def _number(self, value: Any) -> str:
        return self.syntax.number.format(float_text(value))

    def _written(self, node: Node) -> tuple[str, int]:
        s = self.syntax
        match node.op:
            case _ if node.op is NUMBER:
                return self._number(node.value), _ATOM if node.value >= 0 else _SUM
            case _ if node.op is ADD:
                return self._sum(node), _SUM
            case _ if node.op is SCALE:
                if node.value == -1:
                    return f"-{self._at(node.args[0], _PRODUCT)}", _SUM
                level = _PRODUCT if node.value >= 0 else _SUM
                return (
                    f"{self._number(node.value)}{s.times}{self._at(node.args[0], _PRODUCT)}",
                    level,
                )
            case _ if node.op is PRODUCT:
                return self._product(*node.args), _PRODUCT
            case _ if node.op is POWER:
                return self._power(node)
            case _ if node.op is LESS:
                return s.less.format(*map(self.text, node.args)), _ATOM
            case _ if node.op is CHOOSE:
                condition, *rest = node.args
                return s.choose.format(self._test(condition), *map(self.text, rest)), _ATOM
            case _ if node.op is FUNCTION:
                return s.functions[node.value].format(*map(self.text, node.args)), _ATOM
        message = f"a symbol without a name: {node.value}" if node.op is SYMBOL else node.op
        raise KeyError(message)

    def _test(self, condition: Node) -> str:
        if condition.op is LESS and condition not in self.names:
            return self.syntax.test.format(*map(self.text, condition.args))
        return self.syntax.given.format(self.text(condition))

    def _sum(self, node: Node) -> str:
        text = ""
        for part in node.args:
            sign, body = "+", part
            if part.op is SCALE and part not in self.names and part.value < 0:
                sign = "-"
                inner = self._at(part.args[0], _PRODUCT)
                size = "" if part.value == -1 else self._number(-part.value) + self.syntax.times
                said = f"{size}{inner}"
            else:
                said = self._at(body, _PRODUCT)
            if text:
                text += f" {sign} {said}"
            else:
                text = said if sign == "+" else f"-{said}"
        if node.value:
            text += f" {'+' if node.value > 0 else '-'} {self._number(abs(node.value))}"
        return text

    def _product(self, a: Node, b: Node) -> str:
        s = self.syntax
        for one, other in ((a, b), (b, a)):
            if other.op is POWER and other.value == -1 and other not in self.names:
                bottom = self._at(other.args[0], _ATOM)
                return f"{self._at(one, _PRODUCT)}{s.over}{bottom}"
        # what is a quotient on the right stays one number
        right = self._at(b, _ATOM) if _divides(b) else self._at(b, _PRODUCT)
        return f"{self._at(a, _PRODUCT)}{s.times}{right}"

    def _power(self, node: Node) -> tuple[str, int]:
        s, exponent = self.syntax, node.value
        if exponent < 0:
            bottom = self._raised(node.args[0], -exponent)
            return f"{self._number(1)}{s.over}{bottom}", _PRODUCT
        text = self._raised(node.args[0], exponent)
        return text, _ATOM

    def _raised(self, base: Node, exponent: Any) -> str:
        """Return a positive power as something that needs no brackets."""
        s = self.syntax
        if exponent == 1:
            return self._at(base, _ATOM)
        if exponent == _HALF:
            return s.functions["sqrt"].format(self.text(base))
        if exponent.__class__ is int and exponent <= _SHORT and (base in self.names):
            return f"({s.times.join([self.names[base]] * exponent)})"
        return s.functions["power"].format(self.text(base), self._number(exponent))


def _divides(node: Node) -> bool:
    if node.op is PRODUCT:
        return any(_divides(a) for a in node.args)
    return node.op is POWER and node.value < 0
