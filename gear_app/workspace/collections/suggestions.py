"""Questions suggested from a collection's own triples and fields, by fixed templates.

Two facts of two passages that share an entity make a question of two hops ("Where was the director
of Red Harbour born?") with its answer and its gold; where too few do, one fact makes a question
that one passage answers. `suggest` is pure: it takes triples and passages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Span, Triple
from gear_app.language.answer_types import is_date
from gear_app.language.dates import WEEKDAYS
from gear_app.language.english import looks_english
from gear_app.language.verbs import base_of_past, is_past, past_of
from gear_app.language.words import FUNCTION_WORDS, PREPOSITIONS

MAX_PASSAGES = 10  # the entity that two facts share is in at most so many passages
MIN_WORDS, MAX_WORDS, BEST_WORDS = 4, 25, 11  # of a question
NEAR = 40  # characters between a predicate and its object
MOST_ALIKE = 3  # questions with the same predicates
SAMPLE = 100_000  # characters of a collection that decide about the language of its fields

_AGENTS = dict(
    pair.split(":")
    for pair in (
        "directed:director written:author founded:founder designed:designer built:builder"
        " composed:composer produced:producer owned:owner painted:painter discovered:discoverer"
        " invented:inventor edited:editor led:leader managed:manager published:publisher"
        " created:creator developed:developer"
    ).split()
)
_ROLES = (
    "mayor|chair|head|president|king|queen|author|director|founder|owner|mother|father|wife"
    "|husband|spouse|son|daughter|brother|sister"
)
# A predicate, as what it stands for the other side without naming it ("" where nothing reads well),
# and how that is asked for. `{name}` is the subject, or the object where the question is REVERSED;
# `{verb}` the word that matched.
_TEMPLATES = (
    (f"(?:is |was )?({'|'.join(_AGENTS)}) by", "the {agent} of {name}", "Who {past} {name}?"),
    (
        "(?:was )?(born) (?:in|at|on)",
        "the place where {name} was born",
        "{where} was {name} born?",
    ),
    (
        "(died|studied|lived|worked|settled|taught) (?:in|at)",
        "the place where {name} {verb}",
        "{where} did {name} {base}?",
    ),
    ("(?:is |was )?(located|situated|based) in", "the place where {name} is", "Where is {name}?"),
    ("(?:was )?(built|founded|opened|published) in", "", "{where} was {name} {verb}?"),
    (
        f"(?:is |was )(?:the )?({_ROLES}) of",
        "the {verb} of {name}",
        "Who is the {verb} of {name}?",
    ),
    (
        "(designed|founded|wrote|directed|built|studied|composed|discovered)",
        "",
        "What did {name} {base}?",
    ),
)
REVERSED = "Who is the"
_FIELD = re.compile(r"^([^\W\d_]+(?: [^\W\d_]+)?): (\S[^\n]{1,60})$", re.MULTILINE)


class Suggestion(NamedTuple):
    """A question with its answer. Gold are the passages of the triples it is made of, by key.

    `bridge` is the entity that both triples share and the question leaves out; "" for a question of
    one triple. A triple that is read from a field has the id 0.
    """

    question: str
    answer: str
    bridge: str
    triples: tuple[Triple, ...]
    keys: tuple[str, ...]
    score: float  # higher is better


class Fact(NamedTuple):
    """A triple or a field with the template's texts, in which only `{name}` is open."""

    passage: Passage
    triple: Triple
    topic: str
    answer: str
    phrase: str
    question: str


def suggest(
    triples: Sequence[Triple], passages: Sequence[Passage], limit: int = 10
) -> list[Suggestion]:
    """Suggest at most `limit` questions, best first, those of two passages before those of one.
    Answers differ, and few have the same predicates. English passages alone.
    """
    english = {passage.id: passage for passage in passages if looks_english(passage.text)}
    facts = [
        fact
        for triple in triples
        if triple.passage_id in english
        for fact in _triple_facts(triple, english[triple.passage_id])
    ]
    if looks_english("\n".join(passage.text for passage in passages)[:SAMPLE]):
        facts += [fact for passage in english.values() for fact in _field_facts(passage)]
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fact in facts:
        answers[fact.topic, fact.question].add(normalise_entity(fact.answer))
    facts = [fact for fact in facts if len(answers[fact.topic, fact.question]) == 1]
    one_hop = (
        _suggestion((fact,), _with_article(fact.topic, fact.passage))
        for fact in facts
        if _is_name(fact.topic) and (_is_name(fact.answer) or is_date(fact.answer))
    )
    candidates = filter(None, [*_two_hop(facts), *one_hop])
    selected: list[Suggestion] = []
    used, alike = set[str](), Counter[tuple[str, ...]]()
    for item in sorted(candidates, key=lambda c: (-len(c.keys), -c.score, c.question)):
        names = {normalise_entity(item.answer), normalise_entity(item.bridge)} - {""}
        predicates = tuple(triple.predicate for triple in item.triples)
        if len(selected) < limit and used.isdisjoint(names) and alike[predicates] < MOST_ALIKE:
            selected.append(item)
            used |= names
            alike[predicates] += 1
    return selected


def _triple_facts(triple: Triple, passage: Passage) -> Iterator[Fact]:
    for predicate, phrase, question in _TEMPLATES:
        match = re.fullmatch(predicate, triple.predicate)
        if match is None or not _is_stated(triple, passage):
            continue
        topic, answer = triple.subject, triple.object
        if question.startswith(REVERSED):
            topic, answer = answer, topic
        texts = {
            "name": "{name}",
            "verb": match[1],
            "agent": _AGENTS.get(match[1], ""),
            "past": past_of(match[1]),
            "base": base_of_past(match[1]),
            "where": "When" if is_date(answer) else "Where",
        }
        phrase = "" if is_date(answer) else phrase.format(**texts)
        yield Fact(passage, triple, topic, answer, phrase, question.format(**texts))
        return


def _is_stated(triple: Triple, passage: Passage) -> bool:
    """Whether the sentence is about the subject and has the predicate shortly before the object."""
    sentence = passage.text[slice(*triple.span)] if triple.span else passage.text
    verb = re.sub("^(?:is|was) |(?: (?:by|in|at|on|of))?$", "", triple.predicate)
    end = r"(?![-–'’]?\w| [A-Z]\w)"  # not cut out of a longer name
    stated = rf"\b{re.escape(verb)}\b[^.;]{{,{NEAR}}}(?<!\w){re.escape(triple.object)}{end}"
    openings = (triple.subject, f"The {triple.subject}", "He ", "She ", "It ")
    return sentence.startswith(openings) and re.search(stated, sentence) is not None


def _field_facts(passage: Passage) -> Iterator[Fact]:
    """The facts of "Key: value" lines, about the passage's title."""
    for match in _FIELD.finditer(passage.text):
        key, value = match[1], match[2].strip()
        ordinary = {*key.lower().split()} & (FUNCTION_WORDS | PREPOSITIONS)
        if ordinary or is_past(key.lower()) or not (_is_name(value) or is_date(value)):
            continue
        triple = Triple(0, passage.id, passage.title, key, value, Span(*match.span()))
        phrase = f"the {key if key.isupper() else key.lower()} of {{name}}"
        yield Fact(passage, triple, passage.title, value, phrase, f"What is {phrase}?")


def _two_hop(facts: Sequence[Fact]) -> Iterator[Suggestion | None]:
    about, passages_of = defaultdict[str, list[Fact]](list), defaultdict[str, set[int]](set)
    for fact in facts:
        about[normalise_entity(fact.topic)].append(fact)
        for name in (fact.topic, fact.answer):
            passages_of[normalise_entity(name)].add(fact.passage.id)
    for first in facts:
        bridge = normalise_entity(first.answer)
        named = first.phrase and _is_name(first.topic) and _is_name(first.answer)
        if not named or len(passages_of[bridge]) > MAX_PASSAGES:
            continue
        phrase = first.phrase.format(name=_with_article(first.topic, first.passage))
        for second in about[bridge]:
            alone = _mentions(first.passage.indexed, second.answer) or _mentions(
                second.passage.indexed, first.topic
            )
            places = phrase.startswith("the place") and "Where" in second.question
            if first.passage.title != second.passage.title and not alone and not places:
                yield _suggestion((first, second), phrase)


def _suggestion(facts: tuple[Fact, ...], phrase: str) -> Suggestion | None:
    """The question about the last fact's answer, unless it is too short, too long, or names the
    answer or the entity in the middle.
    """
    last = facts[-1]
    question = last.question.format(name=phrase)
    length = len(question.split())
    bridge = last.topic if len(facts) > 1 else ""
    if not MIN_WORDS <= length <= MAX_WORDS or _mentions(question, last.answer):
        return None
    if bridge and _mentions(question, bridge):
        return None
    score = 0.3 * _is_name(last.answer) - 0.05 * abs(length - BEST_WORDS)
    triples, keys = zip(*((fact.triple, fact.passage.key) for fact in facts), strict=True)
    return Suggestion(question, last.answer, bridge, triples, keys, round(score, 3))


def _is_name(text: str) -> bool:
    """Whether every word but prepositions and articles has a capital or a digit; no date."""
    words = [word for word in text.split() if word not in PREPOSITIONS | FUNCTION_WORDS]
    capitals = all(word[0].isupper() or any(map(str.isdigit, word)) for word in words)
    return 0 < len(words) < 6 and capitals and not is_date(text) and text.lower() not in WEEKDAYS


def _mentions(text: str, name: str) -> bool:
    return f" {normalise_entity(name)} " in f" {normalise_entity(text)} "


def _with_article(name: str, passage: Passage) -> str:
    written = re.search(rf"\b([Tt]he|an?) {re.escape(name)}\b", passage.text)
    return f"{written[1].lower()} {name}" if written else name
