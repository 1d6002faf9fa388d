"""What several files held becomes one batch: each content once, names checked, and a sentence a
file.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from gear_app.bounds import MOST_QUESTION
from gear_app.ingest.batch import (
    Batch,
    FileReport,
    NewEntities,
    NewPassage,
    NewTriple,
    content_hash,
)
from gear_app.ingest.contents import Contents
from gear_app.ingest.datasets import HOTPOT, TWO_WIKI
from gear_app.ingest.openie import IMPORTED
from gear_app.text import count, normalise_entity
from gear_app.types import Document, Question

LONGEST_NAME = 1_000
MOST_TRIPLES = 1_000  # of one passage in one set
SETS_SHOWN = 3
_REMARKS = {
    "document": "the same as a document before it",
    "passage": "occurring again, stored once",
    "key": "left out: the id belongs to another passage",
    "question": "occurring again, stored once",
    "id": "left out: the id belongs to another question",
    "endless": f"left out: more than {MOST_QUESTION:,} characters",
    "triple": "occurring again in a passage, dropped",
    "nameless": "dropped: a name without letters or digits",
    "longwinded": f"dropped: a name of more than {LONGEST_NAME:,} characters",
    "plenty": f"left out: a passage may have {MOST_TRIPLES:,} in a set",
    "unanswerable": "left out: marked as unanswerable",
}
_NOUNS = {
    "key": "passage",
    "id": "question",
    "endless": "question",
    "nameless": "triple",
    "longwinded": "triple",
    "plenty": "triple",
    "unanswerable": "question",
}


class Merger:
    """Takes the contents of files one by one and hands out the batch."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._passages: list[NewPassage] = []
        self._questions: dict[str, Question] = {}
        self._triples: dict[str, dict[NewTriple, None]] = {}
        self._triples_of: dict[str, Counter[str]] = {}  # how many, by set and passage
        self._entities: dict[str, dict[str, dict[str, None]]] = {}  # names by set and passage
        self._gold: dict[str, list[str]] = {}  # of judgments, by question
        self._datasets: set[str] = set()
        self._seen_documents: dict[bytes, str] = {}  # content to the file that brought it
        self._seen_passages: dict[bytes, int] = {}  # content to place
        self._keys: dict[str, int] = {}  # key, also of a passage that was there already, to place
        self.reports: list[FileReport] = []

    def add(self, name: str, contents: Contents) -> None:
        """Join what the file `name` held, and report on it."""
        dropped: Counter[str] = Counter(unanswerable=contents.unanswerable)
        before = len(self._documents), len(self._passages), len(self._questions)
        places = [self._document(document, name, dropped) for document in contents.documents]
        for passage in contents.passages:
            self._passage(passage, places, dropped)
        for question in contents.questions:
            self._question(question, dropped)
        self._datasets |= contents.datasets
        for question_id, keys in contents.gold.items():
            self._gold.setdefault(question_id, []).extend(keys)
        counts = [
            f"{count(new, 'triple')} in the set {set_name!r}"
            for set_name, triples in contents.triples.items()
            if (new := self._add_triples(set_name, triples, dropped)) or triples
        ]
        if len(counts) > SETS_SHOWN:
            counts[SETS_SHOWN:] = [f"and more in {count(len(counts) - SETS_SHOWN, 'set')}"]
        named = sum(
            self._add_entities(set_name, entities)
            for set_name, entities in contents.entities.items()
        )
        documents, passages, questions = (
            now - then
            for now, then in zip(
                (len(self._documents), len(self._passages), len(self._questions)),
                before,
                strict=True,
            )
        )
        counts = _counts(documents, passages, questions) + counts
        if contents.gold:
            counts.append(f"gold of {count(len(contents.gold), 'question')}")
        if named:
            counts.append(f"entities of {count(named, 'passage')}")
        self._report(name, contents, documents, passages, counts, dropped)

    def batch(self) -> Batch:
        """Everything so far. Triples, entities and gold name the passages that were kept."""
        return Batch(
            tuple(self._documents),
            tuple(self._passages),
            tuple(self._with_kept_keys(question) for question in self._questions.values()),
            {
                name: tuple(dict.fromkeys(map(self._kept_triple, triples)))
                for name, triples in self._triples.items()
            },
            {
                self._set_of_entities(name): tuple(
                    NewEntities(self._kept(key), tuple(names)) for key, names in items.items()
                )
                for name, items in self._entities.items()
            },
            2 if self._datasets and self._datasets <= {HOTPOT, TWO_WIKI} else None,
            tuple(self.reports),
            {key: kept for key in self._keys if (kept := self._kept(key)) != key},
            {
                question_id: tuple(map(self._kept, keys))
                for question_id, keys in self._gold.items()
                if question_id not in self._questions
            },
        )

    def _document(self, document: Document, name: str, dropped: Counter[str]) -> int | None:
        content = content_hash(document.title, document.text)
        if content in self._seen_documents:
            dropped["document"] += 1
            return None
        self._seen_documents[content] = name
        self._documents.append(document)
        return len(self._documents) - 1

    def _passage(
        self, passage: NewPassage, places: list[int | None], dropped: Counter[str]
    ) -> None:
        place = None if passage.document is None else places[passage.document]
        if passage.document is not None and place is None:
            return  # its document was there already, and so was it
        content = content_hash(passage.title, passage.text)
        if content in self._seen_passages:
            dropped["passage"] += 1
            self._name(passage.key, self._seen_passages[content])
        elif passage.key in self._keys:
            dropped["key"] += 1
        else:
            self._seen_passages[content] = len(self._passages)
            self._passages.append(dataclasses.replace(passage, document=place))
            self._name(passage.key, len(self._passages) - 1)

    def _name(self, key: str | None, place: int) -> None:
        """Let the key mean the passage at `place`; a passage without a key takes it."""
        if key is not None:
            self._keys.setdefault(key, place)
            if self._passages[place].key is None and self._keys[key] == place:
                self._passages[place] = dataclasses.replace(self._passages[place], key=key)

    def _question(self, question: Question, dropped: Counter[str]) -> None:
        if len(question.question) > MOST_QUESTION:
            dropped["endless"] += 1
            return
        there = self._questions.setdefault(question.id, question)
        if there is not question:
            dropped["question" if there.question == question.question else "id"] += 1

    def _add_triples(self, set_name: str, triples: list[NewTriple], dropped: Counter[str]) -> int:
        kept = self._triples.setdefault(set_name, {})
        of_passage = self._triples_of.setdefault(set_name, Counter())
        before = len(kept)
        for triple in map(self._kept_triple, triples):
            if max(len(triple.subject), len(triple.object)) > LONGEST_NAME:
                dropped["longwinded"] += 1
            elif not (normalise_entity(triple.subject) and normalise_entity(triple.object)):
                dropped["nameless"] += 1
            elif triple in kept:
                dropped["triple"] += 1
            elif of_passage[triple.passage_key] == MOST_TRIPLES:
                dropped["plenty"] += 1
            else:
                of_passage[triple.passage_key] += 1
                kept[triple] = None
        return len(kept) - before

    def _add_entities(self, set_name: str, entities: list[NewEntities]) -> int:
        kept = self._entities.setdefault(set_name, {})
        for item in entities:
            names = kept.setdefault(self._kept(item.passage_key), {})
            names.update(dict.fromkeys(filter(_is_name, item.names)))
        return len(entities)

    def _set_of_entities(self, name: str) -> str:
        """Entities whose file names no set belong to the only set of triples, where there is
        one.
        """
        unnamed = name == IMPORTED and name not in self._triples
        return next(iter(self._triples)) if unnamed and len(self._triples) == 1 else name

    def _kept(self, key: str) -> str:
        """The key under which the passage that this key means was kept; the key itself where it is
        not known.
        """
        place = self._keys.get(key)
        return key if place is None else self._passages[place].key or key

    def _kept_triple(self, triple: NewTriple) -> NewTriple:
        key = self._kept(triple.passage_key)
        return triple if key == triple.passage_key else dataclasses.replace(triple, passage_key=key)

    def _with_kept_keys(self, question: Question) -> Question:
        keys = [*question.supporting_keys, *self._gold.get(question.id, ())]
        gold = tuple(dict.fromkeys(map(self._kept, keys)))
        hops = tuple(
            dataclasses.replace(h, supporting_key=self._kept(h.supporting_key))
            for h in question.decomposition
        )
        return dataclasses.replace(question, supporting_keys=gold, decomposition=hops)

    def _report(
        self,
        name: str,
        contents: Contents,
        documents: int,
        passages: int,
        counts: list[str],
        dropped: Counter[str],
    ) -> None:
        remarks = [
            f"{count(n, _NOUNS.get(kind, kind))} {_REMARKS[kind]}"
            for kind, n in dropped.items()
            if n
        ]
        if counts:
            self.reports.append(
                FileReport(
                    name,
                    "accepted",
                    "; ".join([", ".join(counts), *remarks, *contents.notes]),
                    documents,
                    passages,
                )
            )
        elif contents.documents:
            content = content_hash(contents.documents[0].title, contents.documents[0].text)
            self.reports.append(
                FileReport(name, "skipped", f"the same content as {self._seen_documents[content]}")
            )
        else:
            nothing = "; ".join([*remarks, *contents.notes]) or "there is nothing in it"
            self.reports.append(FileReport(name, "skipped", nothing))


def _counts(documents: int, passages: int, questions: int) -> list[str]:
    shown = (documents, "document"), (passages, "passage"), (questions, "question")
    return [count(number, what) for number, what in shown if number]


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and bool(normalise_entity(name))
