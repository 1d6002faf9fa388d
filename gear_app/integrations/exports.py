"""A collection in the formats of other tools: as a BEIR data set (corpus.jsonl, queries.jsonl and
qrels/test.tsv) or as the Parquet files of MTEB; its triples as an OpenIE file of HippoRAG 2, which
names a passage by the MD5 of its words, or as a graph in GraphML.

In the graph a node is an entity by its normalised name, an edge one triple, with the passage that
states it; two entities may have several. Characters that XML cannot hold are left out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Question, Triple
from gear_app.trace.metrics import document_key

HEAD = ("query-id", "corpus-id", "score")  # of a BEIR table
CARD = """---
configs:
- config_name: corpus
  data_files:
  - split: corpus
    path: corpus/*.parquet
- config_name: queries
  data_files:
  - split: queries
    path: queries/*.parquet
- config_name: default
  data_files:
  - split: test
    path: qrels/*.parquet
---
"""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def corpus_line(passage: Passage) -> str:
    """A passage as a line of corpus.jsonl; its id is its key."""
    return _json({"_id": passage.key, "title": passage.title, "text": passage.text})


def query_lines(questions: Iterable[Question]) -> Iterator[str]:
    """Questions as lines of queries.jsonl; `metadata` has the answers, type and hops known."""
    for question in questions:
        fields = (("answers", question.answers), ("type", question.type), ("hops", question.hops))
        metadata = dict(field for field in fields if field[1])
        yield _json({"_id": question.id, "text": question.question, "metadata": metadata})


def qrels_lines(questions: Iterable[Question], parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The judgments as a BEIR table, its heading first; an id with a tab is in quotes."""
    table = io.StringIO()
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows(
        [HEAD, *judgments(questions, parts)]
    )
    yield table.getvalue()


def judgments(
    questions: Iterable[Question], parts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, int]]:
    """The gold passages with their grades: question, passage, grade. Gold that is missing from the
    collection is kept, so that a copy is no easier than the collection.

    `parts` are the keys in the collection by document key (`parts_of`): where gold names a document
    that was cut, each of its parts is gold.
    """
    for question in questions:
        for key, grade in question.grades.items():
            yield from ((question.id, part, grade) for part in parts.get(key, (key,)))


def parts_of(keys: Iterable[str]) -> dict[str, list[str]]:
    """Which passages a gold key stands for: itself, or the parts of the document that it names."""
    parts: dict[str, list[str]] = {}
    for key in keys:
        for name in {key, document_key(key)}:
            parts.setdefault(name, []).append(key)
    return parts


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def openie_pieces(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> Iterator[str]:
    """The pieces of the JSON file, one a passage: its text, its triples, and their subjects and
    objects as its entities, in alphabetical order. A collection of any size takes the memory of
    one passage.
    """
    separator = ""
    yield '{"docs": [\n'
    for passage, triples in passages:
        text = f"{passage.title}\n{passage.text}"
        digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
        document = {
            "idx": f"chunk-{digest}",
            "passage": text,
            "extracted_entities": sorted(
                {name for triple in triples for name in (triple.subject, triple.object)}
            ),
            "extracted_triples": [list(triple.words) for triple in triples],
        }
        yield separator + json.dumps(document, ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def graphml(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> str:
    """The triples as a directed GraphML graph, with an edge for each triple.

    A node is labelled by the first spelling of its entity. A triple whose subject or object has no
    letter is left out.
    """
    import networkx  # slow to import, and this alone needs it

    graph = networkx.MultiDiGraph()
    for passage, triples in passages:
        for triple in triples:
            names = triple.subject, triple.object
            ends = [_xml(normalise_entity(name)) for name in names]
            if not all(ends):
                continue
            for node, name in zip(ends, names, strict=True):
                if node not in graph:
                    graph.add_node(node, label=_xml(name))
            graph.add_edge(
                *ends,
                label=_xml(triple.predicate),
                passage=_xml(passage.key),
                title=_xml(passage.title),
                sentence=_xml(passage.text[slice(*triple.span)] if triple.span else ""),
            )
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)


def mteb_files(
    passages: Iterable[Passage],
    questions: Sequence[Question],
    parts: Mapping[str, Sequence[str]],
) -> dict[str, str | bytes]:
    """A BEIR data set as Parquet, in the folders of MTEB's data sets, with the card that loads it.
    The contents of each file by its path.
    """
    import pandas as pd  # slow to import, and this alone needs it

    corpus = [(passage.key, passage.title, passage.text) for passage in passages]
    queries = [
        (
            question.id,
            question.question,
            {"answers": question.answers, "type": question.type, "hops": question.hops},
        )
        for question in questions
    ]
    tables = {
        "corpus/corpus": pd.DataFrame(corpus, columns=["_id", "title", "text"], dtype="str"),
        "queries/queries": pd.DataFrame(queries, columns=["_id", "text", "metadata"]),
        "qrels/test": pd.DataFrame(judgments(questions, parts), columns=HEAD),
    }
    files = {
        f"{name}-00000-of-00001.parquet": table.to_parquet(index=False)
        for name, table in tables.items()
    }
    return {**files, "README.md": CARD}
