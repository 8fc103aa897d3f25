"""References in certificates: they must be those of the model, and come out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.base.workers.pool import Pool
from mbx.verify.certificate.certificate import certify, confirm
from mbx.verify.certificate.certificate_file import (
    Certificate,
    CertificateError,
    read_certificate,
    write_certificate,
)
from mbx.verify.many import verify_parts
from mbx.verify.run_verification import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = Options(forms=("kane", "lagrange"), states=4, oracle=1)


def with_references(made: Certificate, references: Sequence[Any]) -> Certificate:
    """Return a certificate with other references, and a digest that fits."""
    changed = made.model_copy(update={"references": references})
    return read_certificate(write_certificate(changed), "c.json")


DROPPED = """
mbx 1
model Drop {
  param m: kg = 1, g: m/s^2 = 9.81
  coordinate z: m = 0
  particle p { mass m  at [0, 0, z] }
  gravity [0, 0, -g]
}
experiment fall of Drop {
  simulate 0 s .. 1 s every 0.5 s
  expect z at 1 s = -4.905 m within 1e-6 m source "analytic: g t^2/2"
}
"""


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ({"found": -4.905 + 9e-7}, "fall, z at 1 s does not come out again"),
        ({"expected": -4.9050001}, "its references are not those of the model"),
        ({"within": 1e-3}, "its references are not those of the model"),
        ({"kind": "published"}, "its references are not those of the model"),
        ({"by": "maggi"}, "its references are not those of the model"),
        (None, "its references are not those of the model"),
    ],
)
def test_references_come_out_as_the_model_states_them(
    update: dict[str, Any] | None, said: str
) -> None:
    linked = mbx.link(mbx.loads(DROPPED))
    found = verify_parts(linked, [OPTIONS], Pool())
    made = read_certificate(certify(linked, OPTIONS, found), "c.json")
    assert confirm(made, linked, OPTIONS, found) == []
    references = [one.model_copy(update=update) for one in made.references if update is not None]
    with pytest.raises(CertificateError, match=said):
        confirm(with_references(made, references), linked, OPTIONS, found)
