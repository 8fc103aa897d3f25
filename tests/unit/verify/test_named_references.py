"""References where forms are named: what none of them gives is not asked."""

from __future__ import annotations

import mbx


def test_what_no_named_form_gives_is_left_out() -> None:
    document = mbx.read("lib:rp_chain")
    named = mbx.verify(document, forms=["kane", "lagrange"], states=2, oracle=1)
    assert named.verdict == "agree"
    assert named.references
    assert not [one for one in named.references if "R.force" in one.quantity]


def test_a_named_form_that_gives_it_is_asked() -> None:
    document = mbx.read("lib:rp_chain")
    named = mbx.verify(document, forms=["kane", "newton_euler"], states=2, oracle=1)
    asked = [one for one in named.references if "R.force" in one.quantity]
    assert asked
    assert {one.by for one in asked} == {"newton_euler"}
    assert all(one.met for one in asked)
