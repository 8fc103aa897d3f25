"""Digests of all that is written for models in forms: run as a script, in a process of its own.

python same_bytes.py '["four_bar"]' '["kane", "lagrange"]' '["text", "c"]'
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

import mbx
from mbx.pipeline import write_files

if TYPE_CHECKING:
    from collections.abc import Sequence

LIBRARY: Final = Path(__file__).parents[1] / "library"


def digests(
    models: Sequence[str], forms: Sequence[str], formats: Sequence[str], *, keep: bool = False
) -> dict[str, str]:
    """Return a digest of each format and of the numbers, in the order that is asked for.

    With `keep` all equations stay alive to the end; without, they are dropped and collected.
    """
    found: dict[str, str] = {}
    kept = []
    for model in models:
        document = mbx.read(LIBRARY / model / "model.mb")
        for form in forms:
            try:
                equations = mbx.convert(document, form)
            except mbx.NotApplicableError as error:
                found[f"{model} {form}"] = str(error)
                continue
            for name in formats:
                found[f"{model} {form} {name}"] = _written(equations, name)
            found[f"{model} {form} numbers"] = _numbers(equations)
            if keep:
                kept.append(equations)
            else:
                del equations
                gc.collect()
    return found


def _written(equations: mbx.Equations, name: str) -> str:
    try:
        written = json.dumps(write_files(equations, name), sort_keys=True)
    except mbx.MbxError as error:  # a format that cannot hold the form has its reasons
        written = str(error)
    return hashlib.sha256(written.encode()).hexdigest()


def _numbers(equations: mbx.Equations) -> str:
    signature = equations.signature
    rng = np.random.default_rng(1)
    state = {one.path: rng.uniform(0.2, 0.9) for one in (*signature.q, *signature.u)}
    known = {one.path: 0.7 for one in signature.parameters if one.value is None}
    inputs = {one.path: 0.3 for one in signature.inputs}
    values = equations.evaluate(state, known, inputs)
    every = hashlib.sha256()
    for key in sorted(equations.results):
        every.update(np.asarray(values[key]).tobytes())
    return every.hexdigest()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(digests(*map(json.loads, sys.argv[1:]))))
