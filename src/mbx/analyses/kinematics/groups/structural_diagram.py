"""The structural diagram: the frame and the groups, with arrows the way freedoms are given.

Each circle shows (N_m, n_c), the bodies of a group and what is driven in it, as in the paper;
`mbx.show.drawing.group_diagram` draws them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain

__all__ = ["as_data", "as_dot", "as_text", "from_of", "levels_of"]


def as_text(chains: Sequence[Chain], names: Sequence[str]) -> Iterator[str]:
    """Yield a line for each group: its number, name, label, bodies and where inputs come from."""
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        count = chain.count
        needs = ", ".join(from_of(chain))
        bodies = ", ".join(chain.vertices)
        yield f"{k + 1:>3}  {name:<7}  ({count.bodies}, {count.driven})  {bodies}  <- {needs}"


def from_of(chain: Chain) -> list[str]:
    """Return where a group takes its inputs from: the frame, and numbers of groups."""
    return ["frame" if n < 0 else str(n + 1) for n in chain.needs]


def levels_of(chains: Sequence[Chain]) -> list[int]:
    """Return how many groups stand between the frame and each group, at most."""
    levels: list[int] = []
    for chain in chains:
        levels.append(1 + max((levels[n] for n in chain.needs if n >= 0), default=0))
    return levels


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_dot(chains: Sequence[Chain], names: Sequence[str]) -> str:
    """Return the diagram in the language of Graphviz."""
    lines = ["digraph structure {", "  rankdir=LR;", "  node [shape=circle];", '  g0 [label="0"];']
    for k, (chain, name) in enumerate(zip(chains, names, strict=True)):
        count = chain.count
        label = f"{name}\n({count.bodies}, {count.driven})"
        tip = ", ".join(chain.vertices)
        text = _quoted(label).replace("\n", "\\n")
        lines.append(f"  g{k + 1} [label={text}, tooltip={_quoted(tip)}];")
        lines += [f"  g{n + 1} -> g{k + 1};" for n in chain.needs]
    return "\n".join([*lines, "}"]) + "\n"


def as_data(chains: Sequence[Chain], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the groups as plain data; `from` has numbers of groups, 0 for the frame."""
    return [
        {
            "number": k + 1,
            "name": name,
            "bodies": list(chain.vertices),
            "N_m": chain.count.bodies,
            "n_c": chain.count.driven,
            "L_th": chain.count.thin,
            "P": chain.count.pairs,
            "from": [n + 1 for n in chain.needs],
        }
        for k, (chain, name) in enumerate(zip(chains, names, strict=True))
    ]
