"""Where the runs of a study are made, one after the other, each apart from the others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.study.setting import RunResult
from mbx.analyses.study.study_analysis import get
from mbx.analyses.study.study_ground import Ground
from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.study.setting import Setting
    from mbx.analyses.study.study_analysis import Runner
    from mbx.linking.link import Linked

__all__ = ["Bench"]

_LONGEST: Final = 300
"""Characters of a reason."""


class Bench:
    """A model and its analysis, ready for runs."""

    def __init__(self, linked: Linked, setting: Setting, varied: tuple[str, ...]) -> None:
        """Make ready; raise `StudyError` for what is not there."""
        self._ground = Ground(linked, setting, varied)
        self._analysis = get(setting.analysis)
        self._ground.require(varied)

    @cached_property
    def runner(self) -> Runner:
        """The analysis with what is the same for all runs."""
        return self._analysis.begin(self._ground)

    @property
    def ground(self) -> Ground:
        """What all runs stand on."""
        return self._ground

    def run(self, values: Mapping[str, float]) -> RunResult:
        """Return what becomes of a run; a run that fails has a reason, and stops no other."""
        try:
            with np.errstate(all="ignore"):
                return RunResult(dict(self.runner.run(self._ground.plan(values))))
        except MbxError as reason:
            return RunResult(reason=_short(str(reason)))
        except (ArithmeticError, np.linalg.LinAlgError) as broken:
            return RunResult(reason=_short(f"the numbers break down: {broken}"))
        except Exception as bug:  # noqa: BLE001  the others go on
            return RunResult(
                reason=_short(f"internal error, {type(bug).__name__}: {bug}"), bug=True
            )


def _short(reason: str) -> str:
    text = " ".join(reason.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
