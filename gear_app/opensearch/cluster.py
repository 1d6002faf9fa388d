"""What is asked of a cluster: whole answers or one clear error, and how often it was asked.

opensearch-py takes up connections that fail on other nodes. What it does not is a search that was
under way on a node that died, or that a node had no room for: it is asked again here (faults).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from gear_app.errors import ClusterFailed
from gear_app.opensearch import faults
from gear_app.opensearch.address import ClusterAddress
from gear_app.opensearch.error_messages import explained, not_opensearch
from gear_app.turns import away

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

Json = dict[str, Any]
ROWS_AT_ONCE = 1_000  # of an mget
LOADING = ".loading"  # behind an index's name: the alias through which documents come in
Value = TypeVar("Value")


@dataclass(slots=True)
class TripTally:
    """What was asked of a cluster so far; `calls` are the milliseconds that each round trip was
    waited for.
    """

    calls: list[float] = field(default_factory=list)
    rankings: int = 0
    proved: int = 0
    approximate: int = 0

    @property
    def trips(self) -> int:
        """Round trips."""
        return len(self.calls)

    @property
    def waited_ms(self) -> float:
        """Milliseconds of all of them."""
        return sum(self.calls)


class Cluster:
    """A cluster that answers, and was found to be one that can be used."""

    def __init__(self, client: OpenSearch, address: ClusterAddress, version: str) -> None:
        """Use `connection.connect`."""
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

    def searches(self, index: str, bodies: Sequence[Json], *, dfs: bool = False) -> list[Json]:
        """The whole answers to searches of one index, in order, in one round trip. Raises
        ClusterFailed where any is not whole.

        `dfs`: BM25's statistics are those of all shards together.
        """
        return self.mixed_searches(index, [(body, dfs) for body in bodies])

    def mixed_searches(self, index: str, searches: Sequence[tuple[Json, bool]]) -> list[Json]:
        """As `searches`; each body with its own `dfs`."""
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
            self.tally.calls.append(1000 * (time.perf_counter() - began))

    def _incomplete(self, error: Any, index: str) -> ClusterFailed:  # noqa: ANN401
        """What is said of an answer that failed for good."""
        if faults.no_room(error):
            return _Passing(self.address, error)
        return self.gone(index) if faults.gone(error) else self._failed(faults.reason(error), index)

    def gone(self, index: str) -> ClusterFailed:
        """What is said of an index, or of its alias, that was deleted while it was used."""
        return ClusterFailed(
            f"{index.removesuffix(LOADING)} is no longer in the cluster {self.address}: it was"
            " dropped meanwhile. Load it anew by the same command (index push, build); what is"
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


def _check_document(answer: Json) -> object:
    return answer["found"], answer["_id"]


def _check_hits(answer: Json) -> object:
    shards = answer["_shards"]["failed"], answer["_shards"]["total"], answer["timed_out"]
    return shards, [hit["_id"] for hit in answer["hits"]["hits"]]
