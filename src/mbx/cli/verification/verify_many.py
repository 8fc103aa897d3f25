"""`mbx verify` of several files or of folders: a line for each model, and a total."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report
from mbx.base.errors import LimitError, SourceError
from mbx.cli.command_files import SETTINGS, name_of, read_document
from mbx.cli.output import Status, bar, complain_report, emit_json, print_line, status_of
from mbx.cli.verification.verify_output import write_junit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from mbx.base.workers.pool import Pool
    from mbx.cli.verification.verify_output import VerifyOutput
    from mbx.linking.link import Linked
    from mbx.verify.junit import Suite
    from mbx.verify.many import Finished
    from mbx.verify.run_verification import Options
    from mbx.verify.verification import Verification

__all__ = ["Entry", "verify_all"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of a file, and its result; `linked` is missing where the model has errors."""

    file: str
    linked: Linked | None
    report: Report = field(default_factory=Report)
    verification: Verification | None = None
    seconds: float = 0.0
    trouble: str = ""
    bug: bool = False
    passed: str = ""
    """Why it is passed over: the file is no model."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.linked.model.name if self.linked is not None else ""

    @property
    def outcome(self) -> str:
        """What is counted: a verdict, `errors`, `trouble` or `passed`."""
        if self.passed:
            return "passed"
        if self.verification is not None:
            return self.verification.verdict
        return "trouble" if self.trouble or self.status == Status.TROUBLE else "errors"

    @property
    def status(self) -> Status:
        """The status that this model alone leads to."""
        if self.passed:
            return Status.OK
        if self.bug:
            return Status.BUG
        if self.verification is not None:
            return Status.OK if self.verification.ok else Status.DISAGREE
        return status_of(self.report) or Status.TROUBLE

    def lines(self) -> Iterator[str]:
        """Yield the line of this model and, where forms do not agree, the remarks."""
        if self.passed:
            yield f"{self.file}: passed over: {self.passed}"
            return
        if self.verification is None:
            name = f"{self.name}: " if self.name else ""
            yield f"{self.file}: {name}{self.trouble or 'not verified'}"
            return
        yield f"{self.file}: {self.verification.summary()} in {self.seconds:.1f} s"
        if not self.verification.ok:
            yield from (f"  {line}" for line in self.verification.remarks())

    @property
    def suite(self) -> Suite:
        """Everything for a JUnit report."""
        from mbx.verify.junit import Suite  # only where it is requested

        trouble = self.trouble or self.report.render()
        return Suite(self.file, self.name, self.seconds, self.verification, trouble)

    def as_json(self) -> dict[str, Any]:
        """Return everything as data."""
        return {
            "file": self.file,
            "model": self.name or None,
            "seconds": round(self.seconds, 3),
            "verification": None if self.verification is None else self.verification.as_json(),
            "diagnostics": [diagnostic.as_json() for diagnostic in self.report],
            "trouble": self.trouble,
            "passed_over": self.passed,
        }


def verify_all(
    paths: Sequence[Path], model: str | None, options: Options, pool: Pool, wanted: VerifyOutput
) -> int:
    """Verify all models that paths stand for."""
    from mbx.verify.agreement.state_parts import parts_of
    from mbx.verify.many import verify_models

    began = time.perf_counter()
    entries = [entry for path in paths for entry in _read(path, model)]
    wanted.require_writable()
    SETTINGS.release()
    sound = [k for k, entry in enumerate(entries) if entry.linked is not None]
    models = [entry.linked for entry in entries if entry.linked is not None]
    printer = _Printer(entries, wanted)
    with _progress_bar(len(sound), sum(not e.report.ok for e in entries)) as advance:
        printer.paused = advance is not None
        for done in verify_models(models, parts_of(options), pool):
            k = sound[done.number]
            entries[k] = _with_result(entries[k], done)
            if advance is not None:
                advance(entries[k])
            printer.go_on()
    printer.paused = False
    printer.go_on()
    if wanted.junit is not None:
        write_junit(
            [entry.suite for entry in entries if not entry.passed], wanted.junit, force=wanted.force
        )
    if wanted.as_json:
        emit_json([entry.as_json() for entry in entries])
    else:
        print_line(_total(entries, time.perf_counter() - began))
    return _worst(entry.status for entry in entries)


def _read(path: Path, model: str | None) -> Iterator[Entry]:
    """Yield the models of a file or folder; a model with errors does not stop the others."""
    from mbx.verify.find_models import find_models

    try:
        listing = find_models(path)
    except SourceError as bad:
        yield Entry(str(path), None, bad.report)
        return
    hashes: dict[Path, set[str]] = {}
    for file in sorted(listing.models, key=lambda file: file.suffix != ".mb"):
        SETTINGS.guard()  # every file has the time of a single file
        entries = list(_models(file, model))
        here = {entry.linked.hash for entry in entries if entry.linked is not None}
        text = file.with_suffix(".mb")
        if file.suffix == ".json" and here and here <= hashes.get(text, set()):
            yield Entry(name_of(file), None, passed=f"the same as {text.name}")
            continue
        hashes[file] = here
        yield from entries
    for file, reason in listing.skipped:
        yield Entry(name_of(file), None, passed=reason)


def _models(file: Path, model: str | None) -> Iterator[Entry]:
    import mbx
    from mbx.verify.find_models import main_models

    name = name_of(file)
    try:
        document = read_document(file)
        names = main_models(document) if model is None else [model]
    except (SourceError, LimitError) as bad:
        yield Entry(name, None, bad.report)
        return
    for model_name in names:
        try:
            linked = mbx.link(document, model_name)
            mbx.elaborate(linked)  # its errors are reported here, not by a worker
        except (SourceError, LimitError) as bad:
            yield Entry(name, None, bad.report)
        else:
            yield Entry(name, linked)


def _with_result(entry: Entry, done: Finished) -> Entry:
    return replace(
        entry,
        verification=done.whole if done.parts else None,
        seconds=done.seconds,
        trouble=done.trouble,
        bug=done.bug,
    )


@dataclass(slots=True)
class _Printer:
    """Prints entries in their order, each as soon as it and all before it are done."""

    entries: list[Entry]
    wanted: VerifyOutput
    paused: bool = False
    next: int = 0

    def go_on(self) -> None:
        """Print what can be printed, unless a bar is on the screen."""
        while not self.paused and self.next < len(self.entries):
            entry = self.entries[self.next]
            if entry.linked is not None and entry.verification is None and not entry.trouble:
                return
            self.next += 1
            if self.wanted.as_json:
                continue
            complain_report(entry.report)
            if not self.wanted.quiet:
                for line in entry.lines():
                    print_line(line)
            elif entry.linked is not None and entry.status != Status.OK:
                print_line(next(entry.lines()))


@contextmanager
def _progress_bar(count: int, broken: int) -> Iterator[Callable[[Entry], None] | None]:
    """Show a bar with the model that was verified last, if there are models."""
    with bar() as advance:
        if advance is None or not count:
            yield None
            return
        wrong = broken

        def show_progress(entry: Entry) -> None:
            nonlocal wrong
            wrong += entry.status != Status.OK
            note = f"{entry.name}: {entry.outcome}" + (f", {wrong} not in agreement" * bool(wrong))
            advance(note, count)

        yield show_progress


def _total(entries: Sequence[Entry], seconds: float) -> str:
    counts = Counter(entry.outcome for entry in entries)
    words = {
        "agree": "agree",
        "undecided": "undecided",
        "disagree": "disagree",
        "errors": "with errors",
        "trouble": "not verified",
        "passed": "passed over",
    }
    text = ", ".join(f"{counts[key]} {word}" for key, word in words.items() if counts[key])
    models = len(entries) - counts["passed"]
    return f"{models} model{'s' * (models != 1)} in {seconds:.1f} s: {text}"


def _worst(statuses: Iterable[Status]) -> Status:
    """Return the status of a whole run: errors of models come before verdicts on forms."""
    reached = set(statuses)
    order = (Status.BUG, Status.MODEL, Status.DISAGREE, Status.TROUBLE)
    return next((status for status in order if status in reached), Status.OK)
