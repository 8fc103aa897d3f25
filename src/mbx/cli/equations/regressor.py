"""`mbx regressor`: inverse dynamics that is linear in the inertial parameters of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbx.base.errors import EquationsError, NotApplicableError
from mbx.cli.command_files import is_stdout, read_document, require_writable
from mbx.cli.equations.convert import deliver_files, target_of
from mbx.cli.options import Force, ModelFile, ModelName, option, output_name
from mbx.cli.output import Status, complain

__all__ = ["regressor"]


def regressor(
    file: ModelFile,
    *,
    written: Annotated[str, option("--format")] = "text",
    force: Force = False,
    model: ModelName = None,
    out: Annotated[
        str | None,
        option(
            "--out",
            "the current folder by default for formats of several files",
            parser=output_name,
        ),
    ] = None,
) -> int:
    """Write inverse dynamics as linear in inertial parameters.

    tau = Y pi + tau0, and the base parameters with what they are composed of; of closed loops
    also without the forces of the invariants. Text is printed; formats of several files are
    written into the current folder, or that behind -o. Status 3: the model or the format has no
    such equations.
    """
    target = target_of(written)
    path = None if out is None else Path(out)
    if not target.suffix and is_stdout(path):
        raise typer.TyperException(f"{written} is several files: name a folder with -o")
    import mbx
    from mbx.analyses.regressor.regressor_analysis import regressor as derive

    linked = mbx.link(read_document(file), model)
    if target.suffix and path is not None and not path.is_dir():
        require_writable(path, force=force)
    try:
        equations = derive(linked)
    except NotApplicableError as refused:
        name = mbx.elaborate(linked).name
        complain(f"mbx: not applicable: {name} has no inverse dynamics of the form Y pi + tau0")
        for reason in refused.reasons:
            complain(f"  {reason}")
        return Status.REFUSED
    try:
        files = mbx.write(equations, target.name).files
    except EquationsError as reason:
        complain(f"mbx: not applicable: {written} cannot express a regressor: {reason}")
        return Status.REFUSED
    deliver_files(files, target, out, force=force)
    return Status.OK
