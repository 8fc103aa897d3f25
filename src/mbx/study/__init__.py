"""Studies: an analysis of a model made many times, over parameters, inputs and starts."""

from mbx.verbs import make_verb

make_verb(__name__)
