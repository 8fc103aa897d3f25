"""From what was written to what it stands for: imports, repetition, subsystems, identity."""

from mbx.verbs import make_verb

make_verb(__name__)
