"""Equations that were saved as JSON, as input of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.cli.command_files import name_of
from mbx.cli.output import complain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mbx.formalism.equations import Equations

__all__ = ["DAMAGE", "form_of", "is_refused", "write_saved"]

DAMAGE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a program that was changed by hand may raise, where the checks of its parts saw nothing."""


def form_of(equations: Equations) -> str:
    """Return the form of equations, `FORM` or `FORM:VARIANT`."""
    formalism, variant = equations.formalism, equations.variant
    return f"{formalism}:{variant}" if variant else formalism


def is_refused(
    file: Path, equations: Equations, forms: Sequence[str], model: str | None = None
) -> bool:
    """Return whether saved equations cannot be what is requested; complain if so."""
    name, saved_form = name_of(file), form_of(equations)
    other = next((form for form in forms if form not in {saved_form, equations.formalism}), None)
    if other is not None:
        complain(f"mbx: '{name}' holds equations in the form {saved_form}, and no model")
        complain(f"  help: leave --to out, or derive {other} from the model")
        return True
    if model not in {None, equations.model}:
        complain(f"mbx: '{name}' holds equations of {equations.model}, not of '{model}'")
        complain("  help: leave --model out")
        return True
    return False


def write_saved(
    equations: Equations, target: str, values: Mapping[str, float], *, frozen: bool
) -> dict[str, str]:
    """Return saved equations as files; raise `EquationsError` where they do not fit together."""
    from mbx.pipeline import write_files

    try:
        return write_files(equations, target, values, frozen=frozen)
    except DAMAGE as fault:
        kind = type(fault).__name__
        raise EquationsError(f"the equations do not fit together ({kind}: {fault})") from fault
