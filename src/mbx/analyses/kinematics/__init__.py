"""Kinematics of mechanisms, as a whole or by structural groups, in natural coordinates.

M. Saura, P. Segado, D. Dopico, Computational kinematics of multibody systems: two formulations
for a modular approach based on natural coordinates (author's manuscript).

kinematic_analysis, drives, driven_start  a mechanism with its drives
natural                                   natural coordinates of a model, and the way back
groups                                    the decomposition, and the solution group by group
solve_motion, points_of_interest          a mechanism at instants, by any method
follow, reach, branches                   motions over time, their range, all positions
sparse                                    the global formulation with sparse matrices
jacobian_conditions, nearness             how near to singular, and to the expected positions
method_agreement                          the methods compared
"""
