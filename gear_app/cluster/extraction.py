"""What was found in passages while an index is built, kept in the cluster by the passages' words:
what was found once is not looked for again, whoever goes on and whatever other files there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.errors import ClusterFailed, NotReady
from gear_app.opensearch import faults
from gear_app.opensearch.cluster import EARLIER, Cluster, unread
from gear_app.opensearch.load import let_in
from gear_app.opensearch.schema import Json, alias_of
from gear_app.store.rows import text_hash
from gear_app.store.triples import without_repeats
from gear_app.types import ExtractedTriple, Extraction, Passage, Span, Triple

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

    def triples(self, passage: Passage, first: int = 1) -> list[Triple]:
        """The triples of the passage, each once, numbered from `first`."""
        return [
            Triple(
                number,
                passage.id,
                one.subject,
                one.predicate,
                one.object,
                one.span,
                self.closest and one.span is not None,
            )
            for number, one in enumerate(without_repeats(self.extraction.triples), start=first)
        ]


class KeptExtractions:
    """The extractions of a collection that is being built, by one extractor."""

    def __init__(self, cluster: Cluster, index: str) -> None:
        """`index` is `kept_index`."""
        self._cluster, self.index = cluster, index

    def make(self) -> None:
        """Make the index where it is not there. Nothing in it is searched."""
        settings = {"number_of_replicas": 0, "auto_expand_replicas": "0-1"}
        found = {"type": "object", "enabled": False}
        body = {"settings": {"index": settings}, "mappings": {"properties": {_FOUND: found}}}
        there = self._cluster.call(
            lambda client: client.indices.exists(index=self.index), lambda answer: bool(answer)
        )
        if not there:
            at_once = {"ignore": 400}  # another build may make it now
            self._cluster.call(
                lambda client: client.indices.create(index=self.index, body=body, params=at_once),
                unread,
            )
        let_in(self._cluster, self.index)

    def drop(self) -> None:
        """Delete it."""
        missing = {"ignore_unavailable": "true"}
        self._cluster.call(
            lambda client: client.indices.delete(index=self.index, params=missing), unread
        )

    def get(self, passages: Sequence[Passage]) -> list[KeptExtraction | None]:
        """What came of each passage; None where nothing is kept."""
        ids = list(map(_id, passages))
        found = self._cluster.documents(self.index, ids)
        return [_kept(found[id_][_FOUND]) if id_ in found else None for id_ in ids]

    def of(self, passages: Sequence[Passage]) -> list[KeptExtraction]:
        """What came of each passage. Raises NotReady where one was not extracted."""
        found = [one for one in self.get(passages) if one is not None]
        if len(found) < len(passages):
            raise NotReady(
                f"{len(passages) - len(found)} extractions are no longer in {self.index}. Run the"
                " same command again."
            )
        return found

    def put(self, kept: Iterable[tuple[Passage, KeptExtraction]]) -> list[KeptExtraction]:
        """Keep what came of passages; what is kept of each from now on.

        What is there stays, but for an error, which an extraction takes the place of: two builds at
        once may extract a passage otherwise, as with a language model, and both count on what the
        first of them kept.
        """
        rows = [(_id(passage), one) for passage, one in kept]
        came = dict(rows)
        before = self._sent({id_: {"create": {}} for id_ in came}, came)
        there = self._cluster.versions(self.index, before)
        better = {
            id_: {"index": {"if_seq_no": one["_seq_no"], "if_primary_term": one["_primary_term"]}}
            for id_, one in there.items()
            if one["_source"][_FOUND].get("error") and not came[id_].error
        }
        late = self._sent(better, came)
        found = self._cluster.documents(self.index, late)
        for id_ in before:
            if id_ in late:
                came[id_] = _kept(found[id_][_FOUND])
            elif id_ not in better:
                came[id_] = _kept(there[id_]["_source"][_FOUND])
        return [came[id_] for id_, _ in rows]

    def _sent(self, actions: Mapping[str, Json], rows: Mapping[str, KeptExtraction]) -> list[str]:
        """Send rows, each with the action for its id; the ids of those where another was
        earlier.
        """
        if not actions:
            return []
        answers = self._cluster.bulk(
            self.index,
            [
                ({name: {"_id": id_, **how}}, {_FOUND: _row(rows[id_])})
                for id_, action in actions.items()
                for name, how in action.items()
            ],
        )
        earlier = [one["_id"] for one in answers if one["status"] == EARLIER]
        refused = [one for one in answers if "error" in one]
        if refused:
            raise ClusterFailed(
                f"{len(refused)} extractions were refused by {self._cluster.address}:"
                f" {faults.reason(refused[0]['error'])[:200]}. Run it again to go on."
            )
        return earlier


def kept_index(collection: str, extractor: str) -> str:
    """The name of the index for the extractions of a collection by an extractor (fingerprint)."""
    digest = hashlib.blake2b(extractor.encode(), digest_size=4).hexdigest()
    return f"{_prefix(collection)}{digest}"


def drop_kept(cluster: Cluster, collection: str) -> list[str]:
    """Delete the extractions of a collection by all extractors; the names of their indices."""
    names = cluster.call(lambda client: client.indices.get(index=f"{_prefix(collection)}*"), sorted)
    for name in names:
        KeptExtractions(cluster, name).drop()
    return names


def _prefix(collection: str) -> str:
    return f"{_PREFIX}{alias_of(collection, '').removeprefix('gear-')}."


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
