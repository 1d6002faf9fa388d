"""What an index in a cluster is: its name, fields, settings, and the facts about it in `_meta`.

One index holds everything of a collection with one triple set at one revision, so that it is
loaded, put in place and dropped as one. Passages and triples have fields of their own for their
words, whose statistics are therefore their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields
from typing import Any

from gear_app.index.bm25 import K1, B
from gear_app.rows import Over
from gear_app.text import normalise_entity

Json = dict[str, Any]
FORMAT = 1  # of documents and fields; another one is another index
TOKENS = 3  # of text.terms: words that are cut otherwise are not found
PREFIX = "gear-"
WINDOW = 10_000  # hits of one search that a server gives
KINDS = ("passage", "triple", "entity", "words", "question")
_NO_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST = 40
_INDEX_NAME = re.compile(rf"{PREFIX}[a-z0-9-]+\.[a-z0-9-]+-[0-9a-f]{{8}}\.[0-9a-f]{{12}}")


KIND, ID, BYTES, ROW = "kind", "id", "bytes", "row"
KEY, MENTIONS, SENTENCES = "key", "mentions", "sentence_bytes"  # of passages
PASSAGE, ENDS = "passage", "ends"  # of triples
KIND_OF: dict[Over, str] = {"passages": "passage", "triples": "triple"}
TOKENS_OF: dict[Over, str] = {"passages": "passage_tokens", "triples": "triple_tokens"}
VECTOR_OF: dict[Over, str] = {"passages": "passage_vector", "triples": "triple_vector"}


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """BM25's statistics of passages or of triples, without those of single words
    (index.bm25.Bm25Statistics).
    """

    size: int
    worded: int
    words: int
    floor: float


# Facts that are not in an index's name: statistics follow from the texts, and what was changed and
# changed back is the same at another revision.
_FOLLOWING = {"revision", "passages", "facts"}


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What `_meta` says of an index, from the moment it is made: it is never changed, because the
    k-NN plugin of 2.19.1 loses a shard when the mapping of an index with vectors is.

    `content` is the hash of all texts, `stored` that of everything else, `questions` that of the
    questions alone (fingerprint). `counts` are documents by kind; `holders` is the most passages
    that a mention may be held by and still link them.
    """

    collection: str
    revision: int
    triples: str
    content: str
    model: str
    dimension: int
    mentions: int
    holders: int
    hnsw: bool
    counts: dict[str, int]
    passages: TextStatistics
    facts: TextStatistics
    maker: str = ""
    max_iterations: int | None = None
    format: int = FORMAT
    tokens: int = TOKENS
    stored: str = ""
    questions: str = ""
    shards: int = 1

    def to_json(self) -> Json:
        """As `_meta` holds it."""
        return {"gear": asdict(self)}

    @property
    def alias(self) -> str:
        """The name under which this collection with this triple set is opened."""
        return alias_of(self.collection, self.triples)

    @property
    def index(self) -> str:
        """The index's own name: of everything that is in it and of how it is stored."""
        told = {name: value for name, value in asdict(self).items() if name not in _FOLLOWING}
        text = json.dumps(told, sort_keys=True)
        digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        return f"{self.alias}.{digest}"

    def statistics(self, over: Over) -> TextStatistics:
        """Of passages, or of triples."""
        return self.passages if over == "passages" else self.facts


def facts_of(meta: Any) -> IndexFacts | None:  # noqa: ANN401
    """The facts in an index's `_meta`; None where it is no index of ours, or of another format."""
    told = meta.get("gear") if isinstance(meta, dict) else None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return None
    if told.keys() != {field.name for field in fields(IndexFacts)}:
        return None
    statistics = {name: TextStatistics(**told[name]) for name in ("passages", "facts")}
    return IndexFacts(**{**told, **statistics})


def claims_of(meta: Any) -> tuple[str, str]:  # noqa: ANN401
    """The collection that an index says it is of and its format, also where the rest of `_meta`
    cannot be read; "" for what is not there.
    """
    told = meta.get("gear") if isinstance(meta, dict) else None
    if not isinstance(told, dict):
        return "", ""
    return str(told.get("collection", "")), str(told.get("format", "unknown"))


def is_index_name(name: str) -> bool:
    """Whether an index of a collection is named so."""
    return bool(_INDEX_NAME.fullmatch(name))


def alias_of(collection: str, triples: str) -> str:
    """`gear-demo.curated-1b2c3d4e`: words to be recognised by, and the identity of both names."""
    digest = hashlib.blake2b(f"{collection}\n{triples}".encode(), digest_size=4).hexdigest()
    return f"{PREFIX}{_slug(collection) or 'collection'}.{_slug(triples) or 'none'}-{digest}"


def _slug(name: str) -> str:
    return _NO_NAME.sub("-", name.lower()).strip("-")[:_LONGEST].strip("-")


def passage_id(number: int) -> str:
    """The id of a passage's document."""
    return f"p{number}"


def triple_id(number: int) -> str:
    """The id of a triple's document."""
    return f"t{number}"


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
        "_meta": facts.to_json(),
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
