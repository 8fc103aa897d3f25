"""Julia, which is not run: a grammar that is not ours reads it, and it says what C says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import tree_sitter_julia
from tree_sitter import Language, Parser

from hostile_names import HOSTILE, disguised
from mbx import pipeline
from mbx.codegen.routine import routine
from mbx.codegen.schedule import chunks
from mbx.codegen.targets import c, julia
from sampled import ITERATED
from written import case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.codegen.target import Subject

CASES = (
    ("simple_pendulum", "lagrange"),
    ("four_bar", "articulated_body"),
    ("programme_order_3", "modular"),
    ("rolling_disc", "semi_recursive_1:augmented"),
    ("dc_motor", "kane"),
    (ITERATED, "kane"),
)
GROUPS = {"x": "a", "in": "inputs"}
"""Arguments that C calls otherwise."""
FUNCTIONS = {
    **{name: f"mb_{name}" for name in ("sin", "cos", "tan", "asin", "acos", "log", "sqrt")},
    "pow": "mb_power",
    "fabs": "abs",
    "mb_sign": "sign",
    "atan2": "atan",
}
VALUE = re.compile(r"[vwy][0-9]+")
_PARSER = Parser(Language(tree_sitter_julia.language()))


def written(subject: Subject) -> str:
    (text,) = julia.TARGET.write(subject).values()
    return text


def parsed(text: str) -> Any:
    """Return the root of a text's tree; what the grammar does not know is an error."""
    root = _PARSER.parse(text.encode()).root_node
    assert not root.has_error
    return root


def kinds(node: Any) -> Iterator[Any]:
    """Yield the nodes below a node that are no comments, in order, as kinds and texts."""
    for child in node.children:
        if "comment" not in child.type:
            yield child.type, None if child.children else child.text
            yield from kinds(child)


def assigned(text: str) -> list[tuple[str, str]]:
    """Return the assignments to arguments, values and unknowns, in order."""
    joined = re.sub(r"([+,-])\n +", r"\1 ", text)
    found = re.findall(r"^ +(?:const )?(?:double )?([A-Za-z]\w*) = (.*?);?$", joined, re.MULTILINE)
    given = re.compile(r"(?:q|u|x|a|in|inputs|p)\[[0-9]+\]")
    return [
        (name, body)
        for name, body in found
        if given.fullmatch(body) or (VALUE.fullmatch(name) and not body.startswith("work["))
    ]


def in_julia(text: str) -> str:
    """Return an expression of C in Julia: places from 1, other names."""
    text = re.sub(
        r"\b(q|u|x|in|p)\[([0-9]+)\]",
        lambda m: f"{GROUPS.get(m[1], m[1])}[{int(m[2]) + 1}]",
        text,
    )
    return re.sub(r"\b[a-z_0-9]+(?=\()", lambda m: FUNCTIONS.get(m[0], m[0]), text)


def plain(*texts: str) -> tuple[str, ...]:
    """Return texts without the underscore behind names that a language has for itself."""
    return tuple(re.sub(r"\b([a-z]\w*)_\b", r"\1", text) for text in texts)


@pytest.mark.sample(2)
@pytest.mark.parametrize("one", CASES, ids=":".join)
def test_a_module_is_julia_and_computes_what_c_computes(one: tuple[str, str]) -> None:
    subject = pipeline.subject(case(*one).equations)
    # expressions that stay alive stand in the same order in both
    kept = routine(subject, subject.equations.results, rest=True)
    text = written(subject)
    root = parsed(text)
    assert [child.type for child in root.children if "comment" not in child.type] == [
        "module_definition"
    ]
    source = next(body for name, body in c.TARGET.write(subject).items() if name.endswith(".c"))
    own, other = assigned(text), assigned(source)
    assert len(own) > len(subject.equations.signature.u)
    expected = [(name, in_julia(body)) for name, body in other]
    assert [plain(name, body) for name, body in own] == [plain(*row) for row in expected]
    assert kept.results


def test_a_loop_ends_as_it_does_in_c() -> None:
    text = written(pipeline.subject(case(ITERATED, "kane").equations))
    assert "for k in 0:400\n        if k == 400\n            status |= 2\n" in text
    assert "if !(0 < k < 20 && isfinite(d1) && isfinite(d2))" in text
    assert "max(0.0, abs(d1), abs(d2)) > 1e-13*max(1e-4, abs(y1), abs(y2)) || break" in text


def test_the_rate_of_a_state_has_that_of_the_accelerations_that_belong_to_it() -> None:
    text = written(pipeline.subject(case("programme_order_3", "modular").equations))
    joined = re.sub(r",\n +", ", ", text)
    call = "rates!(view(dx, 1:2), view(dx, 5:6), t, view(x, 1:2), view(x, 3:4), view(x, 5:6), "
    assert call in joined
    assert "dx[3:4] .= view(x, 5:6)" in text


def test_long_code_is_parted_and_every_part_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(julia, "chunks", lambda body: chunks(body, 20))
    text = written(pipeline.subject(case("four_bar", "kane").equations))
    parsed(text)
    made = re.findall(r"^function ([a-z]+_[0-9]+!)\(work, ", text, re.MULTILINE)
    called = re.findall(r"status \|= ([a-z]+_[0-9]+!)\(work, ", text)
    assert made
    assert made == called


def test_hostile_texts_of_a_model_stay_inert() -> None:
    subject = pipeline.subject(case("four_bar", "kane").equations)
    trees = set()
    for text in ("plain text", *HOSTILE):
        one = replace(subject, equations=disguised(subject.equations, text, "M"))
        code = written(one)
        assert code.isascii()
        trees.add(tuple(kinds(parsed(code))))
    assert len(trees) == 1


def test_a_hostile_name_of_a_model_is_none_of_its_module() -> None:
    subject = pipeline.subject(case("simple_pendulum", "kane").equations)
    for text in HOSTILE:
        code = written(replace(subject, equations=replace(subject.equations, model=text)))
        (name,) = re.findall(r"^module (.*)$", code, re.MULTILINE)
        assert re.fullmatch(r"mb_[A-Za-z][A-Za-z0-9_]*", name)
        parsed(code)
