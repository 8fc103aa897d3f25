"""What the tests of recursive forward dynamics share: models, states, dense equations, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from formalisms.cases import system, system_of
from mbx.formalism import registry
from mbx.mechanics.motion import in_speeds
from mbx.mechanics.tree.links import links
from mbx.numerics.execute.evaluate_equations import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.mechanics.tree.links import Links
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

VARIANTS: Final = ("projection", "constraints", "coordinates")
PLANE: Final = (0, 1, 5)
"""Rows x, y and phi of (v; w)."""

PAIR_STATE: Final = {
    "xj": 0.1,
    "yj": 0.2,
    "phij": 0.3,
    "thetak": 0.8,
    "xj'": 0.5,
    "yj'": -0.4,
    "phij'": 0.7,
    "thetak'": -1.9,
}
TREE_STATE: Final = {
    "q0": 0.3,
    "q1": 0.8,
    "q2": 0.45,
    "q3": -0.6,
    "q4": 1.2,
    "q0'": 0.7,
    "q1'": -1.9,
    "q2'": 0.35,
    "q3'": 1.1,
    "q4'": -0.8,
}

PAIR: Final = """mbx 1
model Pair {
  param mj: kg = 2, Jj: kg*m^2 = 0.3, mk: kg = 1.5, Jk: kg*m^2 = 0.2
  param sjx: m = 0.4, sjy: m = 0.1, skx: m = -0.5, sky: m = 0.2
  coordinate xj: m = 0, yj: m = 0, phij: rad = 0, thetak: rad = 0
  body parent { mass mj  inertia Jj about z
    joint planar(ground, axis = z, x = xj, y = yj, angle = phij) }
  body child { mass mk  inertia Jk about z
    joint revolute(parent at [sjx, sjy, 0], own at [skx, sky, 0], axis = z, angle = thetak) }
}
"""
"""The second example with all its letters."""

SPACE: Final = """mbx 1
model Space {
  param g: m/s^2 = 9.81, p: m = 0.05, I: kg*m^2 = 1
  coordinate a: rad = 0.3, b: rad = 0.5, c: rad = -0.4, s: m = 0.2, h: rad = 0.6
  coordinate d: rad = 0.2, e: rad = -0.3, f: rad = 0.4, z: m = 0.1, r: rad = 0.7
  coordinate x1: m = 0.1, x2: m = 0.2, x3: m = 0.3, f1: rad = 0.2, f2: rad = 0.3, f3: rad = 0.1
  body one { mass 2 kg  com [0.1 m, 0.02 m, 0.03 m]
    inertia tensor(0.3*I, 0.4*I, 0.5*I, 0.01*I, 0.02*I, 0.03*I)
    joint revolute(ground at [0.1 m, 0.2 m, 0.3 m], axis = [0.6, 0, 0.8], angle = a) }
  body two { mass 1 kg  com [0.05 m, 0.1 m, -0.04 m]
    inertia diag(0.02*I, 0.03*I, 0.04*I)
    joint universal(one at [0.3 m, 0, 0.1 m], own at [-0.1 m, 0.02 m, 0], axis = x, axis2 = y,
        angle = b, angle2 = c) }
  body three { mass 0.5 kg  inertia diag(0.01*I, 0.02*I, 0.03*I)
    joint prismatic(two at [0.1 m, 0.05 m*sin(3 [rad/s]*t + 0.2 rad), 0],
        own at [0, -0.1 m, 0.05 m] rotated x by 0.4 rad, axis = z, distance = s) }
  body four { mass 0.7 kg  com [0.02 m, 0, 0.1 m]  inertia diag(0.02*I, 0.02*I, 0.01*I)
    joint screw(one at [0, 0.2 m, 0], axis = z, pitch = p*(1 [1/rad]), angle = h) }
  body five { mass 0.4 kg  com [0, 0.1 m, 0]  inertia diag(0.01*I, 0.02*I, 0.02*I)
    joint spherical(four at [0, 0, 0.2 m], euler zxy by (d, e, f)) }
  body six { mass 0.3 kg  inertia diag(0.01*I, 0.01*I, 0.02*I)
    joint cylindrical(one at [0.1 m, 0, 0.2 m], axis = y, distance = z, angle = r) }
  body seven { mass 0.6 kg  inertia diag(0.02*I, 0.03*I, 0.05*I)
    joint free(ground, move = [x1, x2, x3], euler zxy by (f1, f2, f3)) }
  torque motor: 0.4 [N*m]*one.z on two from one
  gravity [0, 0, -g]
}
"""
"""Joints of space, a branch, a second root that floats, an anchor that moves, a motor."""


_KNOWN: Final[dict[tuple[int, str], tuple[System, Any]]] = {}
"""What was derived, with its system, which so stays the only one of its identity."""


def tree_of(one: System) -> Links:
    """Return the tree of links of a system."""
    return links(in_speeds(one))


def parents(one: System) -> list[int | None]:
    """Return the parent of each node, nodes counted from 1."""
    return [None if x.parent is None else x.parent + 1 for x in tree_of(one).links]


def _equations(one: System, variant: str) -> Any:
    key = (id(one), variant)
    if key not in _KNOWN:
        _KNOWN[key] = one, registry.derive(one, f"rfda:{variant}")
    return _KNOWN[key][1]


def at(
    one: System,
    variant: str,
    state: Mapping[str, float],
    parameters: Mapping[str, float] | None = None,
    t: float = 0.0,
) -> Evaluation:
    """Return the numbers of a variant at a state."""
    return evaluate(_equations(one, variant), state, parameters, None, t)


def matrix(found: Evaluation, name: str) -> Any:
    """Return a matrix with rows and columns, even if it has one of these or none."""
    return found.outcome.at(found.equations.results.get(name, name), 0)


def sliders() -> System:
    """Return the first example."""
    return system("featherstone_sliders", "Sliders")


def pair() -> System:
    """Return the second example with all its letters."""
    return system_of(PAIR)


def space() -> System:
    """Return the tree of joints of space."""
    return system_of(SPACE)


def some_state(one: System, seed: int) -> dict[str, float]:
    """Return a state near the start, with random rates."""
    rng = np.random.default_rng(seed)
    state = {v.path: (v.start or 0.0) + rng.uniform(-0.2, 0.2) for v in one.q}
    return state | {v.path: rng.uniform(-1, 1) for v in one.u}


def moved(state: Mapping[str, float], ud: Mapping[str, float], h: float) -> dict[str, float]:
    """Return the state a time h later, to second order."""
    return {
        k: x + h * ud[k] if k.endswith("'") else x + h * state[f"{k}'"] + h * h / 2 * ud[f"{k}'"]
        for k, x in state.items()
    }


def rate(
    one: System, variant: str, name: str, state: Mapping[str, float], ud: Mapping[str, float]
) -> Any:
    """Return the rate of a matrix along a motion, by central differences."""
    h = 1e-5
    values = [at(one, variant, moved(state, ud, s * h), t=s * h)[name] for s in (-1, 1)]
    return (values[1] - values[0]) / (2 * h)


def accelerations(one: System, found: Evaluation) -> dict[str, float]:
    """Return the rates of the speeds by name."""
    return dict(zip([v.path for v in one.u], found["ud"], strict=True))


def dense(one: System, found: Evaluation) -> tuple[list[Any], list[Any]]:
    """Solve (7) for all y'' and lambda at once, from M, G, Q, gamma and f of all nodes."""
    up = parents(one)
    N = len(up)
    rows = [matrix(found, f"G_{k}").shape[0] for k in range(1, N + 1)]
    first = np.concatenate([[0], np.cumsum(rows)]).astype(int)
    M = np.zeros((6 * N, 6 * N))
    C = np.zeros((first[-1], 6 * N))
    f, gamma = np.zeros(6 * N), np.zeros(first[-1])
    for k, j in enumerate(up, start=1):
        own, held = slice(6 * k - 6, 6 * k), slice(first[k - 1], first[k])
        M[own, own], f[own] = found[f"M_{k}"], f[own] + found[f"f_{k}"] + found[f"Gtau_{k}"]
        C[held, own] = matrix(found, f"G_{k}")
        gamma[held] = matrix(found, f"gamma_{k}")[:, 0]
        if j is not None:
            C[held, 6 * j - 6 : 6 * j] = matrix(found, f"Q_{k}")
            f[6 * j - 6 : 6 * j] += found[f"Qtau_{k}"]
    K = np.block([[M, C.T], [C, np.zeros((first[-1], first[-1]))]])
    x = np.linalg.solve(K, np.concatenate([f, gamma]))
    lam = [x[6 * N + first[k] : 6 * N + first[k + 1]] for k in range(N)]
    return [x[6 * k : 6 * k + 6] for k in range(N)], lam


def planar(values: Any) -> Any:
    """Return the rows x, y and phi, and these columns of a matrix."""
    return values[np.ix_(PLANE, PLANE)] if np.ndim(values) > 1 else values[list(PLANE)]


def triangle(rows: Sequence[Sequence[float]]) -> Any:
    """Return a symmetric matrix from its upper triangle, row by row."""
    n = len(rows)
    M = np.zeros((n, n))
    for i, row in enumerate(rows):
        M[i, i:] = M[i:, i] = row
    return M
