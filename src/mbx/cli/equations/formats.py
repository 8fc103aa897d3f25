"""`mbx formats`: what equations can be written as."""

from __future__ import annotations

from mbx.cli.options import AsJson
from mbx.cli.output import Status, emit_json, say

__all__ = ["formats"]


def formats(
    *,
    as_json: AsJson = False,
) -> int:
    """List the formats that equations can be written in."""
    from mbx.codegen import target

    found = [target.get(name) for name in target.names()]
    if as_json:
        emit_json([{"name": one.name, "title": one.title, "suffix": one.suffix} for one in found])
        return Status.OK
    width = max(len(one.name) for one in found)
    for one in found:
        say(f"{one.name:<{width}}  {one.title}")
    return Status.OK
