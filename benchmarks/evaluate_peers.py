"""Other tools on the same arms and chains, each in a loop of compiled code: bench_evaluate.py.

Pinocchio and MuJoCo take the model as data; CasADi writes C for one model, from an
articulated-body algorithm in six-vectors, as its users write it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

HERE: Final = Path(__file__).parent
POINTER: Final = ctypes.c_void_p
EIGEN: Final = "/usr/include/eigen3"
CASADI_MOST: Final = 20
"""Bodies of the longest chain for CasADi: gcc takes minutes for one function of more."""


def compiled(folder: Path, source: Path, *flags: str, compiler: str = "gcc") -> Path:
    """Return a source as a shared library; other compilers' messages are not of interest."""
    out = folder / f"{source.stem}.so"
    done = subprocess.run(
        (compiler, "-O3", "-shared", "-fPIC", "-w", str(source), "-o", str(out), *flags),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr[:4000])
    return out


def loops(folder: Path) -> Any:
    """Return the loops around compiled functions."""
    library = ctypes.CDLL(str(compiled(folder, HERE / "evaluate_loop.c")))
    for name in ("run_ours", "run_casadi"):
        function = getattr(library, name)
        function.restype = ctypes.c_double
        function.argtypes = [*(POINTER,) * 6, *(ctypes.c_long,) * 3]
    return library


# -- Pinocchio -------------------------------------------------------------------------------


class Pinocchio:
    """The articulated-body algorithm of Pinocchio, by the better of its two conventions."""

    name = f"Pinocchio {version('pin')}"

    def __init__(self, folder: Path) -> None:
        """Compile the loop; the algorithm itself is that of the library in the wheel."""
        import pinocchio  # noqa: PLC0415

        prefix = Path(pinocchio.__file__).parents[4]
        defined = (
            "NDEBUG",
            "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
            "BOOST_MPL_LIMIT_LIST_SIZE=30",
            "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
            "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
            "BOOST_FUSION_INVOKE_MAX_ARITY=12",
        )
        library = compiled(
            folder,
            HERE / "evaluate_pinocchio.cpp",
            "-std=c++17",
            *(f"-D{one}" for one in defined),
            f"-I{prefix}/include",
            f"-I{EIGEN}",
            f"-L{prefix}/lib",
            "-lpinocchio_default",
            f"-Wl,-rpath,{prefix}/lib",
            compiler="g++",
        )
        self.library = ctypes.CDLL(str(library))
        self.library.peer_run.restype = ctypes.c_double
        self.library.peer_run.argtypes = [*(POINTER,) * 4, *(ctypes.c_long,) * 2, ctypes.c_int]

    def runners(self, model: dict[str, Any]) -> list[Any]:
        """Return the loops over states for a model."""
        numbers = list(model["gravity"])
        for link in model["links"]:
            numbers += [link["parent"], *link["axis"], *link["xyz"], *np.ravel(link["R"])]
            numbers += [link["mass"], *link["com"], *np.ravel(link["inertia"])]
        data = np.array(numbers, dtype=float)
        if self.library.peer_load(POINTER(data.ctypes.data), len(model["links"])):
            message = "an axis is neither y nor z"
            raise RuntimeError(message)

        def runner(world: int) -> Any:
            def run(q: Any, v: Any, tau: Any, out: Any, calls: int) -> float:
                pointers = (x.ctypes.data for x in (q, v, tau, out))
                return float(self.library.peer_run(*pointers, calls, len(q), world))

            return run

        return [runner(0), runner(1)]


# -- MuJoCo ----------------------------------------------------------------------------------


class Mujoco:
    """MuJoCo's mj_forward, contacts and constraints switched off."""

    name = f"MuJoCo {version('mujoco')}"

    def __init__(self, folder: Path) -> None:
        """Compile the loop."""
        import mujoco  # noqa: PLC0415

        self.module = mujoco
        self.folder = folder
        home = Path(mujoco.__file__).parent
        shared = next(home.glob("libmujoco.so*"))
        library = compiled(
            folder,
            HERE / "evaluate_mujoco.c",
            f"-I{home}/include",
            str(shared),
            f"-Wl,-rpath,{home}",
        )
        self.library = ctypes.CDLL(str(library))
        self.library.peer_run.restype = ctypes.c_double
        self.library.peer_run.argtypes = [*(POINTER,) * 4, *(ctypes.c_long,) * 2]

    def runners(self, model: dict[str, Any]) -> list[Any]:
        """Return the loop over states for a model."""
        found = self.module.MjModel.from_xml_string(self._xml(model))
        path = self.folder / "model.mjb"
        self.module.mj_saveModel(found, str(path), None)
        if self.library.peer_load(os.fsencode(path)):
            message = "MuJoCo does not read its own model"
            raise RuntimeError(message)

        def run(q: Any, v: Any, tau: Any, out: Any, calls: int) -> float:
            pointers = (x.ctypes.data for x in (q, v, tau, out))
            return float(self.library.peer_run(*pointers, calls, len(q)))

        return [run]

    @staticmethod
    def _xml(model: dict[str, Any]) -> str:
        def numbers(values: Any) -> str:
            return " ".join(repr(float(x)) for x in np.ravel(values))

        lines = [
            "<mujoco><compiler angle='radian' balanceinertia='false' autolimits='false'/>",
            f"<option gravity='{numbers(model['gravity'])}'>",
            "<flag contact='disable' constraint='disable'/></option><worldbody>",
        ]
        for link in model["links"]:  # each link carries the next one
            R, J = np.array(link["R"], dtype=float), np.array(link["inertia"], dtype=float)
            full = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
            axes = [*R[:, 0], *R[:, 1]]
            lines += [
                f"<body pos='{numbers(link['xyz'])}' xyaxes='{numbers(axes)}'>",
                f"<inertial pos='{numbers(link['com'])}' mass='{link['mass']!r}'",
                f" fullinertia='{numbers(full)}'/>",
                f"<joint type='hinge' axis='{numbers(link['axis'])}'/>",
            ]
        lines += ["</body>"] * len(model["links"]) + ["</worldbody></mujoco>"]
        return "\n".join(lines)


# -- CasADi ----------------------------------------------------------------------------------


class Casadi:
    """C that CasADi writes for a model, compiled with gcc."""

    name = f"CasADi {version('casadi')}"

    def __init__(self, folder: Path, library: Any) -> None:
        """Take a folder for what is written, and the loops."""
        self.folder = folder
        self.library = library

    def runners(self, model: dict[str, Any]) -> list[Any]:
        """Return the loop over states for a model; none if it is too long for gcc."""
        if len(model["links"]) > CASADI_MOST:
            return []
        import casadi  # noqa: PLC0415

        function = _articulated(casadi, model)
        here = Path.cwd()
        try:
            os.chdir(self.folder)  # it writes where it is
            function.generate("casadi_peer.c")
        finally:
            os.chdir(here)
        source = self.folder / f"casadi_{len(model['links'])}_{id(model)}.c"
        (self.folder / "casadi_peer.c").rename(source)
        shared = ctypes.CDLL(str(compiled(self.folder, source, "-march=native", "-lm")))
        address = ctypes.cast(shared.accelerations, POINTER)
        work = np.zeros(max(function.sz_w(), 1))

        def run(q: Any, v: Any, tau: Any, out: Any, calls: int) -> float:
            held = (x.ctypes.data for x in (q, v, tau, work, out))
            found: float = self.library.run_casadi(address, *held, calls, *q.shape)
            return found

        run.keep = shared  # type: ignore[attr-defined]
        return [run]


def _articulated(ca: Any, model: dict[str, Any]) -> Any:
    """Return forward dynamics by articulated bodies (R. Featherstone, 2008, Table 7.1)."""
    n = len(model["links"])
    q, v, tau = (ca.SX.sym(name, n) for name in ("q", "v", "tau"))

    def cross(w: Any) -> Any:
        return ca.vertcat(
            ca.horzcat(0, -w[2], w[1]), ca.horzcat(w[2], 0, -w[0]), ca.horzcat(-w[1], w[0], 0)
        )

    def motion(x: Any) -> Any:
        w, o = cross(x[:3]), ca.SX(3, 3)
        return ca.blockcat([[w, o], [cross(x[3:]), w]])

    X, S, vel, c, J_A, p = [], [], [], [], [], []
    for i, link in enumerate(model["links"]):
        axis = ca.sparsify(ca.SX(link["axis"]))
        s, k = ca.sin(q[i]), ca.cos(q[i])
        K = cross(link["axis"])
        turned = ca.sparsify(ca.SX.eye(3) + s * K + (1 - k) * (K @ K))
        E = (ca.sparsify(ca.SX(ca.DM(link["R"]))) @ turned).T
        r = ca.sparsify(ca.SX(link["xyz"]))
        X.append(ca.blockcat([[E, ca.SX(3, 3)], [-E @ cross(r), E]]))
        S.append(ca.vertcat(axis, ca.SX(3, 1)))
        m, com = link["mass"], ca.sparsify(ca.SX(link["com"]))
        C = cross(com)
        about = ca.sparsify(ca.SX(ca.DM(link["inertia"])))
        J_A.append(ca.blockcat([[about + m * C @ C.T, m * C], [m * C.T, m * ca.SX.eye(3)]]))
        joint = S[i] * v[i]
        vel.append(joint if i == 0 else X[i] @ vel[i - 1] + joint)
        c.append(motion(vel[i]) @ joint)
        p.append(-motion(vel[i]).T @ (J_A[i] @ vel[i]))
    U, d, u = [None] * n, [None] * n, [None] * n
    for i in reversed(range(n)):
        U[i] = J_A[i] @ S[i]
        d[i] = S[i].T @ U[i]
        u[i] = tau[i] - S[i].T @ p[i]
        if i:
            A = J_A[i] - U[i] @ U[i].T / d[i]
            b = p[i] + A @ c[i] + U[i] * (u[i] / d[i])
            J_A[i - 1] = J_A[i - 1] + X[i].T @ A @ X[i]
            p[i - 1] = p[i - 1] + X[i].T @ b
    a = ca.vertcat(ca.SX(3, 1), ca.sparsify(-ca.SX(model["gravity"])))
    rates = []
    for i in range(n):
        a = X[i] @ a + c[i]
        rates.append((u[i] - U[i].T @ a) / d[i])
        a = a + S[i] * rates[i]
    (result,) = ca.cse([ca.vertcat(*rates)])
    return ca.Function("accelerations", [q, v, tau], [result])
