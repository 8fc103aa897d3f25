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

import mbx.checking.run_rules
import mbx.expr.show
import mbx.formalism.registry
import mbx.numerics.execute.evaluate_equations
import mbx.numerics.execute.execute
import mbx.verify.agreement.joint_names
import mbx.verify.agreement.state_findings
import mbx.verify.agreement.watch
import mbx.verify.oracle
import mbx.verify.verification
import mbx.verify.verification_work  # noqa: F401
from self_test.fault_models import linked_model

__all__: list[str] = []

linked_model("simple_pendulum")  # loads the tables of the grammar
