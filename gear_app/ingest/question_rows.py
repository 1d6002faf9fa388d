"""A row of any form of questions (ingest.forms) as a question, with the passages beside it.

Answers are words, lists of words, or objects that hold them. Passages are objects, pairs of a
title and sentences, the same as columns, or one text. Gold is marked in the passages, or named by
ids, by titles, or by texts that are looked for in the passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from gear_app.ingest.batch import derived_key
from gear_app.ingest.contents import Contents
from gear_app.ingest.decode import storable
from gear_app.ingest.forms import (
    QUESTION,
    QUESTION_ID,
    STEPS,
    TYPE,
    QuestionForm,
    flat,
    of_columns,
    unpacked,
)
from gear_app.ingest.gold import GoldSearch, Sought, with_found
from gear_app.ingest.rows import ID, TEXT, TITLE, Row, add_row, first, grade, words
from gear_app.types import Hop, Question

HOTPOT, TWO_WIKI, MUSIQUE = "hotpotqa", "2wikimultihopqa", "musique"
_TWO_WIKI_TYPES = ("compositional", "inference", "bridge_comparison")
MOST_HOPS = 99
LONGEST_NAME = 80  # characters of an id or a title; what is longer is a text
_HOPS = re.compile(r"(\d)hop\d?")
_LISTED = re.compile(r"\s*[;|]\s*")  # marks that a list is joined by, and no title has
_IDS = re.compile(r"\S+(?:\s*,\s*\S+)+")  # commas between words without blanks
_NAMED_BY_IDS = re.compile(r"(?:ids?|gt|gold)$")
_TEXTS_WITH_IDS = ("reference_contexts", "reference_context_ids")
_HOP_MARK = re.compile(r"<\d+-hop>\s*")  # of RAGAS, over a text
_PASSAGE_MARK = re.compile(r"^Passage \d+:[^\S\n]*\n", re.MULTILINE)  # of LongBench
_MARKED = ("is_supporting", "is_selected", "is_gold", "is_relevant")
_TEXTS = (*TEXT, "passage_text", "page_content", "fact", "sentence", "snippet", "quote", "context")
_IDS_OF_PASSAGES = (*ID, "idx", "passage_id", "psg_id", "docid", "doc_id", "chunk_id")


class OwnPassage(NamedTuple):
    """A passage that lies beside a question: the key it gets, how the row itself names it, its
    title and text, how many sentences it was given in, and whether it is marked as gold.
    """

    key: str
    id: str
    title: str
    text: str
    sentences: int
    marked: bool | None


class GoldReference(NamedTuple):
    """Gold as a row names it: the key that stands for it, what is sought, the place of a sentence
    in the passage (-1: none told), and its grade.
    """

    key: str
    sought: Sought
    sentence: int = -1
    grade: int = 1


def add_question(form: QuestionForm, contents: Contents, row: Row) -> None:
    """Add the question of a row, its passages, and what gold is yet to be found. Raises one of
    WRONG_SHAPE.
    """
    whole = flat(row)
    two_wiki = "evidences" in whole or whole.get("type") in _TWO_WIKI_TYPES
    own = [
        passage
        for name in form.passages.split()
        for passage in _passages(contents, whole.get(name), whole, " " if two_wiki else "")
    ]
    hops = tuple(_hop(step, own) for name in STEPS for step in _steps(whole.get(name)))
    marked = any(passage.marked for passage in own)  # HippoRAG's have places in a corpus beside it
    references = [] if marked else list(_references(form, contents, whole))
    gold = {passage.key: 1 for passage in own if _is_gold(passage, own)}
    gold |= {one.key: one.grade for one in references}
    question = _question(form, contents, whole, gold, hops)
    question = _with_own_gold(contents, question, references, own)
    if whole.get("answerable") is False or whole.get("is_impossible") is True:
        # A twin with the same id and question can be answered.
        contents.notes.count("question", "left out: marked as unanswerable")
    else:
        contents.questions.append(question)
        contents.datasets.add(_dataset(form, question, whole, two_wiki=two_wiki))
    for passage in own:
        contents.beside.add(passage.key)
        add_row(contents, passage.key, passage.title, passage.text, "")


def _steps(given: Any) -> list[Any]:  # noqa: ANN401
    """The steps of a decomposition; of words, each line is one."""
    steps = unpacked(given) or ()
    return steps.splitlines() if isinstance(steps, str) else list(steps)


def _question(
    form: QuestionForm, contents: Contents, row: Row, gold: Mapping[str, int], hops: tuple[Hop, ...]
) -> Question:
    there = next((row[name] for name in QUESTION if row.get(name)), None)
    asked = first(there, TEXT) if isinstance(there, Mapping) else first(row, QUESTION)
    if not asked:
        raise ValueError("no question")
    id_ = first(row, QUESTION_ID) or "q" + derived_key("", asked)[1:]
    named = _HOPS.match(id_)
    number = _number(row.get("hops") or (named[1] if named else sum(g > 0 for g in gold.values())))
    type_ = first(row, TYPE) or (named[0] if named else None)
    given = [part for name in form.answers.split() for part in _answers(row.get(name))]
    choices = unpacked(row.get("choices"))
    places = [part for part in given if isinstance(part, int)]
    if isinstance(choices, list) and len(places) == len(given):
        hidden = any(place < 0 for place in places)  # as in splits that hold answers back
        contents.notes.count("question", "without its answer: it is held back", hidden)
        given = [choices[place] for place in places if place >= 0]
    answers = tuple(contents.words_in("answer", given))
    return Question(id_, asked, answers, (), type_, number, hops).with_gold(gold)


def _dataset(form: QuestionForm, question: Question, row: Row, *, two_wiki: bool) -> str:
    """The data set that a question is of, in the words of packs, "" where it is not known."""
    if form.name.startswith("HotpotQA"):
        return TWO_WIKI if two_wiki else HOTPOT
    if form.name.startswith("MuSiQue"):
        return MUSIQUE if _HOPS.match(question.id) else ""
    return first(row, ("dataset",))


def _number(given: Any) -> int | None:  # noqa: ANN401
    """A number of steps that makes sense, else None. Raises TypeError or ValueError for what is no
    number.
    """
    try:
        return int(given) if 1 <= int(given) <= MOST_HOPS else None
    except OverflowError:  # JSON's 1e400 is infinite
        return None


def _hop(step: Any, own: list[OwnPassage]) -> Hop:  # noqa: ANN401
    """A step of a question: its words alone, or an object with its answer and passage."""
    if isinstance(step, str):
        return Hop(words(step), "", "")
    key = first(step, ("supporting_id",))
    place = step.get("paragraph_support_idx")
    if place is not None:
        ids = [one.id or str(number) for number, one in enumerate(own)]
        key = next((one.key for id_, one in zip(ids, own, strict=True) if id_ == str(place)), key)
    return Hop(words(step["question"]), first(step, ("answer",)), key)


def _answers(value: object) -> Iterator[object]:
    """The answers in a value: SQuAD's have a `text`, IRCoT's spans, a number and a date."""
    whole = unpacked(value)
    if isinstance(whole, list):
        for part in whole:
            yield from [part] if part is None else _answers(part)
    elif isinstance(whole, Mapping):
        date = whole.get("date")
        parts = [whole.get(name) for name in ("text", "value", "aliases", "spans", "number")]
        if isinstance(date, Mapping):
            parts.append(" ".join(str(date[n]) for n in ("day", "month", "year") if date.get(n)))
        known = any(name in whole for name in ("text", "value", "aliases", "spans"))
        for part in parts if known else ():
            yield from _answers(part)
        yield from () if known else [whole]
    elif isinstance(whole, bool):
        yield "yes" if whole else "no"
    elif whole is not None and whole == whole:  # NaN is what a table has for nothing
        yield whole


def _passages(contents: Contents, value: object, row: Row, between: str) -> Iterator[OwnPassage]:
    """The passages in a value, those without a text left out. `between` joins sentences."""
    whole = unpacked(value)
    if isinstance(whole, str):
        whole = list(_of_one_text(whole, row))
    elif isinstance(whole, Mapping):
        whole = _of_columns(whole)
    for given in whole or ():
        one = _as_object(given)
        there = (one.get(name) for name in (*_TEXTS, "sentences"))
        text = next((value for value in there if value not in (None, "", [])), "")
        number = len(text) if isinstance(text, list) else 1
        if isinstance(text, list):
            text = between.join(_sentences(contents, text))
        title, text = first(one, TITLE), words(text)
        if text:
            marks = [bool(one[name]) for name in _MARKED if name in one]
            key, id_ = derived_key(title, text), first(one, _IDS_OF_PASSAGES)
            yield OwnPassage(key, id_, title, text, number, marks[0] if marks else None)


def _as_object(given: object) -> Row:
    """A passage as an object: of a pair of title and sentences, or of a text alone."""
    if isinstance(given, str):
        return {"text": given}
    if isinstance(given, list):
        title, text = given[:2]
        return {"title": title, "text": text}
    if not isinstance(given, Mapping):
        raise TypeError("no passage")
    return given


def _of_columns(columns: Row) -> list[Row]:
    """Passages given as lists of titles, of texts and of marks; an object alone is one passage."""
    if not any(isinstance(columns.get(name), list) for name in (*TITLE, *_MARKED)):
        return [columns]
    if not any(isinstance(columns.get(name), list) for name in (*_TEXTS, "sentences")):
        raise TypeError("titles without texts")
    return of_columns(columns)


def _of_one_text(text: str, row: Row) -> Iterator[Row]:
    """LongBench's passages, each after a mark and its title; any other text is one."""
    if not _PASSAGE_MARK.match(text):
        yield {"title": first(row, TITLE).replace("_", " "), "text": text}
        return
    for part in _PASSAGE_MARK.split(text)[1:]:
        title, _, rest = part.strip().partition("\n")
        yield {"title": title, "text": rest} if rest.strip() else {"text": title}


def _sentences(contents: Contents, given: Iterable[object]) -> Iterator[str]:
    for sentence in given:
        if isinstance(sentence, str):
            yield storable(sentence)
        else:
            contents.leave_out("sentence", sentence)


def _is_gold(passage: OwnPassage, own: list[OwnPassage]) -> bool:
    """Whether it is marked as gold; HippoRAG's sets mark only what is not."""
    marks = {one.marked for one in own}
    return bool(passage.marked) or (passage.marked is None and marks == {None, False})


def _references(form: QuestionForm, contents: Contents, row: Row) -> Iterator[GoldReference]:
    """The gold that a row names; of RAGAS a text and its id are one."""
    texts, ids = (unpacked(row.get(name)) for name in _TEXTS_WITH_IDS)
    if isinstance(texts, list) and isinstance(ids, list) and len(texts) == len(ids):
        plain = [_HOP_MARK.sub("", str(text), count=1) for text in texts]
        both = [{"id": id_, "text": text} for id_, text in zip(ids, plain, strict=True)]
        row = {**row, **dict(zip(_TEXTS_WITH_IDS, (both, None), strict=True))}
    for name in form.gold.split():
        value = unpacked(row.get(name))
        if isinstance(value, int | float) and name == "supporting_ids":
            raise TypeError("a number where a list of ids should be")
        if isinstance(value, str) and _NAMED_BY_IDS.search(name) and value.strip()[-1:] != ".":
            value = [
                name
                for one in _LISTED.split(value.strip())
                for name in (re.split(r"\s*,\s*", one) if _IDS.fullmatch(one) else [one])
            ]
        if isinstance(value, str) and name in form.passages.split():
            value = [one["text"] for one in _of_one_text(value, row)]
        found = list(_referred(contents, value))
        grades = row.get("supporting_grades") if name == "supporting_ids" else None
        if grades:
            pairs = zip(found, map(grade, grades), strict=True)
            found = [one._replace(grade=number) for one, number in pairs]
        yield from found


def _referred(contents: Contents, value: Any) -> Iterator[GoldReference]:  # noqa: ANN401
    """The gold in a value: words, objects of title and text, pairs of a title and the place of a
    sentence, columns of these, or grades by ids. Lists in lists are taken as one.
    """
    if isinstance(value, Mapping):
        if value and all(isinstance(one, int | float) for one in value.values()):
            for id_, number in value.items():
                yield _by_words(words(id_))._replace(grade=grade(number))
        elif isinstance(value.get("title"), list):
            places = value.get("sent_id") or [-1] * len(value["title"])
            yield from _referred(
                contents, [list(p) for p in zip(value["title"], places, strict=True)]
            )
        else:
            yield _by_fields(value)
    elif isinstance(value, list):
        pair = len(value) == 2 and isinstance(value[1], int) and not isinstance(value[1], bool)
        if pair and isinstance(value[0], str):
            title = words(value[0])
            yield GoldReference(derived_key(title, ""), Sought(title), value[1])
        elif pair and not isinstance(value[0], int | float):
            contents.leave_out("gold passage", value[0])
        else:
            for one in value:
                yield from _referred(contents, one)
            if any(one is None for one in value):
                contents.leave_out("gold passage", None)
    elif isinstance(value, str | int | float) and str(value).strip():
        yield _by_words(words(value))


def _by_words(given: str) -> GoldReference:
    """Gold by words that may be an id, a title or a text."""
    text = _HOP_MARK.sub("", given, count=1)
    short = len(text) <= LONGEST_NAME and "\n" not in text
    return GoldReference(text if short else derived_key("", text), Sought(text, text))


def _by_fields(one: Row) -> GoldReference:
    title, text = first(one, TITLE), first(one, _TEXTS)
    id_ = first(one, _IDS_OF_PASSAGES)
    if not (title or text or id_):
        raise ValueError("no gold passage")
    return GoldReference(id_ or derived_key(title, text), Sought(title, text))


def _with_own_gold(
    contents: Contents, question: Question, references: list[GoldReference], own: list[OwnPassage]
) -> Question:
    """The question with gold out of its own passages; what is not among them is yet to be found."""
    by_sentence = sorted(references, key=lambda one: one.sentence)
    found: dict[str, tuple[str, ...]]
    found = {one.key: (key,) for one in by_sentence if (key := _meant(one, own))}
    sought = {one.key: one.sought for one in references if one.key not in found}
    if own and any(one.text for one in sought.values()):
        search = GoldSearch(sought)
        for passage in own:
            search.look(passage.key, passage.title, passage.text)
        found |= search.found().keys
    contents.sought |= {key: one for key, one in sought.items() if any(one) and key not in found}
    return with_found(question, found)


def _meant(one: GoldReference, own: list[OwnPassage]) -> str:
    """The key of the own passage that is meant by its id, all of its text, or its title, of two
    with that the one which has the sentence; "" where none is, or a text tells it.
    """
    title, text = one.sought
    by_id = [passage.key for passage in own if passage.id == one.key]
    same = [p for p in own if p.text == text]
    same = [p for p in same if p.title == title] or same
    titled = [p for p in own if p.title == title] if not text or text == title else []
    titled = [p for p in titled if p.sentences > one.sentence] or titled
    return next(iter([*by_id, *(p.key for p in [*same, *titled])]), "")
