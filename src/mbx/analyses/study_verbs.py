"""What is made of analyses: many of them, over parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.deep_recursion import room
from mbx.pipeline import linked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.study.parameter_study import Study
    from mbx.analyses.study.setting import Setting
    from mbx.language.document.document import Document
    from mbx.linking.linked import Linked

__all__ = ["study"]


@room()
def study(  # noqa: PLR0913  the options of the command
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    analysis: str | None = None,
    results: Sequence[str] = (),
    vary: Mapping[str, str | Sequence[float]] | None = None,
    random: Mapping[str, str] | None = None,
    samples: int = 0,
    sampling: str = "random",
    seed: int = 1,
    slopes: Sequence[str] = (),
    setting: Setting | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Return an analysis made over values of parameters, inputs and starts, as one table.

    `analysis` is "simulate", "equilibrium", "linearize", "assemble" or another one of
    `mbx.analyses.study.kinds`, else what the experiment is about. `vary` are values by name, or
    texts such as "1:2:5", "1:100:5:log" and "1,2,5"; without it, what the experiment varies.
    `random` are distributions by name, such as "normal(1, 0.1)", of which `samples` are drawn: by
    `sampling` "random", "latin", "sobol" or "halton", from a seed. `slopes` are names that each
    result is differentiated by. `setting` has everything else, such as values that are set, and
    gives way to what is said here. The work is done by `jobs` processes, or by the Dask cluster
    at the address `cluster`, with the same result; `progress` hears how many runs more are done,
    and how many there are. What is not there raises `StudyError`; a run that fails is a row.
    """
    from mbx.analyses.study.design import Sampling
    from mbx.analyses.study.parameter_study import study as make
    from mbx.analyses.study.study_request import design_of, setting_of
    from mbx.base.workers.pool import Pool

    linked = linked_of(document, model)
    chosen = setting_of(linked, setting, experiment, analysis, results)
    design = design_of(linked, chosen, vary, random, Sampling(samples, sampling, seed), slopes)
    heard = progress or (lambda _more, _all: None)
    return make(linked, chosen, design, slopes, Pool(jobs, cluster), heard)
