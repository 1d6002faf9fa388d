"""Questions with answers, gold and passages, in the forms that the field publishes, and the
search for their gold passages.

A row is a question by the names of its fields, whatever set it is from. Answers are words, lists of
words, or objects that hold them. Passages are objects, pairs of a title and sentences, the same as
columns, or one text. Gold is marked in the passages, or named by ids, titles, links or texts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from gear_app.core.text import MOST_QUESTION, normalise_entity, title_and_section
from gear_app.core.types import Hop, Question
from gear_app.documents.items import Batch, GoldClue, derived_key
from gear_app.documents.names import NAMES, TEXT, TITLE
from gear_app.documents.passages import add_passage
from gear_app.documents.rows import (
    Row,
    first,
    grade,
    joined,
    objects,
    plain_row,
    unpacked,
    words,
)

HOTPOT, TWO_WIKI = "hotpotqa", "2wikimultihopqa"


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
        is_name = 0 < len(self.id) <= 80 and "\n" not in self.id  # what is longer is a text
        return self.id if is_name else self.key


def add_question(batch: Batch, row: Row) -> None:
    """Add the question of a row, its passages, and clues to its gold. Raises one of
    rows.WRONG_SHAPE.
    """
    fields = (_passages(row, name) for name in NAMES["passages"])
    context = [e for value in fields for e in _entries(value) if e.text and e.id != e.text]
    answers = _known_answers(row)
    unknown = not answers and any(name in row for name in NAMES["answers"])
    own_texts = NAMES["own text"] if unknown else ()
    gold = _gold({name: row[name] for name in row if name not in own_texts}, context)
    question = _question(row, answers, gold, context)
    for passage in context:
        add_passage(batch, passage.key, passage.title, passage.text)
    unknown = unknown and bool(context) and not gold
    if unknown or row.get("answerable") is False or row.get("is_impossible") is True:
        batch.notes.count("question", "left out: unanswerable, or without answer and gold")
        return
    keys = {n: part.key for part in context for n in (part.text, part.id, part.key)}
    clues = {n: (entry.title, entry.text) for n, entry in gold.items() if n not in keys}
    result = find_gold(clues, ((p.key, p.title, p.text) for p in context))
    result |= {name: (key,) for name, key in keys.items() if name in gold}
    batch.clues |= {key: clue for key, clue in clues.items() if key not in result and any(clue)}
    batch.questions.append(resolve_gold(question, result))
    batch.datasets.add(
        HOTPOT if {"supporting_facts", "context"} <= row.keys() else first(row, ("dataset",))
    )


def _passages(row: Row, name: str) -> Any:  # noqa: ANN401
    """Passages in a field: a text, or a list in which words are texts unless they are the gold."""
    value = unpacked(row.get(name))
    if isinstance(value, list) and name in ("pre_text", "post_text", "table"):
        value = joined(value)
    if isinstance(value, str) and (name in NAMES["own text"] or " " in value):
        title = first(row, (*TITLE, "document_title")).replace("_", " ")
        return [{"title": title, "text": re.sub(r"</?[A-Z]\w*>", "", value)}]
    if name not in NAMES["texts"] or not isinstance(value, list):
        return value
    texts = () if _is_gold(row, value) else value
    return [{"text": part} if isinstance(part, str) and " " in part else part for part in texts]


def _gold(row: Row, context: list[Entry]) -> dict[str, Entry]:
    """Gold by the key that stands for it: the passages that are marked, else what the row names."""
    marks = {passage.marked for passage in context}
    gold = {  # HippoRAG's sets mark only what is not gold
        passage.key: passage
        for passage in context
        if passage.marked or (passage.marked is None and marks == {None, False})
    }
    for name in () if True in marks else (*NAMES["gold"], *NAMES["own text"], "contexts"):
        value = unpacked(row.get(name))
        if (
            isinstance(value, str)
            and name.endswith(("id", "ids", "gt", "gold"))
            and value.strip()[-1:] != "."
        ):
            value = re.split(r"\s*[;|]\s*", value.strip())
        if name in NAMES["gold"] or _is_gold(row, value):
            gold |= {entry.gold_key: entry for entry in _entries(value)}
    if True not in marks:
        gold |= {
            e.gold_key: e for name in NAMES["answers"] for e in _gold_of_answers(row.get(name))
        }
    # StrategyQA has words where a step needs no passage.
    return {n: entry for n, entry in gold.items() if n not in ("operation", "no_evidence")}


def _gold_of_answers(value: object) -> Iterator[Entry]:
    for answer in objects(value):
        for name, part in answer.items():
            yield from (_entries if name in NAMES["gold of an answer"] else _gold_of_answers)(part)


def _is_gold(row: Row, value: object) -> bool:
    """Whether texts next to a question are its gold, as in SQuAD, RAGAS, DeepEval and IIRC."""
    if isinstance(value, list) and value and isinstance(value[0], str):
        return "expected_output" in row or "evolution_type" in row
    if isinstance(value, str):
        return "input" not in row
    return isinstance(value, list) and bool(first(row, TEXT))


def _question(
    row: Row, answers: tuple[str, ...], gold: Mapping[str, Entry], context: list[Entry]
) -> Question:
    text = first(row, NAMES["question"])
    if not 0 < len(text) <= MOST_QUESTION:
        raise ValueError("no question, or a very long one")
    id_ = first(row, NAMES["question id"]) or "q" + derived_key("", text)[1:]
    grades = {key: entry.grade for key, entry in gold.items()}
    named = re.match(r"\dhop\d?", id_)
    stated = re.match(r"\d+", first(row, ("hops", "num_hops")) or id_[:1] * bool(named))
    hops = grade(stated[0] if stated else sum(map(bool, grades.values())))
    steps = unpacked(next(filter(None, map(row.get, NAMES["steps"])), ()))
    return Question(
        id_,
        text,
        answers,
        (),
        first(row, NAMES["type"]) or (named[0] if named else None),
        hops if 1 <= hops <= 99 else None,
        tuple(_hop(step, context) for step in steps),
    ).with_gold(grades)


def _hop(step: Any, context: list[Entry]) -> Hop:  # noqa: ANN401
    if isinstance(step, str):
        return Hop(words(step), "", "")
    keys = {passage.id or str(number): passage.key for number, passage in enumerate(context)}
    return Hop(
        words(step["question"]),
        first(step, ("answer",)),
        keys.get(str(step.get("paragraph_support_idx")), first(step, ("supporting_id",))),
    )


def _known_answers(row: Row) -> tuple[str, ...]:
    answers = [answer for name in NAMES["answers"] for answer in _answers(row.get(name))]
    answers = answers or [
        answer for name in NAMES["reference"] for answer in _answers(row.get(name))
    ]
    choices, tokens = _choices(row), first(row, ("document_text",)).split(" ")
    for note in objects(row.get("annotations")) if tokens[1:] else ():  # Natural Questions
        spans = objects(note.get("short_answers"))
        answers += [" ".join(tokens[span["start_token"] : span["end_token"]]) for span in spans]
    return tuple(dict.fromkeys(filter(None, (words(choices.get(name, name)) for name in answers))))


def _choices(row: Row) -> dict[str, Any]:
    value = unpacked(row.get("options") or row.get("choices") or ())
    parts = objects(value)
    if parts and parts != [value]:
        return {first(part, ("label", "key")): first(part, TEXT) for part in parts}
    # QuALITY counts from 1.
    numbers = {str(number): text for number, text in enumerate(value, "gold_label" in row)}
    return dict(value) if parts else numbers | dict(zip("ABCDEFGHIJ", value, strict=False))


def _answers(value: object) -> Iterator[str]:
    inner = unpacked(value)
    if isinstance(inner, Mapping):
        fields = plain_row(inner)
        if {"day", "month", "year"} <= fields.keys():
            fields = {"text": " ".join(map(str, map(fields.get, ("day", "month", "year"))))}
        inner = [fields[name] for name in NAMES["answer part"] if name in fields]
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
    rows = objects(fields)
    if fields and all(isinstance(value, int | float) for value in fields.values()):
        for id_, number in fields.items():
            yield Entry(id_, id_, grade=grade(number))
    elif rows != [fields]:
        for row in rows:
            yield from _objects(row)
    else:
        texts = fields.get("paragraphs") or [
            joined(next(filter(None, map(fields.get, (*NAMES["passage text"], "sentences"))), ""))
        ]
        marks = [bool(fields[name]) for name in NAMES["mark"] if name in fields]
        for text in texts:
            entry = Entry(
                first(fields, NAMES["passage id"]),
                first(fields, NAMES["passage title"]),
                text,
                *marks[:1],
            )
            if any(entry[:3]):
                yield entry
        if texts == [""] and not entry.id and not entry.title:  # texts by a name, or ids
            for name, part in fields.items():
                yield from _entries(part if isinstance(part, str) else name if part else None)


# The search for gold passages. A question has a key for each until it is known which is meant: the
# name in the file, or the key derived from title and text.

_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+")  # sentences, which may be in several passages
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
                self._titles[normalise_entity(title)].append(name)
            for part, text in enumerate([passage, *_BETWEEN.split(passage)]):
                words = normalise_entity(text).split()
                if len(text) >= 12 and words:  # too many passages have a shorter one
                    line = " ".join(words), name, part
                    self._texts[" ".join(words[:_KEY_WORDS])].append(line)

    def look(self, key: str, title: str, text: str) -> None:
        full = normalise_entity(title)
        titles = {full, normalise_entity(title_and_section(title)[0])} if self._titles else ()
        titled = {name for title in titles for name in self._titles.get(title, ())}
        for name in titled:
            self._titled[name].add(re.sub(r"#\d+$", "", key))
        words = f"{full} {normalise_entity(text)}".split() if self._texts else []
        line = f" {' '.join(words)} "
        ends = range(1, _KEY_WORDS + 1)
        starts = {" ".join(words[n : n + end]) for n in range(len(words)) for end in ends}
        for start in starts & self._texts.keys():
            for sentence, name, part in self._texts[start]:
                before = self._matches[name].get(part, (-1, ""))
                if (name in titled) > before[0] and f" {sentence} " in line:
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


def resolve_gold(question: Question, result: Mapping[str, tuple[str, ...]]) -> Question:
    """The question with the passages that were found in place of the keys of their clues."""
    grades: dict[str, int] = {}
    for old, graded in question.grades.items():
        for key in result.get(old, (old,)):
            grades[key] = max(graded, grades.get(key, 0))
    return replace(
        question.with_gold(grades),
        decomposition=tuple(
            replace(hop, supporting_key=result.get(hop.supporting_key, (hop.supporting_key,))[0])
            for hop in question.decomposition
        ),
    )
