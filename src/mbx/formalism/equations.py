"""Equations: the result of every converter, with its signature and the states that it carries.

Where rows depend on each other, code is written for the rank that a matrix has in general position,
and pivots are chosen that vanish at none of some further states. These states belong to the
equations (chapter 6 of the specification).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mbx.base.late import late, view
from mbx.base.short_repr import join_names, shorten_repr
from mbx.expr.evaluate import free_symbols
from mbx.language.units import dimension_text, per_second
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.codegen.native.function import Function
    from mbx.codegen.native.program_function import ProgramFunction
    from mbx.codegen.runtime.sympy_runtime import SymbolicEquations
    from mbx.codegen.shown_matrix import ShownMatrix
    from mbx.codegen.target import WrittenText
    from mbx.expr.nodes import Node
    from mbx.formalism.page.page import Page
    from mbx.formalism.program import Residual, Step
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import Parameter, System, Variable


__all__ = [
    "Equations",
    "Quantity",
    "Row",
    "SampledStates",
    "Signature",
    "finite",
    "inputs_and_rates",
    "sampled_symbols",
    "signature",
]


def _quantity(item: Variable | Parameter) -> Quantity:
    return Quantity(
        symbol=item.symbol,
        path=item.path,
        unit=item.unit,
        meaning=item.meaning,
        latex=item.latex,
        value=getattr(item, "value", None),
        start=getattr(item, "start", None),
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
            unit=per_second(v.unit),
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
    rates = []
    for v in system.u:
        symbol = v.symbol
        for _ in range(order):
            symbol = system.rates.direction[symbol]
        rates.append(
            Quantity(
                symbol=symbol,
                path=str(symbol.value),
                unit=per_second(v.unit, order),
                meaning=f"rate of {v.path}",
            )
        )
    return tuple(rates)


def inputs_and_rates(system: System) -> dict[Node, Quantity]:
    """Return the inputs of a system and their rates, each by its symbol."""
    chains: dict[Node, Quantity] = {}
    for item in system.inputs:
        symbol, value = item.symbol, item.value
        chains[symbol] = _quantity(item)
        for order in range(1, max(2, system.order) + 1):
            symbol = system.rates.direction[symbol]
            value = None if value is None else system.rates([value])[0]
            path: str = symbol.value
            unit = per_second(item.unit, order)
            chains[symbol] = replace(
                _quantity(item), symbol=symbol, path=path, unit=unit, value=value, latex=""
            )
    return chains


def _inputs(system: System, used: set[Node]) -> tuple[Quantity, ...]:
    """Return the inputs, and the rates of inputs that the equations need.

    What the values of these name, rates of other inputs among it, is used from then on.
    """
    chains = inputs_and_rates(system)
    pending = [symbol for symbol in chains if symbol in used]
    pending += [item.symbol for item in system.inputs if item.symbol not in used]
    while pending:
        needed = chains[pending.pop()]
        used.add(needed.symbol)
        new = [s for s in free_symbols([needed.value] if needed.value else []) if s not in used]
        used.update(new)
        pending += [symbol for symbol in new if symbol in chains]
    return tuple(item for symbol, item in chains.items() if symbol in used)


def _symbols(steps: Iterable[Step]) -> list[Node]:
    entries: list[Node] = []
    for step in steps:
        if step.op == "define":
            entries += [e for row in step.entries for e in row]
        entries += _symbols(step.steps)
    return free_symbols(entries)


Row = tuple[float | None, ...]
"""The values of the symbols at one state; None where there is no finite value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledStates:
    """Consistent states of a model.

    Attributes:
        invariants: Number of equations that the invariants are, those of closed loops included.
        independent: Rank of these equations; None if it is not known.
        constants: Values that are the same at all states: of parameters, and of most inputs.
        symbols: All other symbols, in the order of the values of a state.
        general: States in general position, at which ranks are determined.
        further: States at which pivots must not vanish: the start, rest, the states that the
            model names, those in general position, and more of these.
        reason: Why there are none, if there is no consistent state.
    """

    invariants: int
    independent: int | None = None
    constants: Mapping[Node, float | None] = field(default_factory=dict)
    symbols: tuple[Node, ...] = ()
    general: tuple[Row, ...] = ()
    further: tuple[Row, ...] = ()
    reason: str = ""


def finite(x: float) -> float | None:
    """Return a number as a value of a sampled state: None unless it is finite."""
    return x if math.isfinite(x) else None


def sampled_symbols(signature: Signature) -> Iterable[Node]:
    """Yield the symbols that have a value at every sampled state."""
    yield signature.t
    groups = (signature.q, signature.u, signature.higher, signature.inputs)
    for group in (*groups, signature.parameters, signature.derived):
        for quantity in group:
            yield quantity.symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A symbol of the equations: what it is called, and what it means.

    `value` is the default: an expression of quantities that come before it, or nothing. `start`
    is the initial value of a coordinate or a speed, where the model gives one. `unit` is the SI
    unit to display; its dimension, where a radian is a pure number, is what computations compare.
    """

    symbol: Node
    path: str
    unit: str
    meaning: str = ""
    latex: str = ""
    value: Node | None = None
    start: float | None = None

    @property
    def dimension(self) -> str:
        """The dimension of its unit in base units: rad is 1."""
        return dimension_text(self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Every symbol that the equations take in: time, coordinates, speeds, inputs, parameters.

    `higher` are the accelerations and beyond that are part of the state where invariants of
    order 3 or more are present. `highest` are the unknowns: the rates of the speeds, or of
    the last of `higher`. `derived` are rates that a form is written in, with what they are
    in q and u.
    """

    t: Node
    q: tuple[Quantity, ...]
    u: tuple[Quantity, ...]
    higher: tuple[Quantity, ...] = ()
    highest: tuple[Quantity, ...] = ()
    inputs: tuple[Quantity, ...] = ()
    parameters: tuple[Quantity, ...] = ()
    derived: tuple[Quantity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Equations:
    """Equations of motion of one system in one form.

    Attributes:
        formalism: Name of the converter.
        variant: Name of its variant, or "".
        title: The form's name in prose.
        reference: The text it follows.
        model: Name of the model.
        signature: The symbols.
        steps: The program, in order.
        results: Names of matrices by meaning. `ud` (rates of u, or the highest derivative),
            `qd`, `p` and `pd` (momenta and their rates), `H` (Hamiltonian, or Hessian),
            `Fc` (ideal constraint force, per speed), `lam`, `A`, `b`, `M`, `h`,
            `quasi` (declared variables of order 2 and more, and their rates up to the order of
            the unknowns, named by the row labels of its step),
            `reaction:PATH` (force and torque of a joint, six rows, ground components),
            `open:PATH` (null vectors of the equations in the same rows: what is not zero there
            is not unique).
        residuals: The form's own equations.
        notes: What was done on the way that a reader should know.
        states: Sampled states at which ranks and pivots are chosen; None if the program needs
            none, or has not been specialised.
        page: The equations as a text prints them; None where they were derived without.
    """

    formalism: str
    variant: str = ""
    title: str
    reference: str
    model: str
    signature: Signature
    steps: tuple[Step, ...]
    results: Mapping[str, str]
    residuals: tuple[Residual, ...] = ()
    notes: tuple[str, ...] = field(default=())
    states: SampledStates | None = field(default=None, repr=False)
    page: Page | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        """Return the model, the form and the names of the results."""
        return shorten_repr(f"<Equations {self.model}, {self.title}: {join_names(self.results)}>")

    @classmethod
    def read(cls, path: str) -> Equations:
        """Return the equations in a JSON file that mbx wrote, or raise `SourceError`."""
        equations: Equations = late("mbx.pipeline:read_equations")(path)
        return equations

    @classmethod
    def loads(cls, text: str) -> Equations:
        """Return the equations that a JSON text holds, or raise `SourceError`."""
        equations: Equations = late("mbx.pipeline:loads_equations")(text)
        return equations

    def step(self, name: str) -> Step:
        """Return a step of the program by its name."""
        for each in self.steps:
            if each.name == name:
                return each
        raise KeyError(name)

    def evaluate(
        self,
        state: Mapping[str, Any],
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        t: Any = 0.0,
    ) -> Evaluation:
        """Return what the equations give at a state, by paths; arrays are many states."""
        evaluate = late("mbx.numerics.execute.evaluate_equations:evaluate")
        result: Evaluation = evaluate(self, state, parameters, inputs, t)
        return result

    def write(
        self,
        target: str = "text",
        values: Mapping[str, float] | None = None,
        *,
        frozen: bool = False,
    ) -> WrittenText:
        """Return the equations as text or code, as `mbx.write` does."""
        written: WrittenText = late("mbx.pipeline:write")(self, target, values, frozen=frozen)
        return written

    def compile(
        self,
        results: Sequence[str] = ("ud", "qd"),
        values: Mapping[str, float] | None = None,
        *,
        frozen: bool = False,
        backend: str | None = None,
    ) -> Function | ProgramFunction:
        """Return the equations as a function of arrays, as `mbx.compile` does."""
        compile_equations = late("mbx.pipeline:compile")
        function: Function | ProgramFunction = compile_equations(
            self, results, values, frozen=frozen, backend=backend
        )
        return function

    def to_sympy(self, values: Mapping[str, float] | None = None) -> SymbolicEquations:
        """Return the equations as objects of SymPy, named as its own methods name them.

        `values` of parameters, in SI units by path, are put in as numbers.
        """
        symbolic: SymbolicEquations = late("mbx.pipeline:to_sympy")(self, values)
        return symbolic

    @property
    def mass_matrix(self) -> ShownMatrix:
        """M in M ud = h + Fc as the page shows it, where the form writes it as expressions."""
        return self._matrix("mass_matrix", "M")

    @property
    def forcing(self) -> ShownMatrix:
        """The column h in M ud = h + Fc, likewise."""
        return self._matrix("forcing", "h")

    def _repr_html_(self) -> str | None:
        return view("equations_html", self)

    def _repr_latex_(self) -> str | None:
        return view("equations_latex", self)

    def _matrix(self, attribute: str, meaning: str) -> ShownMatrix:
        # entries of other matrices mean nothing without these; reactions that are unknown may stand
        written = [
            key
            for key, name in self.results.items()
            if (step := self.step(name)).op == "define"
            and all(self.step(arg).op == "implicit" for arg in step.args)
        ]
        if meaning in written:
            matrix: ShownMatrix = late("mbx.codegen.shown_matrix:shown_matrix")(self, meaning)
            return matrix
        message = (
            f"{self.formalism} has no {attribute}: it does not write {meaning} as expressions, "
            f"only {', '.join(written) or 'nothing'}; evaluate(state) gives numbers of "
            f"{', '.join(self.results)}"
        )
        raise AttributeError(message)
