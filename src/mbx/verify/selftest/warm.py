"""Loads what every trial needs and no fault is planted in, once for all of them.

It is imported by the process that all others are copies of.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import joblib  # noqa: F401  after the number of threads is set

import mbx.check.run
import mbx.formalism.execute
import mbx.verify.oracle
import mbx.verify.selftest.trial  # noqa: F401  all of these are for later
from mbx.verify.selftest.models import linked_model

__all__: list[str] = []

linked_model("simple_pendulum")  # loads the tables of the grammar
