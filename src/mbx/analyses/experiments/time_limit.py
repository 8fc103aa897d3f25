"""How long an experiment may take."""

from __future__ import annotations

import time
from dataclasses import dataclass

from mbx.analyses.experiments.experiment_plan import NotRunError

__all__ = ["Clock", "OutOfTimeError"]


class OutOfTimeError(NotRunError):
    """The time that something may take is over."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A limit on the time that this process computes, in seconds."""

    end: float

    @classmethod
    def of(cls, seconds: float) -> Clock:
        """Return a clock that runs from now."""
        return cls(time.process_time() + seconds)

    def check(self) -> None:
        """Raise `OutOfTimeError` if the time is over."""
        if time.process_time() > self.end:
            raise OutOfTimeError("ran out of time")

    @property
    def left(self) -> float:
        """How many seconds are left."""
        return max(0.0, self.end - time.process_time())
