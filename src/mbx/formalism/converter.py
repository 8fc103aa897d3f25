"""The record of a formalism: what its module offers to the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.features import Feature
    from mbx.system.system import System

__all__ = ["Converter", "Variant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way of a form.

    Attributes:
        name: Name behind the colon of `--to FORM:VARIANT`; "" if the form has only one way.
        accepts: The features of a system that it supports.
        title: Name in prose.
    """

    name: str = ""
    accepts: frozenset[Feature]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Converter:
    """One formalism; a module of `mbx_converters` offers it as `CONVERTER`.

    Attributes:
        name: Name on the command line; equals the name of the module.
        title: Name in prose.
        purpose: What the form is for, in half a line; `mbx forms` prints it.
        reference: The text whose equations the module follows.
        variants: At least one.
        derive: Pure function from a system and the name of a variant to equations of motion.
        choose: The rule for the variant of a system, if none is named; the first, if
            there is no rule.
        free_rates: Equations of an open tree whose result `xid` are the rates in which the form
            leaves equations over, where it is written in rates of its own.
    """

    name: str
    title: str
    purpose: str = ""
    reference: str
    variants: tuple[Variant, ...]
    derive: Callable[[System, str], Equations]
    choose: Callable[[System], str] | None = None
    free_rates: Callable[[System, Links], Equations] | None = None

    def __post_init__(self) -> None:
        """Refuse a converter without variants, or with two of one name."""
        names = {variant.name for variant in self.variants}
        if not names or len(names) != len(self.variants):
            message = f"'{self.name}' needs variants, each with a name of its own"
            raise ValueError(message)
