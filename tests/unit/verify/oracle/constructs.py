"""Small models that hold every construct of the language with a mechanical meaning (spec 2, 3)."""

from __future__ import annotations

from typing import Final

__all__ = ["CONSTRUCTS"]

_ARM: Final = """
  coordinate a: rad = 0.3, b: rad = -0.5
  body one { mass 1.2 kg  com [0.2 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
    joint revolute(ground, axis = [1, 2, 2], angle = a) }
  body two { mass 0.7 kg  com [0.3 m, 0, 0.1 m]
    inertia tensor(0.1 [kg*m^2], 0.15 [kg*m^2], 0.2 [kg*m^2], 0.01 [kg*m^2], -0.02 [kg*m^2], 0)
    joint revolute(one at [0.5 m, 0, 0], own at [0, -0.1 m, 0] rotated x by 20 deg, axis = -y,
      angle = b) }
  gravity [1 [m/s^2], 0, -9.81 [m/s^2]]
"""
"""Two bodies; what stands behind is put on them."""

_LOOSE: Final = """
  coordinate x: m = -0.1 in [-0.2, 0], y: m = 0 in [-0.1, 0.1], z: m = 0 in [-0.1, 0.1]
  coordinate a: rad = 0 in [-0.1, 0.1], b: rad = 0 in [-0.1, 0.1], c: rad = 0 in [-0.1, 0.1]
  coordinate e: rad = 0 in [-0.1, 0.1], s: m = 0
  body A { mass 1.3 kg  com [0.1 m, 0.2 m, -0.1 m]
    inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
    joint free(ground, move = [x, y, z], euler zxy by (a, b, c)) }
  body B { mass 0.6 kg  com [0, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.15 [kg*m^2])
    joint revolute(ground, axis = [0, 1, 1], angle = e) }
  particle P { mass 0.2 kg  at [s, 0, 0] }
  gravity [1 [m/s^2], 0, -9.81 [m/s^2]]
"""
"""A body that a joint is to hold on another one."""

_LOOPS: Final = {
    "fixed": "",
    "revolute": ", axis = [1, 1, 0]",
    "prismatic": ", axis = y",
    "screw": ", axis = [0, 1, 2], pitch = 0.1 m",
    "cylindrical": ", axis = [0, 1, 2]",
    "universal": ", axis = x, axis2 = [0, 1, 1]",
    "spherical": "",
    "planar": ", axis = z",
}
_MEASURED: Final = {"revolute": "c2", "prismatic": "s", "screw": "c2"}

CONSTRUCTS: Final[dict[str, str]] = {
    f"a {kind} joint that closes a loop": f"""{_LOOSE}
      coordinate c2: rad = 0
      particle Q {{ mass 0.2 kg  at [0, c2*(1 m), 0] }}
      joint j: {kind}(B, A at [0.1 m, 0, 0]{shape}) reaction R
        {f"measure {_MEASURED[kind]}" if kind in _MEASURED else ""}
      torque (0.02 m)*norm(R.force)*ground.x - 0.03*R.torque on B
    """
    for kind, shape in _LOOPS.items()
} | {
    "a joint whose body an invariant holds, too": """
      coordinate a: rad = 0.9, b: rad = -0.6
      body one { mass 1 kg  com [0.2 m, 0, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(ground, axis = z, angle = a) }
      body two { mass 1 kg  com [0.2 m, 0.1 m, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(one at [0.5 m, 0, 0], axis = z, angle = b) reaction R }
      point tip = two.origin + (0.4 m)*two.x
      invariant line: dot(tip - ground.origin, ground.y) = 0.5 m + 0.05 m*sin(t/(1 s))
      torque -(0.05 m)*norm(R.force)*tanh(b'/(1 [1/s]))*ground.z on two from one
      gravity [3 [m/s^2], -9 [m/s^2], 0]
    """,
    "functions": """
      coordinate x: 1 = 0.4, y: 1 = 0.3
      particle P { mass 1 kg  at [x*(1 m), y*(1 m), 0] }
      load on x': (1 [N*m])*(sin(x) + cos(y)*tan(x) + asin(x/4) - acos(y/4) + atan(x)
        + sinh(x) - cosh(y) + tanh(x) + exp(-x) + log(3 + y) + sqrt(4 + x) + atan2(y, 2 + x))
      load on y': (1 [N*m])*(abs(x - 5) + sign(y - 7) + min(x, y, 9) + max(x, -4, y)
        + (if x < 10 and not y > 20 or x == 3 then x^3 else 5) + x^(1/2 + 0.5) + 2^-y)
    """,
    "geometry": _ARM
    + """
      let n = unit(two.com - one.origin)
      force 2 N*n + (1 N)*cross(one.x, two.z) - (0.1 kg)*acceleration(two.com) on two
        at two.origin from one
      torque 0.3 [N*m*s]*(omega(one) - omega(two)) + (0.1 [N*m])*two.y on two from one
      force -(0.2 [N*s/m])*velocity((two.origin + [0.1 m, 0, 0.2 m]) of one) on one at two.origin
      load on a': -(0.3 [N*m*s])*ddt(dot(one.x, two.y))
    """,
    "accelerations of material points": _ARM
    + "force -(0.2 kg)*acceleration((two.com + [0, 0.1 m, 0]) of one) on one",
    "springs, dampers and energies": _ARM
    + """
      spring between two.com and [0, 1 m, 0] stiffness 30 [N/m] rest 0.2 m
      spring between one.com and two.com stiffness 10 [N/m]
      spring on a stiffness 4 [N*m/rad] rest 10 deg
      damper between two.com and one.origin damping 3 [N*s/m]
      damper on b damping 0.2 [N*m*s/rad]
      potential (2 [N*m])*cos(a - b)*exp(-t/(2 s))
      dissipation (0.1 [N*m*s^2])*(a' - 2*b')^2*abs(a')
    """,
    "derivatives": _ARM
    + """
      param k: N*m = 3
      input f: 1 = sin(a)
      let V = k*sin(a)*cos(b)^2*f
      load on a': -diff(V, a) + diff(V, k)*(1 [N*m]) + diff(V*t/(1 s), t)*(1 s)
      load on b': -diff(ddt(V), b') - (0.1 [1/s])*diff(dot(velocity(two.com), one.x)^2*(1 kg), b')
        + diff(diff(V, a), b) + diff(V, f)
    """,
    "a twist with everything": """
      param m: kg = 2
      coordinate x: m = 0.2
      speed u, v: m/s
      speed w: rad/s
      body ring { mass m  inertia (0.3 [kg*m^2]) about z  velocity [u, v, 0]  omega [0, 0, w] }
      particle P { mass 1 kg  velocity [x', 0, v] }
      invariant slip: u + (0.4 m)*w = 0 reaction T
      invariant lift: v = 0.1*x' + 0.1 [m/s]*sin(t/(1 s))
      force -(0.5 [N*s/m])*velocity(ring.com) on ring
      torque [0, 0, -(0.2 [N*m*s])*w] on ring
      gravity [3 [m/s^2], -9 [m/s^2], 0]
    """,
    "bodies by frame": """
      coordinate x: m = 0.1, a: rad = 0.4
      frame F = ground at [x, 0, 0.1 m] rotated [0, 1, 1] by a
      point far = F.origin + (0.3 m)*F.x
      body by_bracket { frame F at [0.1 m, 0, 0] rotated -z by a  mass 1 kg  com [0, 0.2 m, 0]
        inertia [[0.2 [kg*m^2], 0, 0], [0, 0.3 [kg*m^2], 0.01 [kg*m^2]],
          [0, 0.01 [kg*m^2], 0.3 [kg*m^2]]] }
      body by_point { frame F euler xyx by (a, 0.3, x/(1 m))  mass 2 kg  com far
        inertia diag(0.2 [kg*m^2], 0.2 [kg*m^2], 0.2 [kg*m^2]) }
      gravity [0, 0, -9.81 [m/s^2]]
    """,
    "joints outside of bodies": """
      coordinate q: rad = 0.3, s: m = 0.2, r: rad = 0.1
      body A { mass 1 kg  com [0.1 m, 0, 0]
        inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2]) }
      body B { mass 2 kg  inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.15 [kg*m^2]) }
      joint first: cylindrical(ground, A at [0, 0.1 m, 0], axis = x, angle = q, distance = s)
      joint second: general(A at [0.2 m, 0, 0], B rotated z by 0.2, move = [0, r*(1 m), 0],
        rotated y by r^2)
      gravity [0, 0, -9.81 [m/s^2]]
    """,
    "a loop that is measured": """
      coordinate a: rad = 1.0, b: rad = -0.4, c: rad = 1.5, tip: rad = 0
      body crank { mass 0.2 kg  com [0.05 m, 0, 0]  inertia 0.001 [kg*m^2] about z
        joint revolute(ground, axis = z, angle = a) }
      body coupler { mass 0.5 kg  com [0.15 m, 0, 0]  inertia 0.004 [kg*m^2] about z
        joint revolute(crank at [0.1 m, 0, 0], axis = z, angle = b) }
      body rocker { mass 0.4 kg  com [0.12 m, 0, 0]  inertia 0.002 [kg*m^2] about z
        joint revolute(ground at [0.3 m, 0, 0], axis = z, angle = c) }
      joint pin: revolute(coupler at [0.3 m, 0, 0], rocker at [0.25 m, 0, 0], axis = z) cut
        reaction R measure tip
      spring on tip stiffness 2 [N*m/rad] rest 0.2 rad
      torque (0.05 m)*norm(R.force)*ground.z on rocker
      gravity [0, -9.81 [m/s^2], 0]
    """,
    "friction in a joint that places": """
      coordinate q: rad = 0.5
      body arm { mass 1 kg  com [0.3 m, 0, 0]  inertia 0.05 [kg*m^2] about z
        joint revolute(ground, axis = z, angle = q) reaction R }
      torque -(0.01 m)*norm(R.force)*sign(q')*ground.z on arm from ground
      gravity [0, -9.81 [m/s^2], 0]
    """,
    "vector equations in a frame": _ARM
    + """
      coordinate x: m = 0.1, y: m = 0.2, z: m = 0.3
      speed v1, v2, v3: m/s
      particle P { mass 0.4 kg  at one.origin + x*one.x + y*one.y + z*one.z }
      define [v1, v2, v3] = velocity(P) in one
      invariant hold: dot(P - one.origin, two.x) = 0.1 m reaction H
      load on v2: -(0.3 [N*s/m])*v2
    """,
    "kept rates and definitions left over": """
      coordinate x: m = 0.1, y: m = 0.2
      speed p: m/s, e: m^2/s^2
      speed x'
      define p = 2*x' - 0.5*y'
      define e = x'^2 + y'^2
      particle P { mass 1 kg  at [x, y, 0] }
      force [(0.1 [kg/m])*e, -1 N, 0] on P
    """,
    "invariants of order 2": """
      coordinate x: m = 0.1, y: m = 0.2, z: m = 0
      particle P { mass 1.5 kg  at [x, y, z] }
      gravity [0, -9.81 [m/s^2], 1 [m/s^2]]
      invariant drive: x'' = 0.4*y'' + (0.3 [1/m])*x'*y' + 0.2 [m/s^2]*cos(t/(1 s)) reaction D
      load on z': -0.1*D
    """,
    "subsystems, rows and units": """
      param n: integer = 3
      param m[1..n]: g = [100, 200, 300], k: N/m = 50
      input f: N = 3 N*sin(2 [rad/s]*t)
      for i in 1..n {
        subsystem S[i](mass = m[i], push = f/i) {
          param mass: kg, l: mm = 200
          input push: N
          coordinate s: cm = 3
          particle bob { mass mass  at [s, 0, 0] }
          spring on s stiffness 20 [N/m] rest l
          load on s': push
        }
      }
      function link(u, v) = k*(u - v)^2/2
      potential link(S[1].s, S[2].s)
      potential link(S[2].s, S[n].s)
    """,
    "a quaternion beside angles": """
      coordinate w: 1 = 1, x: 1 = 0, y: 1 = 0, z: 1 = 0, a: rad = 0.2, d: m = 0.1
      body A { mass 1 kg  com [0, 0, 0.2 m]  inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.25 [kg*m^2])
        joint spherical(ground, quaternion(w = w, x = x, y = y, z = z)) }
      body B { mass 0.5 kg  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
        joint screw(A at [0.2 m, 0, 0], axis = [1, 0, 1], pitch = 10 mm, angle = a) }
      body C { mass 0.5 kg  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
        joint planar(B, axis = y, x = d, y = 0.5*d, angle = 2*a) }
      gravity [0, 0, -9.81 [m/s^2]]
    """,
    "inputs that come from outside": """
      input f: N, g: m
      coordinate x: m = 0.2, y: m = 0.1
      particle P { mass 2 kg  at [x + g, y, 0] }
      force f*ground.y on P
      invariant follow: y = 0.5*g + 0.1*x
    """,
    "inputs whose values name variables": """
      coordinate a: rad = 0.3, b: rad = 0.2
      particle P { mass 1 kg  at [cos(a)*(1 m), sin(b)*(1 m), b*(1 m)] }
      input f: 1 = sin(a)
      potential (3 [N*m])*f*cos(b)
      spring on a stiffness (2 [N*m])*f
      dissipation (2 [N*m*s])*(b')^2*f
      load on b': (1 [N*m])*f
    """,
    "axes and sides that move": """
      coordinate a: rad = 0.1, b: rad = 0.3, c: rad = 0.2
      frame F = ground rotated z by a
      body A { mass 1 kg  com [0.1 m, 0.2 m, 0.3 m]
        inertia diag(1 [kg*m^2], 1.2 [kg*m^2], 1.1 [kg*m^2])
        joint revolute(ground rotated x by 0.3, axis = F.x, angle = b) }
      body B { mass 1 kg  com [0.1 m, 0.2 m, 0]
        inertia diag(1 [kg*m^2], 1.2 [kg*m^2], 1.1 [kg*m^2])
        joint revolute(A at [0.1 m*sin(t/(1 s)), 0, 0],
          own at [0, 0.1 m*cos(t/(1 s)), 0] rotated y by t/(1 s), axis = x, angle = c) }
      gravity [1 [m/s^2], 2 [m/s^2], 0]
    """,
    "reactions of a chain": """
      coordinate a: rad = 0.1, b: rad = 0.2
      body A { mass 1 kg  com [0.1 m, 0.2 m, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(ground, axis = z, angle = a) reaction RA }
      body B { mass 1 kg  com [0.1 m, 0.2 m, 0]  inertia 0.1 [kg*m^2] about z
        joint revolute(A at [0.3 m, 0, 0], axis = z, angle = b) reaction RB }
      torque -(0.02 m)*norm(RA.force)*tanh(a'/(1 [1/s]))*ground.z on A from ground
      torque -(0.03 m)*norm(RB.force)*tanh(b'/(1 [1/s]))*ground.z on B from A
      load on b': 0.1*dot(RB.torque, ground.x) + (0.1 m)*dot(RA.force, A.x)
      gravity [1 [m/s^2], 2 [m/s^2], 0.5 [m/s^2]]
    """,
    "the reaction of a vector": """
      coordinate x: m = 0.1, y: m = 0.2, z: m = 0.3, a: rad = 0.2
      particle P { mass 1 kg  at [x, y, z] }
      particle Q { mass 2 kg  at [cos(a)*(0.4 m), sin(a)*(0.4 m), 0.1 m*a] }
      invariant tie: P = Q + [0, 0.1 m, 0] reaction L
      load on a': -(0.05 m)*norm(L)*tanh(a'/(1 [1/s]))
      gravity [1 [m/s^2], 2 [m/s^2], 0.5 [m/s^2]]
    """,
    "a programme with loads": """
      coordinate x: m = 0.1, y: m = 0.2
      particle P { mass 1.5 kg  at [x, y + 0.2*x, 0] }
      gravity [0, -9.81 [m/s^2], 0]
      spring between P and ground.origin stiffness 3 [N/m] rest 0.1 m
      invariant jerk: x'''*cos(y/(1 m)) + y''' = 0.1 [m/s^3]*sin(t/(1 s))
    """,
    "accelerations that are not affine": """
      coordinate x: m = 0.1, y: m = 0.2
      particle P { mass 1.5 kg  at [x, y, 0] }
      force [4 N, 1 N, 0] on P
      invariant bound: x''^2 + 2*y''^2 = 3 [m^2/s^4] + 0.1 [m/s^4]*x
    """,
}
