"""The mechanisms of `bench_derive.py` with sympy.physics.mechanics, measured in a process apart.

A question comes as JSON on the standard input: a mechanism, its size, a method, and numbers
for all symbols by the names they have in mbx. The answer goes to the standard output: CPU
seconds from the first Python object to mass matrix and forcing, operations after `sympy.cse`,
and the accelerations that these very matrices give.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import sympy as sm
import sympy.physics.mechanics as me
from sympy.core.cache import clear_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Formed", "chain", "disc", "four_bar", "main"]

RUNS: Final = 5
LONG: Final = 1.0
"""What takes more seconds than this is done once."""


@dataclass(frozen=True, slots=True)
class Formed:
    """Equations M x = f: `rows` of x are accelerations, of the speeds named by `names`."""

    M: Any
    f: Any
    names: tuple[str, ...]
    rows: slice
    q: Mapping[str, Any]
    u: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Variables:
    """Coordinates and their rates, as the method wants them: symbols, or derivatives."""

    names: tuple[str, ...]
    q: tuple[Any, ...]
    u: tuple[Any, ...]

    @property
    def definitions(self) -> list[Any]:
        """Kane's kinematic differential equations."""
        return [a.diff() - b for a, b in zip(self.q, self.u, strict=True)]


def variables(method: str, *names: str) -> Variables:
    """Return coordinates of some names."""
    q = tuple(me.dynamicsymbols(name) for name in names)
    if method == "lagrange":
        return Variables(names, q, tuple(x.diff() for x in q))
    return Variables(names, q, tuple(me.dynamicsymbols(f"{name}_d") for name in names))


# -- mechanisms ------------------------------------------------------------------------------


def chain(method: str, n: int, *, spatial: bool) -> Formed:
    """Return the equations of a chain in relative angles, axes z, or z and y in turn."""
    x = variables(method, *(f"q{k}" for k in range(1, n + 1)))
    N, O = me.ReferenceFrame("N"), me.Point("O")  # noqa: E741  the letters of the textbooks
    O.set_vel(N, 0)
    frame, joint = N, O
    bodies, loads, g = [], [], sm.Symbol("g")
    for k in range(1, n + 1):
        m, l = sm.symbols(f"m{k} l{k}")  # noqa: E741
        axis = frame.y if spatial and k % 2 == 0 else frame.z
        B = frame.orientnew(f"B{k}", "Axis", (x.q[k - 1], axis))
        B.set_ang_vel(frame, x.u[k - 1] * axis)
        com = joint.locatenew(f"C{k}", l / 2 * B.x)
        com.v2pt_theory(joint, N, B)
        tip = joint.locatenew(f"P{k}", l * B.x)
        tip.v2pt_theory(joint, N, B)
        moments = sm.symbols(f"Ix{k} Iy{k} Iz{k}") if spatial else (0, 0, sm.Symbol(f"Iz{k}"))
        body = me.RigidBody(f"link{k}", com, B, m, (me.inertia(B, *moments), com))
        body.potential_energy = m * g * com.pos_from(O).dot(N.y)
        bodies.append(body)
        loads.append((com, -m * g * N.y))
        frame, joint = B, tip
    if method == "kane":
        kane = me.KanesMethod(N, x.q, x.u, x.definitions)
        kane.kanes_equations(bodies, loads)
        return _formed(kane.mass_matrix, kane.forcing, x, x.names)
    lagrange = me.LagrangesMethod(me.Lagrangian(N, *bodies), x.q, frame=N)
    lagrange.form_lagranges_equations()
    return _formed(lagrange.mass_matrix, lagrange.forcing, x, x.names)


def disc(method: str) -> Formed:
    """Return the equations of library/rolling_disc."""
    x = variables(method, "x", "y", "yaw", "lean", "spin")
    m, r, g = sm.symbols("m r g")
    N, O = me.ReferenceFrame("N"), me.Point("O")  # noqa: E741
    O.set_vel(N, 0)
    Y = N.orientnew("Y", "Axis", (x.q[2], N.z))
    Y.set_ang_vel(N, x.u[2] * N.z)
    L = Y.orientnew("L", "Axis", (x.q[3], Y.x))
    L.set_ang_vel(Y, x.u[3] * Y.x)
    B = L.orientnew("B", "Axis", (x.q[4], L.y))
    B.set_ang_vel(L, x.u[4] * L.y)
    C = O.locatenew("C", x.q[0] * N.x + x.q[1] * N.y)
    C.set_vel(N, x.u[0] * N.x + x.u[1] * N.y)
    com = C.locatenew("com", r * L.z)
    com.v2pt_theory(C, N, L)
    # as in SymPy's own examples, the inertia of a disc is said where it does not spin
    inertia = me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    body = me.RigidBody("disc", com, B, m, (inertia, com))
    body.potential_energy = m * g * com.pos_from(O).dot(N.z)
    slip = com.vel(N) + B.ang_vel_in(N).cross(-r * L.z)
    rolling = [slip.dot(N.x), slip.dot(N.y)]
    if method == "kane":
        kane = me.KanesMethod(
            N,
            x.q,
            x.u[2:],
            x.definitions,
            u_dependent=x.u[:2],
            velocity_constraints=rolling,
            constraint_solver="CRAMER",
        )
        kane.kanes_equations([body], [(com, -m * g * N.z)])
        return _formed(kane.mass_matrix, kane.forcing, x, (*x.names[2:], *x.names[:2]))
    lagrange = me.LagrangesMethod(me.Lagrangian(N, body), x.q, nonhol_coneqs=rolling, frame=N)
    lagrange.form_lagranges_equations()
    return _full(lagrange, x)


def four_bar(method: str) -> Formed:
    """Return the equations of library/four_bar."""
    x = variables(method, "th1", "th2", "th3")
    a, b, c, d, g, u1 = sm.symbols("a b c d g u1")
    N, O = me.ReferenceFrame("N"), me.Point("O")  # noqa: E741
    O.set_vel(N, 0)
    base = O.locatenew("base", d * N.x)
    base.set_vel(N, 0)
    frames, bodies, loads, tips = [], [], [], []
    for k, (before, joint, length) in enumerate(((N, O, a), (None, None, b), (N, base, c))):
        parent, start = before or frames[-1], joint or tips[-1]
        m = sm.Symbol(f"m{k + 1}")
        B = parent.orientnew(f"B{k}", "Axis", (x.q[k], N.z))
        B.set_ang_vel(parent, x.u[k] * N.z)
        com = start.locatenew(f"C{k}", length / 2 * B.x)
        com.v2pt_theory(start, N, B)
        tip = start.locatenew(f"P{k}", length * B.x)
        tip.v2pt_theory(start, N, B)
        inertia = me.inertia(B, 0, 0, m * length**2 / 12)
        body = me.RigidBody(f"bar{k}", com, B, m, (inertia, com))
        body.potential_energy = m * g * com.pos_from(O).dot(N.y)
        frames.append(B)
        bodies.append(body)
        tips.append(tip)
        loads.append((com, -m * g * N.y))
    drive = (frames[0], u1 * N.z)
    gap = tips[1].pos_from(O) - tips[2].pos_from(O)
    loop = [gap.dot(N.x), gap.dot(N.y)]
    if method == "kane":
        opening = tips[1].vel(N) - tips[2].vel(N)
        kane = me.KanesMethod(
            N,
            x.q[:1],
            x.u[:1],
            x.definitions,
            q_dependent=x.q[1:],
            configuration_constraints=loop,
            u_dependent=x.u[1:],
            velocity_constraints=[opening.dot(N.x), opening.dot(N.y)],
            constraint_solver="CRAMER",
        )
        kane.kanes_equations(bodies, [*loads, drive])
        return _formed(kane.mass_matrix, kane.forcing, x, x.names)
    lagrange = me.LagrangesMethod(
        me.Lagrangian(N, *bodies), x.q, hol_coneqs=loop, forcelist=[drive], frame=N
    )
    lagrange.form_lagranges_equations()
    return _full(lagrange, x)


def _formed(M: Any, f: Any, x: Variables, names: tuple[str, ...]) -> Formed:
    pairs = dict(zip(x.names, x.q, strict=True)), dict(zip(x.names, x.u, strict=True))
    return Formed(M, f, names, slice(len(names)), *pairs)


def _full(lagrange: Any, x: Variables) -> Formed:
    """Return the system with rates above and multipliers below the accelerations."""
    pairs = dict(zip(x.names, x.q, strict=True)), dict(zip(x.names, x.u, strict=True))
    n = len(x.names)
    return Formed(
        lagrange.mass_matrix_full, lagrange.forcing_full, x.names, slice(n, 2 * n), *pairs
    )


# -- measuring -------------------------------------------------------------------------------


def measure(form: Callable[[], Formed]) -> tuple[float, Formed]:
    """Return the least CPU seconds of several runs, each with SymPy's caches empty."""
    spent: list[float] = []
    formed = None
    while formed is None or (len(spent) < RUNS and spent[0] < LONG):
        formed = None
        clear_cache()
        gc.collect()
        begin = time.process_time()
        formed = form()
        spent.append(time.process_time() - begin)
    return min(spent), formed


def examine(formed: Formed, numbers: Mapping[str, float]) -> tuple[int, dict[str, float]]:
    """Return the operations after cse, and the accelerations by the names of the speeds."""
    shared, (M, f) = sm.cse([formed.M, formed.f])
    operations = sum(int(sm.count_ops(e)) for e in (*(e for _, e in shared), M, f))
    given = {
        **{x: numbers[name] for name, x in formed.q.items()},
        **{x: numbers[f"{name}'"] for name, x in formed.u.items()},
    }
    symbols = (formed.M.free_symbols | formed.f.free_symbols) - {me.dynamicsymbols._t}  # noqa: SLF001
    given |= {s: numbers[s.name] for s in symbols}
    function = sm.lambdify(list(given), [formed.M, formed.f], cse=lambda _: (shared, [M, f]))
    left, right = function(*given.values())
    found = np.linalg.solve(np.asarray(left, float), np.asarray(right, float).ravel())
    named = zip(formed.names, found[formed.rows], strict=True)
    return operations, {f"{name}'": float(value) for name, value in named}


def main() -> None:
    """Answer one question."""
    asked = json.load(sys.stdin)
    method, n = asked["method"], asked["bodies"]
    forms: dict[str, Callable[[], Formed]] = {
        "planar chain": lambda: chain(method, n, spatial=False),
        "spatial chain": lambda: chain(method, n, spatial=True),
        "rolling disc": lambda: disc(method),
        "four-bar": lambda: four_bar(method),
    }
    chain(method, 1, spatial=False)  # so that no run pays for imports
    seconds, formed = measure(forms[asked["mechanism"]])
    operations, accelerations = examine(formed, asked["numbers"])
    answer = {
        "seconds": seconds,
        "operations": operations,
        "accelerations": accelerations,
        "version": sm.__version__,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
