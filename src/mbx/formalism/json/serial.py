"""Equations as JSON, and back: a program that was saved can be run again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mbx.base.errors import EquationsError
from mbx.formalism.equations import Equations, Quantity, Signature
from mbx.formalism.json.equations_schema import (
    EQUATIONS_VERSION,
    EquationsForm,
    QuantityForm,
    SignatureForm,
    StepForm,
)
from mbx.formalism.json.nodes_json import read_nodes, write_nodes
from mbx.formalism.json.page_json import page_nodes, read_page, write_page
from mbx.formalism.json.states_json import check_states, read_states, write_states
from mbx.formalism.program import Residual, Step
from mbx.formalism.shapes import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.expr.nodes import Node

__all__ = ["from_json", "schema", "to_json"]


def schema() -> dict[str, Any]:
    """Return the JSON schema of equations."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:mbx:schema:equations:{EQUATIONS_VERSION}",
        **EquationsForm.model_json_schema(),
    }


# -- writing ---------------------------------------------------------------------------------


def to_json(equations: Equations) -> dict[str, Any]:
    """Return equations as plain data; what has its default is left out."""
    table, indices = write_nodes(_all_nodes(equations))
    signature = equations.signature
    data = {
        "mbx_equations": EQUATIONS_VERSION,
        "formalism": equations.formalism,
        "variant": equations.variant,
        "title": equations.title,
        "reference": equations.reference,
        "model": equations.model,
        "nodes": table,
        "signature": {
            "t": indices[signature.t],
            **{
                group: [_quantity(quantity, indices) for quantity in getattr(signature, group)]
                for group in _GROUPS
            },
        },
        "steps": [_step(step, indices) for step in equations.steps],
        "results": dict(equations.results),
        "residuals": [
            {
                "name": residual.name,
                "steps": [_step(step, indices) for step in residual.steps],
                "value": residual.value,
                "magnitude": residual.magnitude,
                "labels": list(residual.labels),
            }
            for residual in equations.residuals
        ],
        "notes": list(equations.notes),
        "states": None if equations.states is None else write_states(equations.states, indices),
        "page": None if equations.page is None else write_page(equations.page, indices),
    }
    form = _validate(data)
    return form.model_dump(mode="json", exclude_defaults=True)


_GROUPS = ("q", "u", "higher", "highest", "inputs", "parameters", "derived")


def _quantities(signature: Signature) -> Iterator[Quantity]:
    for group in _GROUPS:
        yield from getattr(signature, group)


def _every(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _every(step.steps)


def _all_steps(equations: Equations) -> Iterator[Step]:
    yield from _every(equations.steps)
    for residual in equations.residuals:
        yield from _every(residual.steps)


def _all_nodes(equations: Equations) -> Iterator[Node]:
    yield from _symbols(equations)
    for quantity in _quantities(equations.signature):
        if quantity.value is not None:
            yield quantity.value
    for step in _all_steps(equations):
        for row in step.entries:
            yield from row
    if equations.page is not None:
        yield from page_nodes(equations.page)


def _symbols(equations: Equations) -> Iterator[Node]:
    """Yield the nodes that must be symbols."""
    yield equations.signature.t
    for quantity in _quantities(equations.signature):
        yield quantity.symbol
    for step in _all_steps(equations):
        yield from step.symbols
        if step.op == "given":
            for row in step.entries:
                yield from row
    if equations.states is not None:
        yield from equations.states.constants
        yield from equations.states.symbols


def _quantity(quantity: Quantity, indices: Mapping[Node, int]) -> dict[str, Any]:
    return {
        "symbol": indices[quantity.symbol],
        "path": quantity.path,
        "unit": quantity.unit,
        "meaning": quantity.meaning,
        "latex": quantity.latex,
        "value": None if quantity.value is None else indices[quantity.value],
        "start": None if quantity.start is None else float(quantity.start),
    }


def _step(step: Step, indices: Mapping[Node, int]) -> dict[str, Any]:
    return {
        "name": step.name,
        "op": step.op,
        "args": list(step.args),
        "meaning": step.meaning,
        "symbol": step.symbol,
        "part": step.part,
        "entries": [[indices[node] for node in row] for row in step.entries],
        "symbols": [indices[node] for node in step.symbols],
        "row_labels": list(step.row_labels),
        "column_labels": list(step.column_labels),
        "size": None if step.size is None else list(step.size),
        "signs": list(step.signs),
        "grid": [list(row) for row in step.grid],
        "indices": None if step.indices is None else list(step.indices),
        "kind": step.kind,
        "unique": step.unique,
        "together": step.together,
        "steps": [_step(inner, indices) for inner in step.steps],
        "unknown": step.unknown,
        "residual": step.residual,
    }


# -- reading ---------------------------------------------------------------------------------


def from_json(data: Any) -> Equations:
    """Return equations from plain data; raise an error that locates what is wrong."""
    form = _validate(data)
    nodes = read_nodes(form.nodes)
    try:
        equations = _equations(form, nodes)
    except IndexError:
        raise EquationsError("an expression names a node that is not in the table") from None
    if any(node.op != "symbol" for node in _symbols(equations)):
        raise EquationsError("a quantity or a matrix names a node that is no symbol")
    check(equations)
    check_states(equations)
    return equations


def _validate(data: Any) -> EquationsForm:
    try:
        return EquationsForm.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        pointer = "/".join(str(part) for part in first["loc"])
        raise EquationsError(f"/{pointer}: {first['msg']}", f"/{pointer}") from None


def _equations(form: EquationsForm, nodes: Sequence[Node]) -> Equations:
    return Equations(
        formalism=form.formalism,
        variant=form.variant,
        title=form.title,
        reference=form.reference,
        model=form.model,
        signature=_signature(form.signature, nodes),
        steps=tuple(_read_step(step, nodes) for step in form.steps),
        results=dict(form.results),
        residuals=tuple(
            Residual(
                name=residual.name,
                steps=tuple(_read_step(step, nodes) for step in residual.steps),
                value=residual.value,
                magnitude=residual.magnitude,
                labels=tuple(residual.labels),
            )
            for residual in form.residuals
        ),
        notes=tuple(form.notes),
        states=None if form.states is None else read_states(form.states, nodes),
        page=None if form.page is None else read_page(form.page, nodes),
    )


def _signature(form: SignatureForm, nodes: Sequence[Node]) -> Signature:
    def read(group: Sequence[QuantityForm]) -> tuple[Quantity, ...]:
        return tuple(
            Quantity(
                symbol=nodes[quantity.symbol],
                path=quantity.path,
                unit=quantity.unit,
                meaning=quantity.meaning,
                latex=quantity.latex,
                value=None if quantity.value is None else nodes[quantity.value],
                start=quantity.start,
            )
            for quantity in group
        )

    return Signature(
        t=nodes[form.t],
        q=read(form.q),
        u=read(form.u),
        higher=read(form.higher),
        highest=read(form.highest),
        inputs=read(form.inputs),
        parameters=read(form.parameters),
        derived=read(form.derived),
    )


def _read_step(form: StepForm, nodes: Sequence[Node]) -> Step:
    return Step(
        name=form.name,
        op=form.op,
        args=tuple(form.args),
        meaning=form.meaning,
        symbol=form.symbol,
        part=form.part,
        entries=tuple(tuple(nodes[k] for k in row) for row in form.entries),
        symbols=tuple(nodes[k] for k in form.symbols),
        row_labels=tuple(form.row_labels),
        column_labels=tuple(form.column_labels),
        size=None if form.size is None else (form.size[0], form.size[1]),
        signs=tuple(form.signs),
        grid=tuple(tuple(row) for row in form.grid),
        indices=None if form.indices is None else tuple(form.indices),
        kind=form.kind,
        unique=form.unique,
        together=form.together,
        steps=tuple(_read_step(inner, nodes) for inner in form.steps),
        unknown=form.unknown,
        residual=form.residual,
    )
