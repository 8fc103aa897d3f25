"""A small model for each feature that some form does not support, with closed forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, sin
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MODELS", "Model"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model, what is said of its state, and accelerations that are known in closed form."""

    text: str
    said: Mapping[str, float]
    known: Mapping[str, float] = field(default_factory=dict)
    higher: Mapping[str, float] = field(default_factory=dict)
    t: float = 0.0


_PENDULUM_LAM: Final = 1.5 * (9.81 * -0.56 - 0.8**2 * (1 + (0.42 / 0.56) ** 2)) / (2 * 0.7**2)
_SLOPE_N: Final = 1.5 * 9.81 / (1 + 0.1 * (0.1 + 0.2))
_CART_N: Final = 1.5 * 9.81 / (1 + 0.1 * (0.1 + 0.2) / 2)

MODELS: Final = {
    "holonomic minimal": Model(
        """
        param m: kg = 2, J: kg*m^2 = 0.3, l: m = 0.6, g: m/s^2 = 9.81
        coordinate a, b: rad
        body arm {
          mass m  com [l/2, 0, 0]  inertia diag(J/5, J, J)
          joint revolute(ground, axis = z, angle = a)
        }
        body hand {
          mass m  com [l/3, l/4, 0]  inertia diag(J/2, J/3, J/4)
          joint revolute(arm at [l, 0, 0], axis = y, angle = b)
        }
        gravity [0, -g, 0]
        """,
        {"a": 0.4, "b": -0.7, "a'": 1.1, "b'": 0.6},
    ),
    "holonomic redundant": Model(
        """
        param m: kg = 1.5, r: m = 0.7, g: m/s^2 = 9.81
        coordinate x: m = 0.4, y: m = -0.5
        particle bob { mass m  at [x, y, 0] }
        invariant rod: x^2 + y^2 = r^2 reaction lam
        gravity [0, -g, 0]
        """,
        {"x": 0.42, "x'": 0.8},
        # x x'' + y y'' + v^2 = 0 with m x'' = 2 lam x, m y'' = 2 lam y - m g
        {"x''": 2 * _PENDULUM_LAM * 0.42 / 1.5, "y''": 2 * _PENDULUM_LAM * -0.56 / 1.5 - 9.81},
    ),
    "simple nonholonomic": Model(
        """
        param m: kg = 3, J: kg*m^2 = 0.4, a: m = 0.2
        coordinate x, y: m
        coordinate th: rad
        frame F = ground at [x, y, 0] rotated z by th
        body sleigh { frame F  mass m  com [a, 0, 0]  inertia J about z }
        invariant edge: y'*cos(th) - x'*sin(th) = 0
        """,
        {"x": 0.1, "y": -0.3, "th": 0.5, "x'": 1.2, "th'": 0.7},
        # Chaplygin's sleigh: w' = -m a v w/(J + m a^2)
        {"th''": -3 * 0.2 * (1.2 / cos(0.5)) * 0.7 / (0.4 + 3 * 0.2**2)},
    ),
    "nonlinear nonholonomic": Model(
        """
        param m: kg = 1.2, g: m/s^2 = 9.81, k: 1 = 0.8
        coordinate x, y, z: m
        particle P { mass m  at [x, y, z] }
        invariant cone: x'^2 + y'^2 = k^2*z'^2
        gravity [0, 0, -g]
        initial z' = 1 [m/s]
        """,
        {"x": 0, "y": 0, "z": 0, "x'": 0.9, "y'": -0.5},
        {"z''": -9.81 / (1 + 0.8**2)},  # Appell and Hamel
    ),
    "order 2": Model(
        """
        param m: kg = 1.2, g: m/s^2 = 9.81
        coordinate x, y: m
        particle P { mass m  at [x, y, 0] }
        invariant lift: y'' = g/4 + x''/2
        gravity [0, -g, 0]
        """,
        {"x": 0, "y": 0, "x'": 0.9, "y'": -0.5},
        {"x''": -9.81 / 2, "y''": 0.0},  # (0, -g) + A^T lam/m with lam/m = g
    ),
    "order 3": Model(
        """
        param m: kg = 1.2, w: rad/s = 2
        coordinate x, y: m
        particle P { mass m  at [x, y, 0] }
        invariant turn: x'''*cos(w*t) + y'''*sin(w*t) = 0
        """,
        {"x": 0, "y": 0, "x'": 0.9, "y'": -0.5},
        # the acceleration is al*(cos wt, sin wt)
        {"x'''": -0.8 * 2 * sin(0.6), "y'''": 0.8 * 2 * cos(0.6)},
        {"x''": 0.8 * cos(0.6), "y''": 0.8 * sin(0.6)},
        0.3,
    ),
    "declared speeds": Model(
        """
        param m: kg = 3, J: kg*m^2 = 0.4, a: m = 0.2
        coordinate x, y: m
        coordinate th: rad
        speed v, s: m/s
        speed w: rad/s
        define v = x'*cos(th) + y'*sin(th)
        define s = y'*cos(th) - x'*sin(th)
        define w = th'
        frame F = ground at [x, y, 0] rotated z by th
        body sleigh { frame F  mass m  com [a, 0, 0]  inertia J about z }
        invariant edge: s = 0
        """,
        {"x": 0.1, "y": -0.3, "th": 0.5, "v": 1.2, "w": 0.7},
        # Chaplygin's sleigh: v' = a w^2
        {"v'": 0.2 * 0.7**2, "s'": 0.0, "w'": -3 * 0.2 * 1.2 * 0.7 / (0.4 + 3 * 0.2**2)},
    ),
    "speed without a rate": Model(
        """
        param J: kg*m^2 = 0.4
        speed wx, wy, wz: rad/s
        body top { inertia diag(J, 2*J, 2.5*J)  omega [wx, wy, wz] }
        """,
        {"wx": 0.8, "wy": -0.6, "wz": 1.3},
        # Euler: I1 wx' = (I2 - I3) wy wz, and so on
        {"wx'": -0.5 * -0.6 * 1.3, "wy'": 1.5 * 1.3 * 0.8 / 2, "wz'": -0.8 * -0.6 / 2.5},
    ),
    "twist that is no rate": Model(
        """
        param m: kg = 3, J: kg*m^2 = 0.4, a: m = 0.2
        coordinate s: m
        coordinate th: rad
        body sleigh {
          mass m  inertia diag(J, J, J)  omega [0, 0, th']
          velocity [s'*cos(th) - a*th'*sin(th), s'*sin(th) + a*th'*cos(th), 0]
        }
        """,
        {"s": 0.1, "th": 0.5, "s'": 1.2, "th'": 0.7},
        # Chaplygin's sleigh
        {"s''": 0.2 * 0.7**2, "th''": -3 * 0.2 * 1.2 * 0.7 / (0.4 + 3 * 0.2**2)},
    ),
    "coordinate without a speed": Model(
        """
        param m: kg = 2, k: N/m = 10, ki: N/m/s = 3, ref: m = 1
        coordinate x: m
        coordinate i: m*s
        define i' = ref - x
        body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
        force (k*(ref - x) + ki*i)*ground.x on cart
        """,
        {"x": 0.3, "i": 0.4, "x'": 0.7},
        {"x''": (10 * 0.7 + 3 * 0.4) / 2},
    ),
    "left-over definition, unused": Model(
        """
        param m: kg = 0.7, r: m = 1.3, g: m/s^2 = 9.8
        coordinate x: m = 0.5, y: m = 0.4, z: m = 1.13
        speed ups: m^2/s^2
        define ups = x'^2 + y'^2 + z'^2
        particle P { mass m  at [x, y, z] }
        invariant sphere: x^2 + y^2 + z^2 = r^2
        gravity [g, 0, 0]
        """,
        {"x": 0.5, "y": 0.4, "x'": 0.3, "y'": -0.6},
        {"ups'": 2 * 9.8 * 0.3},  # Orsino, Example 4.1 (o): 2 g x'
    ),
    "left-over definition, used": Model(
        """
        param m: kg = 0.7, g: m/s^2 = 9.8, c: kg/m = 0.3
        coordinate x, y: m
        speed ups: m^2/s^2
        define ups = x'^2 + y'^2
        body P { mass m  joint general(ground, move = [x, y, 0]) }
        gravity [g, 0, 0]
        force wind: [0, c*ups, 0] on P
        """,
        {"x": 0.5, "y": 0.4, "x'": 0.3, "y'": -0.6},
        {"x''": 9.8, "y''": 0.3 * 0.45 / 0.7, "ups'": 2 * (9.8 * 0.3 - 0.3 * 0.45 / 0.7 * 0.6)},
    ),
    "quaternion with speeds": Model(
        """
        param m: kg = 0.7, J: kg*m^2 = 0.02, l: m = 0.3, g: m/s^2 = 9.8
        coordinate e0: 1 = 0.8, e1: 1 = 0.4, e2: 1 = -0.4, e3: 1 = 0.2
        speed wx, wy, wz: rad/s
        body top {
          mass m  com [0, 0, l]  inertia diag(J, 2*J, 1.5*J)
          joint spherical(ground, quaternion(w = e0, x = e1, y = e2, z = e3))
        }
        define [wx, wy, wz] = omega(top) in top
        gravity [0, 0, -g]
        """,
        {"wx": 0.5, "wy": 0.4, "wz": 1.3},
        {"wz'": -0.5 * 0.4 / 1.5},  # weight has no moment about z: I3 wz' = (I1 - I2) wx wy
    ),
    "effective row with a rate": Model(
        """
        param m: kg = 0.7, k: N/m = 40
        coordinate x, y: m
        particle P { mass m  at [x, y, 0] }
        effective x': -m/2*x'' - k*x
        invariant line: y = 2*x
        """,
        {"x": 0.2, "x'": 0.4},
        {"x''": -40 * 0.2 / (0.7 * (1.5 + 4)), "y''": -80 * 0.2 / (0.7 * (1.5 + 4))},
    ),
    "effective row without a rate": Model(
        """
        param k: N*m/A = 0.3, J: kg*m^2 = 0.2, L: H = 0.05, R: ohm = 1.1
        coordinate a: rad
        speed i: A
        body rotor { inertia J about z  joint revolute(ground, axis = z, angle = a) }
        torque k*i*ground.z on rotor from ground
        effective i: 2 [V] - L*i' - R*i - k*a'
        """,
        {"a": 0.2, "a'": 0.4, "i": 0.7},
        {"a''": 0.3 * 0.7 / 0.2, "i'": (2 - 1.1 * 0.7 - 0.3 * 0.4) / 0.05},
    ),
    "effective row, inertia not symmetric": Model(
        """
        param m: kg = 0.6
        coordinate x, y: m
        particle P { mass m  at [x, y, 0] }
        effective x': 3 N - m/2*x'' - m/3*y''
        invariant line: y = 2*x
        """,
        {"x": 0.2, "x'": 0.4},
        # (1, 2) (M ud - h) = 0 with M = m [3/2 1/3; 0 1] and ud = (1, 2) x''
        {"x''": 3 / (0.6 * (1.5 + 2 / 3 + 4))},
    ),
    "inertia singular, of one body": Model(
        """
        param m: kg = 0.7, J: kg*m^2 = 0.2, l: m = 0.4, g: m/s^2 = 9.8
        coordinate a, b: rad
        body rod {
          mass m  com [l, 0, 0]  inertia diag(0, J, J)
          joint universal(ground, axis = z, axis2 = y, angle = a, angle2 = b)
        }
        gravity [0, 0, -g]
        """,
        {"a": 0.4, "b": 0.3, "a'": 0.9, "b'": -0.5},
    ),
    "inertia singular, variable held": Model(
        """
        param m: kg = 0.7, g: m/s^2 = 9.8, l: m = 0.8
        coordinate x: m = 0.5, y: m = 0.3
        coordinate th: rad
        particle P { mass m  at [x, y, 0] }
        invariant px: x = l*cos(th)
        invariant py: y = l*sin(th)
        gravity [0, -g, 0]
        """,
        {"th": 0.4, "th'": 0.9},
        {"th''": -9.8 / 0.8 * cos(0.4)},
    ),
    "inertia singular, variable loose": Model(
        """
        param m: kg = 0.7, k: N/m = 12
        coordinate x, y: m
        body P { mass m  joint prismatic(ground, axis = x, distance = x) }
        body ghost { mass 0 kg  joint prismatic(ground, axis = y, distance = y) }
        spring on x stiffness k
        spring on y stiffness k
        """,
        {"x": 0.4, "x'": 0.9, "y": 0.1, "y'": 0.2},
    ),
    "inertia singular, no row zero": Model(
        """
        param m: kg = 0.7, g: m/s^2 = 9.8
        coordinate x, y: m
        particle P { mass m  at [x + y, 0, 0] }
        invariant tie: y = 2*x
        gravity [g, 0, 0]
        """,
        {"x": 0.4, "x'": 0.9},
        {"x''": 9.8 / 3, "y''": 9.8 * 2 / 3},
    ),
    "load names the reaction of an invariant": Model(
        """
        param m: kg = 1.5, g: m/s^2 = 9.81, mu: 1 = 0.2
        coordinate x, y: m
        body box { mass m  joint general(ground, move = [x, y, 0]) }
        invariant floor: y = 0.1*x reaction N
        force friction: [-mu*abs(N), 0, 0] on box
        gravity [0, -g, 0]
        """,
        {"x": 0.42, "x'": 0.8},
        # m x'' = -(0.1 + mu) N, m y'' = N - m g, y'' = x''/10
        {"x''": -(0.1 + 0.2) * _SLOPE_N / 1.5, "y''": _SLOPE_N / 1.5 - 9.81},
    ),
    "load names the reaction of a placing joint": Model(
        """
        param m: kg = 1.5, g: m/s^2 = 9.81, mu: m = 0.01, l: m = 0.4, J: kg*m^2 = 0.1
        coordinate a: rad
        body arm {
          mass m  com [l, 0, 0]  inertia diag(J, J, J)
          joint revolute(ground, axis = z, angle = a) reaction R
        }
        torque friction: -mu*abs(dot(R.force, ground.y))*ground.z on arm from ground
        gravity [0, -g, 0]
        """,
        {"a": 0.0, "a'": 0.8},
        # at a = 0: (J + m l^2) a'' = -m g l - mu Ry, Ry = m (g + l a''), positive here
        {"a''": -(1.5 * 9.81 * 0.4 + 0.01 * 1.5 * 9.81) / (0.1 + 1.5 * 0.4**2 + 0.01 * 1.5 * 0.4)},
    ),
    "load names the reaction of a loop joint": Model(
        """
        param m: kg = 1.5, g: m/s^2 = 9.81, mu: m = 0.01, l: m = 0.4, J: kg*m^2 = 0.1
        coordinate x: m = 0.1, y: m = 0.3
        coordinate a: rad = 0.6, b: rad = 1.2
        body arm {
          mass m  com [l/2, 0, 0]  inertia J about z
          joint revolute(ground, axis = z, angle = a)
        }
        body rod {
          mass m  com [l/2, 0, 0]  inertia J about z
          joint planar(ground, axis = z, x = x, y = y, angle = b)
        }
        joint elbow: revolute(arm at [l, 0, 0], rod, axis = z) reaction R
        torque friction: -mu*norm(R.force)*ground.z on rod from arm
        gravity [0, -g, 0]
        """,
        {"a": 0.42, "a'": 0.8, "b": 1.1, "b'": 0.3},
    ),
    "generalized load without a wrench": Model(
        """
        param m: kg = 1.5
        coordinate x, y: m
        particle P { mass m  at [x, 2*y, 0] }
        load push: on x': 3 N - 2 [N*s/m]*y'
        """,
        {"x": 0.42, "x'": 0.8, "y": 0.3, "y'": -0.5},
        {"x''": (3 + 2 * 0.5) / 1.5, "y''": 0.0},
    ),
    "generalized load on a joint coordinate": Model(
        """
        param m: kg = 1.5, l: m = 0.4, J: kg*m^2 = 0.1
        coordinate a, b: rad
        body arm { inertia diag(J, J, J)  joint revolute(ground, axis = z, angle = a) }
        body hand {
          mass m  com [0, 0, 0]  inertia diag(J, J, J)
          joint revolute(arm at [l, 0, 0], axis = z, angle = b)
        }
        load drive: on a': 3 [N*m] - 0.2 [N*m*s]*b'
        """,
        {"a": 0.42, "a'": 0.8, "b": 0.3, "b'": -0.5},
        # hand about its mass centre: a'' + b'' = 0; arm: (J + m l^2) a'' = load
        {"a''": 3.1 / (0.1 + 1.5 * 0.4**2), "b''": -3.1 / (0.1 + 1.5 * 0.4**2)},
    ),
    "non-ideal part": Model(
        """
        param m: kg = 1.5, g: m/s^2 = 9.81, mu: 1 = 0.2
        coordinate x, y: m
        body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
        body box { mass m  joint prismatic(cart, axis = y, distance = y) }
        invariant floor: y = 0.1*x reaction N
        load friction: on x' of floor: -mu*abs(N)*sign(x')
        gravity [0, -g, 0]
        """,
        {"x": 0.42, "x'": 0.8},
        # 2 m x'' = -(0.1 + mu) N, m y'' = N - m g, y'' = x''/10
        {"x''": -(0.1 + 0.2) * _CART_N / (2 * 1.5), "y''": _CART_N / 1.5 - 9.81},
    ),
    "non-ideal part without a reaction": Model(
        """
        param m: kg = 1.5, g: m/s^2 = 9.81, c: N*s/m = 0.5
        coordinate x, y: m
        body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
        body box { mass m  joint prismatic(cart, axis = y, distance = y) }
        invariant floor: y = 0.1*x
        load drag: on x' of floor: -c*x'  gravity [0, -g, 0]
        """,
        {"x": 0.42, "x'": 0.8},
        # along the floor: (2 m + m/100) x'' = -c x' - m g/10
        {"x''": -(0.5 * 0.8 + 1.5 * 0.981) / (2.01 * 1.5)},
    ),
    "no inertia": Model(
        """
        param k: N/m = 12
        coordinate x: m
        body ghost { mass 0 kg  joint prismatic(ground, axis = x, distance = x) }
        spring on x stiffness k
        """,
        {"x": 0.42, "x'": 0.8},
    ),
}
