"""`mbx formats`: what equations can be written as."""

from __future__ import annotations

from mbx.cli.options import AsJson
from mbx.cli.output import Status, emit_json, print_line

__all__ = ["formats"]


def formats(
    *,
    as_json: AsJson = False,
) -> int:
    """List the formats that equations can be written in."""
    from mbx.codegen import target

    targets = [target.get(name) for name in target.names()]
    if as_json:
        emit_json(
            [
                {"name": entry.name, "title": entry.title, "suffix": entry.suffix}
                for entry in targets
            ]
        )
        return Status.OK
    width = max(len(entry.name) for entry in targets)
    for entry in targets:
        print_line(f"{entry.name:<{width}}  {entry.title}")
    return Status.OK
