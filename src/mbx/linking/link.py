"""A document linked: imports read, repetition expanded, subsystems instantiated.

The result is a document again, of one model with its subsystems written in place, and
linking it once more changes nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import Report, suggestion
from mbx.base.errors import SourceError
from mbx.base.late import late, view
from mbx.base.short_repr import shorten_repr
from mbx.language.document.declarations import Declaration, Input, Param
from mbx.language.document.document import Document, InlineSubsystem, Instance, Model, Subsystem
from mbx.language.document.expressions import Identifier, Vector, ungroup
from mbx.language.limits import LIMITS
from mbx.linking.canonical import physics, setup
from mbx.linking.expand import Budget, Expander, Inliner, functions_of, is_structural, structure_of
from mbx.linking.modules import Module, load_modules
from mbx.linking.structural_values import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.base.diagnostics import Span
    from mbx.formalism.equations import Equations
    from mbx.language.document.experiments import Experiment
    from mbx.language.document.kinematic_statements import NamedValue

__all__ = ["Linked", "link_document", "link_models"]


@dataclass(frozen=True, eq=False)
class Linked:
    """A linked document: one model with its subsystems in place, and its experiments.

    It is itself and no other: what later stages make of it is kept for it, once.
    """

    document: Document

    def __repr__(self) -> str:
        """Return the name of the model."""
        return shorten_repr(f"<Linked: model {self.model.name}>")

    def to(self, form: str) -> Equations:
        """Return the equations of motion of the model in a form, as `mbx.convert` does."""
        equations: Equations = late("mbx.pipeline:convert")(self, form)
        return equations

    def _repr_html_(self) -> str | None:
        return view("document_html", self.document)

    @property
    def model(self) -> Model:
        """The model."""
        return self.document.models[-1]

    @cached_property
    def canonical(self) -> bytes:
        """The physics in canonical form, RFC 8785."""
        return _bytes(physics(self.document))

    @cached_property
    def hash(self) -> str:
        """The identity of the model: SHA-256 of its canonical form."""
        return hashlib.sha256(self.canonical).hexdigest()

    @cached_property
    def experiment_hash(self) -> str:
        """SHA-256 of start values, ranges, states, hints and experiments."""
        return hashlib.sha256(_bytes(setup(self.document))).hexdigest()


def _bytes(data: dict[str, object]) -> bytes:
    import rfc8785  # noqa: PLC0415  only when an identity is requested

    return rfc8785.dumps(data)  # type: ignore[arg-type]


def link_document(document: Document, model: str | None, report: Report) -> Linked | None:
    """Link one model of a document, the last unless named; faults go to `report`."""
    module = load_modules(document, report)
    chosen = _choose(document, model, report)
    return None if chosen is None else _link(chosen, module, report, Budget())


def link_models(document: Document, report: Report) -> list[Linked]:
    """Link every model of a document, each as if it were the main one."""
    module = load_modules(document, report)
    if not document.models:
        _choose(document, None, report)
    _orphans(document, report)
    whole = [model for model in document.models if _complete(model, report)]
    budget = Budget()
    return [_link(model, module, report, budget) for model in whole]


def _complete(model: Model, report: Report) -> bool:
    """Return whether a model can stand by itself; one that waits for whole numbers is a part."""
    for statement in model.body:
        for item in statement.items if isinstance(statement, Param) else ():
            if is_structural(item) and item.value is None:
                report.add(
                    "MBX3026",
                    f"model '{model.name}' waits for a value of '{item.name}' and is checked only "
                    "where it is used",
                    item.at,
                    severity="note",
                )
                return False
    return True


def _choose(document: Document, name: str | None, report: Report) -> Model | None:
    models = document.models
    if not models:
        report.add(
            "MBX1001",
            "there is no model in the file",
            document.at,
            help="write one: model NAME { … }",
        )
        return None
    if name is None:
        return models[-1]
    for model in models:
        if model.name == name:
            return model
    report.add(
        "MBX3006",
        f"there is no model '{name}'",
        document.at,
        help=suggestion(name, [m.name for m in models])
        or "there are " + ", ".join(m.name for m in models),
    )
    return None


def _orphans(document: Document, report: Report) -> None:
    names = [m.name for m in document.models]
    seen: set[str] = set()
    for experiment in document.experiments:
        if experiment.model not in names:
            report.add(
                "MBX3024",
                f"experiment '{experiment.name}' is of model "
                f"'{experiment.model}', which is not there",
                experiment.at,
                help=suggestion(experiment.model, names) or None,
            )
        if experiment.name in seen:
            report.add(
                "MBX3003",
                f"experiment '{experiment.name}' is there twice",
                experiment.at,
                help="give one another name",
            )
        seen.add(experiment.name)


def _link(model: Model, module: Module, report: Report, budget: Budget) -> Linked:
    linker = _Linker(report, budget)
    body, expander = linker.model(model, module, {})
    flat = model.model_copy(update={"body": body, "closing": (), "comments": ()})
    experiments = tuple(
        _experiment(e, expander) for e in module.document.experiments if e.model == model.name
    )
    document = Document(mbx=1, items=(flat, *experiments)).placed(module.document.at)
    return Linked(document)


def _experiment(experiment: Experiment, expander: Expander) -> Experiment:
    body = expander.block(experiment.body)
    return experiment.model_copy(update={"body": body, "closing": ()})


class _Linker:
    """Makes the body of a model, and of the subsystems in it."""

    def __init__(self, report: Report, budget: Budget) -> None:
        self.report = report
        self.budget = budget
        self.running: list[Model] = []
        self.level = 0

    def model(
        self, model: Model, module: Module, bound: dict[str, int]
    ) -> tuple[tuple[Any, ...], Expander]:
        """Return the statements of a model with its structural parameters bound."""
        self.running.append(model)
        try:
            return self.body(model.body, module, bound, {})
        finally:
            self.running.pop()

    def body(
        self, body: tuple[Any, ...], module: Module, bound: dict[str, int], loops: dict[str, int]
    ) -> tuple[tuple[Any, ...], Expander]:
        """Return statements expanded in a scope of their own, and what expanded them."""
        if self.level >= LIMITS.levels:
            raise SourceError.of(
                "MBX5002",
                f"subsystems nested deeper than {LIMITS.levels}",
                body[0].at if body else None,
            )
        structure = structure_of(body, bound, self.report)
        inliner = Inliner(functions_of(body), frozenset(structure))

        def instantiate(statement: Subsystem | InlineSubsystem, outer: Expander) -> list[Any]:
            if isinstance(statement, InlineSubsystem):
                return [self.inline(statement, module, outer)]
            return [self.instance_or_hidden(i, statement, module, outer) for i in statement.items]

        expander = Expander({**loops, **structure}, inliner, self.budget, self.report, instantiate)
        self.level += 1
        try:
            return expander.block(body), expander
        finally:
            self.level -= 1

    def inline(
        self, statement: InlineSubsystem, module: Module, outer: Expander
    ) -> InlineSubsystem:
        """Return a subsystem that was written in place, expanded."""
        label = f"subsystem '{statement.name}'"
        declared = _bindable(statement.body)
        bindings, bound = self._bindings(statement.bindings, statement.at, label, declared, outer)
        body, _ = self.body(statement.body, module, bound, outer.loops())
        return _finish(statement, outer.identifier(statement.name), bindings, body)

    def instance_or_hidden(
        self, item: Instance, statement: Subsystem, module: Module, outer: Expander
    ) -> InlineSubsystem:
        """Return a subsystem written in place; one that cannot be is reported and opaque."""
        try:
            return self.instance(item, statement, module, outer)
        except SourceError as bad:
            if item.model not in module.failed:
                self.report.extend(bad.report)
            name = outer.identifier(item.name)
            return InlineSubsystem(kind="inline_subsystem", name=name).placed(item.at).hidden()

    def instance(
        self, item: Instance, statement: Subsystem, module: Module, outer: Expander
    ) -> InlineSubsystem:
        """Return a subsystem written in place."""
        entry = module.models.get(item.model)
        if entry is None:
            raise SourceError.of(
                "MBX3006",
                f"there is no model '{item.model}'",
                item.at,
                help=suggestion(item.model, module.models) or "import it with 'use'",
            )
        model, home = entry
        if any(model is m for m in self.running):
            raise SourceError.of(
                "MBX3015",
                f"model '{item.model}' contains itself",
                item.at,
                help="subsystems must not go round in a circle",
            )
        declared = _bindable(model.body)
        bindings, bound = self._bindings(
            item.bindings, item.at, f"model '{item.model}'", declared, outer
        )
        body, _ = self.model(model, home, bound)
        made = InlineSubsystem(
            kind="inline_subsystem", name=item.name, comments=statement.comments
        ).placed(item.at)
        return _finish(made, outer.identifier(item.name), bindings, body)

    def _bindings(
        self,
        values: tuple[NamedValue, ...],
        at: Span | None,
        owner: str,
        declared: dict[str, Declaration],
        outer: Expander,
    ) -> tuple[list[NamedValue], dict[str, int]]:
        """Return the bindings, in the parent's names, and the structural values."""
        kept: dict[str, NamedValue] = {}
        bound: dict[str, int] = {}
        for binding in values:
            base = binding.name.base
            if base not in declared:
                self.report.add(
                    "MBX3007",
                    f"{owner} has no parameter or input '{base}'",
                    binding.at,
                    help=suggestion(base, declared) or "it has " + (", ".join(declared) or "none"),
                )
            elif str(binding.name) in kept or base in bound:
                self.report.add("MBX3008", f"'{base}' is bound twice", binding.at, help="keep one")
            elif is_structural(declared[base]):
                bound[base] = whole(binding.value, outer.structure)
            else:
                ready = outer.node(binding)
                kept[str(ready.name)] = ready
        for name, item in declared.items():
            if is_structural(item) and item.value is None and name not in bound:
                raise SourceError.of(
                    "MBX3022",
                    f"structural parameter '{name}' of {owner} has no value",
                    at,
                    help=f"bind it in parentheses: {name} = 2",
                )
        return list(kept.values()), bound


def _finish(
    made: InlineSubsystem, name: Identifier, bindings: list[NamedValue], body: tuple[Any, ...]
) -> InlineSubsystem:
    kept = _spread(bindings, body)
    bound = {str(b.name) for b in kept}
    body = tuple(_without_values(s, bound) for s in body)
    return made.model_copy(
        update={"name": name, "bindings": tuple(kept), "body": body, "closing": ()}
    )


def _bindable(body: Iterable[Any]) -> dict[str, Declaration]:
    return {
        item.name.base: item
        for statement in body
        if isinstance(statement, (Param, Input))
        for item in statement.items
    }


def _spread(bindings: list[NamedValue], body: tuple[Any, ...]) -> list[NamedValue]:
    """Return the bindings; the binding of a whole row becomes one for each of its names."""
    rows: dict[str, list[Identifier]] = {}
    for statement in body:
        if isinstance(statement, (Param, Input)):
            for item in statement.items:
                rows.setdefault(item.name.base, []).append(item.name)
    result: list[NamedValue] = []
    for binding in bindings:
        names = rows.get(binding.name.base, [])
        if binding.name.index is not None or not names or names[0].index is None:
            result.append(binding)
            continue
        value = ungroup(binding.value)
        values = list(value.items) if isinstance(value, Vector) else [binding.value] * len(names)
        if len(values) != len(names):
            raise SourceError.of(
                "MBX3019",
                f"'{binding.name.base}' has {len(names)} names and {len(values)} values",
                binding.at,
                help="give one value for all, or one for each",
            )
        result += [
            binding.model_copy(update={"name": n, "value": v})
            for n, v in zip(names, values, strict=True)
        ]
    return result


def _without_values(statement: Any, bound: set[str]) -> Any:
    """Return a declaration without the defaults that a binding replaces."""
    if not bound or not isinstance(statement, (Param, Input)):
        return statement
    items = tuple(
        item.model_copy(update={"value": None}) if str(item.name) in bound else item
        for item in statement.items
    )
    return statement.model_copy(update={"items": items})
