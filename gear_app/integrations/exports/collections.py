"""A collection as a BEIR data set (corpus.jsonl, queries.jsonl and
qrels/test.tsv) or as the Parquet files of MTEB; its triples as an OpenIE file of HippoRAG 2, which
names a passage by the MD5 of its words, or as a graph in GraphML.

In the graph a node is an entity by its normalised name, an edge one triple, with the passage that
states it; two entities may have several. Characters that XML cannot hold are left out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence

from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Question, Triple
from gear_app.integrations.exports.form import COLLECTION, Files, Options, export_form
from gear_app.trace.metrics import document_key
from gear_app.workspace.workspace import Workspace

AT_ONCE = 500  # passages
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


@export_form(COLLECTION, "FOLDER")
def beir(workspace: Workspace, name: str, _: Options) -> Files:
    """A BEIR data set to make: corpus.jsonl, queries.jsonl, qrels/test.tsv."""
    questions = workspace.collections[name].questions()
    table = io.StringIO()
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows(
        [HEAD, *judgments(workspace, name)]
    )
    return {
        "corpus.jsonl": (
            _json({"_id": passage.key, "title": passage.title, "text": passage.text})
            for passage in workspace.collections[name].every_passage()
        ),
        "queries.jsonl": (
            _json(
                {
                    "_id": question.id,
                    "text": question.question,
                    "metadata": {field: value for field, value in _gold(question) if value},
                }
            )
            for question in questions
        ),
        "qrels/test.tsv": [table.getvalue()],
    }


@export_form(COLLECTION, "FOLDER")
def mteb(workspace: Workspace, name: str, _: Options) -> Files:
    """The same as Parquet, in the folders that MTEB's data sets have."""
    import pandas as pd  # slow to import, and this alone needs it

    passages = workspace.collections[name].every_passage()
    corpus = [(passage.key, passage.title, passage.text) for passage in passages]
    queries = [
        (question.id, question.question, dict(_gold(question)))
        for question in workspace.collections[name].questions()
    ]
    tables = {
        "corpus/corpus": pd.DataFrame(corpus, columns=["_id", "title", "text"], dtype="str"),
        "queries/queries": pd.DataFrame(queries, columns=["_id", "text", "metadata"]),
        "qrels/test": pd.DataFrame(judgments(workspace, name), columns=HEAD),
    }
    files = {
        f"{path}-00000-of-00001.parquet": [table.to_parquet(index=False)]
        for path, table in tables.items()
    }
    return {**files, "README.md": [CARD]}


@export_form(COLLECTION, "FILE")
def openie(workspace: Workspace, name: str, options: Options) -> Files:
    """An OpenIE file of HippoRAG 2 to make, with the triples."""
    return {"": _openie_pieces(_with_triples(workspace, name, options.triples))}


@export_form(COLLECTION, "FILE")
def graphml(workspace: Workspace, name: str, options: Options) -> Files:
    """The graph of entities to make, for Gephi or networkx."""
    return {"": [entity_graph(_with_triples(workspace, name, options.triples))]}


def judgments(workspace: Workspace, name: str) -> Iterator[tuple[str, str, int]]:
    """The gold passages with their grades: question, passage, grade. Where gold names a document
    that was cut, each of its parts is gold. Gold that is missing from the collection is kept, so
    that a copy is no easier than the collection.
    """
    parts: dict[str, list[str]] = {}
    for passage in workspace.collections[name].every_passage():
        for key in {passage.key, document_key(passage.key)}:
            parts.setdefault(key, []).append(passage.key)
    for question in workspace.collections[name].questions():
        for key, grade in question.grades.items():
            yield from ((question.id, part, grade) for part in parts.get(key, (key,)))


def _gold(question: Question) -> tuple[tuple[str, object], ...]:
    return ("answers", question.answers), ("type", question.type), ("hops", question.hops)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _with_triples(
    workspace: Workspace, name: str, triples: str | None
) -> Iterator[tuple[Passage, Sequence[Triple]]]:
    """Every passage with its triples of the set that is named, else of the active one. Raises
    BadInput without any.
    """
    set_ = workspace.collections[name].curation(triples).triple_set
    passages = workspace.collections[name].every_passage()
    while chunk := list(itertools.islice(passages, AT_ONCE)):
        triples_of: dict[int, list[Triple]] = {passage.id: [] for passage in chunk}
        for triple in workspace.store.triples.of_passages(set_.id, list(triples_of)):
            triples_of[triple.passage_id].append(triple)
        yield from ((passage, triples_of[passage.id]) for passage in chunk)


def _openie_pieces(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> Iterator[str]:
    """The JSON file in pieces, one a passage: its text, its triples, and their subjects and
    objects as its entities, in alphabetical order.
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


def entity_graph(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> str:
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
