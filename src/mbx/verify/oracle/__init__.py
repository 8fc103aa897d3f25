"""An evaluator of its own: the dynamics of a linked model, shared with nothing else.

It walks the syntax trees of a linked document with truncated Taylor series in time, in numbers of
many digits, replaces every rigid body by point masses, and finds the accelerations by Gauss's
principle. It shares no code with the kernel, the mechanics or the converters, so that it can
judge them. Slow is fine; shared code is not.
"""

from __future__ import annotations

from mbx.verify.oracle.answer import Answer
from mbx.verify.oracle.ask import Oracle
from mbx.verify.oracle.fields import Number
from mbx.verify.oracle.refusal import OracleRefusal

__all__ = ["Answer", "Number", "Oracle", "OracleRefusal"]
