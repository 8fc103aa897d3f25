from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbx.show.drawing.drawing_hints import SHAPES, parse_view
from mbx.show.drawing.pose import DrawError
from unit.show.drawing.drawings import drawing, scene, tags, texts


def model(hint: str) -> str:
    return f"""mbx 1
model M {{
  param r: m = 0.5
  coordinate x: m = 1, w: m
  body B {{ mass 1 kg  joint prismatic(ground, axis = x, distance = x) }}
  body T {{ mass 1 kg  velocity [w', 0, 0] }}
  point P = B.origin + r*ground.y
  state far {{ x = 7 m }}
  ext "org.mbx.draw" {hint}
}}
"""


def shape(text: str) -> str:
    return model('{ "shapes": [' + text + "] }")


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ('{ "colour": 1 }', "there is no hint 'colour'"),
        ('{ "view": "w" }', "a view is x, y, z, iso, or AZ,EL in degrees, not 'w'"),
        ('{ "view": [1] }', "'view' is x, y, z, iso, or two angles in degrees"),
        ('{ "up": "w" }', "'up' is x, y or z, or a negative of these"),
        ('{ "hide": "B" }', "'hide' is a list of names"),
        ('{ "rods": 1 }', "'rods' is true or false"),
        ('{ "marks": 0 }', "'marks' is true or false"),
        ('{ "state": 1 }', "'state' is the name of a state"),
        ('{ "state": "fa" }', "there is no state 'fa'; did you mean 'far'?"),
        ('{ "shapes": 1 }', "'shapes' is a list of at most 200"),
        ('{ "shapes": [{"shape": "egg"}] }', "a shape is one of disc"),
        ('{ "shapes": [{"shape": "disc"}] }', "a disc needs 'radius'"),
        ('{ "shapes": [{"shape": "ball", "radius": 1, "axis": "x"}] }', "a ball has no 'axis'"),
        ('{ "shapes": [{"shape": "ball", "radius": [true]}] }', "numbers and expressions"),
        ('{ "shapes": [{"shape": "ball", "radius": 1, "of": "C"}] }', "there is no body 'C'"),
        ('{ "shapes": [{"shape": "ball", "radius": "1 +"}] }', "cannot be understood"),
        ('{ "shapes": [{"shape": "ball", "radius": "nothing"}] }', "cannot be understood"),
        ('{ "shapes": [{"shape": "ball", "radius": 0}] }', "cannot be understood"),
        ('{ "shapes": [{"shape": "box", "size": [1, 2]}] }', "cannot be understood"),
        ('{ "shapes": [{"shape": "pin", "at": [1, 2]}] }', "cannot be understood"),
        ('{ "shapes": [{"shape": "bar", "from": "x", "to": "P"}] }', "cannot be understood"),
    ],
)
def test_a_hint_that_cannot_be_understood_is_refused(hint: str, message: str) -> None:
    with pytest.raises(DrawError) as bad:
        drawing(model(hint))
    assert message in str(bad.value)


GIVEN = {
    "radius": '"r"',
    "length": "1",
    "size": '[1, "r", 1]',
    "from": '"ground.origin"',
    "to": '"P"',
    "at": '"P"',
    "through": '["P", "ground.origin", "[1 m, 1 m, 0]"]',
    "point": '"[x, r, 0]"',
    "by": '"x"',
}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_can_be_drawn(kind: str) -> None:
    given = {name: GIVEN[name] for name in SHAPES[kind][0]}
    if kind == "trace":
        given |= {"from": "0", "to": "1"}
    said = "".join(f', "{name}": {value}' for name, value in given.items())
    with_shape = drawing(shape(f'{{"shape": "{kind}"{said}}}')).svg
    assert tags(with_shape) != tags(drawing(model("{}")).svg)


def test_a_bracket_is_in_the_frame_of_the_body() -> None:
    (body,) = [
        b
        for b in scene(
            shape('{"shape": "bar", "of": "B", "from": "[0, 0, 0]", "to": "[0, r, 0]"}')
        ).bodies.values()
        if b.path == "B"
    ]
    assert body.shapes[0].points.tolist() == [[1, 0, 0], [1, 0.5, 0]]


def test_a_list_of_three_is_a_place_in_the_frame_of_the_body() -> None:
    said = '{"shape": "bar", "of": "B", "from": [0, 0, 0], "to": [0, "r", 2]}'
    assert scene(shape(said)).bodies["B"].shapes[0].points.tolist() == [[1, 0, 0], [1, 0.5, 2]]


def test_a_body_known_by_its_twist_has_the_place_that_a_hint_says() -> None:
    assert scene(model("{}")).placeless == ["T"]
    found = scene(shape('{"shape": "ball", "of": "T", "at": "[x, x, 0]", "radius": 0.1}'))
    assert found.placeless == []
    assert found.bodies["T"].com.tolist() == [1, 1, 0]
    assert not found.bodies["T"].centred


def test_a_mass_centre_that_is_not_known_is_not_drawn() -> None:
    said = '{"shape": "ball", "of": "T", "at": "[x, x, 0]", "radius": 0.1}'
    assert drawing(shape(said)).svg.count("a4.6 4.6 0 0 1") == 2  # the two quarters of B alone


def test_a_trace_is_where_a_point_goes_along_one_coordinate() -> None:
    said = '{"shape": "trace", "point": "[x, x^2/(1 m), 0]", "by": "x", "from": -2, "to": "2 m"}'
    (curve,) = scene(shape(said)).shapes
    assert curve.points[0].tolist() == [-2, 4, 0]
    assert curve.points[-1].tolist() == [2, 4, 0]


def test_what_is_hidden_has_no_label() -> None:
    assert {"B", "P"} <= set(texts(drawing(model("{}")).svg))
    assert not {"B", "P"} & set(texts(drawing(model('{ "hide": ["B", "P"] }')).svg))


def test_points_can_be_left_out_all_at_once() -> None:
    assert "P" not in texts(drawing(model('{ "marks": false }')).svg)


def test_lines_for_distances_can_be_left_out() -> None:
    string = """mbx 1
model M {
  coordinate x: m = 0.6, y: m = 0.8
  particle bob { mass 1 kg  at [x, y, 0] }
  point O = ground.origin
  invariant norm(bob - O) = 1 m
  EXT
}
"""
    assert [line.kind for line in scene(string.replace("EXT", "")).lines] == ["rod"]
    hint = 'ext "org.mbx.draw" { "rods": false }'
    assert scene(string.replace("EXT", hint)).lines == []


def test_the_state_of_a_hint_is_drawn_unless_another_is_asked_for() -> None:
    hinted = drawing(model('{ "state": "far" }')).svg
    assert hinted == drawing(model("{}"), state="far").svg
    assert hinted != drawing(model("{}")).svg


def test_an_option_goes_before_a_hint() -> None:
    assert drawing(model('{ "view": "x" }'), look="y").svg == drawing(model("{}"), look="y").svg


@pytest.mark.parametrize("text", ["w", "1", "1,2,3", "nan,0", "0,91", "inf,0"])
def test_a_view_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(DrawError):
        parse_view(text)


def test_the_page_has_every_shape_with_what_it_needs() -> None:
    page = (Path(__file__).parents[4] / "spec" / "drawing.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| (.+?) \| ?(.*?) ?\|$", page.split("(draw-shapes)=")[1], re.MULTILINE
    )
    found = {
        kind: (set(re.findall(r"`(\w+)`", needs)), set(re.findall(r"`(\w+)`", may)))
        for kind, needs, may in rows
    }
    assert found == {kind: (set(needs), set(may)) for kind, (needs, may) in SHAPES.items()}
