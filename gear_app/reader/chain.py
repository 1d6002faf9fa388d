"""What the gist memory says about the question: mentions followed from triple to triple, and the
queries they leave.

"Where was the director of Harbour Lights born?" and (Harbour Lights, was directed by, Ada Quill)
leave "Where was Ada Quill born?": the name gives way to the new entity, and with it the phrase
around it where the triple answers that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gear_app.english.clauses import Clause, clause, final, side_by_side, text_of
from gear_app.english.mentions import Anchor, Mention, Query
from gear_app.english.relations import asks_agent, turned
from gear_app.english.slots import Kind, asked, is_date, is_number, suits
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple, Substitution

MENTIONED = 0.3  # a side of a triple is known from here on
NEW = 0.5  # and no longer new from here on


class Asks:
    """What a query asks about a name: the phrase around it, the phrase's words without any name,
    and its noun.
    """

    def __init__(self, query: Query, anchor: Anchor) -> None:
        """Read the phrase; a name about which nothing special is asked gets the words of the whole
        query.
        """
        self.clause: Clause = clause(query, anchor)
        names = [other for other in query.anchors if other == anchor or query.proper(other)]
        named = {i for name in names for i in range(name.first, name.last + 1)}
        whole = range(len(query.words))
        span = range(self.clause.first, self.clause.last + 1) if self.clause.head else whole
        phrase = " ".join(
            text_of(query, i, i) for i in span if i not in named and query.words[i].text != "s"
        )
        self.relation = phrase or "is"
        self.head = self.clause.head or "thing"


Fits = Callable[[Asks, str, str], bool]
"""Whether a predicate and a new entity answer what is asked about a name."""


@dataclass(frozen=True, slots=True)
class Node:
    """The question with some mentions replaced, what was done, and the answer if the last triple
    gave one.
    """

    query: str
    substitutions: tuple[Substitution, ...] = ()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Every query that the memory leads to, the question first, the latest last; the names met
    (normalised).
    """

    nodes: tuple[Node, ...]
    seen: frozenset[str]

    @property
    def last(self) -> Node:
        """The latest."""
        return self.nodes[-1]


def follow(memory: Sequence[ProximalTriple], question: str, fits: Fits) -> Chain:
    """Follow the memory's triples in order, each from the latest query that mentions one of its
    sides.

    A triple that no query mentions, or that says nothing new to it, is passed by. So a second
    bridge from the same name makes a second branch, and what comes last in the memory is what is
    asked for next.
    """
    names = {name for triple in memory for name in (triple.subject, triple.object)}
    nodes = [Node(question)]
    for triple in memory:
        steps = (_step(node, triple, names, fits) for node in reversed(nodes))
        nodes += [step for step in steps if step][:1]
    return Chain(tuple(nodes), frozenset(map(normalise_entity, names)))


def wanted(query: Query, followed: int) -> Kind:
    """The kind of entity that would be an answer now; "thing" while something else has to be found
    first.

    A comparison of works by their makers' ages ("Which film has the older director, X or Y?") wants
    the makers before it wants dates; `followed` counts the substitutions that led to the query.
    """
    makers = bool(side_by_side(query)) and not followed and asks_agent(query.text)
    return asked(query.text) if final(query) and not makers else "thing"


def unasked(query: Query) -> str:
    """The innermost phrase that asks something about a name; "" where there is none or the query is
    nothing else.
    """
    phrases = [] if final(query) else [clause(query, anchor) for anchor in reversed(query.anchors)]
    return next(
        (text_of(query, phrase.first, phrase.last) for phrase in phrases if phrase.head), ""
    )


def _step(node: Node, triple: ProximalTriple, names: set[str], fits: Fits) -> Node | None:
    query = Query(node.query, names)
    found = _known(query, triple)
    if not found:
        return None
    mention, new = found
    asks = Asks(query, mention.anchor)
    fitting = fits(asks, triple.predicate, new)
    start, end = query.place(mention.anchor)
    if fitting and asks.clause.head:
        start = min(start, query.words[asks.clause.first].start)
        end = max(end, query.words[asks.clause.last].end)
    done = (*node.substitutions, Substitution(node.query[start:end], new, triple.text))
    text = re.sub(r"\s+", " ", node.query[:start] + new + node.query[end:]).strip()
    if is_date(new) or is_number(new):
        text = node.query  # an answer, but nothing to search for
    answers = fitting and final(query) and _leads_there(asked(query.text), triple, new)
    return Node(text, done, _answer(query, done) if answers else "")


def _known(query: Query, triple: ProximalTriple) -> tuple[Mention, str] | None:
    """How the query mentions the triple's known side, and the new side."""
    subject, object_ = query.mention(triple.subject), query.mention(triple.object)
    left, right = subject.quality if subject else 0.0, object_.quality if object_ else 0.0
    if subject and left >= max(right, MENTIONED):
        return (subject, triple.object) if right < NEW else None
    if object_ and right >= MENTIONED:
        return (object_, triple.subject) if left < NEW else None
    return None


def _leads_there(kind: Kind, triple: ProximalTriple, new: str) -> bool:
    """Whether the predicate can lead to a person or place, where one is asked for."""
    turn = turned(kind, triple.predicate, forward=new == triple.object)
    return turn > 0 if kind == "place" else turn >= 0


def _answer(query: Query, done: Sequence[Substitution]) -> str:
    """The last entity where it is of the kind that is asked for; of a comparison both sides must
    have been found.
    """
    kind = asked(query.text)
    found = [f"{step.removed}: {step.inserted}" for step in done if suits(kind, step.inserted)]
    if side_by_side(query):
        return "; ".join(found) if kind in ("date", "number") and len(found) > 1 else ""
    return done[-1].inserted if suits(kind, done[-1].inserted) else ""
