"""Questions with answers, gold and passages, in the forms that the field publishes, and judgements.

A row is a question by the names of its fields, whatever set it is from. Answers are words, lists of
words, or objects that hold them. Passages are objects, pairs of a title and sentences, the same as
columns, or one text. Gold is marked in the passages, or named by ids, titles, links or texts.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gear_app.core.bounds import MOST_QUESTION
from gear_app.core.text import cut
from gear_app.core.types import Hop, Question
from gear_app.documents.decode import storable
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
    *("evidence_list", "evidence", "reference_contexts", "reference_context_ids"),
    *("positive_ctxs", "positive_passages"),
)
_PASSAGES = (
    *("paragraphs", "contexts", "context", "pinned_contexts", "ctxs", "passages", "positive_ctxs"),
    *("negative_ctxs", "hard_negative_ctxs", "positive_passages", "negative_passages"),
    *("gold_docs", "evidence_docs", "negative_docs"),
)
_STEPS = ("question_decomposition", "decomposition")
_OTHERS = ("supporting_grades", "evidences", "answerable")
USED = frozenset((*_ANSWERS, *_REFERENCES, *_GOLD, *_PASSAGES, *_STEPS, *_OTHERS))

HOTPOT, TWO_WIKI, MUSIQUE = "hotpotqa", "2wikimultihopqa", "musique"
_TWO_WIKI_TYPES = ("compositional", "inference", "bridge_comparison")
MOST_HOPS = 99
LONGEST_NAME = 80  # characters of an id or a title; what is longer is a text
_EXAMPLE = 60  # characters of a part that cannot be used
_HOPS = re.compile(r"(\d)hop\d?")
_LISTED = re.compile(r"\s*[;|]\s*")  # marks between the items of a list that no title has
_IDS = re.compile(r"\S+(?:\s*,\s*\S+)+")  # commas between words without blanks
_IS_LIST = re.compile(r"(?:ids?|gt|gold)$")  # fields whose text may be a list
_HOP_MARK = re.compile(r"<\d+-hop>\s*")  # of RAGAS, over a text
_PASSAGE_MARK = re.compile(r"^Passage \d+:[^\S\n]*\n", re.MULTILINE)  # of LongBench
_MARKS = ("is_supporting", "is_selected", "is_gold", "is_relevant")
_TEXTS = (*TEXT, "passage_text", "page_content", "fact", "sentence", "snippet", "quote", "context")
_PASSAGE_ID = (*ID, "idx", "passage_id", "psg_id", "docid", "doc_id", "chunk_id")


class ContextPassage(NamedTuple):
    """A passage next to a question; `id` is its id in the row, `marked` its mark as gold."""

    key: str
    id: str
    title: str
    text: str
    marked: bool | None


class GoldReference(NamedTuple):
    """Gold named by a row: the key that stands for it until it is found, its clue, and its
    grade.
    """

    key: str
    clue: GoldClue
    grade: int = 1


def is_question(row: Row, *, strict: bool) -> bool:
    """Whether a row is a question. `strict`: a field "question" alone is not enough, there have to
    be answers, gold or passages.
    """
    content = any(name in row for name in (*_ANSWERS, *_REFERENCES, *_GOLD, *_PASSAGES))
    enough = content or (not strict and "question" in row)
    return enough and any(name in row for name in QUESTION) and not first(row, TEXT)


def add_question(batch: Batch, row: Row) -> None:
    """Add the question of a row, its passages, and clues to its gold. Raises one of WRONG_SHAPE."""
    passages, gold_names = _fields(row)
    two_wiki = "evidences" in row or row.get("type") in _TWO_WIKI_TYPES
    context = [
        passage
        for name in passages
        for passage in _passages(row.get(name), row, " " if two_wiki else "")
    ]
    marked = any(passage.marked for passage in context)  # HippoRAG's have numbers of a corpus, too
    references = [] if marked else list(_references(batch, row, gold_names))
    gold = {passage.key: 1 for passage in context if _is_gold(passage, context)}
    gold |= {reference.key: reference.grade for reference in references}
    question = _question(batch, row, gold, context)
    question = _with_context_gold(batch, question, references, context)
    if row.get("answerable") is False or row.get("is_impossible") is True:
        batch.notes.count("question", "left out: marked as unanswerable")
    elif len(question.question) > MOST_QUESTION:
        batch.notes.count("question", f"left out: more than {MOST_QUESTION:,} characters")
    else:
        batch.questions.append(question)
        hotpot = "supporting_facts" in row and "context" in row
        dataset = TWO_WIKI if two_wiki else HOTPOT if hotpot else first(row, ("dataset",))
        batch.datasets.add(MUSIQUE if _HOPS.match(question.id) and "paragraphs" in row else dataset)
    for passage in context:
        batch.context_keys.add(passage.key)
        add_passage(batch, passage.key, passage.title, passage.text)


def _fields(row: Row) -> tuple[list[str], list[str]]:
    """Names of the fields with passages, and with gold. Texts in `context` are both in SQuAD, gold
    in RAGAS and DeepEval, passages in LongBench, and unknown in lists of others.
    """
    passages, gold = list(_PASSAGES), list(_GOLD)
    for name in ("context", "contexts"):
        value = unpacked(row.get(name))
        texts = isinstance(value, list) and bool(value) and isinstance(value[0], str)
        gold_alone = "expected_output" in row or (texts and "evolution_type" in row)
        if gold_alone or texts:
            passages.remove(name)
        if gold_alone or (isinstance(value, str) and not ("input" in row and "answers" in row)):
            gold.append(name)
    return passages, gold


def words_in(batch: Batch, noun: str, value: object) -> tuple[str, ...]:
    """Words in a list, each once; others are left out and counted. Raises TypeError for what is no
    list.
    """
    if not isinstance(value, list):
        raise TypeError(f"expected a list, not {type(value).__name__}")
    texts = []
    for part in value:
        if isinstance(part, str | int | float):
            texts.append(words(part))
        else:
            leave_out(batch, noun, part)
    return tuple(dict.fromkeys(filter(None, texts)))


def leave_out(batch: Batch, noun: str, part: object) -> None:
    """Count a part of a row that cannot be used."""
    example = cut(json.dumps(part, ensure_ascii=False, default=str), _EXAMPLE)
    batch.notes.count(noun, "left out: not in the format", example=f"as {example}")


def _question(
    batch: Batch, row: Row, gold: Mapping[str, int], context: list[ContextPassage]
) -> Question:
    value = next((row[name] for name in QUESTION if row.get(name)), None)
    text = first(value, TEXT) if isinstance(value, Mapping) else first(row, QUESTION)
    if not text:
        raise ValueError("no question")
    id_ = first(row, QUESTION_ID) or "q" + derived_key("", text)[1:]
    named = _HOPS.match(id_)
    number = int(row.get("hops") or (named[1] if named else sum(map(bool, gold.values()))))
    steps = next((unpacked(row[name]) for name in _STEPS if row.get(name)), ())
    steps = steps.splitlines() if isinstance(steps, str) else steps
    hops = tuple(_hop(step, context) for step in steps)
    answers = [part for name in _ANSWERS for part in _answers(row.get(name))]
    answers = answers or [part for name in _REFERENCES for part in _answers(row.get(name))]
    choices = unpacked(row.get("choices"))
    if isinstance(choices, list) and all(isinstance(part, int) for part in answers):
        answers = [choices[place] for place in answers if place >= 0]
    type_ = first(row, _TYPE) or (named[0] if named else None)
    count = number if 1 <= number <= MOST_HOPS else None
    texts = words_in(batch, "answer", answers)
    return Question(id_, text, texts, (), type_, count, hops).with_gold(gold)


def _hop(step: Any, context: list[ContextPassage]) -> Hop:  # noqa: ANN401
    """A step of a question: its words alone, or an object with its answer and passage."""
    if isinstance(step, str):
        return Hop(words(step), "", "")
    key = first(step, ("supporting_id",))
    place = step.get("paragraph_support_idx")
    if place is not None:
        keys = {passage.id or str(n): passage.key for n, passage in enumerate(context)}
        key = keys.get(str(place), key)
    return Hop(words(step["question"]), first(step, ("answer",)), key)


def _answers(value: object) -> Iterator[Any]:
    """Answers in a value: SQuAD's have a `text`, IRCoT's spans, a number and a date."""
    inner = unpacked(value)
    if isinstance(inner, list):
        for part in inner:
            yield from [part] if part is None else _answers(part)
    elif isinstance(inner, Mapping):
        names = ("text", "value", "aliases", "spans", "number")
        date = inner.get("date")
        parts = [inner[name] for name in names if name in inner] or [None]
        if isinstance(date, Mapping):
            parts.append(" ".join(str(date[n]) for n in ("day", "month", "year") if date.get(n)))
        for part in parts:
            yield from _answers(part)
    elif isinstance(inner, bool):
        yield "yes" if inner else "no"
    elif inner is not None and inner == inner:  # NaN is an empty cell
        yield inner


def _passages(value: object, row: Row, between: str) -> Iterator[ContextPassage]:
    """Passages in a value, but for those without a text. `between` joins sentences."""
    inner = unpacked(value)
    if isinstance(inner, str):
        inner = list(_split_text(inner, row))
    elif isinstance(inner, Mapping):
        inner = _passage_columns(inner)
    for item in inner or ():
        fields = item
        if isinstance(item, str):
            fields = {"text": item}
        elif isinstance(item, list):
            fields = dict(zip(("title", "text"), item[:2], strict=True))
        values = (fields.get(name) for name in (*_TEXTS, "sentences"))
        text = next((value for value in values if value not in (None, "", [])), "")
        if isinstance(text, list):
            text = between.join(storable(part) for part in text if isinstance(part, str))
        title, text = first(fields, TITLE), words(text)
        if text:
            marks = [bool(fields[name]) for name in _MARKS if name in fields]
            key, id_ = derived_key(title, text), first(fields, _PASSAGE_ID)
            yield ContextPassage(key, id_, title, text, marks[0] if marks else None)


def _passage_columns(columns: Row) -> list[Row]:
    """Passages given as lists of titles, texts and marks; an object alone is one passage."""
    if not any(isinstance(columns.get(name), list) for name in (*TITLE, *_MARKS)):
        return [columns]
    if not any(isinstance(columns.get(name), list) for name in (*_TEXTS, "sentences")):
        raise TypeError("titles without texts")
    lists = {name: column for name, column in columns.items() if isinstance(column, list)}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _split_text(text: str, row: Row) -> Iterator[Row]:
    """LongBench's passages, each after a mark and its title; any other text is one."""
    if not _PASSAGE_MARK.match(text):
        yield {"title": first(row, TITLE).replace("_", " "), "text": text}
        return
    for part in _PASSAGE_MARK.split(text)[1:]:
        title, _, rest = part.strip().partition("\n")
        yield {"title": title, "text": rest} if rest.strip() else {"text": title}


# Gold


def _is_gold(passage: ContextPassage, context: list[ContextPassage]) -> bool:
    """Whether it is marked as gold; HippoRAG's sets mark only the others."""
    marks = {other.marked for other in context}
    return bool(passage.marked) or (passage.marked is None and marks == {None, False})


def _references(batch: Batch, row: Row, names: list[str]) -> Iterator[GoldReference]:
    """Gold that the fields of a row name; RAGAS has ids of the same texts."""
    texts, ids = (unpacked(row.get(f"reference_context{end}")) for end in ("s", "_ids"))
    if isinstance(texts, list) and isinstance(ids, list) and len(texts) == len(ids):
        names = [name for name in names if name != "reference_context_ids"]
    for name in names:
        value = unpacked(row.get(name))
        if isinstance(value, int | float) and name == "supporting_ids":
            raise TypeError("a number where a list of ids should be")
        if isinstance(value, str) and _IS_LIST.search(name) and value.strip()[-1:] != ".":
            value = [  # apart by semicolons, bars, or commas without blanks in the ids
                id_
                for part in _LISTED.split(value.strip())
                for id_ in (part.split(",") if _IDS.fullmatch(part) else [part])
            ]
        elif isinstance(value, str) and name == "context" and "expected_output" in row:
            value = value.split("|")
        references = list(_referred(batch, value))
        grades = row.get("supporting_grades") if name == "supporting_ids" else None
        if grades:
            pairs = zip(references, map(grade, grades), strict=True)
            references = [reference._replace(grade=number) for reference, number in pairs]
        yield from references


def _referred(batch: Batch, value: Any) -> Iterator[GoldReference]:  # noqa: ANN401
    """Gold in a value: words, objects of title and text, pairs of a title and the place of a
    sentence, columns of these, or grades by ids. Lists in lists are taken as one.
    """
    if isinstance(value, Mapping):
        if value and all(isinstance(item, int | float) for item in value.values()):
            for id_, number in value.items():
                yield _by_words(words(id_))._replace(grade=grade(number))
        elif isinstance(value.get("title"), list):
            yield from _referred(batch, [[title, 0] for title in value["title"]])
        else:
            title, text, id_ = first(value, TITLE), first(value, _TEXTS), first(value, _PASSAGE_ID)
            if not (title or text or id_):
                raise ValueError("no gold passage")
            yield GoldReference(id_ or derived_key(title, text), GoldClue(title, text))
    elif isinstance(value, list):
        pair = len(value) == 2 and isinstance(value[1], int) and not isinstance(value[1], bool)
        if pair and isinstance(value[0], str):
            title = words(value[0])
            yield GoldReference(derived_key(title, ""), GoldClue(title))
        elif pair and not isinstance(value[0], int | float):
            leave_out(batch, "gold passage", value[0])
        else:
            for item in value:
                yield from _referred(batch, item)
    elif isinstance(value, str | int | float) and str(value).strip():
        yield _by_words(words(value))


def _by_words(value: str) -> GoldReference:
    """Gold by words that may be an id, a title, the link of a page, or a text."""
    text = _HOP_MARK.sub("", value, count=1)
    if text.startswith(("http://", "https://")):
        text = unquote(urlsplit(text).path.rpartition("/")[2]).replace("_", " ") or text
    short = len(text) <= LONGEST_NAME and "\n" not in text
    return GoldReference(text if short else derived_key("", text), GoldClue(text, text))


def _with_context_gold(
    batch: Batch,
    question: Question,
    references: list[GoldReference],
    context: list[ContextPassage],
) -> Question:
    """The question with gold out of its passages, by id, title or text; clues to other gold are
    added to the batch.
    """
    keys = {passage.id: passage.key for passage in context if passage.id}
    keys |= {passage.key: passage.key for passage in context}
    result: dict[str, tuple[str, ...]]
    result = {r.key: (keys[r.key],) for r in references if r.key in keys}
    clues = {r.key: r.clue for r in references if r.key not in result and any(r.clue)}
    if context and clues:
        search = GoldSearch(clues)
        for passage in context:
            search.look(passage.key, passage.title, passage.text)
        result |= search.result()
    batch.clues |= {key: clue for key, clue in clues.items() if key not in result}
    return resolve_gold(question, result)


# Judgements ("qrels") of BEIR and TREC: their grades above 0 are gold

_JUDGEMENT = (
    ("query_id", "qid"),
    ("corpus_id", "docid", "doc_id", "pid"),
    ("score", "relevance", "label"),
)


def is_judgement(row: Row) -> bool:
    """Whether a row is a judgement."""
    return all(first(row, names) for names in _JUDGEMENT) and not first(row, QUESTION)


def judgements(lines: Iterator[str]) -> Iterator[Row]:
    """Lines of BEIR's tables or of a TREC file as rows; those that are none have a `line` alone.
    BEIR's ids may hold blanks, and tabs in quotes.
    """
    for number, line in enumerate(lines, start=1):
        cells: list[str] = []
        with suppress(csv.Error):
            cells = [cell.strip() for cell in next(csv.reader([storable(line)], delimiter="\t"))]
        if len(cells) not in (3, 4):
            cells = line.split()
        if len(cells) == 4:
            cells = [unquote(cells[0]), unquote(cells[2]), cells[3]]
        names = [names[0] for names in _JUDGEMENT] if len(cells) == 3 else []
        row = dict(zip(names, cells, strict=False))
        head = number == 1 and not row.get("score", "").lstrip("-").isdigit()
        if line.strip() and not head:
            yield {**row, "line": number}


def add_judgement(batch: Batch, row: Row) -> None:
    """Add a judgement."""
    question, passage, relevance = (first(row, names) for names in _JUDGEMENT)
    number = grade(relevance)
    grades = batch.gold.setdefault(question, {})
    if grades.setdefault(passage, number) != number:
        batch.notes.count("judgement", "other than before on the same passage: the last one counts")
    grades[passage] = number
    batch.notes.count("passage", "judged not relevant", number <= 0)
