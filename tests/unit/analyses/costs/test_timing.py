"""Times of forms on this machine; how large they are is for `benchmarks/bench_trees.py`."""

from __future__ import annotations

import pytest

import mbx
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.published_costs import FORMS
from mbx.analyses.costs.timing import timed
from mbx.analyses.costs.topologies import limit_system


@pytest.mark.parametrize(
    ("shape", "freedoms"),
    [
        ("carousel", 1),
        *(pytest.param("chain", n, marks=pytest.mark.slow) for n in (1, 2, 3)),
        *(pytest.param("carousel", n, marks=pytest.mark.slow) for n in (2, 3)),
    ],
)
def test_s2_12_the_three_methods_are_timed_on_trees(shape: str, freedoms: int) -> None:
    """Ivanov and Shimanovskiy, figures 6 to 8: revolute, universal and ball hinges."""
    tree = limit_system(shape, 2, freedoms)  # type: ignore[arg-type]
    system = mbx.elaborate(mbx.loads(model_text(tree)))
    found = {method: timed(system, form) for method, form in FORMS.items()}
    assert set(found) == {"EMH", "DAH", "HZU"}
    for one in found.values():
        assert 1 < one.single < 1e9
        assert one.batch > 0
        assert one.generation > 0
        assert (one.code is None) == (one.backend == "numpy")
