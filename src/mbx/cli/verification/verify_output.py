"""What `mbx verify` prints, and which files it writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.cli.command_files import require_writable, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.verify.junit import Suite

__all__ = ["VerifyOutput", "write_junit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOutput:
    """What is printed, and which files are written."""

    quiet: bool = False
    as_json: bool = False
    junit: Path | None = None
    certificate: Path | None = None
    renew: bool = False
    date: str = ""
    maker: str = ""
    table: bool = False
    force: bool = False

    def wrong(self, *, several: bool) -> str:
        """Return what does not go together, if something does not."""
        if self.renew and self.certificate is None:
            return "--renew is for a certificate: name it by --certificate"
        if (self.date or self.maker) and self.certificate is None:
            return "--date and --maker are for a certificate: name it by --certificate"
        if self.certificate is not None and several:
            return "a certificate is for one model: name one file"
        return ""

    def require_writable(self) -> None:
        """Refuse files that must not be replaced, once all models are read."""
        new = self.certificate is not None and (self.renew or not self.certificate.exists())
        certificate = self.certificate if new else None
        require_writable(certificate, self.junit, force=self.force, printed=self.as_json)
        if self.certificate is not None and self.junit is not None and not new:
            require_writable(self.certificate, self.junit, force=True)  # a file each


def write_junit(suites: Sequence[Suite], path: Path, *, force: bool) -> None:
    """Write a JUnit report."""
    from mbx.verify.junit import junit

    write({path: junit(suites).encode()}, force=force)
