"""Loads what every trial needs and hardly any fault is planted in, once for all of them.

It is imported by the process that all others are copies of. A fault in a module that is loaded
here costs its trial the time to load the program anew, so modules that import those with many
faults are left out.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import flint  # noqa: F401  all imports from here on are for later
import joblib  # noqa: F401
import rfc8785  # noqa: F401
import scipy.linalg  # noqa: F401

import mbx.check.run
import mbx.expr.show
import mbx.formalism.evaluate
import mbx.formalism.execute
import mbx.formalism.in_rates
import mbx.formalism.programmes
import mbx.formalism.reactive
import mbx.formalism.registry
import mbx.formalism.residuals
import mbx.system.input_rates
import mbx.system.starts
import mbx.system.world
import mbx.verify.joints
import mbx.verify.of_states
import mbx.verify.oracle
import mbx.verify.report
import mbx.verify.selftest.operators
import mbx.verify.selftest.trial
import mbx.verify.watch
import mbx.verify.work  # noqa: F401
from mbx.verify.selftest.models import linked_model

__all__: list[str] = []

linked_model("simple_pendulum")  # loads the tables of the grammar
