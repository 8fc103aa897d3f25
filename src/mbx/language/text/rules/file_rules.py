"""Rules for the file: version, imports, models, repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Span
from mbx.language.document.document import FORMAT_VERSION, Document, ForBlock, IfBlock, Model, Use
from mbx.language.text.rules.rule_base import Rules

if TYPE_CHECKING:
    from mbx.language.document.node import Node
    from mbx.language.text.parse import Values

__all__ = ["Files"]


class Files(Rules):
    """Rules for the file."""

    def document(self, at: Span, v: Values) -> Document:
        if v and not hasattr(v[0], "kind"):
            v = v[1:]
        else:
            self._report.add(
                "MBX1008",
                "the file does not say its version",
                Span(at.source, at.start, at.start + 1),
                help=f"begin with 'mbx {FORMAT_VERSION}'",
            )
        return Document(mbx=1, items=tuple(v)).placed(at)

    def version(self, at: Span, v: Values) -> str:
        text = str(v[0])
        if text != str(FORMAT_VERSION):
            self._report.add(
                "MBX1009",
                f"version {text} of the format is not known here",
                at,
                help=f"this mbx reads version {FORMAT_VERSION}",
            )
        return text

    def use(self, at: Span, v: Values) -> Use:
        name, alias, path = v
        return Use(
            kind="use", model=str(name), alias=alias and str(alias), path=self._text(at, path) or ""
        ).placed(at)

    def model(self, at: Span, v: Values) -> Model:
        name, title, *body = v
        return Model(
            kind="model", name=str(name), title=self._text(at, title), body=self._block(body)
        ).placed(at)

    def for_block(self, at: Span, v: Values) -> ForBlock:
        index, first, last, *body = v
        return ForBlock(
            kind="for", index=str(index), first=first, last=last, body=self._block(body)
        ).placed(at)

    def if_block(self, at: Span, v: Values) -> IfBlock:
        condition, *body, last = v
        start, otherwise = last or (None, ())
        made = IfBlock(kind="if", condition=condition, body=self._block(body), otherwise=otherwise)
        return made.placed(at).divided(start)

    def else_block(self, at: Span, v: Values) -> tuple[int, tuple[Node, ...]]:
        return at.start, self._block(v)
