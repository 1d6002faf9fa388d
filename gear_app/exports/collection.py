"""A collection in the formats of other tools: as a BEIR data set (corpus.jsonl, queries.jsonl and
qrels/test.tsv); its triples as an OpenIE file of HippoRAG 2, which names a passage by the MD5 of
its words, or as a graph, in GraphML and as two tables.

In the graph a node is an entity by its normalised name, an edge one triple, with the passage that
states it; two entities may have several. What XML cannot hold of a text is left out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_app.analysis.metrics import document_key
from gear_app.text import harmless, normalise_entity
from gear_app.types import Passage, Question, Triple

HEAD = ("query-id", "corpus-id", "score")  # of a BEIR table
NODE_HEADS = ("Id", "Label", "Triples")
EDGE_HEADS = ("Source", "Target", "Label", "Passage", "Title", "Sentence")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def corpus_line(passage: Passage) -> str:
    """A passage as a line of corpus.jsonl; its id is its key."""
    return _json({"_id": passage.key, "title": passage.title, "text": passage.text})


def query_lines(questions: Iterable[Question]) -> Iterator[str]:
    """Questions as lines of queries.jsonl; `metadata` has the answers, type and hops known."""
    for question in questions:
        known = {"answers": question.answers, "type": question.type, "hops": question.hops}
        metadata = {name: value for name, value in known.items() if value}
        yield _json({"_id": question.id, "text": question.question, "metadata": metadata})


def qrels_lines(questions: Iterable[Question], parts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The judgments as lines of a BEIR table, its heading first."""
    yield _table_row(HEAD)
    for id_, key, grade in judgments(questions, parts):
        yield _table_row((id_, key, str(grade)))


def judgments(
    questions: Iterable[Question], parts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, int]]:
    """The gold passages with their grades: question, passage, grade; gold that is not in the
    collection is left out.

    `parts` are the keys in the collection by document key (`parts_of`): where gold names a document
    that was cut, each of its parts is gold.
    """
    for question in questions:
        for key, grade in question.grades.items():
            yield from ((question.id, part, grade) for part in parts.get(key, ()))


def parts_of(keys: Iterable[str]) -> dict[str, list[str]]:
    """Which passages a gold key stands for: itself, or the parts of the document that it names."""
    parts: dict[str, list[str]] = {}
    for key in keys:
        for name in {key, document_key(key)}:
            parts.setdefault(name, []).append(key)
    return parts


def _table_row(cells: Sequence[str]) -> str:
    return "\t".join(" ".join(cell.split("\t")) for cell in cells) + "\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


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
        "extracted_triples": [list(one.words) for one in triples],
    }


@dataclass(frozen=True, slots=True)
class GraphForExport:
    """Entities by their normalised name, each with its first spelling; and the triples between
    them, each with its passage, in the order of the passages.
    """

    names: dict[str, str]
    edges: tuple[tuple[str, str, Triple, Passage], ...]


def graph_of(passages: Iterable[tuple[Passage, Sequence[Triple]]]) -> GraphForExport:
    """The graph of passages with their triples; a triple whose subject or object has no letter is
    left out.
    """
    names: dict[str, str] = {}
    edges = []
    for passage, triples in passages:
        for triple in triples:
            ends = normalise_entity(triple.subject), normalise_entity(triple.object)
            if not all(ends):
                continue
            names.setdefault(ends[0], triple.subject)
            names.setdefault(ends[1], triple.object)
            edges.append((*ends, triple, passage))
    return GraphForExport(names, tuple(edges))


def graphml(graph: GraphForExport) -> str:
    """The graph as GraphML: directed, with several edges between two nodes where there are."""
    import networkx  # slow to import, and this alone needs it

    drawn = networkx.MultiDiGraph()
    for name, label in graph.names.items():
        drawn.add_node(_xml(name), label=_xml(label))
    for subject, object_, triple, passage in graph.edges:
        drawn.add_edge(
            _xml(subject),
            _xml(object_),
            label=_xml(triple.predicate),
            passage=_xml(passage.key),
            title=_xml(passage.title),
            sentence=_xml(_sentence(triple, passage)),
        )
    return "\n".join(networkx.generate_graphml(drawn)) + "\n"


def node_lines(graph: GraphForExport) -> Iterator[str]:
    """The lines of a table of nodes, as Gephi reads them; `Triples` counts those with the node."""
    counted = Counter(name for one in graph.edges for name in one[:2])
    rows = ((name, label, counted[name]) for name, label in graph.names.items())
    return _lines([NODE_HEADS, *rows])


def edge_lines(graph: GraphForExport) -> Iterator[str]:
    """The lines of a table of edges, as Gephi reads them."""
    rows = (
        (
            subject,
            object_,
            triple.predicate,
            passage.key,
            passage.title,
            _sentence(triple, passage),
        )
        for subject, object_, triple, passage in graph.edges
    )
    return _lines([EDGE_HEADS, *rows])


def _sentence(triple: Triple, passage: Passage) -> str:
    return passage.text[triple.span.start : triple.span.end] if triple.span else ""


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)


def _lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([harmless(str(cell)) for cell in row])
        yield line.getvalue()
