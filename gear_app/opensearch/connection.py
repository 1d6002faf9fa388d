"""A connection to a cluster that can be used, or what is wrong with it.

opensearch-py asks a node that hangs again in its turn; here it is left alone for a while.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gear_app.errors import NotReady
from gear_app.opensearch.address import ClusterAddress
from gear_app.opensearch.cluster import Cluster, Json
from gear_app.opensearch.error_messages import explained, not_opensearch

if TYPE_CHECKING:
    from opensearchpy import Transport

OLDEST, BEFORE = (2, 19), (3,)  # versions of OpenSearch; from 3 on its BM25 is another
CONNECT_S, ANSWER_S = 10, 60  # request time-outs


def connect(address: ClusterAddress) -> Cluster:
    """A connection to a cluster that can be used.

    Raises ClusterFailed or NotReady with what is wrong: unreachable, silent, wrong password,
    unknown certificate, another kind of server, a version or a plugin that is missing.
    """
    try:
        from opensearchpy import OpenSearch
        from opensearchpy.exceptions import OpenSearchException
    except ImportError as error:
        raise NotReady(
            "A cluster needs the package opensearch-py. Run: pip install 'gear-app[opensearch]'"
        ) from error
    logging.getLogger("opensearch").setLevel(logging.WARNING)  # else a line a request
    client = OpenSearch(list(address.nodes), transport_class=_transport(), **_options(address))
    quick = {"request_timeout": CONNECT_S}
    try:
        with _every_node(client.transport, len(address.nodes)):
            info = client.info(params=dict(quick))
            version = version_of(info, address)
            # Of the node that is asked: all would be waited for, and one of them may hang.
            path = "/_plugins/_knn/_local/stats"
            client.transport.perform_request("GET", path, params=quick)
    except OpenSearchException as error:
        if getattr(error, "status_code", None) in (400, 404, 405):
            plugin = "_knn" in str(getattr(error, "info", ""))
            raise _no_plugin(address) if plugin else not_opensearch(address) from error
        raise explained(error, address) from error
    return Cluster(client, address, version)


def _transport() -> type[Transport]:
    """What sends requests: a node that did not answer in time is left alone for a minute, as one
    that cannot be reached. opensearch-py would ask it in its turn, and wait each time.
    """
    from opensearchpy import Transport
    from opensearchpy.exceptions import ConnectionTimeout

    class PatientTransport(Transport):
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
            super().__init__(*arguments, **options)
            self._asked = threading.local()

        def get_connection(self) -> Any:  # noqa: ANN401
            self._asked.node = super().get_connection()
            return self._asked.node

        def perform_request(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            try:
                return super().perform_request(*arguments, **options)
            except ConnectionTimeout:
                self.mark_dead(self._asked.node)
                raise

    return PatientTransport


@contextmanager
def _every_node(transport: Transport, number: int) -> Iterator[None]:
    """Ask another node where one does not answer in time, until so many were asked: for requests
    that take no time, which are not sent for nothing.
    """
    transport.retry_on_timeout, before = True, transport.max_retries
    transport.max_retries = max(before, number - 1)
    try:
        yield
    finally:
        transport.retry_on_timeout, transport.max_retries = False, before


def _options(address: ClusterAddress) -> Json:
    secure = address.nodes[0].startswith("https://")
    options: Json = {"timeout": ANSWER_S, "max_retries": 2, "retry_on_timeout": False}
    if secure:
        options |= {"use_ssl": True, "verify_certs": True, "ssl_show_warn": False}
        options |= {"ca_certs": address.ca} if address.ca else {}
    if address.api_key:
        options["headers"] = {"Authorization": f"ApiKey {address.api_key}"}
    elif address.login:
        options["http_auth"] = address.login
    return options


def version_of(info: Any, address: ClusterAddress) -> str:  # noqa: ANN401
    """The version of a server, from how it introduces itself.

    Raises NotReady for one that cannot be used, and ClusterFailed where it is no OpenSearch.
    """
    version = info.get("version", {}) if isinstance(info, dict) else {}
    number = str(version.get("number", "")) if isinstance(version, dict) else ""
    if not number:
        raise not_opensearch(address)
    if version.get("distribution") != "opensearch":
        raise NotReady(
            f"{address} is Elasticsearch {number}, not OpenSearch: its vector search is another."
            f" Use OpenSearch {_spoken(OLDEST)} with its k-NN plugin."
        )
    parts = tuple(int(part) for part in number.split("-")[0].split(".") if part.isdecimal())
    if not OLDEST <= parts < BEFORE:
        raise NotReady(
            f"{address} is OpenSearch {number}. At least {_spoken(OLDEST)} is needed, and less than"
            f" {_spoken(BEFORE)}, whose BM25 gives other scores."
        )
    return number


def _spoken(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _no_plugin(address: ClusterAddress) -> NotReady:
    return NotReady(
        f"{address} has no k-NN plugin, which vectors need. Install it on every node"
        " (opensearch-plugin install opensearch-knn), or use the full distribution of OpenSearch."
    )
