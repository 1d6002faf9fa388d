"""Slides of facts: what was read, linked, matched, remembered, and judged enough or not."""

from __future__ import annotations

from gear_app.events import (
    Chained,
    Extracted,
    Linked,
    Matched,
    Read,
    Reasoned,
    Remembered,
    ShownTriple,
)
from gear_app.views import gear
from gear_app.views.slides.column import (
    ENTITY,
    FACT,
    ROWS,
    Card,
    Column,
    Moment,
    fact_card,
    fact_cards,
    left_out,
)


def extract(moment: Moment) -> tuple[Column, ...]:
    """The first facts that were extracted from a passage on the way."""
    event = moment.one(Extracted)
    if event is None or not event.triples:
        return ()
    cards = fact_cards("t", event.triples[:ROWS], "kept")
    return (Column("the first facts", cards, FACT, left_out(event.triples)),)


def read(moment: Moment) -> tuple[Column, ...]:
    """The first facts that the reader took from the passages."""
    event = moment.one(Read)
    if event is None:
        return ()
    cards = fact_cards("t", event.triples[:ROWS])
    return (Column("facts taken", cards, FACT, left_out(event.triples)),)


def links(moment: Moment) -> tuple[Column, ...]:
    """Facts as they were read beside the stored ones they were linked to."""
    event = moment.one(Linked)
    if event is None or not event.links:
        return ()
    shown = event.links[:ROWS]
    left = fact_cards("l", [link.proximal for link in shown], given=True)
    right = [
        _stored(moment, f"r{n}", f"l{n}", link.triple)
        for n, link in enumerate(shown)
        if link.triple
    ]
    more = left_out(event.links)
    return (
        Column("read", left, FACT, more),
        Column("stored, of the passage", tuple(right), FACT, more),
    )


def _stored(moment: Moment, id_: str, parent: str, triple: ShownTriple) -> Card:
    gold = triple.passage_key in moment.gold
    return Card(
        id_,
        triple.passage_name,
        f"{triple.subject} {triple.predicate} → {triple.object}",
        "gold" if gold else "kept",
        star=gold,
        parents=(parent,),
    )


def matches(moment: Moment) -> tuple[Column, ...]:
    """The best matches of a clause among the facts; pruned where they were not taken."""
    event = moment.one(Matched)
    if event is None or not event.matches:
        return ()
    cards = tuple(
        fact_card(
            f"m{n}",
            match.triple,
            "kept" if match.taken else "pruned",
            note=f"{match.score:.2f}",
        )
        for n, match in enumerate(event.matches[:ROWS])
    )
    return (Column("best matches", cards, FACT, left_out(event.matches)),)


def chain_of_facts(moment: Moment) -> tuple[Column, ...]:
    """The nodes of the chain that was made, beside the facts that join them."""
    event = moment.one(Chained)
    if event is None or not event.nodes:
        return ()
    facts = fact_cards("f", event.because[:ROWS])
    nodes = tuple(
        Card(f"n{n}", node, kind="kept", lead=str(n))
        for n, node in enumerate(event.nodes[:ROWS], start=1)
    )
    chained = Column("the chain", nodes, ENTITY, left_out(event.nodes))
    return (chained, Column("its facts", facts, FACT)) if facts else (chained,)


def remember(moment: Moment) -> tuple[Column, ...]:
    """What the memory had beside what is new in it; what was read where nothing is remembered."""
    event = moment.one(Remembered)
    if event is None:
        return read(moment)
    old = [
        triple
        for one in moment.events
        if isinstance(one, Remembered) and one.iteration < event.iteration
        for triple in one.added
    ]
    kept = fact_cards("o", old[-ROWS:], "gist", given=True)
    new = fact_cards("n", event.added[:ROWS], "gist")
    before = Column("remembered before", kept, FACT, left_out(old))
    now = Column("new", new, FACT, left_out(event.added))
    return (before, now) if kept else (now,)


def reason(moment: Moment) -> tuple[Column, ...]:
    """The memory beside the verdict on whether it answers the question."""
    event = moment.one(Reasoned)
    if event is None:
        return ()
    held = [triple for one in moment.events if isinstance(one, Remembered) for triple in one.added]
    kind = "gold" if event.answerable else "pruned"
    verdict = Card("v", gear.verdict_words(event), event.reason, kind)
    said = Column("the verdict", (verdict,), "Is it answered?", roomy=True)
    facts = fact_cards("g", held[-ROWS:], "gist", given=True)
    memory = Column("the memory", facts, FACT, left_out(held))
    return (memory, said) if facts else (said,)
