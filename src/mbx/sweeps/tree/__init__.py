"""Steps of the six forms on the tree: kinematics, solvers, projections, momenta, reactions."""
