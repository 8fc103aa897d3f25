"""`mbx verify --self-test`: whether the verifier finds the faults that are planted."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.base.errors import MbxError
from mbx.cli.output import Status, bar, complain, emit_json, say
from mbx.cli.read_input import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.cli.verification.verify_output import Wanted
    from self_test.fault_report import SelfTest
    from self_test.metamorphic.relation_report import Checked, MetamorphicTest
    from self_test.trial import Found

__all__ = ["test_verifier"]

_PARTS: Final = ("faults", "metamorphic")


def test_verifier(names: Sequence[str], jobs: int, wanted: Wanted) -> int:
    """Plant faults, all or those that are named, and say whether each is found.

    If none is named, or a tenth of them, the metamorphic checks are made, too.
    """
    if not _on_path():
        complain("mbx: the self-test needs a checkout of mbx: its faults are in tests/self_test")
        return Status.USAGE
    from self_test.metamorphic import run_relations as relations
    from self_test.mutants import choose
    from self_test.run_trials import run

    SETTINGS.release()
    try:
        chosen = choose(names)
    except MbxError as unknown:
        complain(f"mbx: {unknown}")
        return Status.USAGE
    with _heard() as progress:
        found = run(chosen, workers=jobs, progress=progress)
    models = {(): relations.every_model(), ("tenth",): relations.tenth()}.get(tuple(names), ())
    if not models:
        return _told([found], wanted)
    with _heard() as progress:
        held = relations.run(models, jobs=jobs, progress=progress)
    return _told([found, held], wanted)


def _on_path() -> bool:
    """Let the self-test be imported from the checkout that this package is in, if it is one."""
    tests = Path(__file__).parents[4] / "tests"
    if not (tests / "self_test").is_dir():
        return False
    if str(tests) not in sys.path:
        sys.path.insert(0, str(tests))
    return True


def _told(found: Sequence[SelfTest | MetamorphicTest], wanted: Wanted) -> int:
    """Say what was found; the status is that of the worse."""
    if wanted.as_json:
        emit_json({name: one.as_json() for name, one in zip(_PARTS, found, strict=False)})
    elif wanted.quiet:
        for one in found:
            say(one.summary())
    else:
        for k, one in enumerate(found):
            for line in ([""] if k else []) + list(one.lines()):
                say(line)
    return Status.OK if all(one.ok for one in found) else Status.DISAGREE


@contextmanager
def _heard() -> Iterator[Callable[[Found | Checked, int], None] | None]:
    """Show a bar with what was tried last."""
    with bar() as advance:
        if advance is None:
            yield None
            return

        def hear(found: Found | Checked, count: int) -> None:
            name = getattr(found, "mutant", "") or found.model
            advance(f"{name}: {found.status}", count)

        yield hear
