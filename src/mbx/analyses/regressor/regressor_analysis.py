"""The regressor of a model: inverse dynamics that is linear in its inertial parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.analyses.regressor.base_columns import compose
from mbx.analyses.regressor.derive_regressor import derive, write_equations
from mbx.base.process import room
from mbx.pipeline import elaborate, specialise

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.pipeline import ModelLike

__all__ = ["regressor"]


@room()
def regressor(document: ModelLike, model: str | None = None) -> Equations:
    """Return tau = Y pi + tau0 of a model, and its base parameters, as equations.

    They take the accelerations as `higher` of their signature, behind coordinates and speeds, and
    have inertial parameters such as `link.Ixx` among their parameters. A model whose inverse
    dynamics is not of this form raises `NotApplicableError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.

    Examples:
        >>> found = regressor("lib:double_pendulum")
        >>> found.results["Y"], found.step("Y").column_labels
        ('Y', ('bob1.m', 'bob2.m'))
    """
    system = elaborate(document, model)
    derived = derive(system)
    independent, composition = compose(derived, write_equations(derived, None, None))
    return specialise(write_equations(derived, independent, composition), system)
