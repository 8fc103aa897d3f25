"""How what `mbx verify` finds shall be said, and kept."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import realpath
from typing import TYPE_CHECKING

from mbx.cli.read import located

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.verify.junit import Suite

__all__ = ["Wanted", "write_junit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is printed, and which files are written."""

    quiet: bool = False
    as_json: bool = False
    junit: Path | None = None
    certificate: Path | None = None
    renew: bool = False

    def wrong(self, paths: Sequence[Path], *, several: bool) -> str:
        """Return what does not go together, if something does not."""
        if self.renew and self.certificate is None:
            return "--renew is for a certificate: name it by --certificate"
        if self.certificate is not None and several:
            return "a certificate is for one model: name one file"
        # unlike Path.resolve, this takes links that go round
        written = [realpath(one) for one in (self.certificate, self.junit) if one is not None]
        if len(set(written)) < len(written):
            return "the certificate and the JUnit report need a file each"
        if written and set(written) & {realpath(located(one)) for one in paths}:
            return "a model would be written over: name another file"
        return ""


def write_junit(suites: Sequence[Suite], path: Path) -> None:
    """Write a JUnit report."""
    from mbx.files import write_text  # noqa: PLC0415  only here
    from mbx.verify.junit import junit  # noqa: PLC0415  likewise

    write_text(path, junit(suites))
