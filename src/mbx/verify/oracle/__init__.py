"""An independent evaluator: the dynamics of a linked model, by other mechanics than the forms'.

It walks the syntax trees of a linked document with truncated Taylor series in time, in numbers of
many digits, replaces every rigid body by point masses, and finds the accelerations by Gauss's
principle. It shares no code with the kernel, the mechanics or the converters, so that it can
judge them. The parser, the linker and the linked document are the same for forms and oracle:
comparing the two does not show a fault in these. Slow is fine; shared mechanics are not.
"""

from __future__ import annotations

from mbx.verify.oracle.answer import Answer
from mbx.verify.oracle.numbers.number_fields import Number
from mbx.verify.oracle.oracle import Oracle
from mbx.verify.oracle.refusal import OracleRefusal

__all__ = ["Answer", "Number", "Oracle", "OracleRefusal"]
