"""A model on its way to another process: JSON text, never objects."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from mbx.base.diagnostics import Report, Source
from mbx.base.workers.pool import WorkerError
from mbx.language.json.read_json import read_json
from mbx.language.json.write_json import write_json
from mbx.language.limits import LIMITS
from mbx.linking.link import link_document

if TYPE_CHECKING:
    from mbx.linking.link import Linked

__all__ = ["SentModel", "Text", "arrived", "sent"]


class Text(BaseModel):
    """What is exchanged: numbers arrive to the last bit, infinite ones and NaN included."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_inf_nan="constants", defer_build=True
    )


class SentModel(Text):
    """A linked model.

    Attributes:
        document: It, in the JSON form.
        hash: Its identity.
        limits: What it may be, as the user set it.
    """

    document: str
    hash: str
    limits: dict[str, float]


def sent(model: Linked) -> SentModel:
    """Return a model as it is sent."""
    return SentModel(document=write_json(model.document), hash=model.hash, limits=asdict(LIMITS))


def arrived(sent_model: SentModel) -> Linked:
    """Return the model that was sent; raise `WorkerError` where it is another model."""
    for name, value in sent_model.limits.items():
        LIMITS.set(name, value)
    report = Report()
    document = read_json(Source("<task>", sent_model.document), report)
    linked = None if document is None else link_document(document, None, report)
    if linked is None or linked.hash != sent_model.hash:
        raise WorkerError(
            f"the model does not arrive as it was sent; {report.render()}".strip("; ")
        )
    return linked
