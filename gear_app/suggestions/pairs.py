"""Questions of two hops from the triples of a collection.

The first triple describes an entity without naming it, the second says something else about it in
another passage: "Blade Runner | was directed by | Ridley Scott" and "Ridley Scott | was born in |
South Shields" make "Where was the director of Blade Runner born?". What a person would not accept
is not made: see `refusal`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.english.answer_types import is_date
from gear_app.english.words import PREPOSITIONS, word_set
from gear_app.suggestions.clauses import asking_object, asking_subject, standing_for
from gear_app.suggestions.names import KnownNames, is_name
from gear_app.suggestions.relation import PredicateParts, relation
from gear_app.suggestions.suggestion import Suggestion
from gear_app.text import normalise_entity, tokenise
from gear_app.types import Passage, Triple

RARE = 5  # passages at most that name the entity in the middle
SHORTEST, LONGEST = 6, 24  # words of a question
GAP = 2  # words of a sentence that a triple may leave out between verb and object
_PRONOUNS = word_set("he she it they who which that")

_Side = tuple[str, str, str]  # subject, predicate and object, one of them "": what is left open


class TripleFact(NamedTuple):
    """A triple as grammar; `literal` says how closely its sentence has its words."""

    triple: Triple
    relation: PredicateParts
    subject: str
    object: str
    literal: float


def triple_questions(triples: Sequence[Triple], passages: Sequence[Passage]) -> list[Suggestion]:
    """All questions that two triples of these English passages make."""
    by_id = {passage.id: passage for passage in passages}
    there = [triple for triple in triples if triple.passage_id in by_id]
    names = KnownNames.of(there, list(by_id.values()))
    meeting = [triple for triple in there if _meets(triple, names)]
    facts = [fact for triple in meeting if (fact := fact_of(triple, by_id)) is not None]
    return list(_pairs(facts, open_sides(there), names, by_id))


def _meets(triple: Triple, names: KnownNames) -> bool:
    """Whether a side of it is an entity that a few other passages name, too."""
    sides = (triple.subject, triple.object)
    return any(is_name(side) and 2 <= names.number(side) <= RARE for side in sides)


def fact_of(triple: Triple, passages: Mapping[int, Passage]) -> TripleFact | None:
    """A triple as grammar; None where it makes no clause, or its sentence does not say it."""
    found = relation(triple.predicate)
    if found is None:
        return None
    literal = _literal(triple, found, passages[triple.passage_id])
    if literal is None:
        return None
    subject, object_ = normalise_entity(triple.subject), normalise_entity(triple.object)
    return TripleFact(triple, found, subject, object_, literal)


def _literal(triple: Triple, found: PredicateParts, passage: Passage) -> float | None:
    """How closely the sentence says what the triple says: 1 word for word, less with a pronoun for
    its subject, 0 with words that stand elsewhere.

    None where a name is cut out of a longer one, or the verb is another subject's, or one that
    stands alone in the triple and has other words behind it in the sentence.
    """
    if triple.span is None:
        return 0.5
    sentence = passage.text[triple.span.start : triple.span.end]
    if _is_cut(sentence, triple.subject) or _is_cut(sentence, triple.object):
        return None
    predicate = r"\s+".join(map(re.escape, triple.predicate.split()))
    object_ = re.escape(triple.object)
    said = re.search(
        rf"\b{predicate}[\s:]+(?:[\w-]+ ){{0,{GAP}}}{object_}", sentence, re.IGNORECASE
    )
    if said is None:
        return 0.0 if found.be else None
    before = sentence[: said.start()].rstrip()
    if found.kind == "key":
        return 1.0
    if re.search(rf"{re.escape(triple.subject)}(?: \([^)]*\))?(?: \w+ly)?$", before):
        lead = tokenise(before[: before.rfind(triple.subject)])[-2:]
        return None if PREPOSITIONS & set(lead) else 1.0
    if tokenise(before)[-1:] and tokenise(before)[-1] in _PRONOUNS:
        return 0.7
    return 0.5 if found.be else None


def _is_cut(sentence: str, name: str) -> bool:
    """Whether a name is part of a longer one wherever it stands."""
    places = [match.span() for match in re.finditer(re.escape(name), sentence)]
    whole = [
        place
        for place in places
        if not re.match(r"[-–'’]?\w|\s+[A-Z\d]\w", sentence[place[1] :])
        and not re.search(r"[\w-]$|\b(?!The\s)[A-Z]\w*\s$", sentence[: place[0]])
    ]
    return bool(places) and not whole


def _pairs(
    facts: Sequence[TripleFact],
    others: Mapping[_Side, set[str]],
    names: KnownNames,
    passages: Mapping[int, Passage],
) -> Iterator[Suggestion]:
    """All questions of two facts in different passages that share a rare name."""
    of: dict[str, list[TripleFact]] = defaultdict(list)
    for fact in facts:
        for side in {fact.subject, fact.object}:
            of[side].append(fact)
    for bridge, named in of.items():
        if not 2 <= names.number(bridge) <= RARE:
            continue
        for first in named:
            for second in named:
                if first.triple.passage_id == second.triple.passage_id:
                    continue
                made = _question(first, second, bridge, names, passages)
                if made is None or _ambiguous(first, second, bridge, others):
                    continue
                if not refusal(made, bridge, first.triple, second.triple, passages):
                    yield _suggestion(made, bridge, first, second, names, passages)


def _ambiguous(
    first: TripleFact, second: TripleFact, bridge: str, others: Mapping[_Side, set[str]]
) -> bool:
    """Whether another entity fits the description as well, or another answer the question."""
    described = others[_open(first, bridge)]
    answers = others[_open(second, bridge, asks=True)]
    return len(described) > 1 or len(answers) > 1


class Made(NamedTuple):
    """A question and its answer, and what it calls the entity in the middle by."""

    question: str
    answer: str
    other: str


def _question(
    first: TripleFact,
    second: TripleFact,
    bridge: str,
    names: KnownNames,
    passages: Mapping[int, Passage],
) -> Made | None:
    subject = first.subject == bridge
    name = first.triple.subject if subject else first.triple.object
    other = first.triple.object if subject else first.triple.subject
    if not (is_name(name) and is_name(other)) or _odd(first, second, names):
        return None
    other = with_article(other, passages[first.triple.passage_id])
    phrase = standing_for(first.relation, subject=subject, other=other, names=names, name=name)
    if not phrase:
        return None
    if second.subject == bridge:
        answer = second.triple.object
        question = asking_object(second.relation, phrase=phrase, answer=answer, names=names)
    else:
        answer = second.triple.subject
        question = asking_subject(second.relation, phrase=phrase, answer=answer, names=names)
    if not question or not (is_name(answer) or is_date(answer)):
        return None
    return Made(question, answer, other)


def _odd(first: TripleFact, second: TripleFact, names: KnownNames) -> bool:
    """Whether both say the same of it, or one says of a person that somebody produced it."""
    people = [
        fact.relation.bare and names.is_person(fact.triple.subject) for fact in (first, second)
    ]
    return any(people) or first.relation.verb == second.relation.verb


def with_article(name: str, passage: Passage) -> str:
    """The name with "the" where the passage writes it so: "the Brooklyn Bridge"."""
    there = re.search(rf"\b[Tt]he {re.escape(name)}\b", passage.text)
    return f"the {name}" if there and not name.startswith("The ") else name


def refusal(
    made: Made, bridge: str, first: Triple, second: Triple, passages: Mapping[int, Passage]
) -> str:
    """Why a person would not accept the question; "" where nothing speaks against it."""
    words = tokenise(made.question)
    if not SHORTEST <= len(words) <= LONGEST:
        return "too short or too long"
    if meaningful(made.answer) & set(words):
        return "the answer stands in the question"
    if meaningful(bridge) & set(words):
        return "the entity in the middle stands in the question"
    if _names(passages[second.passage_id], made.other.removeprefix("the ")):
        return "the second passage alone will do"
    if _names(passages[first.passage_id], made.answer):
        return "the first passage alone will do"
    return ""


def meaningful(name: str) -> set[str]:
    """The words of a name that tell it from others; the name where none does."""
    return {word for word in tokenise(name) if len(word) > 2 or word.isdigit()} or {name}


def _names(passage: Passage, name: str) -> bool:
    return f" {normalise_entity(name)} " in f" {normalise_entity(passage.indexed)} "


def _open(fact: TripleFact, bridge: str, *, asks: bool = False) -> _Side:
    """What a fact says with one side left open: the side of the bridge, or of the answer."""
    left = (fact.subject == bridge) != asks
    return ("" if left else fact.subject, fact.triple.predicate, fact.object if left else "")


def open_sides(triples: Sequence[Triple]) -> dict[_Side, set[str]]:
    """What there is for every open side: more than one thing makes a question ambiguous."""
    found: dict[_Side, set[str]] = defaultdict(set)
    for triple in triples:
        subject, object_ = normalise_entity(triple.subject), normalise_entity(triple.object)
        found["", triple.predicate, object_].add(subject)
        found[subject, triple.predicate, ""].add(object_)
    return found


def _suggestion(
    made: Made,
    bridge: str,
    first: TripleFact,
    second: TripleFact,
    names: KnownNames,
    passages: Mapping[int, Passage],
) -> Suggestion:
    words = len(tokenise(made.question))
    score = 2 * (first.literal + second.literal) - 0.1 * abs(words - 11)
    score += 0.5 * bool(first.relation.agent) - made.question.startswith("What ")
    score -= ("the place where" in made.question) + 0.3 * (" whom " in made.question)
    score -= 0.2 * (names.number(bridge) - 2)
    name = first.triple.subject if first.subject == bridge else first.triple.object
    keys = (passages[first.triple.passage_id].key, passages[second.triple.passage_id].key)
    triples = (first.triple, second.triple)
    return Suggestion(made.question, made.answer, name, triples, keys, round(score, 3))
