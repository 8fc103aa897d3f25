"""What a form must leave as it is: the system, and the functions of mbx.

Forms run in one process. A form that changes what all are made from would make them agree
on something wrong. So a copy is kept of the names of all modules and classes of mbx and its
converters, of NumPy's, and of all parts of the system; what was changed is put back and named.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, is_dataclass
from operator import is_
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.system.system import System

__all__ = ["Watch"]

_PACKAGES: Final = ("mbx", "mbx_converters")
_LIBRARIES: Final = ("math", "numpy", "numpy.linalg")
_MISSING: Final = object()


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """A system and the names of modules as they were."""

    names: list[tuple[str, Any, dict[str, Any]]]
    parts: list[tuple[str, Any, Any]]

    @classmethod
    def of(cls, system: System) -> Watch:
        """Return what is now."""
        return cls(list(_names()), list(_parts(system, "the system", set())))

    def restore(self) -> tuple[str, ...]:
        """Put everything back; return the names of what had been changed."""
        changed = []
        for path, owner, before in self.names:
            now = vars(owner)
            if len(now) == len(before) and all(map(is_, now.values(), before.values())):
                continue
            for name, value in before.items():
                if _counts(owner, name, value) and now.get(name, _MISSING) is not value:
                    changed.append(f"{path}.{name}")
                    setattr(owner, name, value)
        for path, owner, value in self.parts:
            if _put_back(owner, value):
                changed.append(path)
        return tuple(changed)


def _names() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield modules and their classes with the functions and other values that they name."""
    for path, module in list(sys.modules.items()):
        is_ours = path.split(".")[0] in _PACKAGES
        if not (is_ours or path in _LIBRARIES):
            continue
        known = dict(vars(module))
        yield path, module, known
        for name, value in known.items() if is_ours else ():
            if isinstance(value, type) and value.__module__ == path:
                yield f"{path}.{name}", value, dict(vars(value))


def _counts(owner: Any, name: str, value: object) -> bool:
    """Return whether a name must stay: not what the import of modules gives to packages."""
    if not isinstance(owner, ModuleType):
        return True
    return not isinstance(value, ModuleType) and not name.startswith("__")


def _parts(value: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the records, tables and lists that something is made of, with what is in them."""
    if id(value) in seen:
        return
    seen.add(id(value))
    inner: list[tuple[str, Any]] = []
    if is_dataclass(value) and not isinstance(value, type):
        values = {f.name: getattr(value, f.name) for f in fields(value)}
        yield path, value, values
        inner = [(f"{path}.{name}", part) for name, part in values.items()]
    elif isinstance(value, dict):
        yield path, value, dict(value)
        inner = [(f"{path}[{key}]", part) for key, part in value.items()]
    elif isinstance(value, (list, tuple)):
        if isinstance(value, list):
            yield path, value, list(value)
        inner = [(f"{path}[{k}]", part) for k, part in enumerate(value)]
    for name, part in inner:
        yield from _parts(part, name, seen)


def _put_back(owner: Any, before: Any) -> bool:
    """Return whether something was changed, after it is as it was."""
    if isinstance(owner, dict):
        same = list(owner) == list(before) and all(owner[k] is before[k] for k in before)
        if not same:
            owner.clear()
            owner.update(before)
        return not same
    if isinstance(owner, list):
        same = len(owner) == len(before) and all(map(is_, owner, before))
        if not same:
            owner[:] = before
        return not same
    moved = [k for k, v in before.items() if getattr(owner, k, _MISSING) is not v]
    for name in moved:
        object.__setattr__(owner, name, before[name])
    return bool(moved)
