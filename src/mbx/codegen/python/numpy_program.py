"""A matrix program as statements in NumPy: the steps as they are, on stacks of matrices.

Every step is one statement; expressions that are used more than once, or are long, have names
of their own and come before the first matrix that needs them.
"""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.codegen.code_syntax import Printer, Syntax, inert
from mbx.codegen.routine import Routine
from mbx.codegen.schedule import schedule
from mbx.expr.evaluate import free_symbols, ordered, substitute
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.formalism.shapes import needs
from mbx.numerics.execute.step_kinds import cleans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.python.numpy_ranks import Ranks
    from mbx.formalism.program import Step

__all__ = ["SYNTAX", "Program"]

_SAME: Final = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "abs", "sign", "sqrt")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"np.{name}({{0}})" for name in _SAME},
        **{name: f"np.arc{name[1:]}({{0}})" for name in ("asin", "acos", "atan")},
        "atan2": "np.arctan2({0}, {1})",
        "power": "np.power({0}, {1})",
    },
    less="np.where(({0}) < ({1}), 1.0, 0.0)",
    test="({0}) < ({1})",
    given="{0} != 0.0",
    choose="np.where({0}, {1}, {2})",
)
_OURS: Final = re.compile(r"[vw][0-9]+|_.*")
"""What expressions are called."""
_WORD: Final = re.compile(r"\b[A-Za-z_]\w*\b")
_TRANSPOSED: Final = "np.swapaxes({0}, 1, 2)"
_SMALL: Final = 16
"""Entries of a matrix that is always written as rows."""


@dataclass(eq=False)
class Program:
    """Steps that become statements, in order.

    Attributes:
        known: Names of arguments by symbol.
        replaced: What stands for symbols that are no arguments.
        ranks: What steps that find ranks find.
        reserved: Names that matrices must not have.
        uses: Functions that the statements call; they grow as statements are written.
    """

    known: Mapping[Node, str]
    replaced: Mapping[Node, Node]
    ranks: Ranks
    reserved: frozenset[str]
    uses: set[str] = field(default_factory=set)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _entries: dict[tuple[str, str], tuple[tuple[Node, ...], ...]] = field(default_factory=dict)
    _printer: Printer = field(init=False)
    _count: int = 0
    _temporaries: set[Node] = field(default_factory=set)
    _watched: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with the arguments."""
        self._printer = Printer(SYNTAX, dict(self.known))

    def take(self, steps: Sequence[Step]) -> None:
        """Name the matrices of all steps, and find which expressions get names of their own."""
        for step in steps:
            if step.op == "given":
                reason = "it comes from outside, and the module has no place for it"
                raise EquationsError(f"'{step.name}' (given) cannot be written: {reason}")
            self._take("", step)
            for inner in step.steps:
                self._take(step.name, inner)
        outer = [key for key in self._entries if not key[0]]
        nodes = [node for key in outer for row in self._entries[key] for node in row]
        self._temporaries = _named(nodes)

    def name(self, step: str) -> str:
        """Return what the matrix of a step is called."""
        return self._names["", step]

    def lines(self, steps: Iterable[Step]) -> Iterator[str]:
        """Yield the statements of steps that have been taken."""
        part = ""
        for step in steps:
            if step.part != part:
                part = step.part
                if part:
                    yield f"# -- {inert(part)}"
            yield from self._step("", step, self._printer, self._temporaries, "v")

    # -- names and entries ---------------------------------------------------------------

    def _take(self, scope: str, step: Step) -> None:
        name = step.name
        taken = {*self._names.values(), *self.reserved, *self.known.values()}
        while name in taken or _OURS.fullmatch(name) or not _free(name):
            name += "_"
        self._names[scope, step.name] = name
        if step.op == "given":
            for i, row in enumerate(step.entries):
                for j, node in enumerate(row):
                    self._printer.names[node] = f"{name}[:, {i}, {j}]"
        for arg in needs(step) if cleans(step) or step.kind is not None else ():
            self._watched.add((scope, arg))
        if step.op == "define":
            self._entries[scope, step.name] = self._own(scope, step)

    def _own(self, scope: str, step: Step) -> tuple[tuple[Node, ...], ...]:
        """Return the entries of a step, with one symbol for each entry of another matrix."""
        own = dict(self.replaced)
        rest = iter(step.symbols)
        for arg in step.args:
            name = self._matrix(scope, arg)
            rows, columns = self._size(scope, arg)
            for i in range(rows):
                for j in range(columns):
                    # no name of a model begins like this
                    unique = symbol(f"\0{name}[{i},{j}]")
                    own[next(rest)] = unique
                    self._printer.names[unique] = f"{name}[:, {i}, {j}]"
        flat = iter(substitute([node for row in step.entries for node in row], own))
        return tuple(tuple(next(flat) for _ in row) for row in step.entries)

    def _matrix(self, scope: str, name: str) -> str:
        return self._names.get((scope, name)) or self._names["", name]

    def _size(self, scope: str, name: str) -> tuple[int, int]:
        return self.sizes.get((scope, name)) or self.sizes["", name]

    sizes: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    # -- statements ----------------------------------------------------------------------

    def _step(
        self, scope: str, step: Step, printer: Printer, named: set[Node], letter: str
    ) -> Iterator[str]:
        name = self._matrix(scope, step.name)
        if step.op == "define":
            entries = [node for row in self._entries[scope, step.name] for node in row]
            for node in ordered(entries):
                if node in named and node not in printer.names:
                    self._count += 1
                    text = printer.definition(node)
                    printer.names[node] = f"{letter}{self._count}"
                    yield f"{letter}{self._count} = {text}"
        if step.meaning:
            yield f"# {inert(step.meaning)}"
        yield from self._zeros(scope, step)
        if step.op == "define":
            yield from self._define(scope, step, printer)
        elif step.op == "implicit":
            yield from self._implicit(step, printer)
        else:
            yield f"{name} = {self._checked(scope, step, self._made(scope, step))}"

    def _checked(self, scope: str, step: Step, text: str) -> str:
        """Return a statement that takes note of states which fail, where that is needed."""
        if step.op in {"solve", "sqrtm", "nullspace"}:
            return self._noted(f"*{text}")
        if step.op == "pinv" or (scope, step.name) in self._watched:
            return self._noted(text)
        return text

    def _noted(self, text: str) -> str:
        self.uses.add("noted")
        return f"noted(status, {text})"

    def _zeros(self, scope: str, step: Step) -> Iterator[str]:
        """Yield what removes rounding from entries that vanish, where a rank is found."""
        found = self.ranks.zeros.get((scope, step.name), ())
        for arg, places in zip(step.args, found, strict=bool(found)):
            if places:
                rows, columns = ([place[k] for place in places] for k in (0, 1))
                name = self._matrix(scope, arg)
                yield f"{name} = {name}.copy()"
                yield f"{name}[:, {rows}, {columns}] = 0.0  # they vanish but for rounding"

    def _define(self, scope: str, step: Step, printer: Printer) -> Iterator[str]:
        rows = self._entries[scope, step.name]
        name = self._matrix(scope, step.name)
        height, width = self._size(scope, step.name)
        count = sum(node is not ZERO for row in rows for node in row)
        # a factor of a matrix, at a pivot that is none
        factor = bool(step.args) and set(
            free_symbols(n for row in step.entries for n in row)
        ) <= set(step.symbols)
        after = ', None, "singular"' if factor else ""
        self.uses.add("noted")
        if not count:
            yield f"{name} = np.zeros((states, {height}, {width}))"
        elif height * width <= _SMALL or 2 * count > height * width:
            self.uses.add("matrix")
            lines = [f"[{', '.join(map(printer.text, row))}]" for row in rows]
            inside = f"[{lines[0]}]" if len(lines) == 1 else _spread(lines)
            yield f"{name} = noted(status, matrix(states, {inside}){after})"
        else:
            yield f"{name} = np.zeros((states, {height}, {width}))"
            for i, row in enumerate(rows):
                for j, node in enumerate(row):
                    if node is not ZERO:
                        yield f"{name}[:, {i}, {j}] = {printer.text(node)}"
            yield f"{name} = noted(status, {name}{after})"

    def _made(self, scope: str, step: Step) -> str:
        """Return what a matrix is made of."""
        args = [self._matrix(scope, arg) for arg in step.args]
        match step.op:
            case "identity" if step.size is not None:
                n = step.size[0]
                return f"np.broadcast_to(np.eye({n}), (states, {n}, {n}))"
            case "product":
                return " @ ".join(args)
            case "sum":
                signs = step.signs or (1,) * len(args)
                parts = (f" {'-' if s < 0 else '+'} {a}" for s, a in zip(signs, args, strict=True))
                text = "".join(parts)
                return f"-{text[3:]}" if text.startswith(" -") else text[3:]
            case "transpose":
                return _TRANSPOSED.format(args[0])
            case "absolute":
                return f"np.abs({args[0]})"
            case "block":
                return self._block(scope, step)
            case "rows":
                return f"{args[0]}[:, {list(step.indices or ())}]"
            case "solve" if step.kind == "least_squares":
                self.uses.add("least_squares")
                more = f", {step.unique}" if step.unique is not None else ""
                more += f", together={step.together}" if step.together else ""
                return f"least_squares({args[0]}, {args[1]}{more})"
            case "solve":
                self.uses.add("solve")
                more = ", positive=True" if step.kind == "positive" else ""
                return f"solve({args[0]}, {args[1]}{more})"
            case "pinv" | "sqrtm":
                self.uses.add(step.op)
                return f"{step.op}({args[0]})"
            case "nullspace":
                self.uses.add("basis")
                more = f", {step.indices}" if step.indices is not None else ""
                return f"basis({args[0]}, {self.ranks.nullities[scope, step.name]}{more})"
        raise NotImplementedError(step.op)

    def _block(self, scope: str, step: Step) -> str:
        rows = []
        for row in step.grid:
            height = next(self._size(scope, n)[0] for n in row if n is not None)
            parts = []
            for j, one in enumerate(row):
                if one is not None:
                    parts.append(self._matrix(scope, one))
                    continue
                column = (other[j] for other in step.grid)
                width = next(self._size(scope, n)[1] for n in column if n is not None)
                parts.append(f"np.zeros((states, {height}, {width}))")
            many = f"np.concatenate([{', '.join(parts)}], axis=2)"
            rows.append(many if len(parts) > 1 else parts[0])
        return rows[0] if len(rows) == 1 else f"np.concatenate({_spread(rows)}, axis=1)"

    def _implicit(self, step: Step, printer: Printer) -> Iterator[str]:
        """Yield the residual as a function inside, and what finds its zero."""
        self.uses |= {"noted", "fixed_point", "regular"}
        inner = Printer(SYNTAX, dict(printer.names))
        keys = [key for key in self._entries if key[0] == step.name]
        nodes = [node for key in keys for row in self._entries[key] for node in row]
        named = _named(node for node in nodes if node not in printer.names)
        body: list[str] = []
        for each in step.steps:
            if each.name != step.unknown:
                body += self._step(step.name, each, inner, named, "w")
        y, name = self._matrix(step.name, step.unknown), self._matrix("", step.name)
        own = {self._names[step.name, each.name] for each in step.steps}
        outside = {*self._names.values(), *printer.names.values()} - own
        words = {word for line in body for word in _WORD.findall(_code(line))}
        taken = sorted(words & outside)
        residual = self._matrix(step.name, step.residual)
        n = self._size("", step.name)[0]
        yield f"given = [{', '.join(taken)}]"
        yield ""
        yield "def residual(at, y):"
        yield "    states, status = len(at), regular(len(at))"
        if taken:
            comma = "," if len(taken) == 1 else ""
            yield f"    {', '.join(taken)}{comma} = (one[at] for one in given)"
        yield f"    {y} = y[:, :, None]"
        yield from (f"    {part}" if part else "" for line in body for part in line.split("\n"))
        yield f"    {residual} = noted(status, {residual})"
        yield '    bad = (status != "regular")[:, None]'
        yield f"    return np.where(bad, np.nan, {residual}[:, :, 0]), status"
        yield ""
        start = (
            f"{self._matrix('', step.args[0])}[:, :, 0]"
            if step.args
            else f"np.zeros((states, {n}))"
        )
        yield f"{name}, faults = fixed_point(residual, {start})"
        yield f"{name} = noted(status, {name}[:, :, None], faults)"


def _code(line: str) -> str:
    return "" if line.startswith("#") else line


def _named(nodes: Iterable[Node]) -> set[Node]:
    stages = schedule(Routine((), (), {}, {}), entries=list(nodes))
    return {node for stage in stages for node in stage.assigned}


def _free(name: str) -> bool:
    return not (keyword.iskeyword(name) or keyword.issoftkeyword(name) or hasattr(builtins, name))


def _spread(parts: Sequence[str]) -> str:
    """Return a list, one part a line."""
    return "[\n" + "".join(f"    {part},\n" for part in parts) + "]"
