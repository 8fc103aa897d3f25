"""A program under construction, and the signature of a system: what converters write with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mbx.base.errors import EquationsError
from mbx.expr.nodes import NUMBER
from mbx.expr.walk import free_symbols
from mbx.formalism.equations import Equations, Quantity, Signature
from mbx.formalism.program import Residual, SolveKind, Step, entries_of
from mbx.formalism.shapes import shape
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.shapes import Shape
    from mbx.system.system import Parameter, System, Variable

__all__ = ["Program", "inputs_and_rates", "signature"]


@dataclass(slots=True)
class Program:
    """Steps in the making; every method adds one and returns its name."""

    steps: list[Step] = field(default_factory=list)
    part: str = ""
    within: str = ""
    _entries: dict[str, tuple[tuple[Node, ...], ...]] = field(default_factory=dict)
    _owners: dict[Node, str] = field(default_factory=dict)
    _shapes: dict[str, Shape] = field(default_factory=dict)
    _defined: dict[str, tuple[tuple[Node, ...], ...]] = field(default_factory=dict)

    def add(self, step: Step) -> str:
        """Add a step to the part that was begun last."""
        self.steps.append(replace(step, part=self.part) if self.part else step)
        return step.name

    def begin(self, part: str) -> None:
        """Begin a part of the algorithm, such as a sweep; `within` says of what it is a part."""
        self.part = f"{self.within}: {part}" if self.within else part

    def entries(self, name: str, size: tuple[int, int] | None = None) -> list[list[Node]]:
        """Return the entries of a matrix for expressions in `derived`: numbers, or symbols.

        An entry that is a number is that number, so that zeros are seen. The size is said of
        a matrix that is no step of this program.
        """
        numbers: tuple[tuple[Node, ...], ...] = ()
        if size is None:
            size, numbers = self._size_of(name)
        if name not in self._entries:
            self._entries[name] = entries_of(name, *size)
            self._owners |= {node: name for row in self._entries[name] for node in row}
        named = self._entries[name]
        if not numbers:
            return [list(row) for row in named]
        return [
            [x if x.op is NUMBER else s for x, s in zip(xs, ss, strict=True)]
            for xs, ss in zip(numbers, named, strict=True)
        ]

    def _size_of(self, name: str) -> tuple[tuple[int, int], tuple[tuple[Node, ...], ...]]:
        """Return the size of the matrix of a step, and its entries if it is defined."""
        for step in self.steps[len(self._shapes) :]:
            self._shapes[step.name] = shape(step, self._shapes)
            self._defined[step.name] = step.entries if step.op == "define" else ()
        rows, columns = self._shapes[name]
        if rows is None or columns is None:
            raise EquationsError(f"the size of '{name}' depends on a rank")
        return (rows, columns), self._defined[name]

    def derived(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> str:
        """Add a matrix of expressions that also name `entries` of matrices before it."""
        used = free_symbols(node for row in entries for node in row)
        args = tuple(dict.fromkeys(self._owners[node] for node in used if node in self._owners))
        symbols = tuple(node for arg in args for row in self._entries[arg] for node in row)
        self.define(name, entries, meaning, symbol, rows, columns)
        self.steps[-1] = replace(self.steps[-1], args=args, symbols=symbols)
        return name

    def define(
        self,
        name: str,
        entries: Sequence[Sequence[Node]],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
    ) -> str:
        """Add a matrix of expressions."""
        rows, columns = tuple(rows), tuple(columns)
        size = (len(entries), len(entries[0]) if entries else len(columns))
        return self.add(
            Step(
                name=name,
                op="define",
                entries=tuple(tuple(row) for row in entries),
                size=size,
                meaning=meaning,
                symbol=symbol,
                row_labels=rows,
                column_labels=columns,
            )
        )

    def column(
        self,
        name: str,
        entries: Sequence[Node],
        meaning: str = "",
        symbol: str = "",
        rows: Iterable[str] = (),
    ) -> str:
        """Add a column of expressions."""
        rows = tuple(rows)
        return self.add(
            Step(
                name=name,
                op="define",
                entries=tuple((entry,) for entry in entries),
                size=(len(entries), 1),
                meaning=meaning,
                symbol=symbol,
                row_labels=rows,
            )
        )

    def product(self, name: str, *args: str, meaning: str = "", symbol: str = "") -> str:
        """Add a product."""
        return self.add(Step(name=name, op="product", args=args, meaning=meaning, symbol=symbol))

    def sum(
        self,
        name: str,
        *args: str,
        signs: tuple[int, ...] = (),
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add a sum; without signs, all are plus."""
        signs = signs or (1,) * len(args)
        return self.add(
            Step(name=name, op="sum", args=args, signs=signs, meaning=meaning, symbol=symbol)
        )

    def transpose(self, name: str, arg: str, meaning: str = "") -> str:
        """Add a transpose."""
        return self.add(Step(name=name, op="transpose", args=(arg,), meaning=meaning))

    def absolute(self, name: str, arg: str) -> str:
        """Add the magnitudes of a matrix."""
        return self.add(Step(name=name, op="absolute", args=(arg,)))

    def block(self, name: str, grid: Sequence[Sequence[str | None]], meaning: str = "") -> str:
        """Add a matrix of blocks."""
        return self.add(
            Step(name=name, op="block", grid=tuple(tuple(r) for r in grid), meaning=meaning)
        )

    def rows(self, name: str, arg: str, indices: Iterable[int], meaning: str = "") -> str:
        """Add some rows of a matrix."""
        return self.add(
            Step(name=name, op="rows", args=(arg,), indices=tuple(indices), meaning=meaning)
        )

    def solve(
        self,
        name: str,
        matrix: str,
        right: str,
        kind: SolveKind = "general",
        unique: int | None = None,
        together: int = 0,
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add the solution of linear equations."""
        return self.add(
            Step(
                name=name,
                op="solve",
                args=(matrix, right),
                kind=kind,
                unique=unique,
                together=together,
                meaning=meaning,
                symbol=symbol,
            )
        )

    def pinv(self, name: str, arg: str, meaning: str = "") -> str:
        """Add a Moore-Penrose inverse."""
        return self.add(Step(name=name, op="pinv", args=(arg,), meaning=meaning))

    def sqrtm(self, name: str, arg: str, meaning: str = "") -> str:
        """Add the square root of a symmetric positive definite matrix."""
        return self.add(Step(name=name, op="sqrtm", args=(arg,), meaning=meaning))

    def identity(self, name: str, n: int, meaning: str = "") -> str:
        """Add a unit matrix."""
        return self.add(Step(name=name, op="identity", size=(n, n), meaning=meaning))

    def nullspace(
        self,
        name: str,
        arg: str,
        independent: tuple[int, ...] | None = None,
        meaning: str = "",
        symbol: str = "",
    ) -> str:
        """Add columns that a matrix takes to zero."""
        return self.add(
            Step(
                name=name,
                op="nullspace",
                args=(arg,),
                indices=independent,
                meaning=meaning,
                symbol=symbol,
            )
        )

    def given(self, name: str, symbols: Sequence[Node] = (), size: int | None = None) -> str:
        """Add a column that comes from outside; symbols stand for its entries, if any."""
        count = len(symbols) if size is None else size
        return self.add(
            Step(
                name=name,
                op="given",
                size=(count, 1),
                entries=tuple((s,) for s in symbols),
            )
        )

    def equations(
        self,
        system: System,
        formalism: str,
        title: str,
        reference: str,
        results: Mapping[str, str],
        residuals: Sequence[Residual] = (),
        variant: str = "",
        notes: Sequence[str] = (),
    ) -> Equations:
        """Return the finished equations; the kinematics qd = N u + n is the same in all forms."""
        results = dict(results)
        if self.part:
            self.begin("rates of the coordinates")
        if "qd" not in results and system.q:
            rates = [system.qd[v.rate] for v in system.q]
            results["qd"] = self.column(
                "qd", rates, "rates of the coordinates", rows=[v.path for v in system.q]
            )
        return Equations(
            formalism=formalism,
            variant=variant,
            title=title,
            reference=reference,
            model=system.name,
            signature=signature(system, self.steps, residuals),
            steps=tuple(self.steps),
            results=results,
            residuals=tuple(residuals),
            notes=(*system.notes, *notes),
        )


def _quantity(one: Variable | Parameter) -> Quantity:
    return Quantity(
        symbol=one.symbol,
        path=one.path,
        unit=one.unit,
        meaning=one.meaning,
        latex=one.latex,
        value=getattr(one, "value", None),
    )


def signature(
    system: System, steps: Iterable[Step] = (), residuals: Iterable[Residual] = ()
) -> Signature:
    """Return the symbols that equations of a system take in."""
    u = tuple(_quantity(v) for v in system.u)
    known = {x.symbol for x in u}
    used: set[Node] = set()
    if system.inputs or any(v.rate not in known for v in system.q):
        used = set(_symbols([*steps, *(s for r in residuals for s in r.steps)]))
    inputs = _inputs(system, used)
    derived = tuple(
        Quantity(
            symbol=v.rate,
            path=v.path + "'",
            unit=f"{v.unit}/s",
            meaning=f"rate of {v.path}",
            value=system.qd[v.rate],
        )
        for v in system.q
        if v.rate not in known and v.rate in used
    )
    rates = [_rates(system, k) for k in range(1, system.order)]
    return Signature(
        t=TIME,
        q=tuple(_quantity(v) for v in system.q),
        u=u,
        higher=tuple(x for level in rates[:-1] for x in level),
        highest=rates[-1],
        inputs=inputs,
        parameters=tuple(_quantity(p) for p in system.parameters),
        derived=derived,
    )


def _rates(system: System, order: int) -> tuple[Quantity, ...]:
    """Return the rates of the speeds of some order."""
    found = []
    for v in system.u:
        symbol = v.symbol
        for _ in range(order):
            symbol = system.rates.direction[symbol]
        found.append(
            Quantity(
                symbol=symbol,
                path=str(symbol.value),
                unit=v.unit + "/s" * order,
                meaning=f"rate of {v.path}",
            )
        )
    return tuple(found)


def inputs_and_rates(system: System) -> dict[Node, Quantity]:
    """Return the inputs of a system and their rates, each by its symbol."""
    chains: dict[Node, Quantity] = {}
    for one in system.inputs:
        symbol, value = one.symbol, one.value
        chains[symbol] = _quantity(one)
        for _ in range(max(2, system.order)):
            symbol = system.rates.direction[symbol]
            value = None if value is None else system.rates([value])[0]
            path: str = symbol.value
            chains[symbol] = replace(
                _quantity(one), symbol=symbol, path=path, value=value, latex=""
            )
    return chains


def _inputs(system: System, used: set[Node]) -> tuple[Quantity, ...]:
    """Return the inputs, and the rates of inputs that the equations need.

    What the values of these name, rates of other inputs among it, is used from then on.
    """
    chains = inputs_and_rates(system)
    pending = [symbol for symbol in chains if symbol in used]
    pending += [one.symbol for one in system.inputs if one.symbol not in used]
    while pending:
        needed = chains[pending.pop()]
        used.add(needed.symbol)
        new = [s for s in free_symbols([needed.value] if needed.value else []) if s not in used]
        used.update(new)
        pending += [symbol for symbol in new if symbol in chains]
    return tuple(one for symbol, one in chains.items() if symbol in used)


def _symbols(steps: Iterable[Step]) -> list[Node]:
    entries: list[Node] = []
    for step in steps:
        if step.op == "define":
            entries += [e for row in step.entries for e in row]
        entries += _symbols(step.steps)
    return free_symbols(entries)
