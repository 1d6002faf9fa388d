"""The sentence that says what is asked, and what of it is the answer, where no fact closes the
question.

A sentence answers that has one span of the kind asked for (language/asking.py), tells what the
question says of it, and belongs to what the question describes: its line and its title tell that,
or those of another sentence that names the same. Where another answer is about as good there is
none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.language.asking import AskedAnswer, answer_spans, asked_answer, denies
from gear_app.language.links import is_name
from gear_app.language.mentions import TITLE, mentions, read
from gear_app.language.query import Query
from gear_app.language.verbs import root
from gear_app.language.words import FUNCTION_WORDS, LIGHT_WORDS, word_set, words
from gear_app.reader.next_bridge import PassageTriples
from gear_app.text import normalise_entity
from gear_app.types import Passage, ProximalTriple, ScoreSum, ScoreTerm

SAYS = "says what is asked"  # in the `why` of a fact whose object answers
TELLS, DESCRIBES = 0.5, 0.5  # the share of either part of a question that has to be told
ALL = 0.6  # the same of a question in one part, and of what is done
MARGIN = 0.15  # by which an answer is better than any other
_EVEN, _SLOPE = 1.0, 0.25
_MOST_HOLDERS = 4
_PASSAGE = 0.7  # how much a word counts that only the rest of the passage tells
_LINKED = 0.5  # and of what is said of the answer one that only another line tells
_LIGHT = (
    word_set("man woman person people someone thing one name names place firm company")
    | FUNCTION_WORDS
)


class _Line(NamedTuple):
    """A line of a passage, or all of a form: its words' roots and what it names."""

    place: int
    roots: frozenset[str]
    names: frozenset[str]


class _Sentence(NamedTuple):
    text: str
    roots: frozenset[str]
    line: _Line


class SentenceAnswer(NamedTuple):
    """An answer, the sentence that says it, and how much of the question that and what it belongs
    to tell.
    """

    answer: str
    sentence: str
    passage: Passage
    told: float
    belongs: float

    @property
    def share(self) -> float:
        """How much is told of the whole question."""
        return (self.told + self.belongs) / 2

    @property
    def sum(self) -> ScoreSum:
        """The same, as the sum of a selection."""
        terms = (ScoreTerm("told", self.told, 1.0), ScoreTerm("belongs", self.belongs, 1.0))
        return ScoreSum(terms, _EVEN, _SLOPE)


def sentence_answer(given: PassageTriples, question: str) -> SentenceAnswer | None:
    """The answer that one sentence of the passages says; None where none does, or several."""
    asked = asked_answer(question)
    if asked is None:
        return None
    found = sorted(_answers(given, asked, question), key=lambda one: -one.share)
    if not found:
        return None
    best = found[0]
    same = normalise_entity(best.answer)
    others = [one.share for one in found if normalise_entity(one.answer) != same]
    return best if best.share - max(others, default=0.0) >= MARGIN else None


def as_fact(answer: SentenceAnswer) -> ProximalTriple:
    """The sentence as a fact of its passage whose object is the answer."""
    text = " ".join(answer.sentence.split())
    why = f"“{text}” {SAYS}."
    return ProximalTriple(
        answer.passage.name, text, answer.answer, score=round(answer.share, 6), why=why
    )


def _answers(given: PassageTriples, asked: AskedAnswer, question: str) -> Iterator[SentenceAnswer]:
    query = given.query(question)
    main, described = _weights(query, asked.main), _weights(query, asked.described)
    sentences = [one for n, passage in enumerate(given.passages) for one in _read(n, passage)]
    titles = [_roots(passage.title) for passage in given.passages]
    whole: dict[int, frozenset[str]] = defaultdict(frozenset)
    for one in sentences:
        whole[one.line.place] |= one.roots
    asked_names = {name for name, _, _ in mentions(question)}
    linked = _linked([one.line for one in sentences], asked_names)
    for one in sentences:
        head = _head(one, asked)
        if not head:
            continue
        spans = {
            normalise_entity(span): span
            for span in answer_spans(asked, one.text, head)
            if not _is_asked(span, query) and denies(one.text, span) == denies(asked.main)
        }
        if len(spans) != 1:
            continue
        place = one.line.place
        there = [(one.line.roots | titles[place], 1.0), (whole[place], _PASSAGE)]
        own = [(one.roots, 1.0), *there]
        ways = [[], *([(line.roots | titles[line.place], 1.0)] for line in linked[one.line])]
        if described:
            tells = _share(main, own)
            about = max(_share(described, [*there, *way]) for way in ways)
        else:
            ways = [[(roots_, _LINKED) for roots_, _ in way] for way in ways]
            tells = about = max(_share(main, [*own, *way]) for way in ways)
        enough = TELLS if described and asked.kind != "thing" else ALL
        if tells >= enough and about >= DESCRIBES:
            (answer,) = spans.values()
            yield SentenceAnswer(
                answer, one.text, given.passages[place], round(tells, 6), round(about, 6)
            )


def _head(one: _Sentence, asked: AskedAnswer) -> str:
    """The word of a sentence that tells what is said of what is asked for; "" where none does."""
    heads = {root(word) for word in asked.heads}
    told = (word for word in words(one.text) if root(word.text) in heads)
    return next((one.text[word.start : word.end] for word in told), "")


def _is_asked(span: str, query: Query) -> bool:
    """Whether a span says nothing that the question does not say."""
    return all(word.text in query.texts or word.text in FUNCTION_WORDS for word in words(span))


def _weights(query: Query, text: str) -> dict[str, float]:
    """The roots of a part's words, each with its rarity."""
    told = [word.text for word in words(text) if word.text not in _LIGHT]
    telling = [word for word in told if word not in LIGHT_WORDS] or told
    return {root(word): query.weight(word) for word in telling}


def _share(wanted: Mapping[str, float], parts: Sequence[tuple[frozenset[str], float]]) -> float:
    """The share of words that the parts tell, each as well as the best part counts."""
    total = sum(wanted.values())
    told = sum(
        weight * max((by for roots_, by in parts if word in roots_), default=0.0)
        for word, weight in wanted.items()
    )
    return told / total if total else 1.0


def _read(place: int, passage: Passage) -> list[_Sentence]:
    """The sentences of a passage, each with the line it stands in; a form is one line."""
    known = read(passage.title, passage.text)
    names: dict[int, set[str]] = defaultdict(set)
    common = {mention.name for mention in known.mentions if mention.lower}
    for mention in known.mentions:
        if is_name(mention.name, mention.name in common) or " " in mention.name:
            names[mention.sentence].add(mention.name)
    texts = [passage.text[span.start : span.end] for span in known.sentences]
    form = all(": " in line for line in passage.text.splitlines() if line.strip())
    form = form and len(texts) > 1 and passage.text.count("\n") + 1 == len(texts)
    starts = [0 if form else passage.text.rfind("\n", 0, s.start) for s in known.sentences]
    lines: dict[int, _Line] = {}
    for start in dict.fromkeys(starts):
        own = [n for n, other in enumerate(starts) if other == start]
        named = frozenset().union(*(names[n + 1] for n in own), names[TITLE])
        lines[start] = _Line(place, _roots(" ".join(texts[n] for n in own)), named)
    return [
        _Sentence(text, _roots(text), lines[start])
        for text, start in zip(texts, starts, strict=True)
    ]


def _roots(text: str) -> frozenset[str]:
    return frozenset(root(word.text) for word in words(text))


def _linked(lines: Sequence[_Line], asked: set[str]) -> dict[_Line, list[_Line]]:
    """The other lines that name the same as a line, which few passages name and the question does
    not.
    """
    holders: dict[str, set[_Line]] = defaultdict(set)
    for line in lines:
        for name in line.names - asked:
            holders[name].add(line)
    found: dict[_Line, list[_Line]] = defaultdict(list)
    for held in holders.values():
        if len({line.place for line in held}) <= _MOST_HOLDERS:
            for line in held:
                found[line] += [other for other in held if other != line]
    return found
