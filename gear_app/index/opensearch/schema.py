"""What an index in a cluster is: its name, fields, settings, and the facts about it in `_meta`.

One index holds everything of a collection with one triple set at one revision, so that it is
loaded, put in place and dropped as one. Passages and triples have fields of their own for their
words, whose statistics are therefore their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from gear_app.core.rows import Over
from gear_app.core.text import normalise_entity
from gear_app.index.bm25 import K1, B
from gear_app.language.mentions import VERSION

Json = dict[str, Any]
TOKENS = 3  # version of text.terms
FORMAT = f"3.{TOKENS}.{VERSION}"  # of documents, words and mentions; others are not searched
PREFIX = "gear-"
WINDOW = 10_000  # hits of one search that a server gives
_NO_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST = 40

KIND, ID, BYTES, ROW = "kind", "id", "bytes", "row"
KEY, MENTIONS, SENTENCES = "key", "mentions", "sentence_bytes"  # of passages
PASSAGE, ENDS = "passage", "ends"  # of triples
KIND_OF: dict[Over, str] = {"passages": "passage", "triples": "triple"}
TOKENS_OF: dict[Over, str] = {"passages": "passage_tokens", "triples": "triple_tokens"}
VECTOR_OF: dict[Over, str] = {"passages": "passage_vector", "triples": "triple_vector"}


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """Facts about an index in its `_meta`, which never change: the k-NN plugin of 2.19.1 loses a
    shard when the mapping of an index with vectors is changed.
    """

    collection: str
    revision: int
    triple_set: str  # its name; "": none
    content: str  # hash of all texts
    questions: str  # hash of the questions with their gold
    model: str  # fingerprint of the model of the vectors
    dimension: int
    passages: int  # how many
    triples: int
    holders: int  # the most passages that a mention links
    maker: str = ""  # of the triple set
    max_iterations: int | None = None
    shards: int = 1
    hnsw: bool = False
    format: str = FORMAT

    @property
    def alias(self) -> str:
        """The name under which this collection with this triple set is opened."""
        return alias_of(self.collection, self.triple_set)

    @property
    def index(self) -> str:
        """The index's own name. It is the same when the same revision is pushed again, so that a
        load that was interrupted goes on.
        """
        digest = hashlib.blake2b(json.dumps(asdict(self)).encode(), digest_size=4).hexdigest()
        return f"{self.alias}.{self.revision}-{digest}"


def facts_of(meta: Json | None) -> IndexFacts | None:
    """The facts in an index's `_meta`; None where it is of another program or format."""
    fields = (meta or {}).get("gear", {})
    return IndexFacts(**fields) if fields.get("format") == FORMAT else None


def alias_of(collection: str, triple_set: str) -> str:
    """`gear-demo.curated-1b2c3d4e`: words to be recognised by, and the identity of both names."""
    digest = hashlib.blake2b(f"{collection}\n{triple_set}".encode(), digest_size=4).hexdigest()
    return f"{PREFIX}{_slug(collection) or 'collection'}.{_slug(triple_set) or 'none'}-{digest}"


def _slug(name: str) -> str:
    return _NO_NAME.sub("-", name.lower()).strip("-")[:_LONGEST].strip("-")


def document_id(over: Over, number: int) -> str:
    """The id of the document of a passage or of a triple."""
    return f"{over[0]}{number}"


def entity_id(name: str) -> str:
    """The id of an entity's document, however the name is written. "" for a name that is none."""
    normal = normalise_entity(name)
    return f"e{hashlib.blake2b(normal.encode(), digest_size=16).hexdigest()}" if normal else ""


def settings(shards: int, *, hnsw: bool) -> Json:
    """An index's settings while it is loaded: no second copy, nothing visible by itself.

    A word is what stands between two blanks: texts are cut into words before they come here. At
    most 8,000 letters, which in UTF-8 is less than Lucene's longest term; 255, the default, would
    cut words.
    """
    tokenizer = {"type": "whitespace", "max_token_length": 8000}
    index: Json = {
        "number_of_shards": shards,
        "number_of_replicas": 0,
        "refresh_interval": "-1",
        "similarity": {"gear": {"type": "BM25", "k1": K1, "b": B}},
        "analysis": {
            "analyzer": {"gear": {"type": "custom", "tokenizer": "gear"}},
            "tokenizer": {"gear": tokenizer},
        },
    }
    return {"index": index | ({"knn": True} if hnsw else {})}


def mappings(facts: IndexFacts) -> Json:
    """An index's fields. Vectors and words are searched and not given back: `bytes` is, as
    float32.

    Never "recovery_source_enabled": false: copies that are made while documents come in then lack
    what is excluded, silently.
    """
    hidden = [*TOKENS_OF.values(), *VECTOR_OF.values(), BYTES, SENTENCES]
    words = {"type": "text", "analyzer": "gear", "index_options": "freqs", "similarity": "gear"}
    binary = {"type": "binary", "doc_values": True}
    vector: Json = {"type": "knn_vector", "dimension": facts.dimension}
    if facts.hnsw:
        # "engine" always: the default wants native libraries. Exact comparison reads the graph's
        # own vectors, so no second copy of them is kept.
        parameters = {"m": 16, "ef_construction": 128}
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        vector |= {"doc_values": False, "method": {**method, "parameters": parameters}}
    return {
        "dynamic": "strict",
        "_meta": {"gear": asdict(facts)},
        "_source": {"excludes": [*hidden, MENTIONS]},
        "properties": {
            KIND: {"type": "keyword"},
            ID: {"type": "long"},
            KEY: {"type": "keyword"},
            PASSAGE: {"type": "long"},
            ENDS: {"type": "keyword"},
            MENTIONS: {"type": "keyword"},
            BYTES: binary,
            SENTENCES: binary,
            ROW: {"type": "object", "enabled": False},
            **dict.fromkeys(TOKENS_OF.values(), words),
            **dict.fromkeys(VECTOR_OF.values(), vector),
        },
    }
