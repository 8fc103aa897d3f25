"""Drawings of mechanisms, made from the model alone.

pose                    the values of variables and parameters with which a model is drawn
scene, collect          bodies, joints, lines and points to draw, in ground coordinates
seen_joints             the joints of a scene
holding_elements        springs, and distances that the model keeps
massless_ties           rods and slots without mass
drawing_hints, hinted   the hints of a model for its drawing, as written and in numbers
solids                  the shapes of bodies
view_direction          the direction of view
marks                   the marks on paper, a module for each kind
sheet, picture, film    the whole drawing, and an animation
lanes, group_diagram    the structural diagram of a mechanism
"""
