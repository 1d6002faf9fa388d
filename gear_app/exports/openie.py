"""A triple set as an OpenIE file of HippoRAG 2, which names a passage by the MD5 of its words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence

from gear_app.types import Passage, Triple


def openie_pieces(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> Iterator[str]:
    """The pieces of the JSON file, one a passage: its words, its triples, and the subjects and
    objects of these as its entities, in alphabetical order.

    At the end stand the mean length of the entities, in characters and in words, as HippoRAG keeps
    them; both are 0 where there is no entity. A set of any size is written in the memory of one
    passage.
    """
    characters = words = number = 0
    yield '{"docs": ['
    between = "\n"
    for passage, triples in passages:
        entities = sorted({name for one in triples for name in (one.subject, one.object)})
        number += len(entities)
        characters += sum(map(len, entities))
        words += sum(len(name.split()) for name in entities)
        yield between + json.dumps(_doc(passage, triples, entities), ensure_ascii=False)
        between = ",\n"
    means = {
        "avg_ent_chars": round(characters / max(number, 1), 4),
        "avg_ent_words": round(words / max(number, 1), 4),
    }
    yield f"\n], {json.dumps(means)[1:]}\n"


def _doc(passage: Passage, triples: Sequence[Triple], entities: Sequence[str]) -> dict[str, object]:
    text = f"{passage.title}\n{passage.text}"
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return {
        "idx": f"chunk-{digest}",
        "passage": text,
        "extracted_entities": entities,
        "extracted_triples": [[one.subject, one.predicate, one.object] for one in triples],
    }
