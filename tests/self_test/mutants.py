"""The faults to plant: tables under `faults`, one for each topic."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "DETECTORS",
    "LINEARISATION",
    "ORACLE",
    "Check",
    "Mutant",
    "choose",
    "mutants",
    "named",
    "tenth",
]

Check = Literal["forms", "references", "runs", "linked", "verifier"]
"""What a fault is tried with: the forms and the oracle, the expectations of experiments, runs of
them by two methods, the suite of linked documents, or another fault that the verifier must no
longer find."""
ORACLE: Final = "oracle"
"""What is expected of a fault that all forms share: all against oracle."""
LINEARISATION: Final = "linearisation"
"""What is expected of a fault in small motions alone: no form is wrong."""
DETECTORS: Final = frozenset({ORACLE, LINEARISATION, "references", "runs", "linked", "verifier"})
"""What is named where it is not a form."""
FEW: Final = ("gibbs_appell", "kane", "lagrange", "newton_euler", "udwadia_kalaba:singular")
"""The forms that are run where a fault names none: they share little beside the core."""
BESIDE: Final = ("kane", "lagrange", "newton_euler")
"""The forms, two of them, that run beside one that declares a wrong result."""
WRONG: Final = {
    "slightly": "times 1 + 1e-6",
    "opposite": "with the opposite sign",
    "shuffled": "with its rows in another order",
    "raised": "with 1e-6 added to each entry",
}
"""How a declared result can be wrong, in words."""
EVERY: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A fault in the code.

    Attributes:
        id: Its name.
        module: Where it is.
        find: The source text that it replaces.
        replace: What stands there instead.
        occurrence: Which one of several places with the same text it is, from 1 on.
        of: How many such places there are.
        breaks: What it breaks, in a line.
        model: The model that shows it.
        expected: The forms that must be named, or `oracle`: all of them are against it.
        forms: The forms that are run.
        tags: `small` of a relative size of 1e-6; `conditional` where it acts at some states, or
            in one kind of joint or load alone; `declared` in a result that nothing else is
            computed from.
        equivalent: Why it changes nothing; the arbiter must confirm that.
        oracle: Whether the oracle is asked; it always is of a fault in the core.
        check: What it is tried with.
        bait: The fault that the verifier finds, and no longer finds with a fault of its own.
    """

    id: str
    module: str
    find: str
    replace: str
    breaks: str
    model: str
    expected: tuple[str, ...]
    occurrence: int = 0
    of: int = 0
    forms: tuple[str, ...] = FEW
    tags: frozenset[str] = frozenset()
    equivalent: str = ""
    oracle: bool = False
    check: Check = "forms"
    bait: str = ""

    @property
    def core(self) -> bool:
        """Whether it is in what all forms share."""
        return self.module.startswith("mbx.")

    @property
    def group(self) -> str:
        """The group that counts it: front end, verifier, core, its form, or its family.

        A family groups the faults in modules that its formalisms share.
        """
        if self.module.startswith("mbx.verify.") or self.bait:
            return "verifier"
        if self.check != "forms":
            return "front end"
        if self.core:
            return "core"
        package, _, name = self.module.rpartition(".")
        forms = getattr(import_module(package), "CONVERTERS", (name,))
        return name if name in forms else f"{package.rpartition('.')[2]} (shared)"

    @property
    def shared(self) -> bool:
        """Whether all forms are expected to be wrong."""
        return self.expected == (ORACLE,)


@cache
def mutants() -> tuple[Mutant, ...]:
    """Return all faults, in the order of their tables' names and lines."""
    folder = resources.files("self_test") / "faults"
    tables = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(m for table in tables for m in _read(tomllib.loads(table.read_text("utf-8"))))


def _read(table: dict[str, Any]) -> Iterator[Mutant]:
    """Yield the faults of a table; what stands above them holds for all of them."""
    for row in table.pop("declared", ()):
        yield from _declared(row)
    rows = table.pop("fault", ())
    for row in rows:
        values = {**table, **row}
        for name, kind in (("expected", tuple), ("forms", tuple), ("tags", frozenset)):
            if name in values:
                values[name] = kind(values[name])
        yield Mutant(**values)


@cache
def _module_of(form: str) -> str:
    """Return the module of a form, found without importing anything that a fault may be in."""
    spec = find_spec("mbx_converters")
    folders = [Path(one) for one in (spec and spec.submodule_search_locations) or ()]
    (file,) = (found for folder in folders for found in folder.rglob(f"{form}.py"))
    folder = next(one for one in folders if file.is_relative_to(one))
    return ".".join(["mbx_converters", *file.relative_to(folder).with_suffix("").parts])


def _declared(row: dict[str, Any]) -> Iterator[Mutant]:
    """Yield faults in results that a form declares, one for each: nothing else is wrong."""
    form = row["form"].partition(":")[0]
    beside = row.get("beside", [one for one in BESIDE if one != form][:2])
    for how, said in WRONG.items():
        for result in row.get(how, ()):
            name = f"{form}-declares-{result.rstrip(':*')}"
            yield Mutant(
                id=name if how == "slightly" else f"{name}-{how}",
                module=_module_of(form),
                find="derive=derive,",
                replace=f'derive=spoilt(derive, "{result}", "{how}"),',
                breaks=f"declares `{result}` {said}",
                model=row["model"],
                expected=(form,),
                forms=(row["form"], *beside),
                oracle=row.get("oracle", False),
                tags=frozenset({"declared", *(["small"] if how == "slightly" else [])}),
            )


def tenth() -> tuple[Mutant, ...]:
    """Return a fixed tenth of the faults: every tenth of them, by order."""
    return mutants()[::EVERY]


def named(id_: str) -> Mutant:
    """Return a fault by its name."""
    return next(m for m in mutants() if m.id == id_)


def choose(names: Sequence[str]) -> tuple[Mutant, ...]:
    """Return the faults that are named: by name, by a pattern, or `tenth`; all, if none is."""
    if not names:
        return mutants()
    known = mutants()
    for name in names:
        if name != "tenth" and not any(fnmatchcase(m.id, name) for m in known):
            raise MbxError(f"no fault is called '{name}'")
    some = tenth() if "tenth" in names else ()
    return tuple(m for m in known if m in some or any(fnmatchcase(m.id, name) for name in names))
