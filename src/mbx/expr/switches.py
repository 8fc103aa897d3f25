"""Switches: signs, absolute values and conditions, and the surfaces at which they switch.

On each side of the surface of a switch, where its argument is positive or negative, a smooth
expression stands for it: 1 or -1 for sign(s), s or -s for abs(s), and 1 or 0 for a condition a < b,
whose argument is b - a.
"""

from __future__ import annotations

from mbx.expr.build import mul, sub
from mbx.expr.nodes import FUNCTION, LESS, ONE, ZERO, Node, number

__all__ = ["is_jump", "is_switch", "on_side", "surface_of"]


def is_switch(node: Node) -> bool:
    """Return whether the sign of an argument decides what a node is."""
    return is_jump(node) or (node.op is FUNCTION and node.value == "abs")


def is_jump(node: Node) -> bool:
    """Return whether a node is a switch whose value jumps on its surface."""
    return node.op is LESS or (node.op is FUNCTION and node.value == "sign")


def surface_of(switch: Node) -> Node:
    """Return the argument of a switch, which is zero on its surface."""
    return sub(switch.args[1], switch.args[0]) if switch.op is LESS else switch.args[0]


def on_side(switch: Node, side: int) -> Node:
    """Return what stands for a switch where its argument is positive, 1, or negative, -1."""
    if switch.op is LESS:
        return ONE if side > 0 else ZERO
    return number(side) if switch.value == "sign" else mul(number(side), switch.args[0])
