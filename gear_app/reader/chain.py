"""What the gist memory says about the question: mentions followed from triple to triple, and the query they leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gear_app.reader.clauses import Clause, clause, final, side_by_side, text_of
from gear_app.reader.mentions import Anchor, Query
from gear_app.reader.slots import asked, is_date, is_number, suits
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution

FOLLOWED = 0.3


class Asks:
    """What the query asks about an anchor: the phrase around it, its words without any name, and its noun."""

    def __init__(self, query: Query, anchor: Anchor) -> None:
        """Read the phrase; a name about which nothing special is asked gets the words of the whole query."""
        self.clause: Clause = clause(query, anchor)
        named = {i for other in query.anchors for i in range(other.first, other.last + 1)}
        whole = range(len(query.words))
        span = range(self.clause.first, self.clause.last + 1) if self.clause.head else whole
        asked = " ".join(text_of(query, i, i) for i in span if i not in named and query.words[i].text != "s")
        self.relation = asked or "is"
        self.head = self.clause.head or "thing"


Fits = Callable[[Asks, str, str], bool]
"""Whether a predicate and a new entity answer what is asked about a name."""


@dataclass(frozen=True, slots=True)
class Node:
    """The question with some mentions replaced, what was done, and the answer if the last triple gave one."""

    query: str
    substitutions: tuple[Substitution, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Every query that the memory leads to, the question first, the latest last; the names met (normalised)."""

    nodes: tuple[Node, ...]
    seen: frozenset[str]

    @property
    def last(self) -> Node:
        """The latest."""
        return self.nodes[-1]


def follow(memory: Sequence[ProximalTriple], question: str, fits: Fits) -> Chain:
    """Follow the memory's triples in order, each from the latest query that mentions one of its sides."""
    names = {name for triple in memory for name in (triple.subject, triple.object)}
    nodes = [Node(question)]
    for triple in memory:
        for node in reversed(nodes):
            step = _step(node, triple, names, fits)
            if step:
                nodes.append(step)
                break
    return Chain(tuple(nodes), frozenset(map(normalise_entity, names)))


def _step(node: Node, triple: ProximalTriple, names: set[str], fits: Fits) -> Node | None:
    query = Query(node.query, names)
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = subject.quality if subject else 0.0, object_.quality if object_ else 0.0
    if max(left, right) < FOLLOWED:
        return None
    at, new = (subject, triple.object) if left >= right else (object_, triple.subject)
    assert at is not None
    asks = Asks(query, at.anchor)
    answered = fits(asks, triple.predicate, new)
    start, end = query.place(at.anchor)
    if answered and asks.clause.head:
        start = min(start, query.words[asks.clause.first].start)
        end = max(end, query.words[asks.clause.last].end)
    text = re.sub(r"\s+", " ", node.query[:start] + new + node.query[end:]).strip()
    if is_date(new) or is_number(new):
        text = node.query  # a date is an answer, nothing to search for
    done = (*node.substitutions, Substitution(node.query[start:end], new, triple.text))
    return Node(text, done, _answer(query, done) if answered and final(query) else "")


def _answer(query: Query, done: Sequence[Substitution]) -> str:
    """The last entity where it is of the kind that is asked for; of a comparison both sides must have been found."""
    kind, new = asked(query.text), done[-1].inserted
    if not suits(kind, new):
        return ""
    if side_by_side(query):
        found = [step.inserted for step in done if suits(kind, step.inserted)]
        return " / ".join(found) if kind in ("date", "number") and len(found) > 1 else ""
    return new
