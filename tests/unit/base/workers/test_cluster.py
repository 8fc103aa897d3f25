"""A cluster of two workers on this machine, and clusters that cannot be had."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from distributed import LocalCluster

import mbx
from mbx.base.extras import ExtraError
from mbx.base.workers import cluster
from mbx.base.workers.cluster import ClusterError, connect
from mbx.base.workers.pool import Pool
from mbx.verify.many import verify_models
from mbx.verify.run_verification import Options
from unit.analyses.study.oscillators import oscillator
from unit.verify.found import everything
from unit.verify.models import PENDULUM, SLED

if TYPE_CHECKING:
    from collections.abc import Iterator

TWO = Options(forms=("kane", "lagrange"), states=3, oracle=1)

local_cluster: Any = LocalCluster  # it has no types

# the client and its workers close their connections in threads that end after them
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a scheduler with two workers, each a process of its own."""
    with local_cluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    ) as running:
        yield running.scheduler_address


@pytest.mark.full
def test_a_cluster_finds_what_this_machine_finds(address: str) -> None:
    models = [mbx.link(mbx.loads(text)) for text in (PENDULUM, SLED)]
    here = {one.number: one for one in verify_models(models, [TWO], Pool(1))}
    there = {one.number: one for one in verify_models(models, [TWO], Pool(1, address))}
    assert sorted(there) == [0, 1]
    for number, one in there.items():
        assert everything(one.parts) == everything(here[number].parts)
        assert one.whole.ok


@pytest.mark.full
def test_a_cluster_makes_the_same_study_as_this_machine(address: str) -> None:
    said: dict[str, Any] = {"vary": {"k": "0:20:9"}, "results": ["x", "energy"]}
    here = mbx.study(oscillator(), "swing", **said)
    there = mbx.study(oscillator(), "swing", **said, cluster=address)
    assert there.failed == {}
    for one, other in zip(here.columns, there.columns, strict=True):
        assert one.values.tolist() == other.values.tolist()


@pytest.mark.full
def test_workers_are_other_processes(address: str) -> None:
    with connect(address) as client:
        found = client.run(os.getpid)
    assert len({*found.values(), os.getpid()}) == 3


@pytest.mark.full
def test_workers_with_another_mbx_are_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def here() -> str:
        return "9.9.9"

    def require(client: Any, where: str) -> None:
        found = {"tcp://worker": "0.0.1"} if client else {}
        monkeypatch.setattr(client, "run", lambda _: found)
        original(client, where)

    original = cluster._require
    monkeypatch.setattr(cluster, "_version", here)
    monkeypatch.setattr(cluster, "_require", require)
    said = r"worker tcp://worker has mbx 0\.0\.1, and this is 9"
    with pytest.raises(ClusterError, match=said), connect(address):
        pass


@pytest.mark.full
def test_a_cluster_without_workers_is_refused() -> None:
    with local_cluster(
        n_workers=0, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as running:
        address = running.scheduler_address
        with pytest.raises(ClusterError, match="has no workers"), connect(address):
            pass


@pytest.mark.full
def test_an_address_where_nobody_is_fails_within_seconds() -> None:
    began = time.monotonic()
    with (
        pytest.raises(
            ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9 within 5 s"
        ),
        connect("tcp://127.0.0.1:9"),
    ):
        pass
    assert time.monotonic() - began < 30  # five, on a machine that has nothing else to do


@pytest.mark.parametrize("text", ["nonsense", "127.0.0.1:8786", "http://host:1", "tcp://host", ""])
def test_what_is_no_address_is_not_tried(text: str) -> None:
    with pytest.raises(ClusterError, match="write tcp://HOST:PORT"), connect(text):
        pass


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ExtraError, match=r'pip install "mbx\[cluster\]"'),
        connect("tcp://127.0.0.1:9"),
    ):
        pass
