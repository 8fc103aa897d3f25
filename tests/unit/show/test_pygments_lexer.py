from __future__ import annotations

from pathlib import Path

import pytest
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    Token,
    _TokenType,
)

from mbx.show.highlighting import KEYWORDS, MbLexer

ROOT = Path(__file__).parents[3]
MODELS = sorted(ROOT.glob("library/**/*.mb"))

Tokens = list[tuple[_TokenType, str]]


def lex(text: str) -> Tokens:
    return list(MbLexer(ensurenl=False, stripnl=False).get_tokens(text))


def seen(text: str) -> Tokens:
    """What is left without blanks."""
    return [(kind, value) for kind, value in lex(text) if value.strip()]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_model_of_the_library_is_lexed_without_error_and_loss(path: Path) -> None:
    text = path.read_text("utf-8")
    tokens = lex(text)
    assert [value for kind, value in tokens if kind is Error] == []
    assert "".join(value for _, value in tokens) == text


def test_keywords_are_those_of_the_grammar() -> None:
    assert {"mbx", "model", "param", "joint", "rotated", "experiment", "within"} <= KEYWORDS
    assert not KEYWORDS & {"revolute", "sin", "axis", "ground", "document"}


@pytest.mark.parametrize("word", sorted(KEYWORDS - {"and", "or", "not"}))
def test_a_keyword_is_one(word: str) -> None:
    kind, value = seen(f"{word} a")[0]
    assert value == word
    assert kind.split()[:2] == [Token, Keyword]


@pytest.mark.parametrize("word", ["mass", "speed", "free", "subsystem", "order"])
def test_a_keyword_is_a_name_where_it_stands_as_one(word: str) -> None:
    assert (Name, word) in seen(f"param {word}: kg = 1")
    assert (Name, word) in seen(f"invariant 2*{word}' = 0")


def test_numbers_carry_their_units() -> None:
    assert seen("2 kg") == [(Number, "2"), (Keyword.Type, "kg")]
    assert seen("1.5e-3[N*m/A]") == [(Number, "1.5e-3"), (Keyword.Type, "[N*m/A]")]
    assert seen("10 ms every") == [(Number, "10"), (Keyword.Type, "ms"), (Keyword, "every")]
    assert seen("rank 4 at")[1:] == [(Number, "4"), (Keyword, "at")]


def test_declared_units_are_seen_and_labels_of_other_statements_are_not_units() -> None:
    tokens = seen("param a: m/s^2 = 1, b: kg in [0, c]\ninvariant d: e = 0")
    assert [value for kind, value in tokens if kind is Keyword.Type] == ["m/s^2", "kg"]
    assert (Name, "e") in tokens


def test_names_of_models_are_told_from_others() -> None:
    text = """
    use Bar as Rod from "lib:planar/bar.mb"
    model Chain { subsystem U: Bar(length = a), V[1]: Rod(length = b) coordinate x: m }
    experiment drop of Chain { }
    """
    classes = [value for kind, value in seen(text) if kind is Name.Class]
    assert classes == ["Bar", "Rod", "Chain", "Bar", "Rod", "Chain"]


def test_functions_and_joints_are_calls() -> None:
    text = "body B { velocity [sin(t), 0, 0] joint free(A) } point P = velocity(B.com)"
    assert [value for kind, value in seen(text) if kind is Name.Function] == [
        "sin",
        "free",
        "velocity",
    ]
    assert (Keyword, "velocity") in seen(text)


def test_primes_operators_strings_and_comments() -> None:
    assert seen("x''")[1:] == [(Operator, "'"), (Operator, "'")]
    assert seen("1..n <= 2 and b")[1::2] == [
        (Operator, ".."),
        (Operator, "<="),
        (Operator.Word, "and"),
    ]
    kinds = {kind for kind, _ in seen(r'"a \" b" // "c"')}
    assert kinds == {String.Double, String.Escape, Comment.Single}


def test_what_the_language_has_no_use_for_is_an_error() -> None:
    assert (Error, "$") in seen("a $ b")


def test_a_string_that_is_not_closed_ends_with_its_line() -> None:
    assert (Name.Class, "A") in seen('"not closed\nmodel A')
