"""Machine code by the system's C compiler, from what the C target writes."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

from mbx.codegen.native import cache as kept
from mbx.codegen.native.argument_layout import STATE
from mbx.codegen.native.machine_code import Library
from mbx.codegen.native.toolchain import compiler, identity, shared_library
from mbx.codegen.target import get

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.native.argument_layout import Layout
    from mbx.codegen.target import Subject

__all__ = ["CcCode", "available", "sources"]

_DRIVER: Final = """\
#include "{stem}.h"
#include <stdint.h>

int32_t mb_setup(const double *p, double *c)
{{
    for (int k = 0; k < {parameters}; ++k) c[k] = p[k];
    return 0;
}}

int32_t mb_single(double t, const double *q, const double *u, const double *x,
                  const double *in, const double *c, double *out)
{{
    (void)x;
    return {stem}_results(t, q, u, {higher}in, c, out);
}}

void mb_repeat(int64_t n, int32_t (*f)(double, const double *, const double *, const double *,
                                       const double *, const double *, double *),
               double t, const double *q, const double *u, const double *x, const double *in,
               const double *c, double *out)
{{
    for (int64_t k = 0; k < n; ++k) f(t, q, u, x, in, c, out);
}}

int32_t mb_stages(int32_t (*f)(double, const double *, const double *, const double *,
                               const double *, const double *, double *),
                  double t, double h, const double *x, double *K, double *w, const double *in,
                  const double *c, int64_t n, int64_t nq, int64_t first, int64_t last,
                  int64_t wide, const double *A, const double *C)
{{
    int32_t status = 0;
    for (int64_t s = first; s < last && status == 0; ++s) {{
        for (int64_t k = 0; k < n; ++k) {{
            double sum = 0;
            for (int64_t j = 0; j < s; ++j) sum += A[s * wide + j] * K[j * n + k];
            w[k] = x[k] + h * sum;
        }}
        status = f(t + C[s] * h, w, w + nq, 0, in, c, K + s * n);
    }}
    return status;
}}

void mb_batch(int64_t n, const double *const *g, const int64_t *s, const double *c, double *out,
              int32_t *status)
{{
    double {arrays};
    double *const to[] = {{t, q, u, x, in}};
    const int sizes[] = {{{sizes}}};
    for (int64_t i = 0; i < n; ++i) {{
        for (int k = 0; k < 5; ++k)
            for (int j = 0; j < sizes[k]; ++j) to[k][j] = g[k][i * s[2 * k] + j * s[2 * k + 1]];
        status[i] = mb_single(t[0], q, u, x, in, c, out + i * {width});
    }}
}}
"""


def available() -> bool:
    """Return whether there is a C compiler."""
    return compiler() is not None


def sources(subject: Subject, wanted: Sequence[str], layout: Layout) -> dict[str, str]:
    """Return the files that are compiled: those of the C target, and the loop over states."""
    equations = subject.equations
    results = {meaning: equations.results[meaning] for meaning in wanted}
    # no name of a model is needed here, and equal equations are compiled once
    less = replace(subject, equations=replace(equations, results=results, model="model"))
    sizes = [layout.size(group) for group in STATE]
    names = zip(("t", "q", "u", "x", "in"), sizes, strict=True)
    loop = _DRIVER.format(
        stem=f"mb_{less.stem}",
        parameters=layout.size("parameters"),
        higher="x, " if layout.size("higher") else "",
        arrays=", ".join(f"{name}[{max(size, 1)}]" for name, size in names),
        sizes=", ".join(map(str, sizes)),
        width=layout.width,
    )
    return {**get("c").write(less), "mb_states.c": loop}


_loaded: Final[WeakValueDictionary[str, CcCode]] = WeakValueDictionary()
_lock: Final = Lock()


@dataclass(eq=False)
class CcCode:
    """A shared library in memory."""

    library: Library
    size: int

    def address(self, name: str) -> int:
        """Return where a function begins."""
        return self.library.address(name)

    @classmethod
    def of(cls, files: dict[str, str], *, keep: bool = True) -> CcCode:
        """Return sources as code: the same for the same sources, from disk if it is there."""
        key = kept.key_of(identity(), *(part for item in files.items() for part in item))
        with _lock:
            found = _loaded.get(key)
            if found is not None:
                return found
            data = kept.load(f"{key}.so") if keep else None
            if data is None:
                data = shared_library(files)
                if keep:
                    kept.store(f"{key}.so", data)
            found = _loaded[key] = cls._in_memory(data)
            return found

    @classmethod
    def _in_memory(cls, data: bytes) -> CcCode:
        """Load what was looked at, and not a file that may have changed since."""
        with tempfile.TemporaryDirectory(prefix="mbx-") as name:
            path = Path(name) / "code.so"
            path.write_bytes(data)
            return cls(Library(path), len(data))
