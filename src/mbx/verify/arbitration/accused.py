"""Which forms are wrong: the smallest set that explains every disagreement.

The forms that disagree are the edges of a graph, and a set of forms that explains all of them is a
vertex cover. Of the smallest covers there may be several; then no form is named, for either may be
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["accused_forms", "smallest_covers"]

Cover = frozenset[str]


def accused_forms(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> set[str]:
    """Return the forms that are wrong, where the `known` forms are.

    Pairs that these explain prove nothing about the others.
    """
    wrong = set(known)
    covers = smallest_covers([pair for pair in pairs if wrong.isdisjoint(pair)])
    return wrong | (set(covers[0]) if len(covers) == 1 else set())


def smallest_covers(pairs: Iterable[tuple[str, str]]) -> list[Cover]:
    """Return the smallest sets that have a form of every pair; two at most, for one is unique.

    Either a form is in a cover, or all that it disagrees with are.
    """
    edges = {frozenset(pair) for pair in pairs}
    best: list[Cover] = []

    def search(left: frozenset[Cover], chosen: Cover) -> None:
        if best and len(chosen) > len(best[0]):
            return
        if not left:
            if best and len(chosen) < len(best[0]):
                best.clear()
            if chosen not in best:
                best.append(chosen)
            return
        degree: dict[str, int] = {}
        for edge in left:
            for name in edge:
                degree[name] = degree.get(name, 0) + 1
        most = max(sorted(degree), key=degree.__getitem__)
        opponents = frozenset(name for edge in left if most in edge for name in edge) - {most}
        for more in (frozenset({most}), opponents):
            search(frozenset(edge for edge in left if edge.isdisjoint(more)), chosen | more)

    search(frozenset(edges), frozenset())
    return best[:2]
