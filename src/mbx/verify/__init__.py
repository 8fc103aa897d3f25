"""Whether the forms of one model agree: states, comparisons, verdicts (chapter 7)."""

from mbx.verbs import make_verb

make_verb(__name__)
