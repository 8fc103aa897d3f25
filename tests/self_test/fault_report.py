"""What a self-test found: a table by group, the faults that were not found, and both as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from self_test.mutants import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from self_test.mutants import Mutant
    from self_test.trial import Found

__all__ = ["SelfTest"]

_ACROSS: Final[dict[str, Callable[[Mutant], bool]]] = {
    "shared by all forms": lambda m: m.shared,
    "of size 1e-6": lambda m: "small" in m.tags,
    "at some states or elements": lambda m: "conditional" in m.tags,
    "in a declared result alone": lambda m: "declared" in m.tags,
}
"""Groups across the others."""
_ALONE: Final = {
    "results": "checks of declared results alone find",
    "linearisation": "differences of forms beside linearisations alone find",
    "linked": "linked documents beside hand-written ones alone find",
    "references": "expectations of experiments alone find",
    "verifier": "faults of the verifier itself that are noticed:",
}
"""What finds faults that forms and oracle agree on."""


@dataclass(frozen=True)
class SelfTest:
    """The faults that were tried out, and what came of each trial."""

    mutants: tuple[Mutant, ...]
    found: tuple[Found, ...]

    @cached_property
    def unsound(self) -> tuple[Found, ...]:
        """The models that do not pass without a fault: they show nothing."""
        return tuple(f for f in self.found if not f.mutant and f.status != "sound")

    @cached_property
    def _by_mutant(self) -> dict[str, Found]:
        return {f.mutant: f for f in self.found if f.mutant}

    def killed(self, mutant: Mutant) -> bool:
        """Return whether a fault was found, with the right name, on a sound model.

        One of the verifier counts only if the verifier without it finds the bait.
        """
        check = named(mutant.bait).check if mutant.bait else mutant.check
        sound = (mutant.model, check) not in {(f.model, f.check) for f in self.unsound}
        known = [mutant.id, mutant.bait] if mutant.bait else [mutant.id]
        found = [self._by_mutant.get(one) for one in known]
        return sound and all(one is not None and one.status == "killed" for one in found)

    @cached_property
    def equivalents(self) -> tuple[Mutant, ...]:
        """The faults that change nothing, as is proved."""
        return tuple(m for m in self.mutants if self._by_mutant[m.id].status == "equivalent")

    @cached_property
    def survivors(self) -> tuple[Mutant, ...]:
        """The faults that were not found, and are some."""
        return tuple(m for m in self.mutants if not self.killed(m) and m not in self.equivalents)

    @cached_property
    def unanimous(self) -> tuple[Mutant, ...]:
        """The faults that the forms agree on, so that the oracle alone finds them."""
        alike = {f.mutant for f in self.found if f.unanimous}
        return tuple(m for m in self.mutants if m.shared and self.killed(m) and m.id in alike)

    @property
    def ok(self) -> bool:
        """Whether every fault was found."""
        return not self.survivors and not self.unsound

    def groups(self) -> dict[str, tuple[int, int]]:
        """Return how many faults were found, of how many, by group; equivalent ones are none."""
        tests: dict[str, Callable[[Mutant], bool]] = {"all": lambda _: True}
        for name in dict.fromkeys(m.group for m in self.mutants):
            tests[name] = lambda m, name=name: m.group == name  # type: ignore[misc]
        found = {}
        for name, test in {**tests, **_ACROSS}.items():
            some = [m for m in self.mutants if test(m) and m not in self.equivalents]
            found[name] = sum(map(self.killed, some)), len(some)
        return found

    def lines(self) -> Iterator[str]:
        """Yield the table, and what was not found."""
        groups = self.groups()
        width = max(map(len, groups))
        yield f"{'faults':{width}}  found   of"
        for name, (killed, total) in groups.items():
            yield f"{name:{width}}  {killed:>5} {total:>4}"
        yield f"the oracle alone finds {len(self.unanimous)}, on which the forms agree"
        for by, said in _ALONE.items():
            count = sum(self.killed(m) and self._by_mutant[m.id].by == by for m in self.mutants)
            if count:
                yield f"{said} {count}"
        for mutant in self.equivalents:
            yield f"{mutant.id}: equivalent: {mutant.equivalent}"
        for one in self.unsound:
            yield f"{one.model} without a fault: {one.status}: {one.note}"
        for mutant in self.survivors:
            one = self._by_mutant[mutant.id]
            named = f", named: {', '.join(one.named)}" if one.named else ""
            yield f"{mutant.id} on {mutant.model}: {one.status}{named}"
            yield f"  {mutant.breaks}; expected: {', '.join(mutant.expected)}"
            yield f"  {one.note}"
        yield self.summary()

    def summary(self) -> str:
        """Return the outcome in a line."""
        killed, total = self.groups()["all"]
        models = len({m.model for m in self.mutants})
        return f"self-test: {killed} of {total} faults found on {models} models"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data; what is no number is null."""
        return {
            "ok": self.ok,
            "groups": {name: {"found": k, "of": n} for name, (k, n) in self.groups().items()},
            "survivors": [m.id for m in self.survivors],
            "by_oracle_alone": [m.id for m in self.unanimous],
            "equivalents": [m.id for m in self.equivalents],
            "models": [_trial(f) for f in self.found if not f.mutant],
            "faults": [
                {
                    "id": m.id,
                    "module": m.module,
                    "breaks": m.breaks,
                    "expected": list(m.expected),
                    "tags": sorted(m.tags),
                    "killed": self.killed(m),
                    **_trial(self._by_mutant[m.id]),
                }
                for m in self.mutants
            ],
        }


def _trial(found: Found) -> dict[str, Any]:
    data = asdict(found)
    del data["mutant"]
    data["named"] = list(found.named)
    data["error"] = found.error if isfinite(found.error) else None
    return data
