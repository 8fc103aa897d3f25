"""What the tests of code that is run have seen."""

from __future__ import annotations

import mbx
from sampled import ITERATED, kinds, sampled
from written import forms_of


def test_the_forms_that_are_sampled_have_every_kind_of_step() -> None:
    model = mbx.read(f"lib:{ITERATED}")
    found = {form: kinds(mbx.convert(model, form)) for form in forms_of(ITERATED)}
    some = set().union(*(found[form] for form in sampled(ITERATED)))
    assert set().union(*found.values()) == some
    assert {"sqrtm", "implicit", "pinv", "nullspace", "solve least_squares"} <= some
