"""Drawings of mechanisms, made from the model alone.

pose             where a model is drawn: its variables and parameters in numbers
scene            what there is to see: bodies, joints, lines, points, in ground coordinates
collect          the scene of a model
calls            its joints
held, ties       what holds things beside joints: springs, distances that the model keeps
hints, hinted    what a model says about its own drawing, as written and in numbers
solids           the shapes of bodies
view, paper      from where a mechanism is seen, and how large
canvas           marks on paper, and which are in front
bodies, joints, ground, lines, measures   the marks of each
names, labels    names as people write them, and where they go
svg              pieces of the text
sheet, picture   all of it together
lanes, groups    the structural diagram of a mechanism
"""
