"""The expression kernel: an immutable, hash-consed graph. It knows no mechanics.

Equal expressions are the same object, so every pass costs the number of distinct nodes.
Nodes are made by `symbol`, `number` and the constructors, and compared with `is`.
`evaluate`, `show` and `simplify` are in the modules of these names.
"""

from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.algebra.small_systems import SingularError, generic_rank, solve_cramer
from mbx.expr.build import (
    Matrix,
    Vector,
    add,
    choose,
    divide,
    function,
    less,
    mul,
    neg,
    power,
    scale,
    sub,
    total,
)
from mbx.expr.conditions import at_most, both, either, equal, largest, negation, smallest
from mbx.expr.count import operations
from mbx.expr.cse import definitions
from mbx.expr.derivatives import along, gradient, jacobian, pullback
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered, substitute
from mbx.expr.nodes import ONE, ZERO, Node, Number, number, symbol

__all__ = [
    "ONE",
    "ZERO",
    "Matrix",
    "Node",
    "NotAffineError",
    "Number",
    "SingularError",
    "Vector",
    "add",
    "along",
    "at_most",
    "both",
    "choose",
    "definitions",
    "divide",
    "either",
    "equal",
    "evaluate_arrays",
    "free_symbols",
    "function",
    "generic_rank",
    "gradient",
    "jacobian",
    "largest",
    "less",
    "mul",
    "neg",
    "negation",
    "number",
    "operations",
    "ordered",
    "power",
    "pullback",
    "scale",
    "smallest",
    "solve_cramer",
    "split",
    "sub",
    "substitute",
    "symbol",
    "total",
]
