"""What a process of a build works with: the cluster, the extractor and the embedder, each made once
in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from gear_app.embedders import make_embedder
from gear_app.errors import NotReady
from gear_app.models import Models
from gear_app.opensearch.address import URL, address_of
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.connection import connect
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store


@lru_cache(maxsize=1)
def cluster_at(addresses: str) -> Cluster:
    """The cluster, connected to once in a process. A login is the environment's of the machine that
    the process is on; it is not handed from one to another.
    """
    os.environ[URL] = addresses  # the command named it, so it is logged in to
    return connect(address_of(addresses))


@dataclass(frozen=True, slots=True)
class Tools:
    """How a process makes its models; each is checked to be the one that the build began with."""

    extractor: Callable[[], Extractor]
    embedder: Callable[[str], Embedder]

    def make_extractor(self, fingerprint: str) -> Extractor:
        """The extractor with this fingerprint. Raises NotReady where this machine has another."""
        made = self.extractor()
        _check("extractor", made.fingerprint, fingerprint)
        return made

    def make_embedder(self, fingerprint: str, device: str) -> Embedder:
        """The embedder with this fingerprint. Raises NotReady where this machine has another."""
        made = self.embedder(device)
        _check("embedding model", made.fingerprint, fingerprint)
        return made


def extractor_named(name: str) -> Extractor:
    """The extractor of this name; a language model's as the environment of this process says. What
    it replies is kept only in what is built.
    """
    store = Store(":memory:")
    return Models(lambda: store, None, None).extractor(name)


def environment_embedder(device: str) -> Embedder:
    """The embedder that the environment names."""
    return make_embedder(lambda: None, lambda fingerprint: None, device)


def _check(what: str, here: str, wanted: str) -> None:
    if here != wanted:
        raise NotReady(
            f"The {what} of this machine is {here}, and the build began with {wanted}. Every"
            " machine needs the same installation and the same variables (GEAR_EMBEDDER,"
            " GEAR_MODEL, OPENAI_BASE_URL)."
        )
