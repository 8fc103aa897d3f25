from __future__ import annotations

from time import process_time

import numpy as np
import pytest

import mbx
from mbx.base.errors import SourceError
from mbx.show.drawing.pose import DrawError
from unit.show.drawing.drawings import PENDULUM, alike, drawing, scene, tags, texts, tree

SPACE = "{http://www.w3.org/2000/svg}"


def test_a_pendulum_is_where_its_angle_puts_it() -> None:
    (body,) = scene(PENDULUM).bodies.values()
    assert body.com == pytest.approx(np.array([np.sin(0.5), -np.cos(0.5), 0]))
    (bar,) = (
        one
        for one in tree(drawing(PENDULUM).svg).iter(f"{SPACE}path")
        if one.get("stroke-width") == "11"
    )
    # from the pivot to the end of the rod, l = 2: 288 pixels of 380 - 2*46 high for l cos 0.5
    scale = 288 / (2 * np.cos(0.5))
    (x0, y0), (x1, y1) = (
        map(float, p.split()) for p in (bar.get("d") or "").lstrip("M").split("L")
    )
    assert (x1 - x0, y1 - y0) == pytest.approx((2 * np.sin(0.5) * scale, 288), abs=0.11)


def test_a_named_state_is_drawn() -> None:
    (body,) = scene(PENDULUM, "level").bodies.values()
    assert body.com == pytest.approx(np.array([1, 0, 0]))


def test_a_state_that_is_not_there_is_refused() -> None:
    with pytest.raises(DrawError, match="there is no state 'levl'; did you mean 'level'"):
        drawing(PENDULUM, state="levl")


def test_names_of_bodies_and_coordinates_are_written() -> None:
    assert {"rod", "θ", "g", "x", "y"} <= set(texts(drawing(PENDULUM).svg))


def test_two_drawings_of_one_model_are_the_same() -> None:
    assert drawing(PENDULUM).svg == drawing(PENDULUM).svg


def test_drawings_are_alike_up_to_a_pixel() -> None:
    one = drawing(PENDULUM).svg
    assert alike(one, one.replace(' r="5"', ' r="5.9"'))
    assert not alike(one, one.replace(' r="5"', ' r="6.1"'))
    assert not alike(one, one.replace("rod", "bar"))


def test_hostile_texts_are_escaped() -> None:
    text = PENDULUM.replace('"A pendulum"', '"</title><script>alert(1)</script>&"')
    svg = drawing(text).svg
    assert "script" not in tags(svg)
    assert tree(svg).find(f"{SPACE}title") is not None
    assert "&lt;script&gt;" in svg


def test_a_drawing_needs_nothing_from_elsewhere() -> None:
    svg = drawing(PENDULUM).svg
    assert "href" not in svg
    assert "url(" not in svg
    assert "<style" not in svg
    assert ' id="' not in svg  # several can stand in one page


def test_a_drawing_says_what_it_shows() -> None:
    root = tree(drawing(PENDULUM).svg)
    assert root.get("role") == "img"
    assert root.findtext(f"{SPACE}title") == "A pendulum"
    assert root.findtext(f"{SPACE}desc") == "Bodies: rod. Joints: 1 revolute."


def test_a_drawing_is_a_few_kilobytes() -> None:
    assert len(drawing(PENDULUM).svg) < 4000


LOOP = """mbx 1
model L {
  param d: m = 3
  coordinate a: rad = 1 in [0, 3], b: rad
  body one {
    mass 1 kg
    com [0.5 m, 0, 0]
    inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a)
  }
  body two {
    mass 1 kg
    com [0.5 m, 0, 0]
    inertia 0.1 [kg*m^2] about z
    joint revolute(one at [1 m, 0, 0], axis = z, angle = b)
  }
  joint tip: revolute(two at [1 m, 0, 0], ground at [d, 0, 0], axis = z)
}
"""


def test_a_loop_that_cannot_close_is_drawn_open_with_a_note_and_a_warning() -> None:
    found = drawing(LOOP)
    assert "not assembled: invariants do not hold here" in texts(found.svg)
    assert found.warnings == (
        "the state cannot be assembled; invariants that it breaks: tip.x, tip.y",
    )


def test_what_nothing_is_said_of_is_found_by_assembly() -> None:
    found = scene(LOOP.replace("d: m = 3", "d: m = 1"))
    tip = found.joints[-1]
    assert tip.p == pytest.approx(tip.q, abs=1e-6)
    # a is held at its start where b alone can close the loop, which here it cannot
    assert drawing(LOOP.replace("d: m = 3", "d: m = 1")).warnings == ()


SLIDER = """mbx 1
model S {
  coordinate a: rad = 1, x: m
  particle P { mass 1 kg  at [x, a*(1 m), 0] }
  invariant x = cos(a)*(1 m)
  state far { x = 0.5 m }
}
"""


def test_what_has_a_start_moves_only_where_nothing_else_can() -> None:
    (body,) = scene(SLIDER).bodies.values()
    assert body.com == pytest.approx(np.array([np.cos(1), 1, 0]))


def test_what_a_state_says_does_not_move() -> None:
    (body,) = scene(SLIDER, "far").bodies.values()
    assert body.com == pytest.approx(np.array([0.5, np.pi / 3, 0]))


def test_a_body_without_a_place_is_named_below() -> None:
    text = """mbx 1
model M { speed v: m/s  body sledge { mass 1 kg  velocity [v, 0, 0] } }
"""
    assert "known by velocity alone, not drawn: sledge" in texts(drawing(text).svg)


def test_a_place_that_needs_an_unknown_parameter_is_refused() -> None:
    text = PENDULUM.replace("l: m = 2", "l: m")
    with pytest.raises(DrawError, match="'rod' has no place: there is no value for 'l'"):
        drawing(text)


def test_a_mass_that_is_not_known_does_no_harm() -> None:
    assert "rod" in texts(drawing(PENDULUM.replace("m: kg = 1", "m: kg")).svg)


def test_a_faulty_model_is_refused_as_anywhere() -> None:
    with pytest.raises(SourceError):
        drawing(PENDULUM.replace("mass m", "mass l"))


def test_gravity_points_down_on_the_paper() -> None:
    turned = PENDULUM.replace("[0, -l/2, 0]", "[l/2, 0, 0]").replace("[0, -g, 0]", "[g, 0, 0]")
    before, after = drawing(PENDULUM).svg, drawing(turned).svg
    bar = 'stroke-width="11"'
    assert [line for line in before.split("\n") if bar in line] == [
        line for line in after.split("\n") if bar in line
    ]


SPHERICAL = """mbx 1
model S {
  param l: m = 1
  coordinate a: rad = 0.3, b: rad = 0.4
  particle bob { mass 1 kg  at [l*sin(a)*cos(b), l*sin(a)*sin(b), -l*cos(a)] }
}
"""
DISTANCE = """mbx 1
model S {
  coordinate x: m = 0.6, y: m = 0.8, z: m
  particle bob { mass 1 kg  at [x, y, z] }
  invariant x^2 + y^2 + z^2 = 1 m^2
}
"""


@pytest.mark.parametrize("text", [SPHERICAL, DISTANCE], ids=["angles", "invariant"])
def test_a_particle_that_keeps_its_distance_has_a_rod(text: str) -> None:
    (rod,) = scene(text).lines
    assert rod.kind == "rod"
    ends = {stands: np.linalg.norm(p) for stands, p in zip(rod.stands, (rod.a, rod.b), strict=True)}
    assert ends == {True: 0, False: pytest.approx(1)}


def test_a_particle_that_is_free_has_none() -> None:
    assert not scene(DISTANCE.replace("invariant x^2 + y^2 + z^2 = 1 m^2", "")).lines


def test_a_spring_ends_at_a_wall_where_it_is_on_the_ground() -> None:
    text = """mbx 1
model M {
  coordinate x: m = 1
  body cart { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  spring between ground.origin and cart.origin stiffness 1 [N/m]
}
"""
    (spring,) = scene(text).lines
    assert (spring.kind, spring.stands) == ("spring", (True, False))


def test_a_spring_on_the_distance_of_a_slider_is_along_it() -> None:
    text = """mbx 1
model M {
  coordinate x: m = 1
  body cart { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  damper on x damping 1 [N*s/m]
}
"""
    (damper,) = scene(text).lines
    assert damper.stands == (True, False)
    assert (damper.kind, damper.a.tolist(), damper.b.tolist()) == ("damper", [0, 0, 0], [1, 0, 0])


def test_a_point_held_on_a_line_shows_the_line() -> None:
    text = """mbx 1
model M {
  coordinate x: m = 0.5, y: m
  particle P { mass 1 kg  at [x, y, 0] }
  point A = ground.origin
  invariant dot(P.com - A, ground.y) = 0
}
"""
    slots = [line for line in scene(text).lines if line.kind == "slot"]
    assert [line.b.tolist() for line in slots] == [[0.5, 0, 0]]


def test_motion_in_a_plane_is_seen_straight_on() -> None:
    assert scene(PENDULUM).normal == pytest.approx(np.array([0, 0, 1]))
    assert scene(SPHERICAL).normal is None
    about_x = PENDULUM.replace("axis = z", "axis = x").replace("about z", "about x")
    assert scene(about_x).normal == pytest.approx(np.array([1, 0, 0]))


def test_motion_along_a_line_is_seen_with_gravity_in_the_paper() -> None:
    text = """mbx 1
model M {
  coordinate x: m
  body cart { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  GRAVITY
}
"""
    assert scene(text.replace("GRAVITY", "")).normal == pytest.approx(np.array([0, 0, 1]))
    down = text.replace("GRAVITY", "gravity [0, 0, -9.81 [m/s^2]]")
    assert scene(down).normal == pytest.approx(np.array([0, 1, 0]))


def test_an_angle_is_shown_from_where_it_is_zero() -> None:
    (line,) = (
        one
        for one in tree(drawing(PENDULUM).svg).iter(f"{SPACE}path")
        if one.get("stroke-dasharray")
    )
    (x0, y0), (x1, y1) = (map(float, p.split()) for p in (line.get("d") or "")[1:].split("L"))
    assert x1 == x0  # straight down from the pivot
    assert y1 > y0


def test_a_distance_is_measured_along_its_guide() -> None:
    text = """mbx 1
model M {
  coordinate x: m = 1
  body cart { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
}
"""
    (line,) = (
        one
        for one in tree(drawing(text).svg).iter(f"{SPACE}path")
        if (one.get("stroke"), one.get("stroke-width")) == ("#444444", "1.0")
    )
    (x0, y0), (x1, y1) = (map(float, p.split()) for p in (line.get("d") or "")[1:].split("L"))
    assert y0 == y1
    assert x0 < x1


def test_the_public_verb_draws() -> None:
    assert mbx.draw(mbx.loads(PENDULUM), state="level") == drawing(PENDULUM, state="level").svg


CHAIN = """mbx 1
model C {{
  param n: integer = {n}
  coordinate q[1..n]: rad = 0.01
  body link[1] {{
    mass 1 kg
    com [0.5 m, 0, 0]
    inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = q[1])
  }}
  for i in 2..n {{
    body link[i] {{
      mass 1 kg
      com [0.5 m, 0, 0]
      inertia 0.1 [kg*m^2] about z
      joint revolute(link[i - 1] at [1 m, 0, 0], axis = z, angle = q[i])
    }}
  }}
}}
"""


def test_many_bodies_have_no_names() -> None:
    assert "link30" in texts(drawing(CHAIN.format(n=30)).svg)
    assert not [text for text in texts(drawing(CHAIN.format(n=31)).svg) if "link" in text]


@pytest.mark.slow
def test_a_thousand_bodies_are_drawn_while_people_wait() -> None:
    before = process_time()
    svg = drawing(CHAIN.format(n=1000)).svg
    assert process_time() - before < 60
    assert tags(svg).count("path") > 1000
