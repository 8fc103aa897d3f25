"""How long three methods of Ivanov and Shimanovskiy take on chains and carousels.

Their figures 6 to 8 are times of a simulation by the number of bodies, for revolute, universal
and ball hinges; here it is the time of accelerations at one state, in machine code. The figures go
to trees.md; the run ends with status 1 if on chains of revolute hinges the sweep over the extended
system does not gain on the matrix of the velocities as these grow, as they say it does. `--quick`
takes two and four bodies, has no bound, and keeps nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import mbx
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.published_costs import FORMS
from mbx.analyses.costs.timing import timed
from mbx.analyses.costs.topologies import limit_system

if TYPE_CHECKING:
    from mbx.analyses.costs.topologies import Shape

RESULTS: Final = Path(__file__).with_name("trees.md")
SHAPES: Final[tuple[Shape, ...]] = ("chain", "carousel")
HINGES: Final = {1: "revolute", 2: "universal", 3: "ball"}
SIZES: Final = (2, 4, 8, 16)
"""Of bodies; the last one for revolute hinges alone."""


def nanoseconds(shape: Shape, freedoms: int, bodies: int) -> dict[str, float]:
    """Return what one state costs each of the methods."""
    tree = limit_system(shape, bodies, freedoms)
    system = mbx.elaborate(mbx.loads(model_text(tree)))
    return {method: timed(system, form).single for method, form in FORMS.items()}


def main() -> int:
    """Measure, print, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    sizes = SIZES[:2] if quick else SIZES
    lines = [
        "# Three methods on trees",
        "",
        "Nanoseconds for accelerations at one state.",
        "",
        f"| structure | hinges | bodies | {' | '.join(FORMS)} | fastest |",
        f"|---|---|---|{'---|' * len(FORMS)}---|",
    ]
    gains = []
    for shape in SHAPES:
        for freedoms, hinge in HINGES.items():
            for bodies in sizes if freedoms == 1 else sizes[:3]:
                found = nanoseconds(shape, freedoms, bodies)
                fastest = min(found, key=lambda method: found[method])
                times = " | ".join(f"{x:,.0f}" for x in found.values())
                lines.append(f"| {shape} | {hinge} | {bodies} | {times} | {fastest} |")
                sys.stdout.write(lines[-1] + "\n")
                sys.stdout.flush()
                if shape == "chain" and freedoms == 1:
                    gains.append(found["DAH"] / found["EMH"])
    met = gains[-1] > gains[1]
    said = (
        f"DAH takes {gains[1]:.2f} of EMH on a chain of {sizes[1]}, {gains[-1]:.2f} of {sizes[-1]}"
    )
    sys.stdout.write(f"{said}.\n")
    if quick:
        return 0
    RESULTS.write_text("\n".join([*lines, "", f"{said}.", ""]), "utf-8")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
