"""Machine code by llvmlite, in memory.

Expressions come without anything equal, constant or dead in them, so none of LLVM's own passes
over instructions is run: they cost time and gain nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from mbx.codegen.native import cache as kept
from mbx.codegen.native.argument_layout import STATE
from mbx.codegen.native.chain import CHAIN
from mbx.codegen.native.llvm import llvm_modules
from mbx.codegen.native.llvm.block_loop import driver
from mbx.codegen.native.llvm.instructions import LIBRARY
from mbx.codegen.native.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.codegen.native.argument_layout import Layout
    from mbx.codegen.native.tape_plan import Plans

__all__ = ["LlvmCode", "available", "text_of"]

_LEVEL: Final = 2
"""Of LLVM's code generator: instructions are chosen, ordered and given registers with care."""
_WIDTHS: Final = {"+avx512vl": 8, "+avx": 4}
"""Numbers that a machine computes side by side, by what it says that it has."""
_LEAST: Final = 2
_MATHEMATICS: Final = {"darwin": "libm.dylib", "win32": "ucrtbase.dll"}
"""Where the functions of the C library are, if Python has not loaded them already."""


def available() -> bool:
    """Return whether llvmlite is installed and can write for this machine."""
    try:
        _host()
    except (ImportError, OSError, RuntimeError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Host:
    """The machine, as LLVM knows it."""

    binding: Any
    processor: str
    features: str
    version: str
    shape: llvm_modules.Shape

    def machine(self) -> Any:
        """Return what writes code for it."""
        target = self.binding.Target.from_default_triple()
        return target.create_target_machine(
            cpu=self.processor, features=self.features, opt=_LEVEL, jit=True
        )


@cache
def _host() -> _Host:
    from llvmlite import binding  # noqa: PLC0415  an extra

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if any(binding.address_of_symbol(name) is None for name in LIBRARY):
        binding.load_library_permanently(_MATHEMATICS.get(sys.platform, "libm.so.6"))
    features = binding.get_host_cpu_features().flatten()
    has = set(features.split(","))
    wide = max((w for name, w in _WIDTHS.items() if name in has), default=_LEAST)
    arm = binding.get_default_triple().startswith(("aarch64", "arm64"))
    shape = llvm_modules.Shape(wide, fused="+fma" in has or arm)
    return _Host(binding, binding.get_host_cpu_name(), features, version("llvmlite"), shape)


def text_of(
    name: str, plans: Plans, layout: Layout, shape: llvm_modules.Shape | None = None
) -> str:
    """Return the module that has a function, in LLVM's assembly language."""
    shape = _host().shape if shape is None else shape
    if name == "mb_setup":
        return llvm_modules.setup(plans.setup, shape)
    if name == "mb_single":
        return llvm_modules.single(plans.rates, shape)
    if name == "mb_repeat":
        return llvm_modules.REPEAT
    if name == "mb_stages":
        return STAGES
    if name in {"mb_cycle", "mb_closed"}:
        return CHAIN
    sizes = {group: layout.size(group) for group in STATE}
    loop = driver(shape.wide, sizes, len(plans.rates.outputs))
    return llvm_modules.block(plans.rates, shape, _begins(sizes), loop)


def _begins(sizes: Mapping[str, int]) -> dict[str, int]:
    found, begin = {}, 0
    for group, size in sizes.items():
        found[group] = begin
        begin += size
    return found


# -- in memory -------------------------------------------------------------------------------


class _Loaded:
    """A module in memory."""

    def __init__(self, data: bytes) -> None:
        binding = _host().binding
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _host().machine())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(data))
        self._engine.finalize_object()
        self.size = len(data)

    def address(self, name: str) -> int:
        """Return where a function begins."""
        found: int = self._engine.get_function_address(name)
        return found


_loaded: Final[WeakValueDictionary[str, _Loaded]] = WeakValueDictionary()
_lock: Final = Lock()


def _load(text: str, *, keep: bool) -> _Loaded:
    """Return a module in memory: the same for the same text, from disk if it is there."""
    host = _host()
    key = kept.key_of(text, host.processor, host.features, host.version, f"O{_LEVEL}")
    with _lock:
        found = _loaded.get(key)
        if found is not None:
            return found
        data = kept.load(f"{key}.o") if keep else None
        if data is None:
            data = host.machine().emit_object(host.binding.parse_assembly(text))
            if keep:
                kept.store(f"{key}.o", data)
        found = _loaded[key] = _Loaded(data)
        return found


@dataclass(slots=True)
class LlvmCode:
    """The functions of a routine, each compiled when it is first asked for.

    What is not to be kept is neither taken from disk nor left there.
    """

    plans: Plans
    layout: Layout
    keep: bool = True
    _modules: dict[str, _Loaded] = field(default_factory=dict)

    def address(self, name: str) -> int:
        """Return where a function begins."""
        if name not in self._modules:
            text = text_of(name, self.plans, self.layout)
            self._modules[name] = _load(text, keep=self.keep)
        return self._modules[name].address(name)

    @property
    def size(self) -> int:
        """How many bytes of object code there are for one state."""
        self.address("mb_single")
        return self._modules["mb_single"].size
