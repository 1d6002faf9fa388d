"""What was found in passages while an index is built, kept in the cluster by the passages' words:
what was found once is not looked for again, whoever goes on and whatever other files there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from gear_app.errors import ClusterFailed
from gear_app.opensearch.cluster import Cluster, Json
from gear_app.opensearch.schema import alias_of
from gear_app.store.rows import text_hash
from gear_app.types import ExtractedTriple, Extraction, Passage, Span

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

AT_ONCE = 500
_FOUND = "found"
_PREFIX = "gear-building."


@dataclass(frozen=True, slots=True)
class KeptExtraction:
    """What came of a passage: an extraction, whose sentences may only be the `closest`, or the
    error for which there is none.
    """

    extraction: Extraction
    closest: bool = False
    error: str = ""


class KeptExtractions:
    """The extractions of a collection that is being built, by one extractor."""

    def __init__(self, cluster: Cluster, index: str) -> None:
        """`index` is `kept_index`."""
        self._cluster, self.index = cluster, index

    def make(self) -> None:
        """Make the index where it is not there. Nothing in it is searched."""
        body = {
            "settings": {"index": {"number_of_replicas": 0, "auto_expand_replicas": "0-1"}},
            "mappings": {"properties": {_FOUND: {"type": "object", "enabled": False}}},
        }

        def make(client: OpenSearch) -> None:
            if not client.indices.exists(index=self.index):
                client.indices.create(index=self.index, body=body)

        self._cluster.call(make)

    def drop(self) -> None:
        """Delete it."""
        self._cluster.call(
            lambda client: client.indices.delete(
                index=self.index, params={"ignore_unavailable": "true"}
            )
        )

    def get(self, passages: Sequence[Passage]) -> list[KeptExtraction | None]:
        """What came of each passage; None where nothing is kept."""
        found: list[KeptExtraction | None] = []
        for start in range(0, len(passages), AT_ONCE):
            docs = [{"_id": _id(one)} for one in passages[start : start + AT_ONCE]]
            answer = self._cluster.call(partial(_mget, body={"docs": docs}, index=self.index))
            for one in answer["docs"]:
                if "error" in one:
                    raise ClusterFailed(
                        f"The cluster {self._cluster.address} could not answer in full from"
                        f" {self.index}. When it is whole again, run this again."
                    )
                found.append(_kept(one["_source"][_FOUND]) if one.get("found") else None)
        return found

    def put(self, kept: Iterable[tuple[Passage, KeptExtraction]]) -> None:
        """Keep what came of passages, in the place of what was kept before."""
        lines: list[Json] = []
        for passage, one in kept:
            lines += [{"index": {"_id": _id(passage)}}, {_FOUND: _row(one)}]
        if lines:
            answer = self._cluster.call(lambda client: client.bulk(body=lines, index=self.index))
            refused = [one["index"] for one in answer["items"] if "error" in one["index"]]
            if refused:
                raise ClusterFailed(
                    f"{len(refused)} extractions were refused by {self._cluster.address}:"
                    f" {str(refused[0]['error'].get('reason'))[:200]}. Run it again to go on."
                )


def kept_index(collection: str, extractor: str) -> str:
    """The name of the index for the extractions of a collection by an extractor (fingerprint)."""
    digest = hashlib.blake2b(extractor.encode(), digest_size=4).hexdigest()
    return f"{_prefix(collection)}{digest}"


def drop_kept(cluster: Cluster, collection: str) -> list[str]:
    """Delete the extractions of a collection by all extractors; the names of their indices."""
    there = cluster.call(lambda client: client.indices.get(index=f"{_prefix(collection)}*"))
    names = sorted(there)
    for name in names:
        KeptExtractions(cluster, name).drop()
    return names


def _prefix(collection: str) -> str:
    return f"{_PREFIX}{alias_of(collection, '').removeprefix('gear-')}."


def _mget(client: OpenSearch, body: Json, index: str) -> Json:
    found: Json = client.mget(body=body, index=index)
    return found


def _id(passage: Passage) -> str:
    """Of the words that an extractor reads."""
    return text_hash(f"{passage.title}\n{passage.text}").hex()


def _row(kept: KeptExtraction) -> Json:
    triples = [
        [t.subject, t.predicate, t.object, list(t.span) if t.span else None]
        for t in kept.extraction.triples
    ]
    row: Json = {"entities": list(kept.extraction.entities), "triples": triples}
    if kept.closest:
        row["closest"] = True
    if kept.error:
        row["error"] = kept.error
    return row


def _kept(row: dict[str, Any]) -> KeptExtraction:
    triples = tuple(
        ExtractedTriple(subject, predicate, object_, Span(*span) if span else None)
        for subject, predicate, object_, span in row["triples"]
    )
    extraction = Extraction(tuple(row["entities"]), triples)
    return KeptExtraction(extraction, bool(row.get("closest")), row.get("error", ""))
