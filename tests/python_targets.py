"""Modules in Python that were written from equations: loaded, run, and looked through."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import mbx
from hostile_names import HOSTILE, disguised
from mbx.codegen.python.python_module import keys
from mbx.codegen.routine import routine
from mbx.codegen.target import Subject, get
from mbx.numerics.states.specialise import ModelStates, specialise
from mbx.pipeline import write_files
from written import case, forms_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.formalism.equations import Equations
    from written import Case

__all__ = ["TEXTS", "Module", "arguments", "first", "hostile", "load", "matrices", "module_of"]

TEXTS: Final = (
    *HOSTILE,
    '"""\nimport os\n"""',
    "'''\nimport os\n'''",
    "# -*- coding: utf-7 -*-",
    "coding: utf-7",
    "\\N{BULLET} \\x0a \\u000a import os",
    "\nimport os",
    "\x0cimport os",
    "{os} %s {0}",
)
"""Texts that try to be code."""
ROOTS: Final = ("udwadia_kalaba:positive", "udwadia_kalaba:augmented")
"""Forms with the root of a matrix, which has no closed form."""


@dataclass(frozen=True)
class Module:
    """A module: its text, and its names after it was run."""

    text: str
    names: Mapping[str, Any]


def first(model: str) -> str:
    """Return a form of a model: Kane's, if there is one."""
    return next(form for form in ("kane", "modular", *forms_of(model)) if form in forms_of(model))


def scalar_forms(model: str) -> list[str]:
    """Return the forms of a model that can be written out."""
    return [form for form in forms_of(model) if form not in ROOTS]


@cache
def _states(model: str) -> ModelStates:
    return ModelStates(mbx.elaborate(mbx.read(f"lib:{model}")))


def subject_of(one: Case) -> Subject:
    """Return a case as something to be written; states of a model are drawn once."""
    return Subject(equations=specialise(one.equations, _states(one.model)))


def load(text: str) -> Module:
    """Return a module that was run by itself."""
    names: dict[str, Any] = {"__name__": "written"}
    exec(compile(text, "written.py", "exec", dont_inherit=True), names)  # noqa: S102
    return Module(text, names)


def module_of(one: Case, target: str) -> Module:
    """Return a case as a module."""
    (text,) = get(target).write(subject_of(one)).values()
    return load(text)


def arguments(one: Case) -> list[Any]:
    """Return the arguments of functions, with states along the first axis."""
    groups = one.arguments(routine(Subject(equations=one.equations), ()))
    return [value for name, value in groups.items() if name != "higher" or value.shape[1]]


def matrices(one: Case, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return results by meaning, (states, rows, columns)."""
    results = {}
    for key, name in keys(one.equations.results).items():
        if name in found:
            value = np.asarray(found[name], dtype=float)
            results[key] = value[:, :, None] if value.ndim == 2 else value
    return results


# -- hostile texts ---------------------------------------------------------------------------


def hostile(target: str, text: str) -> str:
    """Return a module of equations all of whose texts are one."""
    return next(iter(write_files(_disguised(text), target).values()))


def _disguised(text: str) -> Equations:
    return disguised(case("four_bar", "kane").equations, text, "Model")


def names_in(text: str) -> set[str]:
    """Return all names, attributes, imports and strings that a module has, but for docstrings."""
    return set(_names(ast.parse(text)))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Constant(value=str(value)):
                yield value
            case ast.Import() | ast.ImportFrom():
                yield ast.unparse(node)
