"""Questions with answers, gold and passages, in the forms that the field publishes, and the
search for their gold passages.

A row is a question by the names of its fields, whatever set it is from. Answers are words, lists of
words, or objects that hold them. Passages are objects, pairs of a title and sentences, the same as
columns, or one text. Gold is marked in the passages, or named by ids, titles, links or texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gear_app.core.text import MOST_QUESTION, title_and_section
from gear_app.core.types import Hop, Question
from gear_app.documents.items import Batch, GoldClue, derived_key
from gear_app.documents.passages import add_passage
from gear_app.documents.rows import (
    ID,
    TEXT,
    TITLE,
    Row,
    first,
    grade,
    joined,
    plain_row,
    unpacked,
    words,
)

# Names of fields, in the spelling of rows.plain_row.
QUESTION = (
    *("question", "query", "user_input", "question_text", "input", "questions", "questiontext"),
    *("prompt", "problem", "claim", "ambiguous_question"),
)
QUESTION_ID = (
    *(*ID, "qid", "question_id", "query_id", "question_identifier", "questionid", "uid"),
    *("task_id", "interaction_id"),
)
_TYPE = ("type", "question_type", "synthesizer_name", "evolution_type", "query_type")
_ANSWERS = (
    *("answers", "answer", "answer_aliases", "golden_answers", "gold_answers", "gold_answer"),
    *("gold_ans", "ground_truth", "ground_truths", "expected_answer", "obj", "possible_answers"),
    *("o_wiki_title", "o_aliases", "answers_objects", "generation_gt", "expected_output"),
    *("alt_ans", "answer1", "answer2", "final_answer", "final_decision", "nq_answer", "output"),
    *("short_answers", "correct_answer", "correct_answers", "best_answer", "qa_pairs"),
)
# Answers where no other field has any.
_REFERENCES = ("reference", "reference_answer", "response", "long_answer", "label")
# Fields of an answer.
_ANSWER_PARTS = (
    *("text", "value", "answer", "aliases", "spans", "answer_spans", "number", "label", "en"),
    *("short_answers", "extractive_spans", "free_form_answer"),
)
_GOLD = (
    *("supporting_ids", "gold", "gold_ids", "gold_passages", "gold_docs", "gold_titles"),
    *("relevant_ids", "relevant_docs", "relevant_passages", "supporting_facts", "retrieval_gt"),
    *("supporting_documents", "document_identifier", "document_id", "context_id", "wiki_links"),
    *("evidence_list", "evidence", "reference_contexts", "positive_ctxs", "positive_passages"),
    *("answer_pids", "necessary_evidence", "wikipages", "pos", "output"),
)
# Fields in which words are texts, too.
_TEXT_LISTS = ("context", "contexts", "ctxs", "documents", "passages", "supports", "pos", "neg")
_PASSAGES = (
    *("paragraphs", "pinned_contexts", "positive_ctxs"),
    *("negative_ctxs", "hard_negative_ctxs", "positive_passages", "negative_passages"),
    *("gold_docs", "evidence_docs", "negative_docs", "full_text", *_TEXT_LISTS),
)
# Fields one of which a question has besides its words; other tables have some of these names, too.
CONTENT = tuple(
    {"question", *_ANSWERS, *_REFERENCES, *_GOLD, *_PASSAGES} - {"output", "response", "label"}
)
_STEPS = ("question_decomposition", "decomposition")
_MARKS = ("is_supporting", "is_selected", "is_gold", "is_relevant")
_TEXTS = (*TEXT, "passage_text", "page_content", "fact", "sentence", "snippet", "quote", "context")
_PASSAGE_ID = (*ID, "idx", "passage_id", "psg_id", "docid", "doc_id", "chunk_id")

HOTPOT, TWO_WIKI = "hotpotqa", "2wikimultihopqa"
_LONGEST_NAME = 80  # characters of an id or a title; what is longer is a text
_LISTS = ("id", "ids", "gt", "gold")  # ends of fields whose text may be a list


class Entry(NamedTuple):
    """A passage next to a question, or gold that a row names. Words that may be an id, a title or a
    text are all three; `marked` is the mark as gold.
    """

    id: str = ""
    title: str = ""
    text: str = ""
    marked: bool | None = None
    grade: int = 1

    @property
    def key(self) -> str:
        """Key of a passage, by its words."""
        return derived_key("" if self.id == self.title == self.text else self.title, self.text)

    @property
    def gold_key(self) -> str:
        """Key that stands for gold until its passage is found."""
        name = 0 < len(self.id) <= _LONGEST_NAME and "\n" not in self.id
        return self.id if name else self.key


def add_question(batch: Batch, row: Row) -> None:
    """Add the question of a row, its passages, and clues to its gold. Raises one of
    rows.WRONG_SHAPE.
    """
    entries = (entry for name in _PASSAGES for entry in _entries(_passages(row, name)))
    context = [entry for entry in entries if entry.text and entry.id != entry.text]
    gold = _gold(row, context)
    question = _question(row, gold, context)
    for passage in context:
        add_passage(batch, passage.key, passage.title, passage.text)
    if row.get("answerable") is False or row.get("is_impossible") is True:
        batch.notes.count("question", "left out: marked as unanswerable")
        return
    keys = {name: passage.key for passage in context for name in (passage.id, passage.key)}
    clues = {n: (entry.title, entry.text) for n, entry in gold.items() if n not in keys}
    result = find_gold(clues, ((p.key, p.title, p.text) for p in context))
    result |= {name: (key,) for name, key in keys.items() if name in gold}
    batch.clues |= {key: clue for key, clue in clues.items() if key not in result and any(clue)}
    batch.questions.append(resolve_gold(question, result))
    two_hop = {"supporting_facts", "context"} <= row.keys()
    batch.datasets.add(HOTPOT if two_hop else first(row, ("dataset",)))


def _passages(row: Row, name: str) -> Any:  # noqa: ANN401
    """Passages in a field: a text, or a list in which words are texts unless they are the gold."""
    value = unpacked(row.get(name))
    if name == "context" and isinstance(value, str):
        return [{"title": first(row, TITLE).replace("_", " "), "text": value}]
    if name not in _TEXT_LISTS or not isinstance(value, list) or _is_gold(row, value):
        return value
    return [{"text": part} if isinstance(part, str) and " " in part else part for part in value]


def _gold(row: Row, context: list[Entry]) -> dict[str, Entry]:
    """Gold by the key that stands for it: the passages that are marked, else what the row names."""
    marks = {passage.marked for passage in context}
    gold = {  # HippoRAG's sets mark only what is not gold
        passage.key: passage
        for passage in context
        if passage.marked or (passage.marked is None and marks == {None, False})
    }
    for name in () if True in marks else (*_GOLD, "context", "contexts"):
        value = unpacked(row.get(name))
        if name == "output":  # answers, in KILT with their passages
            value = [part for part in value or () if isinstance(part, Mapping)]
        if isinstance(value, str) and name.endswith(_LISTS) and value.strip()[-1:] != ".":
            value = re.split(r"\s*[;|]\s*", value.strip())
        if name in _GOLD or _is_gold(row, value):
            gold |= {entry.gold_key: entry for entry in _entries(value)}
    # StrategyQA has words where a step needs no passage.
    return {n: entry for n, entry in gold.items() if n not in ("operation", "no_evidence")}


def _is_gold(row: Row, value: object) -> bool:
    """Whether texts next to a question are its gold, as in SQuAD, RAGAS and DeepEval."""
    if isinstance(value, list):
        texts = isinstance((*value, None)[0], str)
        return texts and ("expected_output" in row or "evolution_type" in row)
    return isinstance(value, str) and "input" not in row


def _question(row: Row, gold: Mapping[str, Entry], context: list[Entry]) -> Question:
    value = next((row[name] for name in QUESTION if row.get(name)), None)
    text = first(value, TEXT) if isinstance(value, Mapping) else first(row, QUESTION)
    if not 0 < len(text) <= MOST_QUESTION:
        raise ValueError("no question, or a very long one")
    id_ = first(row, QUESTION_ID) or "q" + derived_key("", text)[1:]
    grades = {key: entry.grade for key, entry in gold.items()}
    named = re.match(r"(\d)hop\d?", id_)
    hops = grade(
        first(row, ("hops", "num_hops")) or (named[1] if named else sum(map(bool, grades.values())))
    )
    steps = next((unpacked(row[name]) for name in _STEPS if row.get(name)), ())
    answers = [answer for name in _ANSWERS for answer in _answers(row.get(name))]
    answers = answers or [answer for name in _REFERENCES for answer in _answers(row.get(name))]
    return Question(
        id_,
        text,
        tuple(dict.fromkeys(filter(None, answers))),
        (),
        first(row, _TYPE) or (named[0] if named else None),
        hops if 1 <= hops <= 99 else None,
        tuple(_hop(step, context) for step in steps),
    ).with_gold(grades)


def _hop(step: Any, context: list[Entry]) -> Hop:  # noqa: ANN401
    if isinstance(step, str):
        return Hop(words(step), "", "")
    keys = {passage.id or str(number): passage.key for number, passage in enumerate(context)}
    key = keys.get(str(step.get("paragraph_support_idx")), first(step, ("supporting_id",)))
    return Hop(words(step["question"]), first(step, ("answer",)), key)


def _answers(value: object) -> Iterator[str]:
    """Answers in a value, where it is an object in the fields that usually have them."""
    inner = unpacked(value)
    if isinstance(inner, Mapping):
        fields = plain_row(inner)
        inner = [fields[name] for name in _ANSWER_PARTS if name in fields]
    if isinstance(inner, list):
        for part in inner:
            yield from _answers(part)
    elif isinstance(inner, bool):
        yield "yes" if inner else "no"
    elif inner is not None and inner == inner:  # NaN is an empty cell
        yield words(inner)


# Passages and gold


def _entries(value: object) -> Iterator[Entry]:
    """Passages or gold in a value: words, objects of title and text, pairs of a title and
    sentences, a name and numbers of sentences, columns of these, or grades by ids. Lists in lists
    are taken as one.
    """
    inner = unpacked(value)
    if isinstance(inner, list):
        kinds = [type(part) for part in inner]
        if kinds == [str, list]:
            yield Entry(title=words(inner[0]), text=joined(inner[1]))
        elif int in kinds and (str in kinds or None in inner):
            yield from (Entry(name, name) for name in inner if isinstance(name, str))
        else:
            for item in inner:
                yield from _entries(item)
    elif isinstance(inner, Mapping):
        yield from _objects(inner)
    elif isinstance(inner, str | int | float) and (name := words(inner)):
        name = re.sub(r"<\d+-hop>\s*", "", name, count=1)  # RAGAS's mark of a text
        if name.startswith(("http://", "https://")):
            name = unquote(urlsplit(name).path.rpartition("/")[2]).replace("_", " ") or name
        yield Entry(name, name, name)


def _objects(fields: Row) -> Iterator[Entry]:
    columns = {name: value for name, value in fields.items() if isinstance(value, list)}
    if "provenance" in fields:
        yield from _entries(fields["provenance"])
    elif fields and all(isinstance(value, int | float) for value in fields.values()):
        for id_, number in fields.items():
            yield Entry(id_, id_, grade=grade(number))
    elif any(name in columns for name in (*TITLE, *_MARKS)):
        for row in zip(*columns.values(), strict=True):
            yield from _objects(dict(zip(columns, row, strict=True)))
    else:
        text = joined(next(filter(None, map(fields.get, (*_TEXTS, "sentences", "paragraphs"))), ""))
        marks = [bool(fields[name]) for name in _MARKS if name in fields]
        entry = Entry(first(fields, _PASSAGE_ID), first(fields, TITLE), text, *marks[:1])
        if any(entry[:3]):
            yield entry


# The search for gold passages. A question has a key for each until it is known which is meant: the
# name in the file, or the key derived from title and text.

_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+")  # sentences, which may be in several passages
_SHORTEST = 12  # characters of a text that is looked for inside passages
_KEY_WORDS = 3  # by which a text is looked up


def find_gold(
    clues: Mapping[str, GoldClue], passages: Iterable[tuple[str, str, str]]
) -> dict[str, tuple[str, ...]]:
    """Keys of the passages that clues describe, by the keys of the clues, among passages of key,
    title and text.

    A text is in a passage with all of its words; else its sentences are, each in a passage of its
    own. A passage with the right title goes before others. A title alone is enough where no text is
    known, or where one passage has it.
    """
    search = _Search(clues)
    for passage in passages:
        search.look(*passage)
    return {name: keys for name in clues if (keys := search.keys(name))}


class _Search:
    def __init__(self, clues: Mapping[str, GoldClue]) -> None:
        self._clues = clues
        self._titles = defaultdict[str, list[str]](list)  # names of clues
        self._texts = defaultdict[str, list[tuple[str, str, int]]](list)  # words, name, part
        self._titled = defaultdict[str, set[str]](set)  # documents with the title, by name
        # By name and part: whether the passage has the title, and its key.
        self._matches = defaultdict[str, dict[int, tuple[bool, str]]](dict)
        for name, (title, passage) in clues.items():
            if title:
                self._titles[plain(title)].append(name)
            for part, text in enumerate([passage, *_BETWEEN.split(passage)]):
                words = plain(text).split()
                if len(text) >= _SHORTEST and words:
                    line = " ".join(words), name, part
                    self._texts[" ".join(words[:_KEY_WORDS])].append(line)

    def look(self, key: str, title: str, text: str) -> None:
        full = plain(title)
        titles = {full, plain(title_and_section(title)[0])} if self._titles else set[str]()
        titled = {name for title in titles for name in self._titles.get(title, ())}
        for name in titled:
            self._titled[name].add(re.sub(r"#\d+$", "", key))
        words = f"{full} {plain(text)}".split() if self._texts else []
        line = f" {' '.join(words)} "
        ends = range(1, _KEY_WORDS + 1)
        starts = {" ".join(words[n : n + end]) for n in range(len(words)) for end in ends}
        for start in starts & self._texts.keys():
            for sentence, name, part in self._texts[start]:
                before = self._matches[name].get(part)
                better = before is None or (name in titled) > before[0]
                if better and f" {sentence} " in line:
                    self._matches[name][part] = name in titled, key

    def keys(self, name: str) -> tuple[str, ...]:
        title, text = self._clues[name]
        titled, matches = tuple(self._titled[name]), self._matches[name]
        if titled and text in ("", title):
            return titled[:1]
        if 0 in matches:
            return (matches[0][1],)
        keys = dict.fromkeys(matches[part][1] for part in sorted(matches))
        return tuple(keys) or (titled if len(titled) == 1 else ())


def plain(text: str) -> str:
    """Words of a text, case-folded, a blank between them."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


def resolve_gold(question: Question, result: Mapping[str, tuple[str, ...]]) -> Question:
    """The question with the passages that were found in place of the keys of their clues."""
    grades: dict[str, int] = {}
    for old, graded in question.grades.items():
        for key in result.get(old, (old,)):
            grades[key] = max(graded, grades.get(key, 0))
    hops = tuple(
        replace(hop, supporting_key=result.get(hop.supporting_key, (hop.supporting_key,))[0])
        for hop in question.decomposition
    )
    return replace(question.with_gold(grades), decomposition=hops)
