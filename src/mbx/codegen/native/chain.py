"""Compiled functions one after the other on shared numbers, once or for many times in a row.

A link of a chain takes some of the numbers in, calls a function, and puts what comes out among
them, from where later links take it. What a function gives first is a check: a link fails where
that is above 1, or where the function has another status than 0.

    int64 mb_chain(t, count, links, numbers, in, out)          links that went well
    int64 mb_cycle(times, ts, count, links, numbers, size, in, out, rows)   times that did
    int32 mb_closed(t, q, u, x, i, c, o)                       rates of independent variables

`mb_closed` has the signature of a function for one state, so that steps can be taken with it: q
and u go into a chain that ends with a whole state, whose rates another function gives; those of
q and u are handed out. What all of it is, stands in c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.codegen.native import machine_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.codegen.native.function import Function

__all__ = ["CHAIN", "Chain", "Link"]

CHAIN: Final = """\
define i64 @mb_chain(double %t, i64 %count, ptr %links, ptr %X, ptr %in, ptr %out) {
entry:
%any = icmp ne i64 %count, 0
br i1 %any, label %link, label %well
link:
%k = phi i64 [ 0, %entry ], [ %k1, %next ]
%at = mul i64 %k, 6
%row = getelementptr inbounds i64, ptr %links, i64 %at
%f = load ptr, ptr %row
%p1 = getelementptr inbounds i64, ptr %row, i64 1
%c = load ptr, ptr %p1
%p2 = getelementptr inbounds i64, ptr %row, i64 2
%takes = load i64, ptr %p2
%p3 = getelementptr inbounds i64, ptr %row, i64 3
%from = load ptr, ptr %p3
%p4 = getelementptr inbounds i64, ptr %row, i64 4
%gives = load i64, ptr %p4
%p5 = getelementptr inbounds i64, ptr %row, i64 5
%to = load ptr, ptr %p5
%some = icmp ne i64 %takes, 0
br i1 %some, label %take, label %call
take:
%j = phi i64 [ 0, %link ], [ %j1, %take ]
%pf = getelementptr inbounds i64, ptr %from, i64 %j
%place = load i64, ptr %pf
%px = getelementptr inbounds double, ptr %X, i64 %place
%x = load double, ptr %px
%pi = getelementptr inbounds double, ptr %in, i64 %j
store double %x, ptr %pi
%j1 = add i64 %j, 1
%more_in = icmp ult i64 %j1, %takes
br i1 %more_in, label %take, label %call
call:
%s = call i32 %f(double %t, ptr %in, ptr null, ptr null, ptr null, ptr %c, ptr %out)
%check = load double, ptr %out
%bad = icmp ne i32 %s, 0
%broken = fcmp ugt double %check, 1.0
%failed = or i1 %bad, %broken
br i1 %failed, label %ill, label %give
give:
%i = phi i64 [ 0, %call ], [ %i1, %give ]
%i1 = add i64 %i, 1
%po = getelementptr inbounds double, ptr %out, i64 %i1
%y = load double, ptr %po
%pt = getelementptr inbounds i64, ptr %to, i64 %i
%goal = load i64, ptr %pt
%py = getelementptr inbounds double, ptr %X, i64 %goal
store double %y, ptr %py
%more_out = icmp ult i64 %i1, %gives
br i1 %more_out, label %give, label %next
next:
%k1 = add i64 %k, 1
%more = icmp ult i64 %k1, %count
br i1 %more, label %link, label %well
ill:
ret i64 %k
well:
ret i64 %count
}

define i64 @mb_cycle(i64 %times, ptr %ts, i64 %count, ptr %links, ptr %X, i64 %size, ptr %in,
 ptr %out, ptr %rows) {
entry:
%any = icmp ne i64 %times, 0
br i1 %any, label %time, label %done
time:
%n = phi i64 [ 0, %entry ], [ %n1, %stored ]
%pt = getelementptr inbounds double, ptr %ts, i64 %n
%t = load double, ptr %pt
%went = call i64 @mb_chain(double %t, i64 %count, ptr %links, ptr %X, ptr %in, ptr %out)
%well = icmp eq i64 %went, %count
br i1 %well, label %store, label %ill
store:
%begin = mul i64 %n, %size
%row = getelementptr inbounds double, ptr %rows, i64 %begin
%bytes = shl i64 %size, 3
call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %X, i64 %bytes, i1 false)
br label %stored
stored:
%n1 = add i64 %n, 1
%more = icmp ult i64 %n1, %times
br i1 %more, label %time, label %done
ill:
ret i64 %n
done:
ret i64 %times
}

define i32 @mb_closed(double %t, ptr %q, ptr %u, ptr %x, ptr %i, ptr %c, ptr %o) {
entry:
%count = load i64, ptr %c
%p1 = getelementptr inbounds i64, ptr %c, i64 1
%links = load ptr, ptr %p1
%p2 = getelementptr inbounds i64, ptr %c, i64 2
%X = load ptr, ptr %p2
%p3 = getelementptr inbounds i64, ptr %c, i64 3
%in = load ptr, ptr %p3
%p4 = getelementptr inbounds i64, ptr %c, i64 4
%out = load ptr, ptr %p4
%p5 = getelementptr inbounds i64, ptr %c, i64 5
%n = load i64, ptr %p5
%p6 = getelementptr inbounds i64, ptr %c, i64 6
%second = load i64, ptr %p6
%p7 = getelementptr inbounds i64, ptr %c, i64 7
%f = load ptr, ptr %p7
%p8 = getelementptr inbounds i64, ptr %c, i64 8
%fc = load ptr, ptr %p8
%p9 = getelementptr inbounds i64, ptr %c, i64 9
%fi = load ptr, ptr %p9
%p10 = getelementptr inbounds i64, ptr %c, i64 10
%yq = load ptr, ptr %p10
%p11 = getelementptr inbounds i64, ptr %c, i64 11
%yu = load ptr, ptr %p11
%p12 = getelementptr inbounds i64, ptr %c, i64 12
%rates = load ptr, ptr %p12
%p13 = getelementptr inbounds i64, ptr %c, i64 13
%which = load ptr, ptr %p13
%Xd = getelementptr inbounds double, ptr %X, i64 %second
%bytes = shl i64 %n, 3
call void @llvm.memcpy.p0.p0.i64(ptr %X, ptr %q, i64 %bytes, i1 false)
call void @llvm.memcpy.p0.p0.i64(ptr %Xd, ptr %u, i64 %bytes, i1 false)
%went = call i64 @mb_chain(double %t, i64 %count, ptr %links, ptr %X, ptr %in, ptr %out)
%well = icmp eq i64 %went, %count
br i1 %well, label %rate, label %ill
rate:
%s = call i32 %f(double %t, ptr %yq, ptr %yu, ptr null, ptr %fi, ptr %fc, ptr %rates)
call void @llvm.memcpy.p0.p0.i64(ptr %o, ptr %u, i64 %bytes, i1 false)
%od = getelementptr inbounds double, ptr %o, i64 %n
%any = icmp ne i64 %n, 0
br i1 %any, label %hand, label %done
hand:
%k = phi i64 [ 0, %rate ], [ %k1, %hand ]
%pw = getelementptr inbounds i64, ptr %which, i64 %k
%place = load i64, ptr %pw
%pr = getelementptr inbounds double, ptr %rates, i64 %place
%a = load double, ptr %pr
%po = getelementptr inbounds double, ptr %od, i64 %k
store double %a, ptr %po
%k1 = add i64 %k, 1
%more = icmp ult i64 %k1, %n
br i1 %more, label %hand, label %done
ill:
ret i32 2
done:
ret i32 %s
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
"""The module that has these functions, in LLVM's assembly language."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A function with its constants, and the places of what it takes in and gives out.

    The function takes all its numbers as q; its first result is the check, and has no place.
    """

    function: Function
    constants: NDArray[np.float64]
    takes: NDArray[np.int64]
    gives: NDArray[np.int64]


class Chain:
    """Links in order, on an array of numbers that they share.

    Attributes:
        numbers: What the links share.
    """

    def __init__(self, links: Sequence[Link], size: int) -> None:
        """Take at least one link, and how many numbers there are."""
        _require_inside(links, size)
        self.numbers = np.zeros(size)
        self._in = np.zeros(max(1, *(len(one.takes) for one in links)))
        self._out = np.zeros(1 + max(len(one.gives) for one in links))
        self._held = [
            (
                one.function,
                np.ascontiguousarray(one.constants),
                np.ascontiguousarray(one.takes),
                np.ascontiguousarray(one.gives),
            )
            for one in links
        ]
        self._links = np.array(
            [
                [
                    function.code.address("mb_single"),
                    constants.ctypes.data,
                    len(takes),
                    takes.ctypes.data,
                    len(gives),
                    gives.ctypes.data,
                ]
                for function, constants, takes, gives in self._held
            ],
            dtype=np.int64,
        )
        self.code = links[0].function.code
        self._cycle = machine_code.cycle(self.code.address("mb_cycle"))

    def cycle(self, times: NDArray[np.float64], begin: int = 0) -> NDArray[np.float64]:
        """Run the links from one on for each time; return the numbers after each, a row for it.

        It ends before the first time at which a link fails.
        """
        times = np.ascontiguousarray(times, dtype=np.float64)
        rows = np.empty((len(times), len(self.numbers)))
        done = self._cycle(
            len(times),
            times.ctypes.data,
            len(self._links) - begin,
            self._links[begin:].ctypes.data,
            self.numbers.ctypes.data,
            len(self.numbers),
            self._in.ctypes.data,
            self._out.ctypes.data,
            rows.ctypes.data,
        )
        return rows[:done]

    def described(
        self,
        begin: int,
        independent: tuple[int, int],
        rates: Function,
        state: tuple[int, int],
        which: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], list[Any]]:
        """Return what `mb_closed` reads, and arrays that must live as long.

        `independent` are how many q there are, from the first number on, and where their rates
        begin; `state` is where the chain leaves q and u of the whole state; `which` are those of
        the rates of the state that are the rates of u.
        """
        found = np.empty(rates.layout.width)
        inputs = np.ascontiguousarray(rates.layout.taken("inputs", None))
        constants = np.ascontiguousarray(rates.constants())
        which = np.ascontiguousarray(which, dtype=np.int64)
        place = self.numbers.ctypes.data
        said = [
            len(self._links) - begin,
            self._links[begin:].ctypes.data,
            place,
            self._in.ctypes.data,
            self._out.ctypes.data,
            *independent,
            rates.code.address("mb_single"),
            constants.ctypes.data,
            inputs.ctypes.data,
            *(place + self.numbers.itemsize * k for k in state),
            found.ctypes.data,
            which.ctypes.data,
        ]
        return np.array(said, dtype=np.int64), [self, rates, found, inputs, constants, which]


def _require_inside(links: Sequence[Link], size: int) -> None:
    for one in links:
        if len(one.takes) != one.function.layout.size("q"):
            raise ValueError("a link takes what its function does not")
        if not 0 < len(one.gives) == one.function.layout.width - 1:
            raise ValueError("a link gives what its function does not")
        for places in (one.takes, one.gives):
            if places.dtype != np.int64 or (
                len(places) and not 0 <= places.min() <= places.max() < size
            ):
                raise ValueError("a link has a place outside the numbers")
