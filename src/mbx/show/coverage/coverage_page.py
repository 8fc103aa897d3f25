"""The coverage page: case by form, and case by kind of reference, in Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.provenance import KINDS
from mbx.linking.library import cases, read_case
from mbx.show.coverage.coverage_file import AGREE, read_coverage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mbx.show.coverage.coverage_file import ModelCoverage

__all__ = ["coverage_page"]

_YES: Final = "✓"
_PAGE: Final = """\
# Coverage of the library

This page is made by `mbx library coverage` from the files `coverage.json` of the cases.
Such a file is only written where all forms that apply agree with each other and with the oracle, \
and all references are met.

{totals}

## Case by form

{yes} says that the form agrees with all others, a letter why it does not apply; both, that this \
holds of some of its variants.
The forms and the letters are explained below the table.

{matrix}

### Forms

{forms}
{why}
## Case by kind of reference

The kinds are those of provenance; the number is how many values of a kind the case gives again.

{references}
{unknown}"""


@dataclass(frozen=True, slots=True)
class _Row:
    """A model of a case; `label` is the case, with the model where it has several."""

    label: str
    title: str
    known: ModelCoverage


def coverage_page(library: Path | None = None) -> str:
    """Return the page of a library: of that of mbx unless a folder is named."""
    rows, missing = _rows(cases(library))
    forms = _forms(rows)
    letters = _letters(rows)
    return _PAGE.format(
        yes=_YES,
        totals="\n".join(_totals(rows, forms)),
        matrix="\n".join(_matrix(rows, forms, letters)),
        forms="\n".join(_table(["", "form", "variants"], _form_legend(forms))),
        why="\n".join(_why(letters)),
        references="\n".join(_references(rows)),
        unknown="\n".join(_unverified(missing)),
    )


def _rows(folders: Iterable[Path]) -> tuple[list[_Row], list[str]]:
    """Return a row for each model, and the cases without coverage."""
    rows, missing = [], []
    for folder in folders:
        known = read_coverage(folder)
        if known is None:
            missing.append(folder.name)
            continue
        title = read_case(folder).title
        for model in known.models:
            several = f" {model.model}" if len(known.models) > 1 else ""
            rows.append(_Row(f"`{folder.name}`{several}", title, model))
    return rows, missing


def _forms(rows: Sequence[_Row]) -> dict[str, list[str]]:
    """Return the variants of every form, in the order of the files."""
    variants: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for row in rows for name in row.known.forms):
        form, _, variant = name.partition(":")
        variants.setdefault(form, []).append(variant)
    return dict(sorted(variants.items()))


def _letters(rows: Sequence[_Row]) -> dict[str, str]:
    """Return a letter for every reason; the most frequent reasons come first."""
    often: dict[str, int] = {}
    for row in rows:
        for outcome in row.known.forms.values():
            for reason in _reasons(outcome):
                often[reason] = often.get(reason, 0) + 1
    ranked = sorted(often, key=lambda reason: (-often[reason], reason))
    return dict(zip(ranked, _labels(), strict=False))


def _labels() -> Iterator[str]:
    """Yield a, b, …, z, a2, b2, …."""
    yield from ascii_lowercase
    for number in count(2):
        yield from (f"{letter}{number}" for letter in ascii_lowercase)


def _reasons(outcome: str) -> list[str]:
    if outcome == AGREE:
        return []
    status, _, reason = outcome.partition(": ")
    return reason.split("; ") if status == "not applicable" else [outcome]


# -- tables ----------------------------------------------------------------------------------


def _totals(rows: Sequence[_Row], forms: Mapping[str, Sequence[str]]) -> Iterator[str]:
    cells = [outcome for row in rows for outcome in row.known.forms.values()]
    agree = sum(outcome == AGREE for outcome in cells)
    yield f"Models: {len(rows)}; forms: {len(forms)}, with variants {_count(forms)}."
    yield f"Of {len(cells)} pairs of a model and a form {agree} agree, the others do not apply."
    met = {kind: sum(_met(row, kind) for row in rows) for kind in KINDS}
    text = ", ".join(f"{number} {kind}" for kind, number in met.items() if number)
    yield f"References met: {text or 'none'}."


def _count(forms: Mapping[str, Sequence[str]]) -> int:
    return sum(len(variants) for variants in forms.values())


def _matrix(
    rows: Sequence[_Row], forms: Mapping[str, Sequence[str]], letters: Mapping[str, str]
) -> Iterator[str]:
    head = ["case", *_keys(forms).values()]
    body = (
        [row.label, *(_cell(row.known, form, forms[form], letters) for form in forms)]
        for row in rows
    )
    return _table(head, body)


def _cell(
    known: ModelCoverage, form: str, variants: Sequence[str], letters: Mapping[str, str]
) -> str:
    names = [f"{form}:{variant}" if variant else form for variant in variants]
    outcomes = [known.forms[name] for name in names if name in known.forms]
    why = sorted({letters[reason] for outcome in outcomes for reason in _reasons(outcome)})
    return " ".join([_YES] * (AGREE in outcomes) + why)


def _keys(forms: Iterable[str]) -> dict[str, str]:
    """Return a short name for every form: `NE` for newton_euler, `Ka` for kane."""
    keys: dict[str, str] = {}
    for form in forms:
        words = [word for word in form.split("_") if word]
        initials = "".join(word[0] for word in words).upper()
        key = initials if len(words) > 1 else form[:2].capitalize()
        taken = set(keys.values())
        keys[form] = next(variation for variation in _variations(key) if variation not in taken)
    return keys


def _variations(key: str) -> Iterator[str]:
    yield key
    yield from (f"{key}{number}" for number in count(2))


def _form_legend(forms: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    for form, key in _keys(forms).items():
        named = [f"`{variant}`" for variant in forms[form] if variant]
        yield [key, f"`{form}`", ", ".join(named)]


def _why(letters: Mapping[str, str]) -> Iterator[str]:
    yield ""
    if letters:
        yield "### Why a form does not apply"
        yield ""
        yield from _table(["", "why"], ([letter, text] for text, letter in letters.items()))
        yield ""


def _references(rows: Sequence[_Row]) -> Iterator[str]:
    body = ([row.label, row.title, *(str(_met(row, kind) or "") for kind in KINDS)] for row in rows)
    return _table(["case", "title", *KINDS], body)


def _met(row: _Row, kind: str) -> int:
    count = row.known.references.get(kind)
    return count.met if count is not None else 0


def _unverified(missing: Sequence[str]) -> Iterator[str]:
    if missing:
        yield ""
        yield "## Not verified yet"
        yield ""
        yield from (f"- `{name}`" for name in missing)
        yield ""


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in body:
        yield f"| {' | '.join(map(_safe, row))} |"


def _safe(text: str) -> str:
    """Return a text that stays in its cell, and is no markup of HTML."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
