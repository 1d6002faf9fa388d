"""A connection to an OpenSearch cluster: where it is, how to log in, its requests, and their errors
as ClusterFailed. Addresses are as a person gives them, secrets come from the environment alone.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from gear_app.core.errors import BadInput, ClusterFailed, NotReady
from gear_app.core.threads import away
from gear_app.index.opensearch.schema import Json

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

URL = "GEAR_OPENSEARCH_URL"
USER, PASSWORD = "GEAR_OPENSEARCH_USER", "GEAR_OPENSEARCH_PASSWORD"
API_KEY, CA = "GEAR_OPENSEARCH_API_KEY", "GEAR_OPENSEARCH_CA"
OLDEST, BEFORE = (2, 19), (4,)  # versions of OpenSearch; later ones are untested
CONNECT_S, ANSWER_S = 5, 60  # time-outs of a request
RETRIES = 3
RETRIED = (429, 502, 503, 504)  # HTTP statuses
REASONS = {  # by the client library's class of error
    "AuthenticationException": f"does not accept the login. Check {USER} and {PASSWORD}, or"
    f" {API_KEY}; they are sent only to the cluster that {URL} or --index names.",
    "ConnectionTimeout": "did not answer in time. Its nodes may be busy or stopped.",
}
LONGEST = 300  # characters of an error's reason
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster's nodes and what is shown to them. Its text never holds a secret."""

    nodes: tuple[str, ...]
    login: tuple[str, str] | None = field(default=None, repr=False)
    api_key: str = field(default="", repr=False)
    ca: str = ""

    def __str__(self) -> str:
        return ",".join(self.nodes)


def address_of(text: str, environment: Mapping[str, str] | None = None) -> ClusterAddress:
    """The cluster at these addresses, with commas between, as the environment logs in to it.

    Only the cluster that the environment names is shown the login: the address of another may come
    out of a workspace file that somebody sent. Raises BadInput for what is no address, and where a
    secret would travel or be kept in the open.
    """
    values = os.environ if environment is None else environment
    nodes = _nodes(text)
    if not nodes:
        raise BadInput(
            f"No cluster is named. Give its address, as in https://search:9200, or set {URL}."
        )
    user, password, api_key, ca = (
        values.get(name, "").strip() for name in (USER, PASSWORD, API_KEY, CA)
    )
    if not set(nodes) <= set(_nodes(values.get(URL, ""))):
        user = password = api_key = ""
    for node in nodes:
        if (password or api_key) and not node.startswith("https://") and not _is_here(node):
            raise BadInput(
                f"{node} would be sent the password unencrypted. Use an https:// address."
            )
    if ca and not Path(ca).is_file():
        raise BadInput(f"{CA} names {ca}, which is no file. It must be a certificate (PEM).")
    return ClusterAddress(nodes, (user, password) if user else None, api_key, ca)


def _nodes(text: str) -> tuple[str, ...]:
    return tuple(_node(part.strip()) for part in text.split(",") if part.strip())


def _node(text: str) -> str:
    parts = port = None
    with suppress(ValueError):
        parts, port = urlsplit(text), urlsplit(text).port
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        shown = "What is given" if "@" in text else repr(text)  # it may hold a password
        raise BadInput(
            f"{shown} is no address of a cluster. It looks like https://search.example.org:9200."
        )
    if parts.username or parts.password:
        raise BadInput(
            f"The address of {parts.hostname} holds a password. Addresses are stored and shown: set"
            f" {USER} and {PASSWORD} instead."
        )
    port = port or (443 if parts.scheme == "https" else 9200)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _is_here(node: str) -> bool:
    """Whether it is this machine, by its address or as localhost: what begins like such an address
    is the name of any machine.
    """
    host = urlsplit(node).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Cluster:
    """A cluster that answers, with the number of requests so far and the time that they took."""

    def __init__(self, client: OpenSearch, address: ClusterAddress, version: str) -> None:
        """Use `connect`."""
        self.client, self.address, self.version = client, address, version
        self.trips, self.waited_ms = 0, 0.0

    def call(self, request: Callable[[OpenSearch], Value]) -> Value:
        """The answer to a request: one round trip. Raises ClusterFailed."""
        from opensearchpy.exceptions import OpenSearchException

        began = time.perf_counter()
        try:
            with away():
                return request(self.client)
        except OpenSearchException as error:
            raise explained(error, self.address) from error
        finally:
            self.trips += 1
            self.waited_ms += 1000 * (time.perf_counter() - began)

    def searches(
        self, index: str, bodies: Sequence[Json], *, dfs: bool = False
    ) -> list[list[Json]]:
        """The hits of several searches of an index (`answers`)."""
        return [answer["hits"]["hits"] for answer in self.answers(index, bodies, dfs=dfs)]

    def answers(self, index: str, bodies: Sequence[Json], *, dfs: bool = False) -> list[Json]:
        """The answers to several searches of an index, in one round trip; no searches ask nobody.
        `dfs`: BM25's statistics are those of all shards together.

        Raises ClusterFailed where any answer is not of all shards.
        """
        if not bodies:
            return []
        header: Json = {"index": index, "allow_partial_search_results": False}
        header |= {"search_type": "dfs_query_then_fetch"} if dfs else {}
        lines = [line for body in bodies for line in (header, body)]
        answers: list[Json] = self.call(lambda client: client.msearch(body=lines))["responses"]
        self._check(answers, index)
        return answers

    def documents(self, index: str, ids: Sequence[str]) -> dict[str, Json]:
        """The documents with these ids, those that exist, in one round trip; no ids ask nobody.
        Raises ClusterFailed.
        """
        if not ids:
            return {}
        body = {"ids": list(dict.fromkeys(ids))}
        answers = self.call(lambda client: client.mget(body=body, index=index))["docs"]
        self._check(answers, index)
        return {answer["_id"]: answer["_source"] for answer in answers if answer["found"]}

    def _check(self, answers: Sequence[Json], index: str) -> None:
        for answer in answers:
            if "error" in answer:
                raise ClusterFailed(
                    f"{self.address} could not answer in full from {index}:"
                    f" {_reason(answer['error'])}. Run this again when all its nodes are up."
                )


def connect(address: ClusterAddress) -> Cluster:
    """A connection to a cluster. Raises ClusterFailed where it does not answer, and NotReady where
    it cannot be used: another version, or no k-NN plugin.
    """
    try:
        from opensearchpy import OpenSearch
        from opensearchpy.exceptions import NotFoundError, OpenSearchException, RequestError
    except ImportError as error:
        raise NotReady(
            "A cluster needs the package opensearch-py. Run: pip install 'gear-app[opensearch]'"
        ) from error
    logging.getLogger("opensearch").setLevel(logging.WARNING)  # else a line a request
    client = OpenSearch(
        list(address.nodes),
        timeout=ANSWER_S,
        max_retries=RETRIES,
        retry_on_timeout=True,
        retry_on_status=RETRIED,
        verify_certs=True,
        ca_certs=address.ca or None,
        http_auth=None if address.api_key else address.login,
        headers={"Authorization": f"ApiKey {address.api_key}"} if address.api_key else None,
    )
    quick = {"request_timeout": CONNECT_S}
    try:
        version = version_of(client.info(params=dict(quick)), address)
        # Of the node that is asked: all would be waited for, and one of them may hang.
        path = "/_plugins/_knn/_local/stats"
        client.transport.perform_request("GET", path, params=quick)
    except (NotFoundError, RequestError) as error:
        raise NotReady(
            f"{address} has no k-NN plugin, which vectors need, or is not OpenSearch. The full"
            " distribution of OpenSearch has it; elsewhere: opensearch-plugin install"
            " opensearch-knn"
        ) from error
    except OpenSearchException as error:
        raise explained(error, address) from error
    return Cluster(client, address, version)


def version_of(info: Any, address: ClusterAddress) -> str:  # noqa: ANN401
    """The version of a server, from how it introduces itself. Raises NotReady for one that cannot
    be used.
    """
    version = info.get("version", {}) if isinstance(info, dict) else {}
    number, distribution = version.get("number", ""), version.get("distribution")
    parts = tuple(int(part) for part in number.split("-")[0].split(".") if part.isdecimal())
    if distribution != "opensearch" or not OLDEST <= parts < BEFORE:
        raise NotReady(
            f"{address} must be OpenSearch 2.19 or a later 2.x, or 3.x. It is"
            f" {distribution or 'another server'} {number}".rstrip()
            + "."
        )
    return str(number)


def explained(error: Exception, address: ClusterAddress) -> ClusterFailed:
    """An error of the client library, with the address and the library's own words."""
    detail = _reason(getattr(error, "info", None) or error)
    reason = REASONS.get(type(error).__name__, f"could not answer: {detail}")
    return ClusterFailed(f"{address} {reason}")


def _reason(error: Any) -> str:  # noqa: ANN401
    """The innermost reason in a server's error."""
    while isinstance(error, dict):
        inner = error.get("error") or error.get("caused_by") or (error.get("root_cause") or [""])[0]
        error = inner or error.get("reason") or error.get("type")
    return str(error)[:LONGEST]
