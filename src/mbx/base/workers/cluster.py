"""The workers of a Dask cluster, by the address of its scheduler."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import MbxError
from mbx.base.extras import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ClusterError", "connect"]

_ADDRESS: Final = re.compile(r"(?:tcp|tls)://(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")

PATIENCE: Final = 5
"""Seconds in which a scheduler must answer."""


class ClusterError(MbxError):
    """A cluster cannot be used."""


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to a cluster whose workers have this version of mbx."""
    Client = load_extra("distributed", "a cluster", "cluster", "dask and distributed").Client
    if not _ADDRESS.fullmatch(address):
        raise ClusterError(f"'{address}' is no address of a scheduler: write tcp://HOST:PORT")
    quiet = logging.getLogger("distributed")
    before = quiet.level
    quiet.setLevel(logging.CRITICAL)  # the errors below state what it would log
    try:
        client = _client(Client, address)
        try:
            _require(client, address)
            yield client
        finally:
            with suppress(OSError, TimeoutError):
                client.close(timeout=PATIENCE)
    finally:
        quiet.setLevel(before)


def _client(make: Any, address: str) -> Any:
    try:
        return make(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError):
        raise ClusterError(f"no scheduler answers at {address} within {PATIENCE} s") from None


def _require(client: Any, address: str) -> None:
    """Raise an error unless there are workers, and all of them have this version of mbx."""
    try:
        versions = client.run(_version)
    except ModuleNotFoundError as missing:
        raise ClusterError(f"a worker of {address} cannot import {missing.name}") from None
    if not versions:
        raise ClusterError(f"the cluster at {address} has no workers")
    here = _version()
    for worker, there in versions.items():
        if there != here:
            raise ClusterError(f"the worker {worker} has mbx {there}, and this is {here}")


def _version() -> str:
    return version("mbx")
