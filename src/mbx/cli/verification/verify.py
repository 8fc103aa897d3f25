"""`mbx verify`: whether the forms of models agree."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.errors import ConverterError
from mbx.cli.command_files import SETTINGS, name_of, read_document
from mbx.cli.options import Cluster, Force, Jobs, ModelName, Seed, States, option, output_path
from mbx.cli.output import (
    Status,
    complain,
    emit_json,
    is_coloured,
    note,
    print_line,
    terminal_width,
)
from mbx.cli.verification.verify_certificate import check_certificate, make_certificate
from mbx.cli.verification.verify_many import verify_all
from mbx.cli.verification.verify_output import VerifyOutput, write_junit
from mbx.cli.verification.verify_selftest import test_verifier

if TYPE_CHECKING:
    from mbx.base.workers.pool import Pool
    from mbx.verify.run_verification import Options
    from mbx.verify.verification import Verification

__all__ = ["verify"]

_CELL: Final = re.compile(r"(?<![\w.])(?:\d+e[+-]\d+|inf|nan)\*?([!?~]?)(?=\s|$)")
_COLOURS: Final = {"": "32", "~": "32", "?": "33", "!": "31"}
_VERDICT: Final = re.compile(r"^(\S+: )(agree|undecided|disagree)( \()")
_VERDICTS: Final = {"agree": "1;32", "undecided": "1;33", "disagree": "1;31"}


def verify(  # noqa: PLR0913  the options of the command
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH", help="Model files and folders of them; - is standard input."
        ),
    ] = None,
    *,
    forms: Annotated[
        list[str] | None,
        option("--form", "repeat; all that apply by default"),
    ] = None,
    states: States = 16,
    oracle: Annotated[
        int,
        option("--oracle", min=0),
    ] = 2,
    seed: Seed = 1,
    timeout: Annotated[
        float,
        option("--timeout", "for each model", min=1),
    ] = 300.0,
    jobs: Jobs = None,
    cluster: Cluster = None,
    certificate: Annotated[
        Path | None,
        option("--certificate", parser=output_path),
    ] = None,
    renew: Annotated[bool, option("--renew")] = False,
    date: Annotated[str, option("--date")] = "",
    maker: Annotated[str, option("--maker")] = "",
    junit: Annotated[
        Path | None,
        option("--junit", parser=output_path),
    ] = None,
    table: Annotated[bool, option("--table")] = False,
    quiet: Annotated[bool, option("--quiet")] = False,
    as_json: Annotated[bool, option("--json")] = False,
    force: Force = False,
    model: ModelName = None,
    self_test: Annotated[
        bool,
        option("--self-test", "all, or the PATHs by name"),
    ] = False,
) -> int:
    """Verify that the forms of models agree.

    Accelerations and constraint forces of every two forms are compared at states that the
    invariants allow, and at some of these with an oracle that shares the linked document with
    the forms, but no mechanics. Status 4: they disagree, or it is undecided, or a certificate
    does not hold, or is weaker than the default.
    """
    # the matrices are small: threads of BLAS would wait for each other, and take address space
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from mbx.base.extras import ExtraError
    from mbx.base.workers.cluster import ClusterError
    from mbx.base.workers.pool import Pool, WorkerError
    from mbx.verify.run_verification import Options

    if self_test:
        wanted = VerifyOutput(quiet=quiet, as_json=as_json)
        return test_verifier([str(p) for p in paths or ()], jobs or os.cpu_count() or 1, wanted)
    if not paths:
        complain("mbx: there is no model to verify")
        return Status.USAGE
    several = len(paths) > 1 or paths[0].is_dir()
    wanted = VerifyOutput(
        quiet=quiet,
        as_json=as_json,
        junit=junit,
        certificate=certificate,
        renew=renew,
        date=date,
        maker=maker,
        table=table,
        force=force,
    )
    wrong = wanted.wrong(several=several)
    if wrong:
        complain(f"mbx: {wrong}")
        return Status.USAGE
    options = Options(
        forms=tuple(forms or ()), states=states, oracle=oracle, seed=seed, timeout=timeout
    )
    pool = Pool(jobs or os.cpu_count() or 1, cluster)
    try:
        if several:
            return verify_all(paths, model, options, pool, wanted)
        return _verify_file(paths[0], model, options, pool, wanted)
    except ConverterError as unknown:
        complain(f"mbx: {unknown}")
        complain("  help: mbx forms lists all forms")
        return Status.USAGE
    except (ClusterError, ExtraError, WorkerError) as trouble:
        complain(f"mbx: {trouble}")
        return Status.TROUBLE


def _verify_file(
    file: Path, model: str | None, options: Options, pool: Pool, wanted: VerifyOutput
) -> int:
    import mbx
    from mbx.verify.agreement.state_parts import merge, parts_of
    from mbx.verify.junit import Suite
    from mbx.verify.many import verify_parts

    began = time.perf_counter()
    linked = mbx.link(read_document(file), model)
    system = mbx.elaborate(linked)  # errors of the model count in the time for reading
    wanted.require_writable()
    SETTINGS.release()
    options = replace(options, progress=note)
    path = wanted.certificate
    if path is not None and path.exists() and not wanted.renew:
        return check_certificate(path, linked, system, options, pool, wanted)
    parts = verify_parts(linked, parts_of(options), pool)
    verification = merge(parts)
    why = None if verification.ok or wanted.quiet else verification.diagnose(linked)
    if wanted.as_json:
        emit_json({**verification.as_json(), "diagnosis": None if why is None else why.as_json()})
    elif wanted.quiet:
        print_line(verification.summary())
    else:
        _show(verification, table=wanted.table)
        for line in () if why is None else why.lines():
            print_line(line)
    if wanted.junit is not None:
        suite = Suite(name_of(file), verification.model, time.perf_counter() - began, verification)
        write_junit([suite], wanted.junit, force=wanted.force)
    written = path is None or make_certificate(linked, system, options, parts, path, wanted)
    if not verification.ok:
        return Status.DISAGREE
    return Status.OK if written else Status.TROUBLE


def _show(verification: Verification, *, table: bool) -> None:
    for line in verification.lines(table=table, width=terminal_width()):
        print_line(line, _paint if is_coloured() else None)


def _paint(line: str) -> str:
    """Colour the errors in a line, and the verdict, by what they mean."""
    return _VERDICT.sub(_paint_verdict, _CELL.sub(_paint_cell, line), count=1)


def _paint_cell(cell: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[cell[1]]}m{cell[0]}\x1b[0m"


def _paint_verdict(verdict: re.Match[str]) -> str:
    return f"{verdict[1]}\x1b[{_VERDICTS[verdict[2]]}m{verdict[2]}\x1b[0m{verdict[3]}"
