"""Random documents: every kind of statement, clause, task and expression.

What comes out is what a file can say, spelled as the reader gives it back: parentheses stand
where the grammar needs them, comments have no blanks at their end, and a blank line is kept
where the text form keeps one. Whether a document makes sense is another matter: names may
lead nowhere and units may clash, which no reader or writer has to know.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from mbx.checking.expressions.scope import RESERVED
from mbx.language.document import (
    bodies,
    declarations,
    experiments,
    kinematic_statements,
    load_statements,
    metadata,
)
from mbx.language.document import document as doc
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Identifier,
    Junction,
    MaterialPoint,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Segment,
    Sum,
    Vector,
)
from mbx.language.units import known_units

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "STATEMENTS",
    "TASKS",
    "documents",
    "experiments_of",
    "expressions",
    "free_expressions",
    "identifiers",
    "models_of",
    "names",
    "references",
    "statements",
    "tasks",
    "texts",
    "units",
]

Strategy = st.SearchStrategy[Any]

_SOFT: Final = ("mass", "frame", "point", "set", "com", "order", "rest", "latex", "cut", "model")
"""Words that begin a statement or a clause somewhere, and are names everywhere else."""
_TAKEN: Final = RESERVED | {"state", "energy", "between", "on", "true", "false", "null"}
"""Words that are no names where the grammar can take them as what they are."""
_DEPTH: Final = 2

# -- words ----------------------------------------------------------------------------------

_WORDS: Final = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,7}", fullmatch=True).filter(
    lambda word: word not in _TAKEN
)
names: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(("a", "b", "theta", "x", "link", "q_1", "A" * 64, *_SOFT)), _WORDS
)

_SHOWN: Final = st.characters(exclude_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
texts: st.SearchStrategy[str] = st.text(
    st.one_of(_SHOWN, st.sampled_from('"\\/\n\t{}äθ→ 日')), max_size=12
)

_unit_words = st.sampled_from(known_units())
_unit_powers = st.sampled_from(("", "", "^2", "^-1", "^(1/2)", "^(-3/2)"))


@st.composite
def units(draw: st.DrawFn) -> str:
    """Return a unit: one word, or a product of powers."""
    if draw(st.booleans()):
        return draw(_unit_words)
    factors = draw(st.lists(st.tuples(_unit_words, _unit_powers), min_size=1, max_size=3))
    text = "".join(factors[0])
    for word, power in factors[1:]:
        text += draw(st.sampled_from("*/")) + word + power
    return draw(st.sampled_from((text, f"1/{text}")))


_numbers: st.SearchStrategy[str] = st.one_of(
    st.integers(0, 12).map(str),
    st.sampled_from(("0.5", "0.10", "1e-3", "2.5E+10", "007", "9" * 18, "1e-320")),
    st.floats(0, 1e300).map(repr),
)

# -- expressions, one function a level of the grammar -----------------------------------------


def _several(one: Strategy, most: int = 3) -> Strategy:
    return st.lists(one, min_size=1, max_size=most).map(tuple)


@cache
def references(depth: int = 0) -> st.SearchStrategy[Reference]:
    """Return paths, perhaps indexed, perhaps primed."""
    return st.builds(Reference, _several(_segments(depth)), st.sampled_from((0, 0, 0, 1, 2, 8)))


@cache
def _segments(depth: int) -> Strategy:
    index = st.none() if depth <= 0 else st.one_of(st.none(), expressions(depth - 1))
    return st.builds(Segment, names, index)


@cache
def identifiers(depth: int = 0, *, rows: bool = False) -> st.SearchStrategy[Identifier]:
    """Return declared names: plain, indexed, or a row of them."""
    index = expressions(depth)
    kinds: list[Strategy] = [st.builds(Identifier, names), st.builds(Identifier, names, index)]
    if rows:
        kinds.append(st.builds(Identifier, names, index, index))
    return st.one_of(kinds)


@cache
def _atoms(depth: int) -> Strategy:
    plain: list[Strategy] = [
        st.builds(Number, _numbers, st.one_of(st.none(), units())),
        references(depth),
    ]
    if depth <= 0:
        return st.one_of(plain)
    inner = expressions(depth - 1)
    material = st.builds(MaterialPoint, inner, references(depth - 1))
    functions = st.sampled_from(("sin", "atan2", "min", "velocity", "dot", "profile"))
    return st.one_of(
        *plain,
        st.builds(Call, functions, _several(st.one_of(inner, material))),
        st.builds(Group, inner),
        st.builds(Vector, _several(inner)),
    )


@cache
def _powers(depth: int) -> Strategy:
    if depth <= 0:
        return _atoms(depth)
    return st.one_of(_atoms(depth), st.builds(Power, _atoms(depth - 1), _exponents(depth - 1)))


@cache
def _exponents(depth: int) -> Strategy:
    if depth <= 0:
        return _powers(depth)
    return st.one_of(_powers(depth), st.builds(Negative, _exponents(depth - 1)))


@cache
def _unaries(depth: int) -> Strategy:
    if depth <= 0:
        return _powers(depth)
    return st.one_of(_powers(depth), st.builds(Negative, _unaries(depth - 1)))


def _chain(make: Callable[[Any], Any], first: str, signs: str, part: Strategy) -> Strategy:
    rest = st.lists(st.tuples(st.sampled_from(signs), part), min_size=1, max_size=3)
    return st.builds(lambda one, more: make(((first, one), *more)), part, rest)


@cache
def _products(depth: int) -> Strategy:
    if depth <= 0:
        return _unaries(depth)
    return st.one_of(_unaries(depth), _chain(Product, "*", "*/", _unaries(depth - 1)))


@cache
def _sums(depth: int) -> Strategy:
    if depth <= 0:
        return _products(depth)
    return st.one_of(_products(depth), _chain(Sum, "+", "+-", _products(depth - 1)))


@cache
def _comparisons(depth: int) -> Strategy:
    if depth <= 0:
        return _sums(depth)
    operator = st.sampled_from(("<", "<=", ">", ">=", "==", "!="))
    part = _sums(depth - 1)
    return st.one_of(_sums(depth), st.builds(Comparison, operator, part, part))


@cache
def _negations(depth: int) -> Strategy:
    if depth <= 0:
        return _comparisons(depth)
    return st.one_of(_comparisons(depth), st.builds(Not, _negations(depth - 1)))


@cache
def _conjunctions(depth: int) -> Strategy:
    if depth <= 0:
        return _negations(depth)
    items = st.lists(_negations(depth - 1), min_size=2, max_size=3).map(tuple)
    return st.one_of(_negations(depth), st.builds(Junction, st.just("and"), items))


@cache
def expressions(depth: int = _DEPTH) -> st.SearchStrategy[Expression]:
    """Return expressions of every kind, nested to a depth."""
    if depth <= 0:
        return _sums(0)
    inner = expressions(depth - 1)
    items = st.lists(_conjunctions(depth - 1), min_size=2, max_size=3).map(tuple)
    return st.one_of(
        _conjunctions(depth),
        st.builds(Junction, st.just("or"), items),
        st.builds(Conditional, inner, inner, inner),
    )


@cache
def free_expressions(depth: int = _DEPTH) -> st.SearchStrategy[Expression]:
    """Return trees nested in any way, without a care for parentheses."""
    if depth <= 0:
        return _atoms(0)
    one = free_expressions(depth - 1)
    pair = st.lists(one, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        _atoms(1),
        _chain(Sum, "+", "+-", one),
        _chain(Product, "*", "*/", one),
        st.builds(Negative, one),
        st.builds(Power, one, one),
        st.builds(Group, one),
        st.builds(Vector, _several(one)),
        st.builds(Call, st.just("min"), _several(one)),
        st.builds(Comparison, st.sampled_from(("<", ">=")), one, one),
        st.builds(Junction, st.sampled_from(("and", "or")), pair),
        st.builds(Not, one),
        st.builds(Conditional, one, one, one),
    )


# -- comments ---------------------------------------------------------------------------------

_lines: st.SearchStrategy[str] = st.one_of(
    st.just(" "),  # a comment that says nothing
    st.text(st.one_of(_SHOWN, st.sampled_from('/"{} ')), min_size=1, max_size=8).map(
        lambda text: text.rstrip() or " "
    ),
)


@st.composite
def _comments(draw: st.DrawFn, *, first: bool, last: bool = False) -> tuple[str, ...]:
    """Return comment lines; a blank line is kept only between things."""
    lines: list[str] = []
    for line in draw(st.one_of(st.just([]), st.lists(_lines, max_size=2))):
        if (lines or not first) and draw(st.booleans()):
            lines.append("")
        lines.append(line)
    if not last and (lines or not first) and draw(st.integers(0, 3)) == 0:
        lines.append("")
    return tuple(lines)


@st.composite
def _block(draw: st.DrawFn, one: Strategy, most: int = 2) -> tuple[Any, ...]:
    """Return statements with their comments."""
    placed = []
    for k, item in enumerate(draw(st.lists(one, max_size=most))):
        update = {
            "comments": draw(_comments(first=k == 0)),
            "remark": draw(st.one_of(st.none(), st.none(), _lines)),
        }
        placed.append(item.model_copy(update=update))
    return tuple(placed)


@st.composite
def _ended(draw: st.DrawFn, one: Strategy, field: str, closing: str) -> dict[str, Any]:
    """Return a block of statements and the comments that close it."""
    items = draw(_block(one))
    return {field: items, closing: draw(_comments(first=True, last=True))}


def _node(cls: Callable[..., Any], kind: str | None = None, /, **fields: Strategy) -> Strategy:
    """Return nodes of a class, with its tag filled in."""
    tag = {} if kind is None else {"kind": st.just(kind)}
    return st.builds(cls, **tag, **fields)


def _maybe(one: Strategy) -> Strategy:
    return st.one_of(st.none(), one)


# -- statements -------------------------------------------------------------------------------

_e: Final = expressions()
_r: Final = references(1)
_i: Final = identifiers()
_rows: Final = identifiers(rows=True)
_range: Final = _node(declarations.Range, lower=_e, upper=_e)
_declaration: Final = _node(
    declarations.Declaration,
    name=_rows,
    unit=_maybe(units()),
    value=_maybe(_e),
    range=_maybe(_range),
    description=_maybe(texts),
    latex=_maybe(texts),
)
_binding: Final = _node(
    declarations.Binding,
    name=_rows,
    unit=_maybe(units()),
    value=_e,
    description=_maybe(texts),
    latex=_maybe(texts),
)
_named_value: Final = _node(kinematic_statements.NamedValue, name=_i, value=_e)
_assignment: Final = _node(experiments.Assignment, target=_r, value=_e)


def _shares_unit(one: declarations.Declaration, following: declarations.Declaration) -> bool:
    """Tell whether a bare name would take the unit of the one it is listed before."""
    bare = (one.unit, one.value, one.range, one.description, one.latex) == (None,) * 5
    return bare and following.unit is not None


_declarations: Final = _several(_declaration).filter(
    lambda items: not any(map(_shares_unit, items, items[1:]))
)

_rotation: Final = st.one_of(
    _node(kinematic_statements.AxisRotation, "axis", axis=_e, angle=_e),
    _node(
        kinematic_statements.EulerRotation,
        "euler",
        sequence=st.sampled_from(("zxy", "xyz", "zxz")),
        angles=st.tuples(_e, _e, _e),
    ),
    _node(kinematic_statements.QuaternionRotation, "quaternion", parts=_several(_named_value)),
)
_placement: Final = _node(
    kinematic_statements.Placement,
    base=_r,
    point=_maybe(_e),
    rotations=st.lists(_rotation, max_size=2).map(tuple),
)
_call: Final = _node(
    bodies.JointCall,
    joint=names,
    sides=st.lists(_placement, max_size=2).map(tuple),
    arguments=st.lists(_named_value, max_size=2).map(tuple),
    rotations=st.lists(_rotation, max_size=2).map(tuple),
)
_line: Final = st.one_of(
    _node(load_statements.Between, "between", first=_sums(1), second=_sums(1)),
    _node(load_statements.Along, "along", coordinate=_r),
)

_clauses: Final = st.one_of(
    _node(bodies.MassClause, "mass", value=_e),
    _node(bodies.ComClause, "com", value=_e),
    _node(bodies.InertiaClause, "inertia", value=_e, about=_maybe(_e)),
    _node(bodies.FrameClause, "frame", placement=_placement),
    _node(bodies.VelocityClause, "velocity", value=_e),
    _node(bodies.OmegaClause, "omega", value=_e),
    _node(bodies.JointClause, "joint", call=_call, reaction=_maybe(_i)),
)
_particle_clauses: Final = st.one_of(
    _node(bodies.MassClause, "mass", value=_e),
    _node(bodies.PointClause, "at", value=_e),
    _node(bodies.VelocityClause, "velocity", value=_e),
)


@st.composite
def _with_block(
    draw: st.DrawFn, head: Strategy, one: Strategy, field: str = "body", closing: str = "closing"
) -> Any:
    return draw(head).model_copy(update=draw(_ended(one, field, closing)))


_json: Final = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**18) + 1, 10**18 - 1),
        texts,
        st.floats(-1e300, 1e300),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
_meta: Final = _node(
    metadata.Meta,
    "meta",
    items=st.lists(
        _node(metadata.MetaEntry, key=st.sampled_from(metadata.META_KEYS), value=texts), max_size=2
    ).map(tuple),
)
_ext: Final = _node(
    metadata.Ext, "ext", key=texts.filter(bool), value=st.dictionaries(texts, _json, max_size=2)
)
_initial: Final = _node(experiments.Initial, "initial", items=_several(_assignment))
_instance: Final = _node(
    doc.Instance, name=_i, model=names, bindings=st.lists(_named_value, max_size=2).map(tuple)
)
_rates: Final = st.builds(
    Reference, _segments(1).map(lambda segment: (segment,)), st.sampled_from((1, 2))
)

_PLAIN: Final[dict[str, Strategy]] = {
    "param": _node(declarations.Param, "param", items=_declarations),
    "input": _node(declarations.Input, "input", items=_declarations),
    "let": _node(declarations.Let, "let", items=_several(_binding)),
    "function": _node(
        declarations.Function, "function", name=names, arguments=_several(names), value=_e
    ),
    "coordinate": _node(declarations.Coordinate, "coordinate", items=_declarations),
    "speed": _node(declarations.Speed, "speed", items=_declarations),
    "kept_rate": _node(declarations.KeptRate, "kept_rate", rate=_rates),
    "variable": _node(
        declarations.Variable, "variable", item=_declaration, order=st.integers(2, 8)
    ),
    "define": _node(kinematic_statements.Define, "define", left=_e, right=_e, frame=_maybe(_r)),
    "invariant": _node(
        kinematic_statements.Invariant,
        "invariant",
        name=_maybe(_i),
        left=_e,
        right=_e,
        frame=_maybe(_r),
        reaction=_maybe(_i),
        description=_maybe(texts),
    ),
    "frame": _node(kinematic_statements.Frame, "frame", name=_i, placement=_placement),
    "point": _node(kinematic_statements.Point, "point", name=_i, value=_e),
    "body": _with_block(
        _node(bodies.Body, "body", name=_i, description=_maybe(texts)), _clauses, "clauses"
    ),
    "particle": _with_block(
        _node(bodies.Particle, "particle", name=_i, description=_maybe(texts)),
        _particle_clauses,
        "clauses",
    ),
    "joint": _node(
        bodies.Joint,
        "joint",
        name=_i,
        call=_call,
        cut=st.booleans(),
        reaction=_maybe(_i),
        measure=_maybe(_r),
        description=_maybe(texts),
    ),
    "gravity": _node(load_statements.Gravity, "gravity", value=_e),
    "force": _node(
        load_statements.Force,
        "force",
        name=_maybe(_i),
        value=_e,
        on=_r,
        point=_maybe(_e),
        origin=_maybe(_r),
    ),
    "torque": _node(
        load_statements.Torque, "torque", name=_maybe(_i), value=_e, on=_r, origin=_maybe(_r)
    ),
    "spring": _node(
        load_statements.Spring, "spring", name=_maybe(_i), line=_line, stiffness=_e, rest=_maybe(_e)
    ),
    "damper": _node(load_statements.Damper, "damper", name=_maybe(_i), line=_line, damping=_e),
    "potential": _node(load_statements.Potential, "potential", name=_maybe(_i), value=_e),
    "dissipation": _node(load_statements.Dissipation, "dissipation", name=_maybe(_i), value=_e),
    "load": _node(
        load_statements.GeneralizedLoad, "load", name=_maybe(_i), on=_r, of=_maybe(_r), value=_e
    ),
    "effective": _node(load_statements.Effective, "effective", on=_r, value=_e),
    "subsystem": _node(doc.Subsystem, "subsystem", items=_several(_instance)),
    "independent": _node(doc.Independent, "independent", items=_several(_r)),
    "initial": _initial,
    "state": _node(
        doc.State,
        "state",
        name=_i,
        items=st.lists(_assignment, max_size=2).map(tuple),
        singular=st.booleans(),
    ),
    "expect_rank": _node(doc.ExpectRank, "expect_rank", rank=_e, state=_i),
    "branch": _node(doc.Branch, "branch", name=_i, condition=_e),
    "meta": _meta,
    "ext": _ext,
}


@cache
def statements(depth: int = 1) -> Strategy:
    """Return the statements of a model; blocks are nested to a depth."""
    if depth <= 0:
        return st.one_of(list(_PLAIN.values()))
    return st.one_of(*_PLAIN.values(), *_blocks(depth).values())


@cache
def _blocks(depth: int) -> dict[str, Strategy]:
    inner = statements(depth - 1)
    loop = _node(doc.ForBlock, "for", index=names, first=_e, last=_e)
    choice = _node(doc.IfBlock, "if", condition=_e)
    both = _with_block(_with_block(choice, inner), inner, "otherwise", "otherwise_closing").filter(
        lambda node: node.otherwise
    )
    inline = _node(
        doc.InlineSubsystem,
        "inline_subsystem",
        name=_i,
        bindings=st.lists(_named_value, max_size=2).map(tuple),
    )
    return {
        "for": _with_block(loop, inner),
        "if": _with_block(choice, inner),
        "if_else": both,
        "inline_subsystem": _with_block(inline, inner),
    }


_TASKS: Final[dict[str, Strategy]] = {
    "set": _node(experiments.SetValues, "set", items=_several(_assignment)),
    "initial": _initial,
    "initial_state": _node(experiments.InitialState, "initial_state", state=_i),
    "simulate": _node(experiments.Simulate, "simulate", first=_e, last=_e, every=_maybe(_e)),
    "tolerance": _node(experiments.Tolerance, "tolerance", value=_e),
    "prescribe": _node(
        experiments.Prescribe, "prescribe", motion=_assignment, unknowns=_several(_r)
    ),
    "hold": _node(
        experiments.Hold,
        "hold",
        items=_several(_node(experiments.HoldItem, target=_r, value=_maybe(_e))),
    ),
    "free": _node(experiments.Free, "free", items=_several(_r)),
    "about": _node(experiments.About, "about", state=_i),
    "vary": _node(experiments.Vary, "vary", target=_r, range=_range, steps=_maybe(_e)),
    "expect_value": _node(
        experiments.ExpectValue,
        "expect_value",
        quantity=_e,
        time=_maybe(_e),
        value=_e,
        within=_e,
        source=_maybe(texts),
    ),
    "expect_at_state": _node(
        experiments.ExpectValue, "expect_value", quantity=_e, state=_i, value=_e, within=_e
    ),
    "expect_energy": _node(experiments.ExpectEnergy, "expect_energy", within=_e),
    "meta": _meta,
    "ext": _ext,
}


@cache
def tasks(depth: int = 1) -> Strategy:
    """Return the tasks of an experiment; loops are nested to a depth."""
    if depth <= 0:
        return st.one_of(list(_TASKS.values()))
    return st.one_of(*_TASKS.values(), _loop_of_tasks(depth))


def _loop_of_tasks(depth: int) -> Strategy:
    loop = _node(experiments.ForTasks, "for", index=names, first=_e, last=_e)
    return _with_block(loop, tasks(depth - 1))


STATEMENTS: Final[dict[str, Strategy]] = {**_PLAIN, **_blocks(1)}
"""Statements by kind."""
TASKS: Final[dict[str, Strategy]] = {**_TASKS, "for": _loop_of_tasks(1)}
"""Tasks by kind."""


@st.composite
def models_of(draw: st.DrawFn, one: Strategy) -> doc.Document:
    """Return documents of one model made of such statements."""
    body = draw(_block(one))
    return doc.Document(mbx=1, items=(doc.Model(kind="model", name="M", body=body),))


@st.composite
def experiments_of(draw: st.DrawFn, one: Strategy) -> doc.Document:
    """Return documents of one experiment made of such tasks."""
    body = draw(_block(one))
    made = experiments.Experiment(kind="experiment", name="e", model="M", body=body)
    return doc.Document(mbx=1, items=(made,))


# -- documents ----------------------------------------------------------------------------------

_model: Final = _with_block(
    _node(doc.Model, "model", name=names, title=_maybe(texts)), statements()
)
_experiment: Final = _with_block(
    _node(experiments.Experiment, "experiment", name=names, model=names, title=_maybe(texts)),
    tasks(),
)
_use: Final = _node(doc.Use, "use", model=names, alias=_maybe(names), path=texts)


@st.composite
def documents(draw: st.DrawFn) -> doc.Document:
    """Return documents of up to three items."""
    items = draw(_block(st.one_of(_model, _model, _experiment, _use, _meta, _ext), most=3))
    # between the items of a file blank lines are the writer's
    items = tuple(_without_first_blank(item) for item in items)
    comments = draw(st.lists(_lines, max_size=2)) if items else []
    return doc.Document(
        mbx=1,
        comments=tuple(comments),
        items=items,
        closing=draw(_comments(first=True, last=True)),
    )


def _without_first_blank(item: Any) -> Any:
    if item.comments[:1] != ("",):
        return item
    return item.model_copy(update={"comments": item.comments[1:]})
