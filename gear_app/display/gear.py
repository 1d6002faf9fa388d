"""GEAR's agent: reading, links to stored triples, the gist memory with its verdicts, and the next
query.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gear_app.core.text import count, cut
from gear_app.core.types import ProximalTriple, ScoreSum
from gear_app.display.labels import STORED, base_name, capital, exact
from gear_app.display.markup import tag
from gear_app.display.scores import rounded_sum
from gear_app.display.telling import (
    EMPTY,
    FACT,
    LONGEST,
    Card,
    Column,
    Detail,
    Scene,
    Telling,
    fact_card,
    fact_cards,
    teller,
)
from gear_app.trace import timeline
from gear_app.trace.events import Event, Linked, Read, Reasoned, Remembered, Rewrote, ShownTriple

TERMS: Mapping[str, str] = {  # of a score, in words
    "quality": "how much of the known name the query says",
    "mass": "how rare the words of that name are",
    "titled": "the query names the passage",
    "early": "how high the passage ranks",
    "named": "what it leads to is a name",
    "timed": "it leads to a date or number that is not asked for",
    "shared": "fact and query share a word",
    "related": "fact and query tell the same kind of thing",
    "direction": "it leads the way that is asked",
    "owned": "the query asks for something of the known name",
    "alias": "it says that two names are one",
    "sentence": "its sentence tells more of what is asked",
    "outer": "it tells what is asked around it, too",
    "ahead": "what is asked next is known of what it leads to",
    "whole": "cosine of the fact and the query",
    "relation": "cosine of the predicate and what is asked",
    "kind": "cosine of what it leads to and the noun asked for",
}


@teller("read", Read, "Which facts of the passages touch the query?")
def reading(scene: Scene, event: Read) -> Telling:
    """The facts that a reader selected and rejected, each with the sum of its score."""
    selected, facts = len(event.triples), (*event.triples, *event.passed_over)
    touch = "touches" if selected == 1 else "touch"
    none = "The reader takes no fact from these passages"
    cards = tuple(_fact(event, n, fact) for n, fact in enumerate(facts))
    from_passages = {parent for card in cards for parent in card.parents}
    passages = tuple(
        scene.passage_card(f"p{passage.id}", passage, rank)
        for rank, passage in enumerate(event.passages, start=1)
        if f"p{passage.id}" in from_passages
    )
    rest = len(event.passages) - len(passages)
    return Telling(
        headline=f"{count(selected, 'fact')} of these passages {touch} the query"
        if selected
        else none,
        columns=(
            Column("passages read", passages, "Which passage says something?", rest),
            Column("facts taken", cards, FACT),
        ),
        opens=cards[0].id if cards else "",
        detail=lambda card: _fact_detail(event, facts, card),
        legend=(("proximal", "taken"), ("pruned", "left")) if event.passed_over else (),
    )


def _stored(event: Read, fact: ProximalTriple) -> ShownTriple | None:
    return next((triple for triple in event.stored if triple.id == fact.triple_id), None)


def _fact(event: Read, n: int, fact: ProximalTriple) -> Card:
    """A fact, from the passage of its stored triple where it is one."""
    stored, kind = _stored(event, fact), "proximal" if n < len(event.triples) else "pruned"
    note = f"{fact.score:.2f}" if fact.score is not None else ""
    card = fact_card(f"t{n}", stored or fact, kind, note)
    if stored is None:
        return replace(card, source="written by the language model")
    return replace(card, parents=(f"p{stored.passage_id}",))


def _fact_detail(event: Read, facts: Sequence[ProximalTriple], card: str) -> Detail:
    number = int(card[1:])
    if card.startswith("p"):
        return Detail(passage=number)
    fact, selected = facts[number], number < len(event.triples)
    terms = tuple(sum_lines(event.sums[number], fact.score)) if number < len(event.sums) else ()
    reason = tag("p", fact.why, class_="gear-note", dir="auto") if fact.why else EMPTY
    state = "taken" if selected else "left"
    return Detail(fact.text, state, reason, terms, triple=_stored(event, fact))


def sum_lines(terms: ScoreSum, score: float | None) -> Iterator[tuple[str, str]]:
    """The terms of a score, the greatest first, their sum, and the score that follows from it."""
    products = {term: round(term.value * term.weight, STORED) for term in terms.terms}
    for term, part in sorted(products.items(), key=lambda pair: -abs(pair[1])):
        factors = f"{exact(term.value)} × {term.weight:g}".replace("-", "−")
        yield f"{TERMS.get(term.name, term.name)}: {factors}", exact(part)
    total = rounded_sum(list(products.values()), sum(products.values()))
    yield "= sum", exact(total)
    computed = 1 / (1 + math.exp((terms.even - total) / terms.slope))
    formula = f"= score = 1 / (1 + e^(({terms.even:g} − sum) / {terms.slope:g}))"
    yield formula, exact(computed if score is None else score)


@teller("link", Linked, "Which stored facts are these?")
def linking(scene: Scene, event: Linked) -> Telling:
    """Proximal triples next to the stored ones that they were linked to."""
    linked = [link for link in event.links if link.triple]
    read, stored = [], []
    for n, link in enumerate(event.links):
        card = replace(fact_card(f"l{n}", link.proximal), uncovered=True)
        if link.triple is None:
            read.append(replace(card, kind="pruned", source="no stored triple is near enough"))
            continue
        read.append(card)
        ranks = ", ".join(f"rank {part.rank} in {base_name(part.source)}" for part in link.parts)
        triple, match_ = link.triple, "the same triple" if link.identity else ranks
        gold = triple.passage_key in scene.gold
        words, kind = f"{triple.subject} {triple.predicate} → {triple.object}", "kept"
        card = Card(f"r{n}", triple.passage_name, words, "gold" if gold else kind, star=gold)
        stored.append(replace(card, parents=(f"l{n}",), source=match_))
    return Telling(
        headline=f"{len(linked)} of {count(len(event.links), 'fact')} linked to the graph",
        columns=(
            Column("read", tuple(read), FACT),
            Column("stored, of the passage", tuple(stored), FACT),
        ),
        detail=lambda card: Detail("Stored triple", triple=event.links[int(card[1:])].triple),
    )


@teller("remember", Remembered, "What is worth remembering?")
def memory(scene: Scene, event: Remembered) -> Telling:
    """The facts that the gist memory took in, next to those before and those left."""
    reads = [read for read in scene.of(Read) if read.verb == "remember"]
    telling = reading(scene, reads[-1]) if reads else Telling()
    left = tuple(
        card for column in telling.columns for card in column.cards if card.kind == "pruned"
    )
    new = (*fact_cards("n", event.added, "gist"), *left)
    added = f"{count(len(event.added), 'fact')} remembered; the memory holds {event.size}"
    return Telling(
        headline=added if event.added else "Nothing new to remember",
        columns=(
            Column("remembered before", gist_cards(scene.trace, event.iteration), FACT),
            Column("new", new, FACT),
        ),
        detail=lambda card: telling.detail(card) if card[0] == "t" else Detail(),
        legend=(("gist", "remembered"), ("pruned", "left")) if left else (),
        notes=(event.summary,),
    )


def gist_cards(events: Sequence[Event], before: int) -> tuple[Card, ...]:
    """The facts of the gist memory before an iteration; on slides the newest go first."""
    facts = [triple for iteration, triple in gist_facts(events) if iteration < before]
    cards = enumerate(fact_cards("g", facts, "gist"))
    return tuple(replace(card, uncovered=True, weight=float(place)) for place, card in cards)


def gist_facts(events: Sequence[Event]) -> Iterator[tuple[int, ProximalTriple]]:
    """The facts that the gist memory took in, each with its iteration."""
    for event in events:
        if isinstance(event, Remembered):
            yield from ((event.iteration, fact) for fact in event.added)


@teller("reason", Reasoned, "Is the question answered?")
def verdict(scene: Scene, event: Reasoned) -> Telling:
    """The memory next to the verdict."""
    kind = "gold" if event.answerable else "pruned"
    card = Card("v", capital(event.verdict), event.reason, kind)
    verdict = Column("the verdict", (card,), "Is it answered?", roomy=True)
    memory = gist_cards(scene.trace, event.iteration + 1)
    return Telling(
        headline=capital(event.verdict),
        columns=(Column("the memory", memory, FACT), verdict),
    )


@teller("rewrite", Rewrote, "What is asked next?")
def rewriting(scene: Scene, event: Rewrote) -> Telling:
    """The query with what is struck out, and the next one with what was put in."""
    changes = timeline.new_substitutions(scene.trace, event)
    struck = _marked(scene.query, "del", [change.removed for change in changes])
    query = Card("q", "Query", pieces=struck, kind="query", uncovered=True)
    following = Card("n", "No next query", "There is nothing new to ask.", "pruned")
    if event.query.strip():
        put_in = _marked(event.query, "ins", [change.inserted for change in changes])
        because = " ".join(f"Because {change.because}." for change in changes if change.because)
        following = Card("n", "Next query", because, "query", pieces=put_in)
    headline = "The next query asks in other words" if event.query.strip() else following.text
    for change in changes[-1:]:
        inserted = f"“{cut(change.inserted, LONGEST)}”"
        replaced = f"“{cut(change.removed, LONGEST)}” is now {inserted}"
        headline = replaced if change.removed else f"{inserted} comes in"
    columns = (Column("", (query, following), "What is asked next?", roomy=True),)
    return Telling(headline=headline, columns=columns)


def _marked(text: str, mark: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The text in pieces; those that are one of the words get the mark."""
    pattern = "|".join(map(re.escape, filter(None, words)))
    parts = re.split(f"({pattern})", text) if pattern else [text]
    return tuple((part, mark if n % 2 else "") for n, part in enumerate(parts) if part)
