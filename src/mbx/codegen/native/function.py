"""Equations as a function in machine code, on one state or on many."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mbx.base.errors import EquationsError
from mbx.base.short_repr import join_names, shorten_repr
from mbx.codegen.native import machine_code
from mbx.codegen.native.argument_layout import STATE, Layout, Results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from mbx.codegen.native.machine_code import Code
    from mbx.codegen.native.program_function import ProgramFunction

__all__ = ["Function", "Raw"]

Backend = Literal["llvm", "cc", "numpy"]
_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Raw:
    """What a program in another language needs; addresses hold as long as the function lives.

    Attributes:
        single: Address of `int32 f(double t, q, u, higher, inputs, constants, results)`, where
            all but t are pointers to doubles.
        sizes: How many numbers each group has; `constants` and `results` are among them.
    """

    single: int
    sizes: Mapping[str, int]


class Function:
    """Equations in machine code.

    Attributes:
        backend: What compiled it: llvm or cc.
        layout: Which numbers go in and come out.
        code: The machine code.
    """

    def __init__(
        self,
        backend: Backend,
        layout: Layout,
        code: Code,
        constants: int,
        careful: Callable[[], ProgramFunction] | None = None,
    ) -> None:
        """Take machine code, and how many constants it makes of parameters.

        `careful` makes what is asked at states where machine code gives no numbers: there, rows
        or pivots that were chosen in advance may not do, and others may.
        """
        self.backend: Backend = backend
        self.layout = layout
        self.code = code
        self._count = constants
        self._make_careful = careful
        self._local = threading.local()
        self._last: tuple[bytes, NDArray[np.float64]] | None = None

    def __repr__(self) -> str:
        """Return the results and the backend."""
        return shorten_repr(f"<Function of {join_names(self.layout.results)}: {self.backend}>")

    @property
    def arguments(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of what each group holds, in order."""
        return self.layout.paths

    def with_values(self, said: Mapping[str, Mapping[str, float]]) -> Function:
        """Return the same code with other values of its own, by `parameters` or `inputs`, and path.

        A path that it does not take is left out.
        """
        layout = self.layout.with_values(said)
        return Function(self.backend, layout, self.code, self._count, self._make_careful)

    @property
    def raw(self) -> Raw:
        """Addresses and sizes."""
        sizes = {group: self.layout.size(group) for group in (*STATE, "parameters")}
        sizes |= {"constants": self._count, "results": self.layout.width}
        return Raw(self.code.address("mb_single"), sizes)

    @cached_property
    def _one(self) -> Any:
        return machine_code.single(self.code.address("mb_single"))

    @cached_property
    def _many(self) -> Any:
        return machine_code.batch(self.code.address("mb_batch"))

    @cached_property
    def _setup(self) -> Any:
        return machine_code.setup(self.code.address("mb_setup"))

    # -- calls -------------------------------------------------------------------------------

    def __call__(
        self,
        q: ArrayLike | Mapping[str, Any],
        u: ArrayLike | Mapping[str, Any],
        t: ArrayLike = 0.0,
        inputs: ArrayLike | Mapping[str, Any] | None = None,
        parameters: ArrayLike | Mapping[str, Any] | None = None,
        higher: ArrayLike | Mapping[str, Any] | None = None,
    ) -> Results:
        """Return the results at one state, or at many: the last axis counts numbers of a group.

        What has one axis only is the same for all states. Inputs and parameters that are not
        said have the values of their own.
        """
        said = {"t": t, "q": q, "u": u, "higher": higher, "inputs": inputs}
        groups = {name: self.layout.taken(name, value) for name, value in said.items()}
        groups["t"] = groups["t"][..., None]
        own = self.layout.taken("parameters", parameters)
        several = {one.shape[0] for one in (*groups.values(), own) if one.ndim > 1}
        every = (*groups.values(), own)
        if any(one.ndim > 2 for one in every) or len(several) > 1:  # noqa: PLR2004
            raise EquationsError("states are counted by the first axis, the same for all groups")
        states = several.pop() if several else None
        if states is None:
            return self._at_one(groups, own)
        found = np.empty((states, self.layout.width))
        status = np.zeros(states, dtype=np.int32)
        if own.ndim == 1:
            self._at_many(groups, self.constants(own), found, status)
        else:
            self._at_sets(groups, own, found, status)
        self._again(groups, own, found, status)
        return Results(self.layout.given(found), status)

    def constants(
        self, parameters: ArrayLike | Mapping[str, Any] | None = None
    ) -> NDArray[np.float64]:
        """Return what follows from parameters alone, as `single` takes it."""
        own = np.ascontiguousarray(self.layout.taken("parameters", parameters))
        if own.ndim > 1:
            raise EquationsError("constants are made of one set of parameters")
        known, last = own.tobytes(), self._last
        if last is not None and last[0] == known:
            return last[1]
        found = np.zeros(self._count)
        if self._count:
            self._setup(_address(own), _address(found))
        found.setflags(write=False)
        self._last = (known, found)
        return found

    def _at_one(
        self, groups: Mapping[str, NDArray[np.float64]], own: NDArray[np.float64]
    ) -> Results:
        held = [np.ascontiguousarray(groups[name]) for name in STATE[1:]]
        constants = self.constants(own)
        found = np.empty(self.layout.width)
        pointers = [_address(one) for one in (*held, constants, found)]
        status = self._one(float(groups["t"][0]), *pointers)
        if status:
            flags = np.array([status], dtype=np.int32)
            self._again(groups, own, found[None], flags)
            status = int(flags[0])
        return Results(self.layout.given(found), status)

    @cached_property
    def _careful(self) -> ProgramFunction | None:
        return None if self._make_careful is None else self._make_careful()

    def _again(
        self,
        groups: Mapping[str, NDArray[np.float64]],
        own: NDArray[np.float64],
        found: NDArray[np.float64],
        status: NDArray[np.int32],
    ) -> None:
        """Compute the states that have no numbers again, step by step."""
        odd = np.flatnonzero(status)
        if not odd.size or self._careful is None:
            return
        some = {name: x[odd] if x.ndim > 1 else x for name, x in groups.items()}
        t = np.broadcast_to(some.pop("t")[..., 0], odd.shape)
        try:
            given = self._careful(t=t, parameters=own[odd] if own.ndim > 1 else own, **some)
        except (ArithmeticError, EquationsError):  # as there were no numbers before
            return
        sound = given.status == 0
        for meaning, numbers in self.layout.given(found).items():
            numbers[odd[sound]] = given[meaning][sound]
        status[odd[sound]] = 0

    def _at_many(
        self,
        groups: Mapping[str, NDArray[np.float64]],
        constants: NDArray[np.float64],
        found: NDArray[np.float64],
        status: NDArray[np.int32],
    ) -> None:
        held = [_aligned(groups[name]) for name in STATE]
        strides = np.array(
            [s // _BYTES for one in held for s in ((0,) * (2 - one.ndim) + one.strides)],
            dtype=np.int64,
        )
        addresses = np.array([_address(one) for one in held], dtype=np.uintp)
        arrays = (addresses, strides, constants, found, status)
        self._many(len(status), *(_address(one) for one in arrays))

    def _at_sets(
        self,
        groups: Mapping[str, NDArray[np.float64]],
        own: NDArray[np.float64],
        found: NDArray[np.float64],
        status: NDArray[np.int32],
    ) -> None:
        """Compute states that have parameters of their own: those with the same ones together."""
        sets, which = np.unique(own, axis=0, return_inverse=True)
        for k, one in enumerate(sets):
            mine = np.flatnonzero(which.reshape(-1) == k)
            some = {name: x[mine] if x.ndim > 1 else x for name, x in groups.items()}
            part, flags = np.empty((mine.size, self.layout.width)), np.zeros(mine.size, np.int32)
            self._at_many(some, self.constants(one), part, flags)
            found[mine], status[mine] = part, flags

    def single(
        self,
        q: ArrayLike,
        u: ArrayLike,
        t: float = 0.0,
        inputs: ArrayLike | None = None,
        constants: NDArray[np.float64] | None = None,
        higher: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """Return all results at one state, one after the other, with little around the call.

        They are overwritten by the next call of the same thread. The status is the last number.
        Inputs and constants that are not said are those of the model.
        """
        local = self._local
        try:
            desk = local.desk
        except AttributeError:
            desk = local.desk = self._desk()
        desk.q[:] = q
        desk.u[:] = u
        if inputs is not None:
            desk.inputs[:] = inputs
        elif desk.changed:
            desk.inputs[:] = self.layout.taken("inputs", None)
        desk.changed = inputs is not None
        if desk.higher.size:
            desk.higher[:] = self.layout.taken("higher", higher)
        if constants is not None:
            if constants.shape != (self._count,) or constants.dtype != np.float64:
                raise EquationsError(
                    f"{self._count} constants are taken, as `constants` gives them"
                )
            constants = np.ascontiguousarray(constants)
            where = _address(constants)
        else:
            where = desk.where or desk.hold(self.constants())
        desk.results[-1] = self._one(t, *desk.pointers, where, desk.out)
        results: NDArray[np.float64] = desk.results
        return results

    def _desk(self) -> _Desk:
        groups = (np.zeros(self.layout.size(name)) for name in STATE[1:])
        return _Desk(*groups, np.zeros(self.layout.width + 1))


class _Desk:
    """Arrays of one thread, whose addresses are known."""

    def __init__(self, *arrays: NDArray[np.float64]) -> None:
        self.q, self.u, self.higher, self.inputs, self.results = arrays
        self.pointers = tuple(_address(one) for one in arrays[:4])
        self.out = _address(self.results)
        self.where = 0
        self.changed = True

    def hold(self, constants: NDArray[np.float64]) -> int:
        """Keep the constants of the model; return where they are."""
        self._constants = constants
        self.where = _address(constants)
        return self.where


def _address(one: NDArray[Any]) -> int:
    """Return where an array begins; the attribute `ctypes` says the same at thrice the time."""
    found: int = one.__array_interface__["data"][0]
    return found


def _aligned(one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an array whose strides are whole numbers of doubles."""
    whole = all(stride % _BYTES == 0 for stride in one.strides)
    return one if whole and one.flags.aligned else np.ascontiguousarray(one)
