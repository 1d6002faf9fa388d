"""The gist memory followed from triple to triple, and the queries that this leaves.

"Where was the director of Harbour Lights born?" and (Harbour Lights, was directed by, Ada Quill)
leave "Where was Ada Quill born?": the name gives way to the new entity, and with it the phrase
around it where the triple answers that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gear_app.english.answer_types import AnswerType, answer_type, is_date, is_number, suits
from gear_app.english.mentions import EntityMention, Query
from gear_app.english.phrases import (
    AskedRelation,
    asked_relation,
    asks_one_thing,
    compared_names,
    phrase_around,
    text_of,
)
from gear_app.english.relations import asks_agent, direction
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution

MENTIONED = 0.3  # a side of a triple is known from here on
NEW = 0.5  # and no longer new from here on


Fits = Callable[[AskedRelation, str, str], bool]
"""Whether a predicate and a new entity answer what is asked about a name."""


@dataclass(frozen=True, slots=True)
class ChainNode:
    """The question with some mentions replaced, how, and the answer if the last triple gave one."""

    query: str
    substitutions: tuple[Substitution, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """The queries that the memory leads to, the question first, and its names (normalised)."""

    nodes: tuple[ChainNode, ...]
    seen: frozenset[str]

    @property
    def last(self) -> ChainNode:
        """The latest query."""
        return self.nodes[-1]


def follow(memory: Sequence[ProximalTriple], question: str, fits: Fits) -> Chain:
    """Follow the memory's triples in order, each from the latest query that mentions a side of it.

    A triple that no query mentions, or that is not new to it, is left out. So a second bridge from
    the same name makes a second branch, and the last triple of the memory decides the next query.
    """
    names = {name for triple in memory for name in (triple.subject, triple.object)}
    nodes = [ChainNode(question)]
    for triple in memory:
        steps = (_step(node, triple, names, fits) for node in reversed(nodes))
        nodes += [step for step in steps if step][:1]
    return Chain(tuple(nodes), frozenset(map(normalise_entity, names)))


def expected_type(query: Query, followed: int) -> AnswerType:
    """The type of an answer to the query; "thing" while something else has to be found first.

    A comparison of works by their makers' ages ("Which film has the older director, X or Y?") wants
    the makers before it wants dates; `followed` counts the substitutions that led to the query.
    """
    makers = bool(compared_names(query)) and not followed and asks_agent(query.text)
    return answer_type(query.text) if asks_one_thing(query) and not makers else "thing"


def innermost_phrase(query: Query) -> str:
    """The innermost phrase that asks about a name; "" where there is none, or nothing else."""
    if asks_one_thing(query):
        return ""
    phrases = (phrase_around(query, anchor) for anchor in reversed(query.anchors))
    texts = (text_of(query, phrase.first, phrase.last) for phrase in phrases if phrase.head)
    return next(texts, "")


def _step(node: ChainNode, triple: ProximalTriple, names: set[str], fits: Fits) -> ChainNode | None:
    query = Query(node.query, names)
    sides = _known(query, triple)
    if not sides:
        return None
    mention, new = sides
    asks = asked_relation(query, mention.anchor)
    fitting = fits(asks, triple.predicate, new)
    start, end = query.place(mention.anchor)
    if fitting and asks.phrase.head:
        start = min(start, query.words[asks.phrase.first].start)
        end = max(end, query.words[asks.phrase.last].end)
    done = (*node.substitutions, Substitution(node.query[start:end], new, triple.text))
    text = re.sub(r"\s+", " ", node.query[:start] + new + node.query[end:]).strip()
    if is_date(new) or is_number(new):
        text = node.query  # an answer, but nothing to search for
    expected = answer_type(query.text)
    answers = fitting and asks_one_thing(query) and _leads_there(expected, triple, new)
    return ChainNode(text, done, _answer(query, done) if answers else "")


def _known(query: Query, triple: ProximalTriple) -> tuple[EntityMention, str] | None:
    """How the query mentions the triple's known side, and the new side."""
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = subject.quality if subject else 0.0, object_.quality if object_ else 0.0
    if subject and left >= max(right, MENTIONED):
        return (subject, triple.object) if right < NEW else None
    if object_ and right >= MENTIONED:
        return (object_, triple.subject) if left < NEW else None
    return None


def _leads_there(kind: AnswerType, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for."""
    turn = direction(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0


def _answer(query: Query, done: Sequence[Substitution]) -> str:
    """The last entity if it suits the question; of a comparison both sides, if both were found."""
    expected = answer_type(query.text)
    suiting = [step for step in done if suits(expected, step.inserted)]
    if compared_names(query):
        both = expected in ("date", "number") and len(suiting) > 1
        return "; ".join(f"{step.removed}: {step.inserted}" for step in suiting) if both else ""
    return done[-1].inserted if suits(expected, done[-1].inserted) else ""
