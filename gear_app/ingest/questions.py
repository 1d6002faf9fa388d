"""Rows of any form (ingest.forms) as questions with the passages beside them; judgements.

Answers are words, lists of words, or objects that hold them. Passages are objects, pairs of a title
and sentences, the same as columns, or one text. Gold is marked in the passages, or named by ids,
titles, links or texts.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gear_app.bounds import MOST_QUESTION
from gear_app.ingest.decode import storable
from gear_app.ingest.forms import (
    ID,
    QUESTION,
    QUESTION_ID,
    STEPS,
    TEXT,
    TITLE,
    TYPE,
    QuestionForm,
    columns_to_rows,
)
from gear_app.ingest.gold import GoldClue, GoldSearch, resolve_gold
from gear_app.ingest.items import Batch, derived_key
from gear_app.ingest.passages import add_passage
from gear_app.ingest.rows import Row, first, flat, grade, unpacked, words
from gear_app.text import cut
from gear_app.types import Hop, Question

HOTPOT, TWO_WIKI, MUSIQUE = "hotpotqa", "2wikimultihopqa", "musique"
_TWO_WIKI_TYPES = ("compositional", "inference", "bridge_comparison")
MOST_HOPS = 99
LONGEST_NAME = 80  # characters of an id or a title; what is longer is a text
_EXAMPLE = 60  # characters of a part that cannot be used
_HOPS = re.compile(r"(\d)hop\d?")
_LISTED = re.compile(r"\s*[;|]\s*")  # marks between the items of a list that no title has
_IDS = re.compile(r"\S+(?:\s*,\s*\S+)+")  # commas between words without blanks
_IS_LIST = re.compile(r"(?:ids?|gt|gold)$")  # fields whose text may be a list
_TEXTS_WITH_IDS = ("reference_contexts", "reference_context_ids")
_HOP_MARK = re.compile(r"<\d+-hop>\s*")  # of RAGAS, over a text
_PASSAGE_MARK = re.compile(r"^Passage \d+:[^\S\n]*\n", re.MULTILINE)  # of LongBench
_MARKS = ("is_supporting", "is_selected", "is_gold", "is_relevant")
_TEXTS = (*TEXT, "passage_text", "page_content", "fact", "sentence", "snippet", "quote", "context")
_PASSAGE_ID = (*ID, "idx", "passage_id", "psg_id", "docid", "doc_id", "chunk_id")


class ContextPassage(NamedTuple):
    """A passage beside a question: its key, its id in the row, title and text, number of sentences,
    and its mark as gold.
    """

    key: str
    id: str
    title: str
    text: str
    sentences: int
    marked: bool | None


class GoldReference(NamedTuple):
    """Gold named by a row: the key that stands for it, its clue, the place of a sentence in the
    passage (-1: none), and its grade.
    """

    key: str
    clue: GoldClue
    sentence: int = -1
    grade: int = 1


def add_question(form: QuestionForm, batch: Batch, row: Row) -> None:
    """Add the question of a row, its passages, and clues to its gold. Raises one of WRONG_SHAPE."""
    fields = flat(row)
    two_wiki = "evidences" in fields or fields.get("type") in _TWO_WIKI_TYPES
    context = [
        passage
        for name in form.passages.split()
        for passage in _passages(fields.get(name), fields, " " if two_wiki else "")
    ]
    steps = [step for name in STEPS for step in _steps(fields.get(name))]
    hops = tuple(_hop(step, context) for step in steps)
    marked = any(passage.marked for passage in context)  # HippoRAG's have numbers of a corpus, too
    references = [] if marked else list(_references(form, batch, fields))
    gold = {passage.key: 1 for passage in context if _is_gold(passage, context)}
    gold |= {reference.key: reference.grade for reference in references}
    question = _question(form, batch, fields, gold, hops)
    question = _with_context_gold(batch, question, references, context)
    if fields.get("answerable") is False or fields.get("is_impossible") is True:
        batch.notes.count("question", "left out: marked as unanswerable")
    elif len(question.question) > MOST_QUESTION:
        batch.notes.count("question", f"left out: more than {MOST_QUESTION:,} characters")
    else:
        batch.questions.append(question)
        batch.datasets.add(_dataset(form, question, fields, two_wiki=two_wiki))
    for passage in context:
        batch.context_keys.add(passage.key)
        add_passage(batch, passage.key, passage.title, passage.text)


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


def _steps(value: Any) -> list[Any]:  # noqa: ANN401
    """Steps of a decomposition; each line of a text is one."""
    steps = unpacked(value) or ()
    return steps.splitlines() if isinstance(steps, str) else list(steps)


def _question(
    form: QuestionForm, batch: Batch, row: Row, gold: Mapping[str, int], hops: tuple[Hop, ...]
) -> Question:
    value = next((row[name] for name in QUESTION if row.get(name)), None)
    text = first(value, TEXT) if isinstance(value, Mapping) else first(row, QUESTION)
    if not text:
        raise ValueError("no question")
    id_ = first(row, QUESTION_ID) or "q" + derived_key("", text)[1:]
    named = _HOPS.match(id_)
    count = _hop_count(row.get("hops") or (named[1] if named else sum(map(bool, gold.values()))))
    type_ = first(row, TYPE) or (named[0] if named else None)
    answers = [part for name in form.answers.split() for part in _answers(row.get(name))]
    choices = unpacked(row.get("choices"))
    if isinstance(choices, list) and all(isinstance(part, int) for part in answers):
        answers = [choices[place] for place in answers if place >= 0]
    texts = words_in(batch, "answer", answers)
    return Question(id_, text, texts, (), type_, count, hops).with_gold(gold)


def _dataset(form: QuestionForm, question: Question, row: Row, *, two_wiki: bool) -> str:
    """Data set of a question, "" where it is not known."""
    if form.name.startswith("HotpotQA"):
        return TWO_WIKI if two_wiki else HOTPOT
    if form.name.startswith("MuSiQue"):
        return MUSIQUE if _HOPS.match(question.id) else ""
    return first(row, ("dataset",))


def _hop_count(value: Any) -> int | None:  # noqa: ANN401
    """A sensible number of steps, else None. Raises TypeError, ValueError or OverflowError."""
    return int(value) if 1 <= int(value) <= MOST_HOPS else None


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


# Passages beside a question


def _passages(value: object, row: Row, between: str) -> Iterator[ContextPassage]:
    """Passages in a value, but for those without a text. `between` joins sentences."""
    inner = unpacked(value)
    if isinstance(inner, str):
        inner = list(_split_text(inner, row))
    elif isinstance(inner, Mapping):
        inner = _passage_columns(inner)
    for item in inner or ():
        fields = _as_object(item)
        values = (fields.get(name) for name in (*_TEXTS, "sentences"))
        text = next((value for value in values if value not in (None, "", [])), "")
        number = len(text) if isinstance(text, list) else 1
        if isinstance(text, list):
            text = between.join(storable(part) for part in text if isinstance(part, str))
        title, text = first(fields, TITLE), words(text)
        if text:
            marks = [bool(fields[name]) for name in _MARKS if name in fields]
            key, id_ = derived_key(title, text), first(fields, _PASSAGE_ID)
            yield ContextPassage(key, id_, title, text, number, marks[0] if marks else None)


def _as_object(item: object) -> Row:
    """A passage as an object: of a pair of title and sentences, or of a text alone."""
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, list):
        title, text = item[:2]
        return {"title": title, "text": text}
    if not isinstance(item, Mapping):
        raise TypeError("no passage")
    return item


def _passage_columns(columns: Row) -> list[Row]:
    """Passages given as lists of titles, texts and marks; an object alone is one passage."""
    if not any(isinstance(columns.get(name), list) for name in (*TITLE, *_MARKS)):
        return [columns]
    if not any(isinstance(columns.get(name), list) for name in (*_TEXTS, "sentences")):
        raise TypeError("titles without texts")
    return columns_to_rows(columns)


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


def _references(form: QuestionForm, batch: Batch, row: Row) -> Iterator[GoldReference]:
    """Gold that a row names; of RAGAS a text and its id are one."""
    texts, ids = (unpacked(row.get(name)) for name in _TEXTS_WITH_IDS)
    if isinstance(texts, list) and isinstance(ids, list) and len(texts) == len(ids):
        plain = [_HOP_MARK.sub("", str(text), count=1) for text in texts]
        both = [{"id": id_, "text": text} for id_, text in zip(ids, plain, strict=True)]
        row = {**row, **dict(zip(_TEXTS_WITH_IDS, (both, None), strict=True))}
    for name in form.gold.split():
        value = unpacked(row.get(name))
        if isinstance(value, int | float) and name == "supporting_ids":
            raise TypeError("a number where a list of ids should be")
        if isinstance(value, str) and _IS_LIST.search(name) and value.strip()[-1:] != ".":
            value = _split_list(value.strip())
        if isinstance(value, str) and name in form.passages.split():
            value = [part["text"] for part in _split_text(value, row)]
        references = list(_referred(batch, value))
        grades = row.get("supporting_grades") if name == "supporting_ids" else None
        if grades:
            pairs = zip(references, map(grade, grades), strict=True)
            references = [reference._replace(grade=number) for reference, number in pairs]
        yield from references


def _split_list(text: str) -> list[str]:
    """Ids in a text, apart by semicolons, bars, or commas without blanks in the ids."""
    parts = _LISTED.split(text)
    return [id_ for part in parts for id_ in (part.split(",") if _IDS.fullmatch(part) else [part])]


def _referred(batch: Batch, value: Any) -> Iterator[GoldReference]:  # noqa: ANN401
    """Gold in a value: words, objects of title and text, pairs of a title and the place of a
    sentence, columns of these, or grades by ids. Lists in lists are taken as one.
    """
    if isinstance(value, Mapping):
        if value and all(isinstance(item, int | float) for item in value.values()):
            for id_, number in value.items():
                yield _by_words(words(id_))._replace(grade=grade(number))
        elif isinstance(value.get("title"), list):
            places = value.get("sent_id") or [-1] * len(value["title"])
            pairs = zip(value["title"], places, strict=True)
            yield from _referred(batch, [list(pair) for pair in pairs])
        else:
            yield _by_fields(value)
    elif isinstance(value, list):
        pair = len(value) == 2 and isinstance(value[1], int) and not isinstance(value[1], bool)
        if pair and isinstance(value[0], str):
            title = words(value[0])
            yield GoldReference(derived_key(title, ""), GoldClue(title), value[1])
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


def _by_fields(row: Row) -> GoldReference:
    title, text, id_ = first(row, TITLE), first(row, _TEXTS), first(row, _PASSAGE_ID)
    if not (title or text or id_):
        raise ValueError("no gold passage")
    return GoldReference(id_ or derived_key(title, text), GoldClue(title, text))


def _with_context_gold(
    batch: Batch,
    question: Question,
    references: list[GoldReference],
    context: list[ContextPassage],
) -> Question:
    """The question with gold out of its passages; clues to other gold are added to the batch."""
    by_sentence = sorted(references, key=lambda reference: reference.sentence)
    result: dict[str, tuple[str, ...]]
    result = {r.key: (key,) for r in by_sentence if (key := _meant(r, context))}
    clues = {r.key: r.clue for r in references if r.key not in result}
    if context and any(clue.text for clue in clues.values()):
        search = GoldSearch(clues)
        for passage in context:
            search.look(passage.key, passage.title, passage.text)
        result |= search.result()
    batch.clues |= {key: clue for key, clue in clues.items() if any(clue) and key not in result}
    return resolve_gold(question, result)


def _meant(reference: GoldReference, context: list[ContextPassage]) -> str:
    """Key of the passage with the id, the text, or the title of a reference, and with its sentence
    if several have the title; "" where none is meant.
    """
    title, text = reference.clue
    by_id = [passage for passage in context if passage.id == reference.key]
    same = [passage for passage in context if passage.text == text]
    same = [passage for passage in same if passage.title == title] or same
    by_title = not text or text == title
    titled = [passage for passage in context if by_title and passage.title == title]
    titled = [passage for passage in titled if passage.sentences > reference.sentence] or titled
    return next((passage.key for passage in (*by_id, *same, *titled)), "")


# Judgements ("qrels") of BEIR and TREC: their grades above 0 are gold

_BEIR, _TREC = 3, 4  # columns
_JUDGEMENT = (
    ("query-id", "query_id", "qid"),
    ("corpus-id", "corpus_id", "docid", "doc_id", "pid"),
    ("score", "relevance", "label"),
)


def is_judgement(row: Row) -> bool:
    """Whether an object is a judgement, as in Parquet and JSON lines."""
    return all(first(row, names) for names in _JUDGEMENT) and not first(row, QUESTION)


def judgement_of(line: str) -> Row:
    """A line of BEIR's tables or of a TREC file as an object; {} for what is none. BEIR's ids may
    hold blanks, and tabs in quotes.
    """
    text = storable(line)
    try:
        cells = [cell.strip() for cell in next(csv.reader([text], delimiter="\t"))]
    except csv.Error:
        return {}
    if len(cells) not in (_BEIR, _TREC):
        cells = text.split()
    if len(cells) == _TREC:
        cells = [unquote(cells[0]), unquote(cells[2]), cells[3]]
    names = [names[0] for names in _JUDGEMENT]
    return dict(zip(names, cells, strict=True)) if len(cells) == _BEIR else {}


def add_judgement(batch: Batch, row: Row) -> None:
    """Add a judgement."""
    question, passage, relevance = (first(row, names) for names in _JUDGEMENT)
    number = grade(relevance)
    grades = batch.gold.setdefault(question, {})
    if grades.setdefault(passage, number) != number:
        batch.notes.count("judgement", "other than before on the same passage: the last one counts")
    grades[passage] = number
    batch.notes.count("passage", "judged not relevant", number <= 0)
