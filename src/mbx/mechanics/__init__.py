"""Quantities that formalisms are made of: motion, energies, momenta, partial velocities, loads.

Nothing here returns a mass matrix or a bias: what these quantities make of the motion is the
up to each formalism.
"""
