"""Questions with answers, gold and passages, in the forms that the field publishes, and judgements.

A row is a question by the names of its fields, whatever set it is from. Answers are words, lists of
words, or objects that hold them. Passages are objects, pairs of a title and sentences, the same as
columns, or one text. Gold is marked in the passages, or named by ids, titles, links or texts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gear_app.core.text import MOST_QUESTION
from gear_app.core.types import Hop, Question
from gear_app.documents.gold import GoldClue, GoldSearch, resolve_gold
from gear_app.documents.items import Batch, derived_key
from gear_app.documents.passages import add_passage
from gear_app.documents.rows import ID, TEXT, TITLE, Row, first, grade, unpacked, words

# Names of fields, in the spelling of rows.plain_row.
QUESTION = (
    *("question", "query", "user_input", "question_text", "input", "questions", "questiontext"),
    *("prompt", "problem"),
)
QUESTION_ID = (*ID, "qid", "question_id", "query_id", "question_identifier")
_TYPE = ("type", "question_type", "synthesizer_name", "evolution_type", "query_type")
_ANSWERS = (
    *("answers", "answer", "answer_aliases", "golden_answers", "gold_answers", "gold_answer"),
    *("gold_ans", "ground_truth", "ground_truths", "expected_answer", "obj", "possible_answers"),
    *("o_wiki_title", "o_aliases", "answers_objects", "generation_gt", "expected_output"),
)
_REFERENCES = ("reference", "reference_answer")  # answers where no other field has any
_GOLD = (
    *("supporting_ids", "gold", "gold_ids", "gold_passages", "gold_docs", "gold_titles"),
    *("relevant_ids", "relevant_docs", "relevant_passages", "supporting_facts", "retrieval_gt"),
    *("supporting_documents", "document_identifier", "document_id", "context_id", "wiki_links"),
    *("evidence_list", "evidence", "reference_contexts", "positive_ctxs", "positive_passages"),
)
_PASSAGES = (
    *("paragraphs", "contexts", "context", "pinned_contexts", "ctxs", "passages", "positive_ctxs"),
    *("negative_ctxs", "hard_negative_ctxs", "positive_passages", "negative_passages"),
    *("gold_docs", "evidence_docs", "negative_docs"),
)
# Fields one of which a question has besides its words.
CONTENT = ("question", *_ANSWERS, *_REFERENCES, *_GOLD, *_PASSAGES)
_STEPS = ("question_decomposition", "decomposition")
_MARKS = ("is_supporting", "is_selected", "is_gold", "is_relevant")
_TEXTS = (*TEXT, "passage_text", "page_content", "fact", "sentence", "snippet", "quote", "context")
_PASSAGE_ID = (*ID, "idx", "passage_id", "psg_id", "docid", "doc_id", "chunk_id")

HOTPOT, TWO_WIKI = "hotpotqa", "2wikimultihopqa"
_MOST_HOPS = 99
_LONGEST_NAME = 80  # characters of an id or a title; what is longer is a text
_HOPS = re.compile(r"(\d)hop\d?")
_LISTED = re.compile(r"\s*[;|]\s*")  # marks between the items of a list in a text
_IS_LIST = re.compile(r"(?:ids?|gt|gold)$")  # fields whose text may be a list
_HOP_MARK = re.compile(r"<\d+-hop>\s*")  # of RAGAS, over a text


class Entry(NamedTuple):
    """A passage next to a question, or gold that a row names. `name` is an id, a title or a text,
    where the row does not say which; `marked` is its mark as gold.
    """

    id: str = ""
    title: str = ""
    text: str = ""
    name: str = ""
    marked: bool | None = None
    grade: int = 1

    @property
    def key(self) -> str:
        """Key of a passage, by its words."""
        return derived_key(self.title, self.text)

    @property
    def gold_key(self) -> str:
        """Key that stands for gold until its passage is found."""
        if not self.name:
            return self.id or self.key
        short = len(self.name) <= _LONGEST_NAME and "\n" not in self.name
        return self.name if short else derived_key("", self.name)

    @property
    def clue(self) -> GoldClue:
        """Words by which gold is searched for."""
        return self.name or self.title, self.name or self.text


def add_question(batch: Batch, row: Row) -> None:
    """Add the question of a row, its passages, and clues to its gold. Raises one of
    rows.WRONG_SHAPE.
    """
    context = [e for name in _PASSAGES for e in _entries(row.get(name)) if e.text]
    text = unpacked(row.get("context"))
    if isinstance(text, str) and text.strip():
        context.append(Entry(title=first(row, TITLE).replace("_", " "), text=words(text)))
    marks = {passage.marked for passage in context}
    gold = {  # HippoRAG's sets mark only what is not gold
        passage.key: 1
        for passage in context
        if passage.marked or (passage.marked is None and marks == {None, False})
    }
    references: dict[str, Entry] = {}
    for name in () if True in marks else _gold_fields(row):
        references |= {reference.gold_key: reference for reference in _references(row, name)}
    gold |= {key: reference.grade for key, reference in references.items()}
    question = _question(row, gold, context)
    if row.get("answerable") is False or row.get("is_impossible") is True:
        batch.notes.count("question", "left out: marked as unanswerable")
    else:
        batch.questions.append(_with_context_gold(batch, question, references, context))
        two_hop = "supporting_facts" in row and "context" in row
        batch.datasets.add(HOTPOT if two_hop else first(row, ("dataset",)))
    for passage in context:
        add_passage(batch, passage.key, passage.title, passage.text)


def _gold_fields(row: Row) -> Iterator[str]:
    """Names of the fields with gold. Texts in `context` are gold in SQuAD, RAGAS and DeepEval."""
    yield from _GOLD
    for name in ("context", "contexts"):
        value = unpacked(row.get(name))
        texts = isinstance(value, list) and bool(value) and isinstance(value[0], str)
        if texts and ("expected_output" in row or "evolution_type" in row):
            yield name
        if isinstance(value, str) and "input" not in row:
            yield name


def _question(row: Row, gold: Mapping[str, int], context: list[Entry]) -> Question:
    value = next((row[name] for name in QUESTION if row.get(name)), None)
    text = first(value, TEXT) if isinstance(value, Mapping) else first(row, QUESTION)
    if not 0 < len(text) <= MOST_QUESTION:
        raise ValueError("no question, or a very long one")
    id_ = first(row, QUESTION_ID) or "q" + derived_key("", text)[1:]
    named = _HOPS.match(id_)
    hops = int(row.get("hops") or (named[1] if named else sum(map(bool, gold.values()))))
    steps = next((unpacked(row[name]) for name in _STEPS if row.get(name)), ())
    answers = [answer for name in _ANSWERS for answer in _answers(row.get(name))]
    answers = answers or [answer for name in _REFERENCES for answer in _answers(row.get(name))]
    return Question(
        id_,
        text,
        tuple(dict.fromkeys(filter(None, answers))),
        (),
        first(row, _TYPE) or (named[0] if named else None),
        hops if 1 <= hops <= _MOST_HOPS else None,
        tuple(_hop(step, context) for step in steps),
    ).with_gold(gold)


def _hop(step: Any, context: list[Entry]) -> Hop:  # noqa: ANN401
    if isinstance(step, str):
        return Hop(words(step), "", "")
    keys = {passage.id or str(number): passage.key for number, passage in enumerate(context)}
    key = keys.get(str(step.get("paragraph_support_idx")), first(step, ("supporting_id",)))
    return Hop(words(step["question"]), first(step, ("answer",)), key)


def _answers(value: object) -> Iterator[str]:
    """Answers in a value: SQuAD's have a `text`, IRCoT's spans."""
    inner = unpacked(value)
    if isinstance(inner, list):
        for part in inner:
            yield from _answers(part)
    elif isinstance(inner, Mapping):
        for name in ("text", "value", "aliases", "spans", "number"):
            yield from _answers(inner.get(name))
    elif isinstance(inner, bool):
        yield "yes" if inner else "no"
    elif inner is not None and inner == inner:  # NaN is an empty cell
        yield words(inner)


# Passages and gold


def _entries(value: object) -> Iterator[Entry]:
    """Passages or gold in a value: words, objects of title and text, pairs of a title and sentences
    or the number of one, columns of these, or grades by ids. Lists in lists are taken as one.
    """
    inner = unpacked(value)
    if isinstance(inner, list):
        pair = len(inner) == 2 and isinstance(inner[0], str) and not isinstance(inner[1], str)
        if pair and isinstance(inner[1], list):
            yield Entry(title=words(inner[0]), text=_text(inner[1]))
        elif pair and isinstance(inner[1], int):
            yield Entry(title=words(inner[0]))
        else:
            for item in inner:
                yield from _entries(item)
    elif isinstance(inner, Mapping):
        yield from _objects(inner)
    elif isinstance(inner, str | int | float) and (name := words(inner)):
        name = _HOP_MARK.sub("", name, count=1)
        if name.startswith(("http://", "https://")):
            name = unquote(urlsplit(name).path.rpartition("/")[2]).replace("_", " ") or name
        yield Entry(name=name)


def _objects(fields: Row) -> Iterator[Entry]:
    columns = {name: value for name, value in fields.items() if isinstance(value, list)}
    if fields and all(isinstance(value, int | float) for value in fields.values()):
        for id_, number in fields.items():
            yield Entry(name=words(id_), grade=grade(number))
    elif any(name in columns for name in (*TITLE, *_MARKS)):
        for row in zip(*columns.values(), strict=True):
            yield from _objects(dict(zip(columns, row, strict=True)))
    else:
        texts = (fields.get(name) for name in (*_TEXTS, "sentences"))
        text = _text(next((text for text in texts if text), ""))
        marks = [bool(fields[name]) for name in _MARKS if name in fields]
        entry = Entry(first(fields, _PASSAGE_ID), first(fields, TITLE), text)
        if any(entry[:3]):
            yield entry._replace(marked=marks[0] if marks else None)


def _text(value: object) -> str:
    """A text, or sentences joined; those of HotpotQA begin with a blank, those of 2Wiki do not."""
    if not isinstance(value, list):
        return words(value)
    sentences = [str(sentence) for sentence in value]
    blanks = any(sentence.startswith(" ") for sentence in sentences)
    return words(("" if blanks else " ").join(sentences))


def _references(row: Row, name: str) -> Iterator[Entry]:
    value = unpacked(row.get(name))
    if isinstance(value, str) and _IS_LIST.search(name) and value.strip()[-1:] != ".":
        value = _LISTED.split(value.strip())
    return _entries(value)


def _with_context_gold(
    batch: Batch, question: Question, references: Mapping[str, Entry], context: list[Entry]
) -> Question:
    """The question with gold out of its passages, by id, title or text; clues to other gold are
    added to the batch.
    """
    keys = {name: passage.key for passage in context for name in (passage.id, passage.key)}
    clues = {name: entry.clue for name, entry in references.items() if name not in keys}
    search = GoldSearch(clues)
    for passage in context:
        search.look(passage.key, passage.title, passage.text)
    result = {name: (key,) for name, key in keys.items() if name in references} | search.result()
    batch.clues |= {key: clue for key, clue in clues.items() if key not in result and any(clue)}
    return resolve_gold(question, result)


# Judgements ("qrels") of BEIR and TREC: their grades above 0 are gold

JUDGEMENT = (
    ("query_id", "qid"),
    ("corpus_id", "docid", "doc_id", "pid"),
    ("score", "relevance", "label"),
)


def judgements(lines: Iterator[str]) -> Iterator[Row]:
    """Lines of BEIR's tables or of a TREC file as rows."""
    names = [names[0] for names in JUDGEMENT]
    for number, line in enumerate(lines, start=1):
        cells = next(csv.reader([line.strip()], delimiter="\t")) if "\t" in line else line.split()
        if len(cells) == 4:
            cells = [unquote(cells[0]), unquote(cells[2]), cells[3]]
        if cells and not (number == 1 and not cells[-1].lstrip("-").isdigit()):
            yield dict(zip(names, cells, strict=False))


def add_judgement(batch: Batch, row: Row) -> None:
    """Add a judgement."""
    question, passage, relevance = (first(row, names) for names in JUDGEMENT)
    number = grade(relevance)
    batch.gold.setdefault(question, {})[passage] = number
    batch.notes.count("passage", "judged not relevant", number <= 0)
