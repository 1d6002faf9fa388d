"""A cluster that can be used, or what is wrong with it; and what is asked of it: whole answers or
one clear error, and how often it was asked.

opensearch-py takes up connections that fail on other nodes. What it does not is a search that was
under way on a node that died, or that a node had no room for: it is asked again here (faults). And
it asks a node that hangs again in its turn; here that is left alone for a while.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from gear_app.errors import ClusterFailed, NotReady
from gear_app.opensearch import faults
from gear_app.opensearch.address import ClusterAddress
from gear_app.opensearch.faults import explained, not_opensearch
from gear_app.opensearch.schema import Json
from gear_app.turns import away

if TYPE_CHECKING:
    from opensearchpy import OpenSearch, Transport


OLDEST, BEFORE = (2, 19), (3,)  # versions of OpenSearch; from 3 on its BM25 is another
CONNECT_S, ANSWER_S = 10, 60  # request time-outs
ROWS_AT_ONCE = 1_000  # of an mget
EARLIER = 409  # the status of a document that is there, or is no longer the one that was read
LOADING = ".loading"  # behind an index's name: the alias through which documents come in
Value = TypeVar("Value")


@dataclass(slots=True)
class TripTally:
    """Round trips to a cluster so far, the milliseconds that they took together, and rankings."""

    trips: int = 0
    waited_ms: float = 0.0
    rankings: int = 0
    proved: int = 0
    approximate: int = 0


class Cluster:
    """A cluster that answers, and was found to be one that can be used."""

    def __init__(self, client: OpenSearch, address: ClusterAddress, version: str) -> None:
        """Use `connect`."""
        self.client, self.address, self.version = client, address, version
        self.tally = TripTally()

    def counted(self) -> Cluster:
        """The same connection with a tally of its own."""
        return Cluster(self.client, self.address, self.version)

    def call(self, ask: Callable[[OpenSearch], Any], read: Callable[[Any], Value]) -> Value:
        """What `read` takes from the answer. One round trip, and more where a node died meanwhile
        or had no room.

        Raises ClusterFailed, also where the answer is not of the shape that `read` expects.
        """
        with away():
            answer = self._answer(ask)
        try:
            return read(answer)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise not_opensearch(self.address) from error

    def batch(self, number: int, send: Callable[[Sequence[int]], Sequence[Json]]) -> list[Json]:
        """The answers to so many requests, of which `send` sends those at some places together.
        What a node lost or had no room for is sent again; what has "error" in it failed.
        """
        answers: list[Json] = [{}] * number
        places, retries = list(range(number)), faults.Retries()
        while True:
            for place, answer in zip(places, send(places), strict=True):
                answers[place] = answer
            places = [place for place in places if "error" in answers[place]]
            if not places:
                return answers
            pause = retries.pause([answers[place]["error"] for place in places])
            if pause is None:
                return answers
            time.sleep(pause)

    def searches(self, index: str, bodies: Sequence[Json]) -> list[Json]:
        """The whole answers to searches of one index, in order, in one round trip. Raises
        ClusterFailed where any is not whole.
        """
        return self.mixed_searches(index, [(body, False) for body in bodies])

    def mixed_searches(self, index: str, searches: Sequence[tuple[Json, bool]]) -> list[Json]:
        """As `searches`; with each body whether BM25's statistics are those of all shards together
        (dfs).
        """
        answers = self.batch(
            len(searches),
            lambda places: self._msearch(index, [searches[place] for place in places]),
        )
        for answer in answers:
            self._check(answer, index)
        return answers

    def documents(self, index: str, ids: Sequence[str], *, sources: bool = True) -> dict[str, Json]:
        """Documents by id, in one round trip (a thousand each): whole, or nothing of them. What is
        not there is left out. Raises ClusterFailed.
        """
        found = self.versions(index, ids, sources=sources)
        return {id_: one.get("_source", {}) for id_, one in found.items()}

    def versions(self, index: str, ids: Sequence[str], *, sources: bool = True) -> dict[str, Json]:
        """As `documents`; each as the server gives it, with what tells its version."""
        found: dict[str, Json] = {}
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), ROWS_AT_ONCE):
            some = [
                {"_id": id_, "_source": sources} for id_ in wanted[start : start + ROWS_AT_ONCE]
            ]
            for one in self.batch(len(some), partial(self._mget, index, some)):
                if "error" in one:
                    raise self._incomplete(one["error"], index)
                if one["found"]:
                    found[one["_id"]] = one
        return found

    def bulk(self, index: str, actions: Sequence[tuple[Json, Json]]) -> list[Json]:
        """What was said of each action, with its document, on an index that is loaded; what has
        "error" in it failed. Raises ClusterFailed where the index is gone.

        They go by the index's alias: a server makes an index that it is sent documents for and has
        not, and an alias it does not make.
        """

        def send(places: Sequence[int]) -> list[Json]:
            lines = [line for place in places for line in actions[place]]
            options = {"require_alias": "true"}
            return self.call(
                lambda client: client.bulk(body=lines, index=index + LOADING, params=options),
                lambda answer: [_stored(one) for item in answer["items"] for one in item.values()],
            )

        answers = self.batch(len(actions), send)
        if any(faults.gone(one.get("error")) for one in answers):
            raise self.gone(index)
        return answers

    def _mget(self, index: str, documents: Sequence[Json], places: Sequence[int]) -> list[Json]:
        body = {"docs": [documents[place] for place in places]}
        return self.call(
            lambda client: client.mget(body=body, index=index),
            lambda answer: _as_many(len(places), answer["docs"], _check_document),
        )

    def _msearch(self, index: str, searches: Sequence[tuple[Json, bool]]) -> list[Json]:
        lines: list[Json] = []
        for body, dfs in searches:
            header: Json = {"index": index, "allow_partial_search_results": False}
            if dfs:
                header["search_type"] = "dfs_query_then_fetch"
            lines += [header, body]
        return self.call(
            lambda client: client.msearch(body=lines),
            lambda answer: _as_many(len(searches), answer["responses"], _check_hits),
        )

    def _check(self, answer: Json, index: str) -> None:
        if "error" in answer:
            raise self._incomplete(answer["error"], index)
        shards = answer["_shards"]
        if answer["timed_out"] or shards["failed"]:
            raise self._failed(
                f"{shards['failed']} of {shards['total']} shards gave no answer", index
            )

    def _answer(self, ask: Callable[[OpenSearch], Any]) -> Any:  # noqa: ANN401
        retries = faults.Retries()
        while True:
            try:
                return self._trip(ask)
            except _Passing as passing:
                pause = retries.pause([passing.error])
                if pause is None:
                    raise
                time.sleep(pause)

    def _trip(self, ask: Callable[[OpenSearch], Any]) -> Any:  # noqa: ANN401
        from opensearchpy.exceptions import OpenSearchException, TransportError

        began = time.perf_counter()
        try:
            return ask(self.client)
        except TransportError as error:
            why = faults.of_answer(error.status_code, getattr(error, "info", None))
            if faults.died(why) or faults.no_room(why):
                raise _Passing(self.address, why) from error
            if faults.gone(why):
                raise self.gone(faults.gone(why)) from error
            raise explained(error, self.address) from error
        except OpenSearchException as error:
            raise explained(error, self.address) from error
        finally:
            self.tally.trips += 1
            self.tally.waited_ms += 1000 * (time.perf_counter() - began)

    def _incomplete(self, error: Any, index: str) -> ClusterFailed:  # noqa: ANN401
        """What is said of an answer that failed for good."""
        if faults.no_room(error):
            return _Passing(self.address, error)
        return self.gone(index) if faults.gone(error) else self._failed(faults.reason(error), index)

    def gone(self, index: str) -> ClusterFailed:
        """What is said of an index, or of its alias, that was deleted while it was used."""
        return ClusterFailed(
            f"{index.removesuffix(LOADING)} is no longer in the cluster {self.address}: it was"
            " dropped meanwhile. Load it anew by the same command (index push); what is"
            " there now: gear-app index status"
        )

    def _failed(self, why: str, index: str) -> ClusterFailed:
        return ClusterFailed(
            f"The cluster {self.address} could not answer in full from {index}: {why}. Nothing that"
            " it gave is used. When it is whole again, run this again."
        )


class _Passing(ClusterFailed):
    """A request that may succeed when it is sent again: a node was lost while it answered, or had
    no room. `error` is the server's.
    """

    def __init__(self, address: ClusterAddress, error: Any) -> None:  # noqa: ANN401
        self.error = error
        tried, why = f"also after {len(faults.PAUSES_S)} more tries", faults.reason(error)
        if faults.no_memory(error):
            said = (
                f"{address} has too little memory for this, {tried}: {why}. Give its nodes more"
                " heap: 1 GB at least, and at most half of their machine's memory."
            )
        elif faults.no_room(error):
            said = f"{address} has too much to do, {tried}: {why}. Run this again later."
        else:
            said = (
                f"{address} lost a node while it answered. Nothing that it gave is used; run this"
                " again."
            )
        super().__init__(said)


def unread(answer: Any) -> None:  # noqa: ANN401
    """For `Cluster.call`, where it matters only that there was no error."""


def _as_many(number: int, answers: Sequence[Json], check: Callable[[Json], object]) -> list[Json]:
    """So many answers, each of which failed or passes the check. Raises what a wrong shape does."""
    if len(answers) != number:
        raise ValueError(f"{len(answers)} answers to {number} requests")
    for answer in answers:
        if "error" not in answer:
            check(answer)
    return list(answers)


def _stored(answer: Json) -> Json:
    """What was said of a document: an id, a status, and an error where it is not there."""
    said = {"_id": answer["_id"], "status": int(answer["status"])}
    there = said["status"] < 300 or said["status"] == EARLIER
    return said if there else {**said, "error": answer["error"]}


def _check_document(answer: Json) -> object:
    return answer["found"], answer["_id"]


def _check_hits(answer: Json) -> object:
    shards = answer["_shards"]["failed"], answer["_shards"]["total"], answer["timed_out"]
    return shards, [hit["_id"] for hit in answer["hits"]["hits"]]


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
