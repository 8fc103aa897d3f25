"""Structural groups: kinematics solved module by module, in natural coordinates.

M. Saura, P. Segado, D. Dopico, Computational kinematics of multibody systems: two formulations
for a modular approach based on natural coordinates (author's manuscript).

numbers, pairs, space       values, joints and the plane of a model
mechanism, graph, decompose what is tied and driven, the structural graph, the four steps
entities, poses             points and unit vectors that bodies share; where bodies are
bodies, joints, view        constraints; the natural view of a model, and the way back
group, names                structural groups, and those that have a name
weights, shape              rows of one scale; groups without their names and numbers
kernels, solve, sparse      constraints in machine code; Newton, TD and 3OT; sparse factors
motion, points              a mechanism solved at instants by any method; points of interest
written, tasks              groups written out, and where their numbers come from and go
machine, c_code             all groups in machine code, and as C
conditions, nearness        how near to singular, and to what rates foretell
march, reach, branches      motions followed, how far they go, all positions
agreement, diagram          methods compared; the structure as text
"""
