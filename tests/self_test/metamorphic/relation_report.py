"""What the metamorphic checks found: a table, what is broken, and both as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from self_test.metamorphic.relations import METAMORPHIC

if TYPE_CHECKING:
    from collections.abc import Iterator

    from self_test.metamorphic.check_relation import Check

__all__ = ["Checked", "MetamorphicTest"]


@dataclass(frozen=True, slots=True)
class Checked:
    """A model with all of its checks, and how long these took."""

    model: str
    checks: tuple[Check, ...]
    seconds: float

    @property
    def status(self) -> str:
        """What came of it, in a word."""
        return "broken" if any(one.status == "broken" for one in self.checks) else "holds"


@dataclass(frozen=True, slots=True)
class MetamorphicTest:
    """The models that were checked."""

    models: tuple[Checked, ...]

    @property
    def broken(self) -> tuple[tuple[str, Check], ...]:
        """The checks that do not hold, each with its model."""
        return tuple(
            (one.model, check)
            for one in self.models
            for check in one.checks
            if check.status == "broken"
        )

    @property
    def ok(self) -> bool:
        """Whether no check is broken, and there are some."""
        return not self.broken and any(
            check.status == "holds" for one in self.models for check in one.checks
        )

    def lines(self) -> Iterator[str]:
        """Yield the table, why checks cannot be made, and what is broken."""
        width = max(len(one.name) for one in METAMORPHIC)
        yield f"{'check':{width}}  holds  not applicable  broken  worst    must hold"
        for relation in METAMORPHIC:
            found = self._of(relation.name)
            count = [
                sum(check.status == status for check in found)
                for status in ("holds", "not applicable", "broken")
            ]
            error = max((c.error for c in found if c.status == "holds"), default=0.0)
            yield (
                f"{relation.name:{width}}  {count[0]:>5}  {count[1]:>14}  {count[2]:>6}  "
                f"{error:.1e}  {relation.holds}"
            )
        for one in self.models:
            for check in one.checks:
                if check.status == "not applicable":
                    yield f"{one.model}, {check.name}: not applicable: {check.reason}"
        for model, check in self.broken:
            where = ", ".join(x for x in (check.form, check.state) if x)
            yield f"{model}, {check.name}: broken: {check.reason} ({where}; {check.error:.1e})"
        yield self.summary()

    def _of(self, name: str) -> list[Check]:
        return [check for one in self.models for check in one.checks if check.name == name]

    def summary(self) -> str:
        """Return the outcome in a line."""
        every = [check for one in self.models for check in one.checks]
        made = [check for check in every if check.status != "not applicable"]
        holds = sum(check.status == "holds" for check in made)
        return (
            f"metamorphic checks: {holds} of {len(made)} hold on {len(self.models)} models, "
            f"{len(every) - len(made)} are not applicable"
        )

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        return {
            "ok": self.ok,
            "checks": {one.name: one.holds for one in METAMORPHIC},
            "models": [
                {
                    "model": one.model,
                    "seconds": one.seconds,
                    "checks": [
                        {
                            **asdict(check),
                            "error": check.error if isfinite(check.error) else None,
                        }
                        for check in one.checks
                    ],
                }
                for one in self.models
            ],
        }
