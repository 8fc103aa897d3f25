"""Expressions of a page in the order in which texts write them.

Terms: those with the highest derivatives, products of velocities, what is linear in velocities,
functions of the positions, inputs, constants. Factors: numbers, parameters as declared, named
parts, coordinates, speeds, the highest derivatives, functions, sums, products of vectors; a sum of
parameters stands in front, a sum without speeds before the speeds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.codegen.notation.term_layout import Call, Choice, Factor, Group, Layout, Name, Sum, Term
from mbx.formalism.page.page import Partial, Rate

if TYPE_CHECKING:
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page

__all__ = ["PageLayout"]

_HIGHEST, _SPEED = 0, 1
"""What a symbol is for the order of terms."""
_LAST = 9
_GROUP = 50
"""Where sums with speeds stand among factors."""


class PageLayout(Layout):
    """Brings the expressions of a page into order."""

    kinds: dict[str, int]
    last: frozenset[str]
    keys: dict[int, tuple[Factor, tuple[Any, ...]]]

    @classmethod
    def of_page(cls, signature: Signature, page: Page) -> PageLayout:
        """Return the layout for the symbols of equations and the names of a page."""
        places: dict[str, tuple[int, int]] = {"t": (5, 0)}
        for k, item in enumerate(signature.parameters):
            places[str(item.symbol.value)] = (1, k)
        groups = (
            (4, signature.inputs),
            (10, signature.q),
            (12, signature.u),
            (13, signature.derived),
            (14, signature.higher),
            (16, signature.highest),
        )
        for rank, group in groups:
            places |= {str(item.symbol.value): (rank, k) for k, item in enumerate(group)}
        kinds = {str(item.symbol.value): _SPEED for item in (*signature.u, *signature.derived)}
        kinds |= {str(item.symbol.value): _HIGHEST for item in signature.highest}
        for k, item in enumerate(signature.q):
            path = str(item.symbol.value)
            places.setdefault(f"{path}'", (12, k))
            places.setdefault(f"{path}''", (16, k))
            kinds.setdefault(f"{path}'", _SPEED)
            kinds.setdefault(f"{path}''", _HIGHEST)
        for k, (text, name) in enumerate(page.names.items()):
            is_turning = text in {"s", "c"} and not name.index  # a sine and a cosine
            places[text] = (70 if name.is_vector else 41 if is_turning else 7, k)
        places |= {text: (71, k) for k, text in enumerate(page.operators)}
        kinds |= {
            text: _HIGHEST
            for text, operator in page.operators.items()
            if isinstance(operator, Partial | Rate)
        }
        layout = cls(places)
        layout.kinds = kinds
        layout.last = frozenset(page.operators)
        layout.keys = {}
        return layout

    def _factor_key(self, factor: Factor) -> tuple[Any, ...]:
        """Return where a factor stands; remembered, for sums are looked at on every level."""
        if id(factor) not in self.keys:
            self.keys[id(factor)] = factor, self._key_of(factor)
        return self.keys[id(factor)][1]

    def _key_of(self, factor: Factor) -> tuple[Any, ...]:
        atom = factor.atom
        if isinstance(atom, Call):
            keys = [super(PageLayout, self)._term_key(t) for a in atom.args for t in a.terms]
            return 40, 0, "", (tuple(keys), atom.function), factor.exponent
        key = super()._factor_key(factor)
        if isinstance(atom, Group):
            return self._group_rank(atom), *key[1:]
        return key

    def _group_rank(self, group: Group) -> int:
        """Return where a sum stands among factors."""
        ranks = [self._factor_key(f)[0] for t in group.inside.terms for f in (*t.above, *t.below)]
        if any(12 <= rank < 40 or rank == _GROUP for rank in ranks):  # noqa: PLR2004  speeds
            return _GROUP
        return 0 if all(rank <= 2 for rank in ranks) else 11  # noqa: PLR2004  parameters

    def _term_key(self, term: Term) -> tuple[Any, ...]:
        degrees = [0, 0]
        _count(term, self.kinds, degrees)
        highest, speeds = degrees
        if highest:
            first = 0
        elif speeds > 1:
            first = 1
        elif speeds:
            first = 2
        elif term.above or term.below:
            first = 3
        else:
            first = _LAST
        return (first, *super()._term_key(term))


def _count(term: Term, kinds: dict[str, int], degrees: list[int]) -> None:
    """Add up how often highest derivatives and speeds are factors of a term."""
    for factor in term.above:
        _count_atom(factor.atom, float(factor.exponent), kinds, degrees)


def _count_atom(atom: Any, exponent: float, kinds: dict[str, int], degrees: list[int]) -> None:
    if isinstance(atom, Name):
        kind = kinds.get(atom.text)
        if kind is not None:
            degrees[kind] += max(round(exponent), 1)
    elif isinstance(atom, Group):
        best = [0, 0]
        for each in _terms(atom.inside):
            inner = [0, 0]
            _count(each, kinds, inner)
            best = max(best, inner)
        for kind in (_HIGHEST, _SPEED):
            degrees[kind] += best[kind] * max(round(exponent), 1)
    elif isinstance(atom, Choice):
        return


def _terms(value: Sum) -> tuple[Term, ...]:
    return value.terms
