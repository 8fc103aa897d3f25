"""Small programs whose results are known in closed form."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mbx.expr.build import add, function, mul, neg, power, scale
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.formalism.equations import Equations, Quantity, Signature
from mbx.formalism.program import Residual, Step

T = symbol("t")
THETA, RATE = symbol("theta"), symbol("theta'")
MASS, LENGTH, GRAVITY = symbol("m"), symbol("l"), symbol("g")
X, Y = symbol("x"), symbol("y")


def column(name: str, *entries: Node) -> Step:
    """Return a column of expressions."""
    return Step(name=name, op="define", entries=tuple((entry,) for entry in entries))


def matrix(name: str, *rows: tuple[Node, ...]) -> Step:
    """Return a matrix of expressions."""
    return Step(name=name, op="define", entries=rows)


def program(*steps: Step, results: dict[str, str] | None = None, **more: Any) -> Equations:
    """Return equations of x and y with these steps."""
    signature = Signature(
        t=T,
        q=(Quantity(symbol=X, path="x", unit="m"), Quantity(symbol=Y, path="y", unit="m")),
        u=(),
    )
    return Equations(
        formalism="example",
        title="An example",
        reference="none",
        model="M",
        signature=signature,
        steps=steps,
        results=results or {},
        **more,
    )


def pendulum() -> Equations:
    """Return m l^2 theta'' = -m g l sin(theta), with l = 2 and m = l/4 unless said otherwise."""
    inertia = mul(MASS, power(LENGTH, 2))
    torque = neg(mul(MASS, mul(GRAVITY, mul(LENGTH, function("sin", THETA)))))
    return Equations(
        formalism="example",
        title="An example",
        reference="none",
        model="Pendulum",
        signature=Signature(
            t=T,
            q=(Quantity(symbol=THETA, path="theta", unit="rad"),),
            u=(Quantity(symbol=RATE, path="theta'", unit="rad/s"),),
            parameters=(
                Quantity(symbol=LENGTH, path="l", unit="m", value=number(2)),
                Quantity(symbol=MASS, path="m", unit="kg", value=scale(Fraction(1, 4), LENGTH)),
                Quantity(symbol=GRAVITY, path="g", unit="m/s^2"),
            ),
        ),
        steps=(
            matrix("M", (inertia,)),
            column("h", torque),
            Step(name="a", op="solve", args=("M", "h"), kind="positive"),
            column("v", RATE),
            column("R", ZERO, mul(MASS, GRAVITY), ZERO, ZERO, ZERO, ONE),
        ),
        results={"ud": "a", "qd": "v", "M": "M", "h": "h", "reaction:pin": "R"},
        residuals=(own_residual(),),
    )


def own_residual() -> Residual:
    """Return M ud - h, and |M| |ud| + |h|."""
    return Residual(
        name="balance",
        steps=(
            Step(name="a", op="given", size=(1, 1)),
            Step(name="Ma", op="product", args=("M", "a")),
            Step(name="r", op="sum", args=("Ma", "h"), signs=(1, -1)),
            Step(name="abs_Ma", op="absolute", args=("Ma",)),
            Step(name="abs_h", op="absolute", args=("h",)),
            Step(name="size", op="sum", args=("abs_Ma", "abs_h")),
        ),
        value="r",
        magnitude="size",
    )


def friction(mu: float, r0: tuple[float, float], r1: tuple[float, float]) -> Equations:
    """Return the implicit step N = |r0 - mu N r1| of Coulomb friction."""
    N = symbol("N")
    parts = [add(number(a), scale(-mu * b, N)) for a, b in zip(r0, r1, strict=True)]
    size = power(add(*(power(part, 2) for part in parts)), 0.5)
    return program(
        Step(
            name="N",
            op="implicit",
            unknown="y",
            residual="g",
            steps=(
                Step(name="y", op="given", size=(1, 1), entries=((N,),)),
                column("F", size),
                Step(name="g", op="sum", args=("y", "F"), signs=(1, -1)),
            ),
        )
    )
