"""How many operations the fast forms need on arms and chains, all constants put in.

Counted are additions, multiplications and divisions of the straight line; sines and cosines are
shown apart. The bounds are counts of a prototype on the same models, of which at most 3 % more
is allowed where it is a bound. The figures go to counts.md; a missed bound ends with status 1.
`--quick` takes the arms alone and keeps nothing.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from arms import arm_system  # noqa: E402  the models are those of the tests
from mbx.analyses.costs.operation_counts import Counts, cost  # noqa: E402
from mbx.formalism import registry  # noqa: E402
from mbx_converters.recursive.recursive_newton_euler import inverse_dynamics  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS: Final = Path(__file__).with_name("counts.md")
SLACK: Final = 1.03
INVERSE: Final = "inverse dynamics"
GROWTH: Final = (10, 12, 50, 100)


@dataclass(frozen=True, slots=True)
class Case:
    """A model and a form, with the count of the prototype, if it has one."""

    model: str
    form: str
    prototype: int | None = None
    bound: bool = False


CASES: Final = (
    Case("iiwa", INVERSE, 464, bound=True),
    Case("iiwa", "composite_body", 979, bound=True),
    Case("iiwa", "articulated_body", 1139),
    Case("iiwa", "recursive_newton_euler"),
    Case("arm7gen", INVERSE, 1178),
    Case("arm7gen", "composite_body", 2658),
    Case("arm7gen", "articulated_body", 3197),
    Case("arm7gen", "recursive_newton_euler"),
    Case("planar10", INVERSE),
    Case("planar10", "composite_body", 1115),
    Case("planar10", "articulated_body", 705),
    Case("spatial20", INVERSE),
    Case("spatial20", "composite_body", 8109),
    Case("spatial20", "articulated_body", 5081, bound=True),
)


def counted(model: str, form: str) -> Counts:
    """Return the operations of a form on a model."""
    if form == INVERSE:
        return cost(inverse_dynamics(arm_system(model)), ["tau"])
    return cost(registry.derive(arm_system(model), form))


def table(cases: Iterable[Case]) -> tuple[list[str], bool]:
    """Return the rows of the table of counts, and whether all bounds are met."""
    head = ("model", "form", "additions", "multiplications", "divisions", "all", "prototype")
    rows = [f"| {' | '.join((*head, 'ratio', 'sines and cosines'))} |", "|---" * 9 + "|"]
    met = True
    for case in cases:
        found = counted(case.model, case.form)
        total = found.arithmetic
        before = ratio = ""
        if case.prototype is not None:
            before = f"{case.prototype:,}" + (", bound" if case.bound else "")
            ratio = f"{total / case.prototype:.3f}"
            met &= not case.bound or total <= SLACK * case.prototype
        numbers = (f"{x:,}" for x in (found.add, found.mul, found.div, total))
        cells = (case.model, case.form, *numbers, before, ratio, str(found.function))
        rows.append(f"| {' | '.join(cells)} |")
    return rows, met


def growth() -> tuple[list[str], bool]:
    """Return the rows of the table of growth, and whether a further body costs a constant."""
    rows = [
        "| chain | form | operations of a further body | the same everywhere |",
        "|---|---|---|---|",
    ]
    met = True
    for kind in ("planar", "spatial"):
        for form in (INVERSE, "articulated_body"):
            counts = [counted(f"{kind}{n}", form).arithmetic for n in GROWTH]
            added = {
                (b - a) / (m - n)
                for a, b, n, m in zip(counts, counts[1:], GROWTH, GROWTH[1:], strict=False)
            }
            met &= len(added) == 1
            said = ", ".join(f"{x:g}" for x in sorted(added))
            rows.append(f"| {kind} | {form} | {said} | {'yes' if len(added) == 1 else 'no'} |")
    return rows, met


def main() -> int:
    """Print the tables; return 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the arms alone, keep nothing")
    quick = parser.parse_args().quick
    cases = [case for case in CASES if not quick or case.model in {"iiwa", "arm7gen"}]
    rows, met = table(cases)
    lines = ["# Operations of the fast forms", "", *rows]
    if not quick:
        more, linear = growth()
        lines += ["", f"From {GROWTH[0]} to {GROWTH[-1]} bodies:", "", *more]
        met &= linear
    lines += ["", "All bounds are met." if met else "A bound is missed."]
    text = "\n".join(lines) + "\n"
    print(text)
    if not quick:
        RESULTS.write_text(text, encoding="utf-8")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
