"""The forms of a model by their operations, with the published estimates next to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mbx.analyses.costs.counted import (
    accelerations,
    count_equations,
    independent_invariants,
    rates_of_momenta,
    times,
)
from mbx.analyses.costs.model_hinges import tree_of
from mbx.analyses.costs.operation_counts import Counts
from mbx.analyses.costs.published_costs import FORMS, METHODS, estimate
from mbx.base.short_repr import join_names, shorten_repr
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.analyses.costs.published_costs import Method
    from mbx.analyses.costs.timing import Timing
    from mbx.analyses.costs.topologies import Tree
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["Entry", "Published", "Ranking", "best_method", "rank", "rank_equations"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A form: its operations, or why there are none; if requested, its times, or why not."""

    form: str
    operations: Counts | None
    reason: str = ""
    timing: Timing | str | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A method of Table 1: its estimate, and what was counted of the same work, or why not."""

    method: Method
    form: str
    estimate: int
    counted: Counts | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The forms of a model, the cheapest first, then those that were not counted.

    Attributes:
        model: Its name.
        bodies: How many mass elements it has; None if only equations are known.
        speeds: How many speeds.
        entries: The forms.
        symbolic: Whether parameters were left as symbols.
        tree: The tree of its hinges, or why it is none.
        published: The methods of Table 1, where it is a tree.
        invariants: How many equations its invariants are.
        independent: How many of them are independent at a state in general position, which is
            what the counts assume; None where there are none, or no such state is found.
    """

    model: str
    bodies: int | None
    speeds: int
    entries: tuple[Entry, ...]
    symbolic: bool
    tree: Tree | str
    published: tuple[Published, ...]
    invariants: int
    independent: int | None

    def __repr__(self) -> str:
        """Return the forms, the cheapest first."""
        return shorten_repr(
            f"<Ranking of the forms of {self.model}:"
            f" {join_names(each.form for each in self.entries)}>"
        )

    @property
    def assumes_rank(self) -> bool:
        """Whether something was counted that depends on the rank of the invariants."""
        return self.independent is not None and self.best is not None

    @property
    def best(self) -> str | None:
        """The cheapest form; None if none was counted."""
        first = next(iter(self.entries), None)
        return None if first is None or first.operations is None else first.form

    def lines(self) -> list[str]:
        """Return it as lines for people."""
        from mbx.analyses.costs.cost_text import lines  # the two need each other

        return list(lines(self))

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        tree = None if isinstance(self.tree, str) else self.tree
        return {
            "model": self.model,
            "bodies": self.bodies,
            "speeds": self.speeds,
            "symbolic": self.symbolic,
            "invariants": self.invariants,
            "independent": self.independent,
            "assumes_rank": self.assumes_rank,
            "best": self.best,
            "forms": [
                {
                    "form": entry.form,
                    "operations": _data(entry.operations),
                    "reason": entry.reason or None,
                    **_timing_data(entry.timing),
                }
                for entry in self.entries
            ],
            "tree": None
            if tree is None
            else {"parents": list(tree.parents), "freedoms": list(tree.freedoms)},
            "no_tree": self.tree if tree is None else None,
            "published": [
                {
                    "method": method.method,
                    "form": method.form,
                    "estimate": method.estimate,
                    "counted": _data(method.counted),
                    "reason": method.reason or None,
                }
                for method in self.published
            ],
            "extrapolated": tree is not None and tree.roots > 1,
        }


def _data(counted: Counts | None) -> dict[str, int] | None:
    if counted is None:
        return None
    return {
        "additions": counted.add,
        "multiplications": counted.mul,
        "divisions": counted.div,
        "functions": counted.function,
        "total": counted.arithmetic,
    }


def _timing_data(timing: Timing | str | None) -> dict[str, Any]:
    if timing is None:
        return {}
    if isinstance(timing, str):
        return {"timing": None, "not_timed": timing}
    return {"timing": timing.as_json()}


def rank(
    system: System,
    forms: Sequence[str] = (),
    *,
    symbolic: bool = False,
    timed: bool = False,
    timeout: float = 60.0,
    progress: Callable[[str, int], None] | None = None,
) -> Ranking:
    """Return the forms of a system by their operations: all that apply, or those that are named.

    A form that takes more than `timeout` seconds is not counted; `progress` receives each form
    as it is done, and how many there are. With `timed`, code is made of each form, and run.
    """
    wanted = tuple(forms) or registry.names()
    entries = []
    for form in wanted:
        outcome = accelerations(system, form, symbolic=symbolic, timeout=timeout)
        counts, reason = (outcome, "") if isinstance(outcome, Counts) else (None, outcome)
        timing = times(system, form, symbolic=symbolic, timeout=timeout) if timed else None
        entries.append(Entry(form, counts, reason, timing))
        if progress is not None:
            progress(form, len(wanted))
    entries.sort(key=_order)
    tree = tree_of(system)
    return Ranking(
        system.name,
        len(system.elements),
        len(system.u),
        tuple(entries),
        symbolic,
        tree,
        ()
        if isinstance(tree, str)
        else _published(system, tree, symbolic=symbolic, timeout=timeout),
        len(system.rows),
        independent_invariants(system, timeout) if system.rows else None,
    )


def rank_equations(equations: Equations, timeout: float, *, symbolic: bool = False) -> Ranking:
    """Return the ranking of one form, whose equations are there and whose model is not."""
    outcome = count_equations(equations, symbolic=symbolic, timeout=timeout)
    counts, reason = (outcome, "") if isinstance(outcome, Counts) else (None, outcome)
    form = f"{equations.formalism}:{equations.variant}" if equations.variant else ""
    states = equations.states
    return Ranking(
        equations.model,
        None,
        len(equations.signature.u),
        (Entry(form or equations.formalism, counts, reason),),
        symbolic,
        "equations have no hinges",
        (),
        0 if states is None else states.invariants,
        states.independent if states is not None and states.invariants else None,
    )


def _order(entry: Entry) -> tuple[bool, int, str]:
    counted = entry.operations
    return counted is None, 0 if counted is None else counted.arithmetic, entry.form


def _published(
    system: System, tree: Tree, *, symbolic: bool, timeout: float
) -> tuple[Published, ...]:
    published = []
    for method in METHODS:
        form, predicted = FORMS[method], estimate(method, tree)
        outcome = rates_of_momenta(system, form, symbolic=symbolic, timeout=timeout)
        published.append(
            Published(method, form, predicted, outcome)
            if isinstance(outcome, Counts)
            else Published(method, form, predicted, None, outcome)
        )
    return tuple(published)


def best_method(system: System) -> str | None:
    """Return the form of a system that needs the fewest operations; None if none can be counted."""
    return rank(system).best
