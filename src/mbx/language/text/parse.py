"""Running lark's LALR tables over a text, with recovery at the next statement.

Making the tables costs half a second, loading them a fraction: `tables.json` holds them with the
grammar's hash, and every version of lark that may be installed reads the same tables. The loop is
ours, the tables and the lexer are lark's: keywords that are names elsewhere and going on after a
fault both need the stack, and calling our actions on each reduction instead of building lark's
trees is five times faster.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import lark
from lark import Lark, Token
from lark.parsers.lalr_analysis import Shift

from mbx.base.diagnostics import MAX_SHOWN, Report, Source, Span, suggestion
from mbx.base.errors import SourceError
from mbx.language.limits import LIMITS
from mbx.language.text.remedies import remedy_of
from mbx.language.text.scan import Comment, check_tokens, scan

if TYPE_CHECKING:
    from lark.grammar import Rule


__all__ = [
    "LARK",
    "STARTS",
    "STATEMENTS",
    "Action",
    "Parsed",
    "Values",
    "build",
    "grammar",
    "parse_or_raise",
    "parser",
    "run",
    "write_tables",
]

STARTS: Final = ("document", "expression", "reference", "identifier", "unit")
"""What a text can be: a whole file, or one expression, reference, name or unit."""

LARK: Final = ((1, 1, 9), (1, 4))
"""The first version of lark that reads the stored tables, and the first that was not tested."""

_TABLES: Final = "tables.json"
_RECENT_OPTIONS: Final = ("cache_grammar",)
"""Options that the first of these versions does not know; all have their defaults here."""


def grammar() -> str:
    """Return the text of the grammar."""
    return (files("mbx.language.text") / "mb.lark").read_text("utf-8")


def build(*, strict: bool = False) -> Lark:
    """Make the parser from the grammar; `strict` refuses any conflict."""
    return Lark(
        grammar(),
        parser="lalr",
        lexer="basic",
        start=list(STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )


@cache
def parser() -> Lark:
    """Return the parser, from stored tables when they are current."""
    lark = _stored() or build()
    # lark would make its lexer anew for each text, and a JSON model has one a value
    lark.lexer = lark._build_lexer()  # noqa: SLF001  lark has no public way to keep it
    return lark


def _stored() -> Lark | None:
    stored = files("mbx.language.text") / _TABLES
    first, untested = LARK
    if stored.is_file() and first <= _lark_version() < untested:
        data = json.loads(stored.read_text("utf-8"))
        if data["grammar"] == _digest():
            return _load(data)
    return None


def write_tables() -> str:
    """Return the content of tables.json."""
    from lark.grammar import Rule  # noqa: PLC0415  only when tables are made
    from lark.lexer import TerminalDef  # noqa: PLC0415

    data, memo = build(strict=True).memo_serialize([TerminalDef, Rule])
    for option in _RECENT_OPTIONS:
        data["options"].pop(option, None)
    content = {"grammar": _digest(), "data": data, "memo": memo}
    return json.dumps(content, separators=(",", ":")) + "\n"


def _digest() -> str:
    return hashlib.sha256(grammar().encode()).hexdigest()


def _lark_version() -> tuple[int, ...]:
    return tuple(int(part) for part in lark.__version__.split(".")[:3] if part.isdigit())


def _load(stored: dict[str, Any]) -> Lark:
    data, memo = stored["data"], {int(k): v for k, v in stored["memo"].items()}
    table = data["parser"]["parser"]
    table["tokens"] = {int(k): v for k, v in table["tokens"].items()}
    table["states"] = {
        int(state): {int(token): action for token, action in actions.items()}
        for state, actions in table["states"].items()
    }
    instance = Lark.__new__(Lark)
    # lark's own way to load tables reads a pickle, which must not be; this is what it calls
    loaded: Lark = instance._load({"data": data, "memo": memo})  # noqa: SLF001
    return loaded


Values = list[Any]
Action = Callable[[Span, Values], Any]

STATEMENTS: Final = frozenset(
    "USE MODEL EXPERIMENT PARAM LET INPUT FUNCTION COORDINATE SPEED VARIABLE DEFINE INVARIANT "  # noqa: SIM905  words
    "FRAME POINT BODY PARTICLE JOINT GRAVITY FORCE TORQUE SPRING DAMPER POTENTIAL DISSIPATION "
    "LOAD EFFECTIVE SUBSYSTEM INDEPENDENT INITIAL STATE EXPECT BRANCH META EXT FOR IF MASS COM "
    "INERTIA VELOCITY OMEGA SET SIMULATE TOLERANCE PRESCRIBE HOLD FREE ABOUT VARY".split()
)
"""Keywords that begin a statement or a clause: where a reader starts again after a fault."""


class _Splice(list[Any]):
    """Values of a repetition, to be spread out in the rule around it."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What reducing by one rule does with the values on the stack."""

    name: str
    origin: str
    size: int
    take: tuple[tuple[int, int], ...]
    """Which values are kept, and how many absent options stand before each."""
    absent: int
    """Absent options at the end."""
    single: bool
    """Whether a lone value takes the rule's place."""
    passes: bool
    """Whether the rule is one value that takes its place."""
    splice: bool


@dataclass(frozen=True, slots=True)
class Parsed:
    """What came out of a text: the value of its start rule (none after faults), comments."""

    value: Any
    comments: list[Comment]
    tokens: list[Token]


_Rows = dict[int, dict[str, "int | _Plan"]]


@cache
def _rows() -> _Rows:
    """Return what to do in each state on each token: go to a state, or reduce by a plan."""
    plans: dict[int, _Plan] = {}
    rows: _Rows = {}
    for state, actions in _table().states.items():
        row: dict[str, int | _Plan] = {}
        for token, (action, arg) in actions.items():
            if action is Shift:
                row[token] = arg
            else:
                plan = plans.get(id(arg))
                if plan is None:
                    plan = plans[id(arg)] = _plan(arg)
                row[token] = plan
        rows[state] = row
    return rows


def _plan(rule: Rule) -> _Plan:
    flags = rule.options.empty_indices or (False,) * len(rule.expansion)
    gaps = [len(ones) for ones in "".join("01"[f] for f in flags).split("0")]
    take, absent = [], 0
    for k, symbol in enumerate(rule.expansion):
        absent += gaps[k]
        if not getattr(symbol, "filter_out", False):
            take.append((k, absent))
            absent = 0
    absent += gaps[len(rule.expansion)]
    origin = str(rule.origin.name)
    single = bool(rule.options.expand1) and not rule.alias
    return _Plan(
        name=rule.alias or rule.options.template_source or origin,
        origin=origin,
        size=len(rule.expansion),
        take=tuple(take),
        absent=absent,
        single=single,
        passes=single and len(rule.expansion) == 1,
        splice=origin.startswith("_"),
    )


@cache
def _table() -> Any:
    return parser().parser.parser._parse_table  # noqa: SLF001  lark has no public way to it


class _Machine:
    """The stack of a parse, and what to do when it cannot go on."""

    def __init__(
        self, source: Source, start: str, actions: Mapping[str, Action], report: Report
    ) -> None:
        table = _table()
        self.source = source
        self.rows = _rows()
        self.actions = actions
        self.report = report
        self.states = [table.start_states[start]]
        self.end = table.end_states[start]
        self.values: Values = []
        self.extents: list[tuple[int, int]] = []

    def feed(self, token: Token, kind: str) -> bool:
        """Take one token in; return False when it does not fit."""
        rows, states = self.rows, self.states
        word = kind != "NAME" and token[:1].isalpha()
        while True:
            row = rows[states[-1]]
            action = row.get(kind)
            if action is None and word:
                action = row.get("NAME")
            if action is None:
                return False
            if action.__class__ is int:
                states.append(action)
                self.values.append(token)
                self.extents.append((token.start_pos or 0, token.end_pos or 0))
                return True
            plan: Any = action
            if plan.passes:  # a lone value in the place of its rule: only the state changes
                states[-1] = rows[states[-2]][plan.origin]
            else:
                self.reduce(plan)
            if kind == "$END" and states[-1] == self.end:
                return True

    def reduce(self, plan: _Plan) -> None:
        """Replace the values of one rule by what its action makes of them."""
        size = plan.size
        if size:
            values, self.values[-size:] = self.values[-size:], []
            extent = (self.extents[-size][0], self.extents[-1][1])
            del self.states[-size:], self.extents[-size:]
        else:
            values = []
            last = self.extents[-1][1] if self.extents else 0
            extent = (last, last)
        value = self.act(plan, values, extent)
        self.states.append(self.rows[self.states[-1]][plan.origin])
        self.values.append(value)
        self.extents.append(extent)

    def act(self, plan: _Plan, values: Values, extent: tuple[int, int]) -> Any:
        """Return the value of a rule."""
        take = plan.take
        if plan.splice and take and type(values[take[0][0]]) is _Splice:
            # a repetition grows by one: in place, or a long one would be copied at each step
            kept: Values = values[take[0][0]]
            take = take[1:]
        else:
            kept = _Splice()
        for k, absent in take:
            if absent:
                kept.extend([None] * absent)
            value = values[k]
            if type(value) is _Splice:
                kept.extend(value)
            else:
                kept.append(value)
        if plan.absent:
            kept.extend([None] * plan.absent)
        if plan.splice:
            return kept
        if plan.single and len(kept) == 1:
            return kept[0]
        return self.actions[plan.name](Span(self.source, *extent), list(kept))

    def expected(self) -> list[str]:
        """Return what could stand here, as a person writes it."""
        names = {terminal.name: terminal.pattern for terminal in parser().terminals}
        words = []
        for kind in self.rows[self.states[-1]]:
            pattern = names.get(kind)
            if pattern is not None:
                words.append(
                    pattern.value if pattern.type == "str" else _TERMINAL_WORDS.get(kind, "")
                )
        return sorted({w for w in words if w})

    def accepts(self, kind: str, states: list[int]) -> bool:
        """Return whether a token could be taken in on a stack of states, without doing it."""
        while True:
            action: Any = self.rows[states[-1]].get(kind)
            if action is None or action.__class__ is int:
                return action is not None
            if action.size:
                del states[-action.size :]
            states.append(self.rows[states[-1]][action.origin])  # type: ignore[arg-type]

    def unwind(self, kind: str) -> bool:
        """Drop unfinished parts until a token of this kind fits; return whether it does."""
        depth = len(self.states)
        while depth and not self.accepts(kind, self.states[:depth]):
            depth -= 1
        if not depth:
            return False
        drop = len(self.states) - depth
        if drop:
            del self.states[-drop:], self.values[-drop:], self.extents[-drop:]
        return True


_TERMINAL_WORDS: Final = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in quotes",
    "COMPARE": "a comparison",
}


def run(source: Source, start: str, actions: Mapping[str, Action], report: Report) -> Parsed:
    """Parse a text from a start rule; faults go to `report` and the parse goes on."""
    clean, comments = scan(source, report)
    tokens = _tokens(source, clean, report)
    if tokens is None or not check_tokens(source, tokens, report):
        return Parsed(None, comments, [])
    machine = _Machine(source, start, actions, report)
    k = 0
    failed = suspect = -1
    while k < len(tokens):
        token = tokens[k]
        if _is_name_by_doubt(machine, tokens, k):
            suspect = k
        if machine.feed(token, token.type):
            k += 1
            continue
        if 0 <= suspect < k and tokens[suspect].line == token.line:
            # what was taken for a name begins a statement, and the one before is unfinished
            k, suspect = suspect, -1
            _complain(machine, tokens, k, "the statement before it is not finished")
        elif k != failed:
            _complain(machine, tokens, k)
        k, failed = _resume(machine, tokens, k, again=k == failed)
    end = Token("$END", "", start_pos=len(clean), end_pos=len(clean))
    if failed != len(tokens) and not machine.feed(end, "$END"):
        _unfinished(machine, tokens, start)
    value = (
        machine.values[-1]
        if len(machine.values) == 1 and machine.states[-1] == machine.end
        else None
    )
    return Parsed(value if report.ok else None, comments, tokens)


def _tokens(source: Source, clean: str, report: Report) -> list[Token] | None:
    tokens = []
    for token in parser().lex(clean):
        tokens.append(token)
        if len(tokens) > LIMITS.tokens:
            start = token.start_pos or 0
            report.add(
                "MBX5003",
                f"more than {LIMITS.tokens} words and signs",
                Span(source, start, start + 1),
            )
            return None
    return tokens


def _first_on_line(tokens: list[Token], k: int) -> bool:
    return k == 0 or tokens[k].line != tokens[k - 1].end_line


def _is_name_by_doubt(machine: _Machine, tokens: list[Token], k: int) -> bool:
    """Return whether a word that begins a line and could begin a statement is read as a name."""
    return (
        tokens[k].type in STATEMENTS
        and _first_on_line(tokens, k)
        and tokens[k].type not in machine.rows[machine.states[-1]]
    )


def _complain(machine: _Machine, tokens: list[Token], k: int, remedy: str | None = None) -> None:
    token = tokens[k]
    start, end = token.start_pos or 0, token.end_pos or 0
    shown = token if len(token) <= LIMITS.identifier else f"{token[: LIMITS.identifier]}…"
    message = f"unexpected '{shown}'"
    if remedy is None and len(machine.report) < MAX_SHOWN:
        expected = machine.expected()
        near = suggestion(str(token).lower(), expected) if token.type == "NAME" else ""
        known = remedy_of(tokens, k, expected)
        if known is not None:
            remedy = known
        elif near:
            remedy = near
        elif len(expected) <= 8:  # noqa: PLR2004  a list one can read
            remedy = "expected " + ", ".join(w if " " in w else f"'{w}'" for w in expected)
        else:
            remedy = None
    machine.report.add("MBX1006", message, Span(machine.source, start, end), help=remedy)


def _resume(machine: _Machine, tokens: list[Token], k: int, *, again: bool) -> tuple[int, int]:
    """Skip to where a statement begins or a block ends; return there and the last failure."""
    line_only = _first_on_line(tokens, k) and tokens[k].type not in STATEMENTS
    depth = 0
    j = k + 1 if again else k
    while j < len(tokens):
        token = tokens[j]
        if depth == 0 and _first_on_line(tokens, j) and j > k and line_only:
            # the faulty line is behind us; the next one is judged by itself
            return (j, -1) if machine.unwind(_boundary(machine, token)) else (j, j)
        if depth == 0 and token.type in STATEMENTS and _first_on_line(tokens, j):
            if machine.unwind(token.type):
                return j, j if again else -1
        elif token == "{":
            depth += 1
        elif token == "}":
            if depth == 0 and machine.unwind("RBRACE"):
                return j, j if again else -1
            depth = max(0, depth - 1)
        j += 1
    return len(tokens), len(tokens)


def _boundary(machine: _Machine, token: Token) -> str:
    """Return a kind of token with which a statement can begin."""
    if token.type in STATEMENTS or token.type == "RBRACE":
        return token.type
    return "RBRACE" if any("RBRACE" in machine.rows[s] for s in machine.states) else "MODEL"


def _unfinished(machine: _Machine, tokens: list[Token], start: str) -> None:
    """Report a text that ends too early, at the bracket that was left open if there is one."""
    open_at: list[Token] = []
    for token in tokens:
        if token in {"{", "(", "["}:
            open_at.append(token)
        elif token in {"}", ")", "]"} and open_at:
            open_at.pop()
    size = len(machine.source.text)
    if open_at:
        left = open_at[-1]
        where = left.start_pos or 0
        machine.report.add(
            "MBX1007",
            f"'{left}' is not closed before the end",
            Span(machine.source, where, where + 1),
        )
    else:
        last = tokens[-1].end_pos or size if tokens else size
        what = "file" if start == "document" else start
        machine.report.add(
            "MBX1007", f"the {what} ends too early", Span(machine.source, max(0, last - 1), last)
        )


def parse_or_raise(source: Source, start: str, actions: Mapping[str, Action]) -> Any:
    """Parse a short text; raise `SourceError` if it has faults."""
    report = Report()
    parsed = run(source, start, actions, report)
    if not report.ok:
        raise SourceError(report)
    return parsed.value


if __name__ == "__main__":
    _content = write_tables()
    Path(__file__).with_name(_TABLES).write_text(_content, "utf-8")
