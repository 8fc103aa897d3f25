"""The metamorphic checks of many models, several at a time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.base.errors import SourceError
from mbx.base.files import read_source
from mbx.base.process import shield_workers
from mbx.language.limits import LIMITS
from mbx.language.text.read_text import read_text
from mbx.linking.library import cases
from self_test import fault_models
from self_test.metamorphic.check_relation import Check, checks, said
from self_test.metamorphic.relation_report import Checked, MetamorphicTest
from self_test.metamorphic.relations import METAMORPHIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.language.document.document import Document

__all__ = ["check_model", "document_of", "every_model", "run", "tenth"]


def every_model() -> tuple[str, ...]:
    """Return the names of all models: cases of the library, and those made for self-tests."""
    own = sorted(file.stem for file in Path(fault_models.__file__).with_name("models").glob("*.mb"))
    return (*(folder.name for folder in cases()), *own)


def tenth() -> tuple[str, ...]:
    """Return a tenth of the models: a joint, rolling, twists in parts, a quasi-velocity."""
    return ("simple_pendulum", "rolling_disc", "ring_and_disc", "spherical_pendulum_quasivelocity")


def document_of(name: str) -> Document:
    """Return a model of the library, or one that is made for self-tests, as it was written."""
    file = fault_models.model_file(name)
    source = read_source(file, limit=LIMITS.file_bytes)
    source.folder = file.resolve().parent
    report = Report()
    document = read_text(source, report)
    if document is None or not report.ok:
        raise SourceError(report)
    return document


def check_model(name: str) -> Checked:
    """Make all checks of a model; one of which nothing can be had fails the first."""
    began = time.monotonic()
    try:
        found = checks(document_of(name))
    except Exception as why:  # noqa: BLE001  the other models are checked all the same
        found = [Check(METAMORPHIC[0].name, "broken", float("inf"), said(why))]
    return Checked(name, tuple(found), time.monotonic() - began)


def run(
    names: Sequence[str],
    *,
    jobs: int = 1,
    progress: Callable[[Checked, int], None] | None = None,
) -> MetamorphicTest:
    """Check some models; `progress` hears of each, and how many there are in all."""
    from joblib import Parallel, delayed, parallel_config  # noqa: PLC0415  only where models are many

    found = {}
    with parallel_config("loky", inner_max_num_threads=1):
        work = Parallel(
            n_jobs=min(jobs, max(1, len(names))), return_as="generator_unordered", batch_size=1
        )
        with shield_workers():  # all workers are started here
            given = work(delayed(check_model)(name) for name in names)
        for one in given:
            found[one.model] = one
            if progress is not None:
                progress(one, len(names))
    return MetamorphicTest(tuple(found[name] for name in names))
