"""`mbx verify --self-test`: whether the verifier finds the faults that are planted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mbx.cli.output import Status, complain, emit_json, say
from mbx.cli.progress import bar
from mbx.cli.settings import SETTINGS
from mbx.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.cli.verify_wanted import Wanted
    from mbx.verify.selftest.metamorphic.report import Checked, MetamorphicTest
    from mbx.verify.selftest.report import SelfTest
    from mbx.verify.selftest.trial import Found

__all__ = ["test_verifier"]

_PARTS: Final = ("faults", "metamorphic")


def test_verifier(names: Sequence[str], jobs: int, wanted: Wanted) -> int:
    """Plant faults, all or those that are named, and say whether each is found.

    If none is named, or a tenth of them, the metamorphic checks are made, too.
    """
    from mbx.verify.selftest.metamorphic import run as relations  # noqa: PLC0415  not for --help
    from mbx.verify.selftest.mutants import choose  # noqa: PLC0415  likewise
    from mbx.verify.selftest.run import run  # noqa: PLC0415  likewise

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
