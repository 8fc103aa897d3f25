"""The stages of an explicit Runge-Kutta method by a compiled function: one call, no loop outside.

    int32 mb_stages(f, t, h, x, K, w, inputs, constants, n, nq, first, last, wide, A, C)

Stage s is K[s] = f(t + C[s] h, x + h sum A[s, j] K[j], j < s), for s from first to before last;
w is where the last one was. It ends where f has no result, with its status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.codegen.native import machine_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.codegen.native.function import Function

__all__ = ["STAGES", "Stages"]

STAGES: Final = """\
define i32 @mb_stages(ptr %f, double %t, double %h, ptr %x, ptr %K, ptr %w, ptr %i, ptr %c,
 i64 %n, i64 %nq, i64 %first, i64 %last, i64 %wide, ptr %A, ptr %C) {
entry:
%u = getelementptr inbounds double, ptr %w, i64 %nq
br label %stage
stage:
%s = phi i64 [ %first, %entry ], [ %s1, %ran ]
%row = mul i64 %s, %wide
%As = getelementptr inbounds double, ptr %A, i64 %row
br label %entry_of
entry_of:
%k = phi i64 [ 0, %stage ], [ %k1, %stored ]
br label %term
term:
%j = phi i64 [ 0, %entry_of ], [ %j1, %term ]
%sum = phi double [ 0.0, %entry_of ], [ %sum1, %term ]
%pa = getelementptr inbounds double, ptr %As, i64 %j
%a = load double, ptr %pa
%jn = mul i64 %j, %n
%at = add i64 %jn, %k
%pk = getelementptr inbounds double, ptr %K, i64 %at
%v = load double, ptr %pk
%av = fmul double %a, %v
%sum1 = fadd double %sum, %av
%j1 = add i64 %j, 1
%more_terms = icmp ult i64 %j1, %s
br i1 %more_terms, label %term, label %stored
stored:
%px = getelementptr inbounds double, ptr %x, i64 %k
%x0 = load double, ptr %px
%hs = fmul double %h, %sum1
%x1 = fadd double %x0, %hs
%pw = getelementptr inbounds double, ptr %w, i64 %k
store double %x1, ptr %pw
%k1 = add i64 %k, 1
%more_entries = icmp ult i64 %k1, %n
br i1 %more_entries, label %entry_of, label %call
call:
%pc = getelementptr inbounds double, ptr %C, i64 %s
%cs = load double, ptr %pc
%ch = fmul double %cs, %h
%ts = fadd double %t, %ch
%sn = mul i64 %s, %n
%out = getelementptr inbounds double, ptr %K, i64 %sn
%status = call i32 %f(double %ts, ptr %w, ptr %u, ptr null, ptr %i, ptr %c, ptr %out)
%bad = icmp ne i32 %status, 0
br i1 %bad, label %done, label %ran
ran:
%s1 = add i64 %s, 1
%more = icmp ult i64 %s1, %last
br i1 %more, label %stage, label %done
done:
ret i32 %status
}
"""
"""The module that has the function, in LLVM's assembly language."""


class Stages:
    """The stages of a method on one function, whose results are the rates of q and u in order.

    Attributes:
        K: The rates that stages found, a row for each.
        w: Where the last of them was.
    """

    def __init__(self, function: Function, A: NDArray[np.float64], C: NDArray[np.float64]) -> None:
        """Take a function of q and u alone, and a square table with a row for each stage."""
        n, nq = function.layout.width, function.layout.size("q")
        self.K, self.w = np.zeros((len(A), n)), np.zeros(n)
        self._function = function
        inputs = np.ascontiguousarray(function.layout.taken("inputs", None))
        self._held = [self.K, self.w, inputs, function.constants(), np.ascontiguousarray(A), C]
        K, w, i, c, self._A, self._C = (one.ctypes.data for one in self._held)
        self._places, self._sizes, self._wide = (K, w, i, c), (n, nq), A.shape[1]
        self._call = machine_code.stages(function.code.address("mb_stages"))
        self._rate = function.code.address("mb_single")

    def run(self, t: float, h: float, x: NDArray[np.float64], first: int, last: int) -> int:
        """Compute some stages, from one on to before another; return the status of the last.

        The stages before them are in K.
        """
        x = np.ascontiguousarray(x)
        where = x.__array_interface__["data"][0]
        return self._call(
            self._rate,
            t,
            h,
            where,
            *self._places,
            *self._sizes,
            first,
            last,
            self._wide,
            self._A,
            self._C,
        )
