"""The gist memory followed from triple to triple, and the queries that this leaves.

"Where was the director of Harbour Lights born?" and (Harbour Lights, was directed by, Ada Quill)
leave "Where was Ada Quill born?": the name gives way to the new entity, and with it the phrase
around it where the triple answers that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple, Substitution, Triple
from gear_app.language.query import EntityMention, Query, compared_names, straightened, text_of
from gear_app.language.relations import AGENTS, AnswerType, answer_type, asked_part, is_value
from gear_app.models.reader.answers import answer, choice, is_compared
from gear_app.models.reader.coverage import (
    Fits,
    covered,
    innermost,
    stands_alone,
    stands_beside,
)

MENTIONED = 0.3  # a side of a triple is known from here on
NEW = 0.5  # and no longer new from here on


@dataclass(frozen=True, slots=True)
class ChainNode:
    """The question with some mentions replaced, how, and the answer if the last triple gave one.

    `values` are those substitutions that state what two names are compared by.
    """

    query: str
    substitutions: tuple[Substitution, ...] = ()
    answer: str = ""
    values: tuple[Substitution, ...] = ()


@dataclass(frozen=True, slots=True)
class FactChain:
    """The queries that the memory leads to, the question first, and its names (normalised)."""

    nodes: tuple[ChainNode, ...]
    names: frozenset[str]

    @property
    def last(self) -> ChainNode:
        """The latest query."""
        return self.nodes[-1]


def follow(memory: Sequence[ProximalTriple], question: str, fits: Fits) -> FactChain:
    """Follow the memory's triples in order, each from the latest query that mentions a side of it.

    A triple that no query mentions, or that is not new to it, is left out, and so is one that does
    not answer where only the answer is left to ask: what it leads to was not asked for. So a second
    bridge from the same name makes a second branch, and the last triple of the memory decides the
    next query.
    """
    names = {name for triple in memory for name in (triple.subject, triple.object)}
    nodes = [ChainNode(straightened(question, tuple(names)))]
    for triple in memory:
        steps = (_step(question, node, triple, names, fits) for node in reversed(nodes))
        nodes += [step for step in steps if step][:1]
    return FactChain(tuple(nodes), frozenset(map(normalise_entity, names)))


def expected_type(query: Query, followed: int) -> AnswerType:
    """The type of an answer to the query; "thing" while something else has to be found first.

    A comparison of works by their makers' ages ("Which film has the older director, X or Y?") wants
    the makers before it wants dates; `followed` counts the substitutions that led to the query.
    """
    makers = bool(compared_names(query)) and not followed and bool(query.texts & AGENTS)
    return answer_type(query.text) if stands_alone(query) and not makers else "thing"


def innermost_phrase(query: Query) -> str:
    """The innermost phrase that asks about a name, with all of its clause; "" where there is none,
    or nothing else is asked.
    """
    phrase = innermost(query)
    if phrase is None or (phrase.first == 0 and phrase.last == len(query.words) - 1):
        return ""
    return text_of(query, phrase.first, phrase.last)


def _step(
    question: str,
    node: ChainNode,
    triple: ProximalTriple,
    names: set[str],
    fits: Fits,
) -> ChainNode | None:
    query = Query(node.query, names)
    sides = max(readings(query, triple), key=lambda sides: sides[2].quality, default=None)
    if not sides:
        return None
    _, new, mention = sides
    phrase, complete = covered(query, mention.anchor, triple, new, fits)
    start, end = query.place(mention.anchor)
    if phrase:
        start = min(start, query.words[phrase.first].start)
        end = max(end, query.words[phrase.last].end)
    put = asked_part(phrase.head, new) if phrase else new
    step = Substitution(node.query[start:end], put, triple.text)
    done = (*node.substitutions, step)
    if complete and compared_names(query):
        if is_compared(query, triple, new):
            if step.removed in [value.removed for value in node.values]:
                return None
            values = (*node.values, step)
            chosen = choice(question, node.substitutions, values)
            return ChainNode(node.query, done, chosen, values)
    # the sentence of a link holds its object
    elif complete and normalise_entity(new) not in normalise_entity(triple.predicate):
        fact_answer = answer(query, triple, new)
        if fact_answer:
            return ChainNode(node.query, done, fact_answer)
    if stands_beside(query, mention.anchor):
        return None  # what is asked about this name rests on what is not found yet
    if is_value(new):
        return ChainNode(node.query, done, values=node.values)  # nothing to search for
    put = f"of {put}" if phrase and phrase.owner else put
    text = re.sub(r"\s+", " ", node.query[:start] + put + node.query[end:]).strip()
    return ChainNode(text, done, values=node.values)


def readings(
    query: Query, triple: Triple | ProximalTriple
) -> Iterator[tuple[str, str, EntityMention]]:
    """Known side, new side, and the mention of the known one: from subject to object and back."""
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = (side.quality if side else 0.0 for side in (subject, object_))
    if subject and left >= MENTIONED and right < NEW:
        yield triple.subject, triple.object, subject
    if object_ and right >= MENTIONED and left < NEW:
        yield triple.object, triple.subject, object_
