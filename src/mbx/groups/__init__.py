"""Structural groups: kinematics solved module by module, in natural coordinates.

M. Saura, P. Segado, D. Dopico, Computational kinematics of multibody systems: two formulations
for a modular approach based on natural coordinates (author's manuscript).

numbers, pairs, space       values, joints and the plane of a model
mechanism, graph, decompose what is tied and driven, the structural graph, the four steps
entities, poses             points and unit vectors that bodies share; where bodies are
bodies, joints, view        constraints; the natural view of a model, and the way back
group, names                structural groups, and those that have a name
kernels, solve, sparse      constraints in machine code; Newton, TD and 3OT; sparse factors
motion                      a mechanism solved at instants by any method
"""
