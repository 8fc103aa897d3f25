"""Which tests `make test` runs, which `make papers` adds, and which only `make test-all` runs.

A test without a mark is in `make test`. Marks put it elsewhere:

    papers          proves a thesis, a paper, or a family of formalisms: `make papers`
    full            takes long, or repeats a statement that `make test` shows: `make papers`
    sample(n)       n cases of this parametrised test, always the same, are in `make test`, the
                    others are `full`; where n is 0 or names follow, `sample(0, "four_bar")`, the
                    cases with these parameters are
    slow            takes more than a few seconds: `make test-all`

`slow` comes first: a slow case is never part of a sample, and `papers` does not make it faster.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DEFAULT", "NOT_SLOW", "mark_what_is_no_sample"]

DEFAULT: Final = "not slow and not papers and not full"
"""What is run when nothing else is requested; pyproject.toml has it, too."""
NOT_SLOW: Final = "not slow"


def mark_what_is_no_sample(items: Iterable[pytest.Item], *, whole: bool) -> None:
    """Mark cases outside the samples; refuse names that no case has if all cases are present."""
    tables: defaultdict[tuple[Any, ...], list[pytest.Function]] = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sample")
        if mark is not None and isinstance(item, pytest.Function):
            size, *names = mark.args
            tables[item.parent, item.originalname, size, *names].append(item)
    for (_, function, size, *names), cases in tables.items():
        if whole:
            _check_names(function, names, cases)
        chosen = _choose(cases, size, names)
        for case in cases:
            if case not in chosen:
                case.add_marker("full")


def _choose(cases: list[pytest.Function], size: int, names: list[str]) -> set[pytest.Function]:
    """Return the cases with these names, and `size` others: a choice that new cases keep."""
    quick = [case for case in cases if not any(case.iter_markers("slow"))]
    named = [case for case in quick if _words(case) & set(names)]
    others = sorted((case for case in quick if case not in named), key=_draw)
    return {*named, *others[:size]}


def _draw(case: pytest.Function) -> bytes:
    return hashlib.sha256(_id(case).encode()).digest()


def _id(case: pytest.Function) -> str:
    return case.callspec.id if hasattr(case, "callspec") else ""


def _words(case: pytest.Function) -> set[str]:
    return {_id(case), *_id(case).split("-")}


def _check_names(function: str, names: list[str], cases: list[pytest.Function]) -> None:
    unknown = set(names).difference(*(_words(case) for case in cases))
    if unknown:
        message = f"{function}: no case for the sample is named {', '.join(sorted(unknown))}"
        raise pytest.UsageError(message)
