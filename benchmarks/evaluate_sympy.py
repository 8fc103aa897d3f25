"""Chains by SymPy's `KanesMethod`, as functions by lambdify and by PyDy: bench_evaluate.py.

Both are called from Python, one state at a time, as they are used; a solution of the linear
equations is part of each.
"""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

MOST: Final = 5
"""Bodies of the longest chain: SymPy's expressions grow two- to threefold with each."""


def kane(model: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
    """Return mass matrix, forcing, coordinates, speeds and torques of a chain."""
    import sympy as sp  # noqa: PLC0415
    from sympy.physics import mechanics as me  # noqa: PLC0415

    n = len(model["links"])
    q, u, tau = (me.dynamicsymbols(f"{letter}:{n}") for letter in ("q", "u", "tau"))
    ground, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(ground, 0)
    frame, point, bodies, loads, before = ground, origin, [], [], None
    gx, gy, gz = model["gravity"]
    for i, link in enumerate(model["links"]):
        own = frame.orientnew(f"B{i}", "Axis", (q[i], getattr(frame, "xyz"[link["axis"].index(1)])))
        axis = getattr(own, "xyz"[link["axis"].index(1)])
        own.set_ang_vel(frame, u[i] * axis)
        hinge = point.locatenew(f"P{i}", link["xyz"][0] * frame.x)
        hinge.v2pt_theory(point, ground, frame)
        centre = hinge.locatenew(f"C{i}", link["com"][0] * own.x)
        centre.v2pt_theory(hinge, ground, own)
        J = me.inertia(own, *np.diag(link["inertia"]).tolist())
        bodies.append(me.RigidBody(f"b{i}", centre, own, link["mass"], (J, centre)))
        weight = link["mass"] * (gx * ground.x + gy * ground.y + gz * ground.z)
        loads += [(centre, weight), (own, tau[i] * axis)]
        if before is not None:
            loads.append((before, -tau[i] * axis))
        frame, point, before = own, hinge, own
    rates = [a - b.diff(me.dynamicsymbols._t) for a, b in zip(u, q, strict=True)]  # noqa: SLF001
    method = me.KanesMethod(ground, q, u, kd_eqs=rates)
    method.kanes_equations(bodies, loads)
    return sp.Matrix(method.mass_matrix), sp.Matrix(method.forcing), q, u, tau


def callables(model: dict[str, Any]) -> dict[str, Any]:
    """Return functions of q, v, tau by what made them; none where the chain is too long."""
    if len(model["links"]) > MOST or model["links"][0]["com"][1:] != [0, 0]:
        return {}
    import sympy as sp  # noqa: PLC0415
    from pydy.codegen.ode_function_generators import generate_ode_function  # noqa: PLC0415

    M, F, q, u, tau = kane(model)
    function = sp.lambdify([q, u, tau], [M, F], cse=True)

    def by_sympy(q: Any, v: Any, tau: Any) -> Any:
        mass, forcing = function(q, v, tau)
        return np.linalg.solve(mass, forcing[:, 0])

    right = generate_ode_function(
        F,
        q,
        u,
        constants=[sp.Symbol("unused")],  # it does not work without any
        mass_matrix=M,
        specifieds=tau,
        coordinate_derivatives=sp.Matrix(u),
        generator="cython",
    )
    n, unused = len(q), np.zeros(1)

    def by_pydy(q: Any, v: Any, tau: Any) -> Any:
        return right(np.concatenate([q, v]), 0.0, tau, unused)[n:].copy()  # it uses one array

    return {"SymPy lambdify, cse": by_sympy, "PyDy, cython": by_pydy}


def nanoseconds(function: Any, q: Any, v: Any, tau: Any, bursts: int = 51) -> float:
    """Return the median time of a call from Python."""
    found = []
    for k in range(bursts):
        j = k % len(q)
        begin = time.perf_counter_ns()
        for _ in range(5):
            function(q[j], v[j], tau[j])
        found.append((time.perf_counter_ns() - begin) / 5)
    return float(np.median(found))
