"""The rules a sound model obeys; one rule is one function, each finding has a code."""

from mbx.verbs import make_verb

make_verb(__name__)
