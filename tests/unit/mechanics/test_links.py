"""The tree of links: poses and twists that fit each other, and what ties rates to speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.expr.build import transposed
from mbx.expr.evaluate import evaluate, free_symbols
from mbx.expr.nodes import ZERO, Node, symbol
from mbx.formalism import registry
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import Links, carrying, complement, links, spatial_inertia
from mbx.mechanics.tree.ties import ties
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL_JOINTS = """
  param l: m = 0.4
  coordinate a, b, c, d, e, f, g, h, k, n: rad
  coordinate x, y, s, r: m
  coordinate qw = 1, qx, qy, qz: 1
  speed wx, wy, wz: rad/s
  body base { mass 2 kg  com [0.1 m, 0, 0.2 m]
    inertia diag(1 [kg*m^2], 2 [kg*m^2], 2 [kg*m^2])
    joint free(ground, move = [x, y, 0.3 m*sin(2*t/(1 s))], euler zxy by (a, b, c)) }
  body turned { SOME  com [0, l, 0]
    joint revolute(base at [l, 0.1 m, 0] rotated x by 0.3, own at [0, 0.2 m, l] rotated y by 0.7,
        axis = [1, 2, 2], angle = 2*d + 0.1*sin(t/(1 s))) }
  body slid { SOME  joint prismatic(turned at [0, 0, s*cos(d)], axis = y, distance = s) }
  body screwed { SOME  joint screw(base, axis = z, angle = e, pitch = 0.2 [m/rad]) }
  body ball { SOME  com [0, 0.1 m, 0]
    joint spherical(screwed at [0, l, 0], quaternion(w = qw, x = qx, y = qy, z = qz)) }
  define wx = 2*(qw*qx' - qx*qw' - qy*qz' + qz*qy')
  define wy = 2*(qw*qy' - qy*qw' - qz*qx' + qx*qz')
  define wz = 2*(qw*qz' - qz*qw' - qx*qy' + qy*qx')
  body cardan { SOME  joint universal(ball at [l, 0, 0], axis = x, axis2 = y,
      angle = f, angle2 = g) }
  body rod { SOME  joint cylindrical(cardan, axis = x, angle = h, distance = r) }
  body plate { SOME  joint planar(rod, axis = y, x = 0.1 m*k, y = 0.2 m*n, angle = k - n) }
  particle bead { mass 0.1 kg  at plate.origin + 0.2 m*plate.x }
"""


_SOME = "mass 1 kg  inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])"


def _tree(text: str) -> Links:
    written = text.replace("SOME", _SOME)
    system = elaborate(mbx.link(mbx.loads(f"mbx 1 model M {{ {written} }}")))
    return links(motion.in_speeds(system))


class _Numbers:
    """Values of expressions at one random state; symbols that are asked for later are drawn."""

    def __init__(self, tree: Links, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.known: dict[Node, float] = {symbol("t"): 0.7}
        e = self.random.uniform(-1, 1, 4)
        for q, x in zip(("qw", "qx", "qy", "qz"), e / np.linalg.norm(e), strict=True):
            self.known[symbol(q)] = float(x)
        for one in tree.motion.system.parameters:
            self.known[one.symbol] = float(evaluate([one.value], self.known)[0])  # type: ignore[list-item]

    def __call__(self, nodes: Sequence[Any]) -> np.ndarray:
        if nodes and not isinstance(nodes[0], Node):
            return np.array([self(row) for row in nodes])
        for one in free_symbols(nodes):
            self.known.setdefault(one, float(self.random.uniform(-1, 1)))
        return np.array([float(x) for x in evaluate(nodes, self.known)])


def _skew(a: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), a)


@pytest.fixture(scope="module")
def every() -> Links:
    """A tree with all joints, rheonomic ones among them."""
    return _tree(_ALL_JOINTS)


def test_a_twist_is_the_rate_of_the_pose(every: Links) -> None:
    at = _Numbers(every)
    rate = every.motion.rate
    for k, link in enumerate(every.links):
        R = at(link.R)
        Rd = at(every.motion.express(rate([x for row in link.R for x in row]))).reshape(3, 3)
        rd = at(every.motion.express(rate(link.r)))
        zd = at(every.moves(k)) if link.freedoms else np.zeros(0)
        u = (at(link.A) @ zd if link.freedoms else 0) + at(link.vr)
        assert u[:3] == pytest.approx(R.T @ rd, abs=1e-13), link.path
        assert _skew(u[3:]) == pytest.approx(R.T @ Rd, abs=1e-13), link.path


def test_twists_along_the_tree_are_those_of_the_elements(every: Links) -> None:
    at = _Numbers(every)
    found: list[np.ndarray] = []
    for k, link in enumerate(every.links):
        zd = at(every.moves(k)) if link.freedoms else np.zeros(0)
        v = (at(link.A) @ zd if link.freedoms else 0) + at(link.vr)
        if link.parent is not None:
            v = v + at(carrying(link)) @ found[link.parent]
        found.append(v)
        com = v[:3] + np.cross(v[3:], at(link.c))
        assert at(link.R_W) @ com == pytest.approx(at(link.moving.v), abs=1e-12), link.path
        assert v[3:] == pytest.approx(at(link.moving.w), abs=1e-12) or link.path == "bead"


def test_columns_and_what_is_across_them_are_a_basis(every: Links) -> None:
    at = _Numbers(every)
    said = 0
    for link in every.links:
        Z = complement(link)
        if Z is None:
            continue
        said += 1
        A, N = at(link.A).reshape(6, -1), at(Z).reshape(6, -1)
        assert np.abs(A.T @ N).max(initial=0.0) < 1e-13
        assert np.linalg.matrix_rank(np.hstack([A, N])) == 6
    assert said >= 6


def test_a_point_on_a_body_is_a_hinge_without_rates() -> None:
    tree = _tree("""
      coordinate a: rad
      body arm { SOME  com [1 m, 0, 0]  joint revolute(ground, axis = z, angle = a) }
      frame tip = arm at [2 m, 0, 0]
      particle bead { mass 1 kg  at tip.origin }
    """)
    assert [link.freedoms for link in tree.links] == [1, 0]
    assert tree.links[1].parent == 0
    assert _Numbers(tree)(tree.links[1].r) == pytest.approx([2, 0, 0])


def test_a_body_said_from_a_frame_hangs_on_the_body_that_is_a_rigid_part_of_it() -> None:
    tree = _tree("""
      coordinate a, b: rad
      frame A = ground rotated z by a
      frame B = A at [2 m, 0, 0] rotated x by b
      body one { SOME  frame A at [0, 1 m, 0] rotated y by 0.4  com [1 m, 0, 0] }
      body two { SOME  frame B  com [1 m, 0, 0] }
      body side { SOME  frame ground at [0, 0, 1 m]  com [0, 0, 0] }
    """)
    assert [(link.parent, link.names) for link in tree.links] == [
        (None, ("a'",)),
        (0, ("b'",)),
        (None, ()),
    ]
    c, s = np.cos(0.4), np.sin(0.4)
    assert _Numbers(tree)(tree.links[1].r) == pytest.approx([2 * c, -1, 2 * s])


def test_the_inertia_of_a_link_is_about_its_origin() -> None:
    tree = _tree("""
      coordinate a: rad
      body arm { mass 2 kg  com [0.5 m, 0.1 m, -0.2 m]
        inertia diag(0.3 [kg*m^2], 0.4 [kg*m^2], 0.5 [kg*m^2])
        joint revolute(ground, axis = z, angle = a) }
    """)
    c = np.array([0.5, 0.1, -0.2])
    M = np.block(
        [
            [2 * np.eye(3), -2 * _skew(c)],
            [2 * _skew(c), np.diag([0.3, 0.4, 0.5]) - 2 * _skew(c) @ _skew(c)],
        ]
    )
    assert _Numbers(tree)(spatial_inertia(tree.links[0])) == pytest.approx(M, abs=1e-15)


# -- rates that are no speeds -----------------------------------------------------------------


def test_a_coordinate_that_moves_two_hinges_gives_each_a_rate_of_its_own() -> None:
    tree = _tree("""
      coordinate a: rad
      body one { SOME  com [1 m, 0, 0]  joint revolute(ground, axis = z, angle = a) }
      body two { SOME  com [1 m, 0, 0]  joint revolute(ground, axis = z, angle = -2*a) }
    """)
    assert tree.direct == (None, None)
    assert tree.extra == (0,)
    closing = ties(tree, invariants.levels(tree.motion))
    assert closing.rows == ("tie of one:wz", "tie of two:wz")
    assert closing.order == (2,)
    assert _Numbers(tree)(closing.C) == pytest.approx(np.eye(2))
    assert _Numbers(tree)(closing.E) == pytest.approx(np.array([[-1.0], [2.0]]))


def test_a_hinge_with_more_speeds_than_freedoms_has_its_twist_as_rates() -> None:
    tree = _tree("""
      coordinate qw: 1 = 1, qx: 1, qy: 1, qz: 1
      body top { mass 1 kg  inertia diag(1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2])
        joint spherical(ground, quaternion(w = qw, x = qx, y = qy, z = qz)) }
    """)
    (link,) = tree.links
    if len(tree.motion.u) == 3:
        pytest.fail("the model is to have four rates")
    assert link.names == ("top:wx", "top:wy", "top:wz")
    assert tree.direct == (None, None, None)
    at = _Numbers(tree)
    zd = at(tree.P) @ at(list(tree.motion.u))
    assert zd == pytest.approx(at(tree.zd), abs=1e-14)


def test_the_spin_of_a_thin_rod_is_beside_the_tree() -> None:
    tree = _tree("""
      coordinate a, b, c: rad
      body rod { mass 3 kg  com [1 m, 0, 0]  inertia diag(0, 1 [kg*m^2], 1 [kg*m^2])
        joint spherical(ground, euler zyx by (a, b, c)) }
      torque [1 [N*m], 2 [N*m], 3 [N*m]] on rod
    """)
    assert tree.links[0].names == ("a'", "b'")
    assert tree.extra == (2,)
    closing = ties(tree, invariants.levels(tree.motion))
    # the work of the torque on the spin, which is about the rod's own x axis
    torque = np.array(_Numbers(tree)(transposed(tree.links[0].R_W))) @ [1, 2, 3]
    assert _Numbers(tree)(closing.he) == pytest.approx(torque[:1])


def test_a_leaf_without_inertia_is_no_link_and_its_loads_count_on_the_speeds() -> None:
    tree = _tree("""
      coordinate a, b: rad
      body arm { SOME  com [1 m, 0, 0]  joint revolute(ground, axis = z, angle = a) }
      body hand { mass 0 kg  inertia diag(0, 0, 0)
        joint revolute(arm at [2 m, 0, 0], axis = z, angle = b) }
      force [0, 3 N, 0] on hand at hand.origin
      spring on b stiffness 2 [N*m] rest 0
    """)
    assert [link.path for link in tree.links] == ["arm"]
    assert tree.bare == {"hand"}
    closing = ties(tree, invariants.levels(tree.motion))
    at = _Numbers(tree)
    a, b = at([symbol("a"), symbol("b")])
    assert at(closing.Q) == pytest.approx([6 * np.cos(a)])
    assert at(closing.he) == pytest.approx([-2 * b])


def test_a_load_on_accelerations_asks_for_them_beside_the_tree() -> None:
    tree = _tree("""
      coordinate a, b: rad
      body arm { SOME  com [1 m, 0, 0]  joint revolute(ground, axis = z, angle = a) }
      body hand { SOME  com [1 m, 0, 0]
        joint revolute(arm at [2 m, 0, 0], axis = z, angle = b) }
      effective a': -0.5 [kg*m^2]*b''
    """)
    closing = ties(tree, invariants.levels(tree.motion))
    assert closing.beside == ("b'",)
    assert closing.rows == ("tie of b'",)
    assert _Numbers(tree)(closing.Ma) == pytest.approx(np.array([[0.5], [0.0]]))
    assert closing.order == (0, 1)
    assert closing.he == [ZERO]


def test_an_element_known_by_its_twist_is_two_links() -> None:
    tree = _tree("""
      speed vx, vy: m/s
      speed w: rad/s
      body ring { mass 2 kg  inertia 3 [kg*m^2] about z  velocity [vx, vy, 0]  omega [0, 0, w] }
    """)
    assert [(link.path, link.names) for link in tree.links] == [
        ("ring.v", ("vx", "vy")),
        ("ring.w", ("w",)),
    ]
    at = _Numbers(tree)
    assert at(spatial_inertia(tree.links[0])) == pytest.approx(np.diag([2, 2, 2, 0, 0, 0]))
    assert at(spatial_inertia(tree.links[1])) == pytest.approx(np.diag([0, 0, 0, 0, 0, 3]))


def test_the_path_of_a_link_runs_from_the_ground_to_itself(every: Links) -> None:
    names = [link.path for link in every.links]
    path = [names[k] for k in every.path(names.index("rod"))]
    assert path == ["base", "screwed", "ball", "cardan", "rod"]
    assert [names[k] for k in every.children[names.index("base")]] == ["turned", "screwed"]


SPUN = """
mbx 1
model Spun {
  param a: m = 1
  coordinate x: m = 0.8, y: m = 0.6
  speed vx: m/s, vy: m/s, w: rad/s
  body bob { mass 2 kg  inertia 0 [kg*m^2] about z  velocity [vx, vy, 0]  omega [0, 0, w] }
  invariant along: vx = x'
  invariant across: vy = y'
  invariant turn_x: vx = -w*y
  invariant turn_y: vy = w*x
  torque 3 [N*m]*ground.z on bob
  gravity [0, -10 [m/s^2], 0]
}
"""


@pytest.mark.parametrize("form", ["articulated_body", "semi_recursive_2", "tree_lagrange_2"])
def test_a_torque_on_a_body_without_moment_of_inertia_is_not_lost(form: str) -> None:
    one = elaborate(mbx.link(mbx.loads(SPUN)))
    found = registry.derive(one, form).evaluate({v.path: v.start or 0.0 for v in (*one.q, *one.u)})
    # about the pin: m a^2 w' = torque - m g x
    assert found.ud[-1] == pytest.approx((3 - 2 * 10 * 0.8) / 2, rel=1e-12)
