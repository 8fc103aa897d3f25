"""The structure of a model: freedoms, ranks, redundancy, integrability, singular states."""

from mbx.verbs import make_verb

make_verb(__name__)
