"""coverage.json: the result of the verification of a case, without what changes by rounding.

It is only written where all forms that apply agree and all references are met.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_source

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AGREE",
    "COVERAGE",
    "VERSION",
    "Coverage",
    "FreedomCounts",
    "Met",
    "ModelCoverage",
    "coverage_schema",
    "read_coverage",
    "write_coverage",
]

AGREE: Final = "agree"
COVERAGE: Final = "coverage.json"
"""The name of the file in the folder of a case."""
VERSION: Final = 1


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Met(_Frozen):
    """How many references of a kind are met, and of how many."""

    met: int
    of: int


class FreedomCounts(_Frozen):
    """Degrees of freedom of positions and of velocities, in general position."""

    position: int
    velocity: int


class ModelCoverage(_Frozen):
    """What is known of a model."""

    model: str = Field(description="its name")
    hash: str = Field(description="its identity when it was verified")
    experiment_hash: str = Field(description="that of its start, states and experiments")
    freedoms: FreedomCounts | None = Field(description="its degrees of freedom, where known")
    states: int = Field(description="states at which forms were compared")
    oracle: int = Field(description="states at which the oracle was asked")
    forms: dict[str, str] = Field(
        description="every form with its variants: `agree`, or why it was not compared"
    )
    references: dict[str, Met] = Field(description="references by their kind")


class Coverage(_Frozen):
    """What coverage.json says."""

    coverage: Literal[1] = Field(description="version of this form")
    models: list[ModelCoverage]

    @property
    def references(self) -> dict[str, Met]:
        """The references of all models together, by their kind."""
        totals: dict[str, Met] = {}
        for model in self.models:
            for kind, count in model.references.items():
                before = totals.get(kind, Met(met=0, of=0))
                totals[kind] = Met(met=before.met + count.met, of=before.of + count.of)
        return totals


def read_coverage(folder: Path) -> Coverage | None:
    """Return the coverage of the case in a folder; None where there is no coverage.json."""
    path = folder / COVERAGE
    if not path.exists():
        return None
    try:
        return Coverage.model_validate_json(read_source(path).text)
    except ValidationError:
        raise FileError.of(
            "MBX7006",
            f"'{path}' cannot be read: it is no coverage",
            help="make it anew: mbx library build --renew",
        ) from None
    except FileError:
        raise
    except SourceError as bad:  # not UTF-8
        reason = next(diagnostic.message for diagnostic in bad.report)
        raise FileError.of("MBX7006", f"'{path}' cannot be read: {reason}") from None


def write_coverage(coverage: Coverage) -> str:
    """Return the text of coverage.json."""
    return json.dumps(coverage.model_dump(), indent=2, ensure_ascii=False) + "\n"


def coverage_schema() -> dict[str, Any]:
    """Return the JSON schema of coverage.json."""
    return Coverage.model_json_schema()
