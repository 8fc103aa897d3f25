"""Texts of a model that try to be code in some language, and equations that carry them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations, Quantity

__all__ = ["HOSTILE", "disguised"]

HOSTILE: Final = (
    '*/ system("id"); /*',
    "%}\nsystem('id')\n%{",
    "...",
    "#= =# run(`id`) #=",
    '"; end X; model Y "',
    "line\nsystem('id');\rsystem('id')\u2028system('id')",
    "\u202e\u2066bidi\u2069",
    "??/\nsystem",
    "trailing \\",
    '""" $(run(`id`)) """',
    "%!test system('id')",
    "' ; system(\"id\") ; '",
    "$Name",
)
"""Comments that end, lines that go on, strings that end, signs that turn the order of reading."""


def disguised(equations: Equations, text: str, model: str) -> Equations:
    """Return equations of a model of some name, with all other texts of the model replaced."""

    def hide(quantities: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
        return tuple(
            replace(one, path=f"{text}{k}", meaning=text, unit=text if k else one.unit, latex="")
            for k, one in enumerate(quantities)
        )

    signature = replace(
        equations.signature,
        q=hide(equations.signature.q),
        u=hide(equations.signature.u),
        higher=hide(equations.signature.higher),
        inputs=hide(equations.signature.inputs),
        parameters=hide(equations.signature.parameters),
    )
    results = {key: name for key, name in equations.results.items() if key != "lam"}
    results[f"reaction:{text}"] = equations.results["lam"]
    return replace(equations, model=model, title=text, signature=signature, results=results)
