"""GEAR's agent: reading, links to stored triples, the gist memory with its verdicts, and the next
query.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.core.text import count, cut
from gear_app.core.types import ProximalTriple, ScoreSum, Substitution
from gear_app.display.decimals import STORED, exact
from gear_app.display.labels import base_name, capital
from gear_app.display.markup import Html, explained, join, tag
from gear_app.display.scores import rounded_sum
from gear_app.display.telling import (
    EMPTY,
    FACT,
    LONGEST,
    Card,
    Column,
    Detail,
    Message,
    Scene,
    Table,
    Telling,
    fact_card,
    fact_cards,
    teller,
)
from gear_app.trace import timeline
from gear_app.trace.events import (
    Event,
    Linked,
    PassagesLinked,
    Read,
    ReadPassage,
    Reasoned,
    Remembered,
    Rewrote,
)

NOTHING_NEW = "The gist memory offers nothing new to ask for."
NO_MATCH = "No matched triple could be put into the query."
LINKED = (
    "Each new fact is searched for, among passages and among triples. The passages found and those"
    " of the triples found become one list by reciprocal rank; it counts in the final ranking."
)
TERMS: Mapping[str, str] = {  # of a score, in words
    "quality": "how much of the known name the query says",
    "mass": "how rare the words of that name are",
    "proper": "the name is written with a capital",
    "titled": "the query names the passage",
    "implied": "the known name stands in the title only",
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


@teller(
    "read",
    Read,
    "Which facts of the passages touch the query?",
    "The reader takes no fact from these passages",
)
def reading(scene: Scene, event: Read) -> Telling:
    """The facts that a reader selected and rejected, each with the sum of its score."""
    selected = len(event.triples)
    touch = "touches" if selected == 1 else "touch"
    headline = f"{count(selected, 'fact')} of these passages {touch} the query"
    facts = (*event.triples, *event.passed_over)
    cards = tuple(_fact(scene, event, n, fact) for n, fact in enumerate(facts))
    from_passages = {parent for card in cards for parent in card.parents}
    passages = tuple(
        _read_passage(scene, rank, passage, event)
        for rank, passage in enumerate(event.passages, start=1)
        if f"p{rank}" in from_passages
    )
    rest = len(event.passages) - len(passages)
    columns = (
        Column("passages read", passages, "Which passage says something?", rest),
        Column("facts taken", cards, FACT),
    )
    return Telling(
        headline=headline if selected else "",
        columns=tuple(column for column in columns if column.cards),
        opens=cards[0].id if cards else "",
        detail=lambda card: _fact_detail(event, facts, card),
        legend=(("proximal", "taken"), ("pruned", "left")) if event.passed_over else (),
        notes=(summary(event),),
        tables=(Table(f"read-{event.purpose}", "As a table", partial(rows, event)),),
    )


def _read_passage(scene: Scene, rank: int, passage: ReadPassage, event: Read) -> Card:
    star = passage.key in scene.gold
    stored = {triple.id for triple in event.stored if triple.passage_id == passage.id}
    selected = sum(triple.triple_id in stored for triple in event.triples)
    left = sum(triple.triple_id in stored for triple in event.passed_over)
    words = [f"{selected} taken"] * bool(selected) + [f"{left} left"] * bool(left)
    kind = "gold" if star else "passage"
    return Card(f"p{rank}", passage.name, " · ".join(words), kind, star=star, lead=str(rank))


def _fact(scene: Scene, event: Read, n: int, fact: ProximalTriple) -> Card:
    """A fact, from the passage of its stored triple where it is one."""
    stored = next((triple for triple in event.stored if triple.id == fact.triple_id), None)
    ranks = {passage.id: rank for rank, passage in enumerate(event.passages, start=1)}
    rank = ranks.get(stored.passage_id) if stored else None
    card = fact_card(
        f"t{n}",
        fact,
        "proximal" if n < len(event.triples) else "pruned",
        note=f"{fact.score:.2f}" if fact.score is not None else "",
    )
    written = "written by the language model" if fact.triple_id is None else ""
    source = f"in {stored.passage_name}" if stored else written
    return replace(card, parents=(f"p{rank}",) if rank else (), source=source)


def _fact_detail(event: Read, facts: Sequence[ProximalTriple], card: str) -> Detail:
    """Why a fact was taken or left, the sum of its score, and its passage."""
    if not card.startswith("t"):
        rank = int(card[1:]) if card[1:].isdigit() else 0
        return Detail(passage=event.passages[rank - 1].id if rank else None)
    n = int(card[1:])
    fact, selected = facts[n], n < len(event.triples)
    stored = next((triple for triple in event.stored if triple.id == fact.triple_id), None)
    notes = [fate(event, taken=selected), fact.why] if stored else [fact.why]
    words = [tag("p", note, class_="gear-note", dir="auto") for note in notes if note]
    sums = event.sums if len(event.sums) == len(facts) else ()
    table = sum_table(sums[n], fact.score) if sums else EMPTY
    return Detail(fact.text, "taken" if selected else "left", join([*words, table]), triple=stored)


def summary(event: Read) -> str:
    """How many passages were read, and what came of it, in a sentence."""
    selected, left = len(event.triples), len(event.passed_over)
    read = f"{count(len(event.passages), 'passage')} read: " if event.passages else ""
    if any(triple.triple_id is None for triple in event.triples):
        return f"{read}the language model wrote {count(selected, 'fact')} in its own words."
    if not selected:
        nothing = "no fact was sure enough to be taken" if left else "no fact touches the query"
        return f"{read}{nothing}."
    leaves = f", the next {count(left, 'fact')} left" if left else ""
    return f"{read}{count(selected, 'stored fact')} taken{leaves}, the surest first."


def rows(event: Read) -> list[dict[str, Any]]:
    """The facts that were taken and left, as rows."""
    return [
        {
            "what": group,
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "score": fact.score,
            "why": fact.why,
        }
        for group, facts in (("taken", event.triples), ("left", event.passed_over))
        for fact in facts
    ]


def fate(event: Read, *, taken: bool) -> str:
    """Why a stored triple was taken or left, in a sentence."""
    if event.purpose == "sync":
        if taken:
            return "Taken: the search through triples starts here."
        return f"Left: only the surest {len(event.triples)} start the search."
    if taken:
        return "Taken: of the facts that say something new, it is the surest."
    if event.triples:
        return "Left: one step at a time is remembered, and another fact is surer."
    return "Left: it is not sure enough. A wrong fact in the memory would do more harm than none."


def sum_table(terms: ScoreSum, score: float | None) -> Html:
    """A score as a table of its terms and what they come to."""
    products = [round(term.value * term.weight, STORED) for term in terms.terms]
    total = rounded_sum(products, sum(products))
    lines = sorted(zip(terms.terms, products, strict=True), key=lambda pair: -abs(pair[1]))
    body = [tag("tr", join(tag("th", head, scope="col") for head in ("", "value", "×", "=")))]
    for term, part in lines:
        weight = f"{term.weight:g}".replace("-", "−")
        numbers = (exact(term.value), weight, exact(part))
        cells = [tag("td", words, class_="gear-number") for words in numbers]
        body.append(tag("tr", tag("td", TERMS.get(term.name, term.name)), *cells))
    last = [tag("td", "= sum"), tag("td", exact(total), class_="gear-number", colspan=3)]
    body.append(tag("tr", *last, class_="gear-total"))
    chance = 1 / (1 + math.exp((terms.even - total) / terms.slope))
    sure = (
        f"score = 1 / (1 + e^(({terms.even:g} − {exact(total)}) / {terms.slope:g}))"
        f" = {exact(chance if score is None else score)}:"
        f" about how often a fact with this sum is right. {terms.even:g} is even odds."
    )
    table = tag("table", join(body), class_="gear-table gear-weighted")
    return tag("div", table, tag("p", explained(sure), class_="gear-note"))


@teller("link", Linked, "Which stored facts are these?")
def linking(scene: Scene, event: Linked) -> Telling:
    """Proximal triples next to the stored ones that they were linked to."""
    linked = [link for link in event.links if link.triple]
    facts = count(len(event.links), "fact")
    headline = f"{len(linked)} of {facts} {'has' if len(linked) == 1 else 'have'} a place"
    if len(linked) == len(event.links):
        headline = "Every fact has its place in the graph: here the search begins"
    if not event.links:
        return Telling(headline="There is no fact to begin with")
    read = [
        replace(card, given=True)
        for card in fact_cards("l", [link.proximal for link in event.links])
    ]
    stored = []
    for n, link in enumerate(event.links):
        if link.triple is None:
            read[n] = replace(read[n], kind="pruned", source="no stored triple is near enough")
            continue
        triple, gold = link.triple, link.triple.passage_key in scene.gold
        ranks = ", ".join(f"rank {part.rank} in {base_name(part.source)}" for part in link.parts)
        score = f"score {link.score:.3f}" if link.score is not None else ""
        words = f"{triple.subject} {triple.predicate} → {triple.object}"
        kind, parents = "gold" if gold else "kept", (f"l{n}",)
        card = Card(f"r{n}", triple.passage_name, words, kind, star=gold, parents=parents)
        match_ = "the same triple" if link.identity else ranks or score
        stored.append(replace(card, source=match_))
    identities = sum(link.identity for link in linked)
    chosen = f"{identities} of {facts} chosen among the stored triples, so each is its own link."
    return Telling(
        headline=headline,
        columns=(
            Column("read", tuple(read), FACT),
            Column("stored, of the passage", tuple(stored), FACT),
        ),
        detail=lambda card: _stored_detail(event, card),
        notes=(chosen,) if identities else (),
    )


def _stored_detail(event: Linked, card: str) -> Detail:
    triple = event.links[int(card[1:])].triple if card[1:].isdigit() else None
    return (
        Detail("Stored triple", triple=triple, html=tag("p", triple.text)) if triple else Detail()
    )


@teller("remember", Remembered, "What is worth remembering?", "Nothing new to remember")
def memory(scene: Scene, event: Remembered) -> Telling:
    """The facts that the gist memory took in, next to those before and those left."""
    reads = [read for read in scene.of(Read) if read.verb == "remember"]
    reading_ = reading(scene, reads[-1]) if reads else Telling()
    left = tuple(
        card for column in reading_.columns for card in column.cards if card.kind == "pruned"
    )
    before = gist_cards(scene.events, event.iteration)
    new = Column("new", (*fact_cards("n", event.added, "gist"), *left), FACT)
    links = scene.of(PassagesLinked)
    label = "The passages that each new fact is linked to, as a table"
    linked = Table("linked", label, partial(linked_rows, links, scene.gold))
    added = f"{count(len(event.added), 'fact')} remembered; the memory holds {event.size}"
    columns = (Column("remembered before", before, FACT), new) if before else (new,)
    return Telling(
        headline=added if event.added else "",
        columns=tuple(column for column in columns if column.cards) if event.added or left else (),
        detail=reading_.detail if left else Telling.detail,
        messages=(Message(remembered(event)),),
        legend=(("gist", "remembered"), ("pruned", "left")) if left else (),
        notes=(*reading_.notes, *([LINKED] if links else [])),
        tables=(*reading_.tables, *([linked] if links else [])),
    )


def gist_cards(events: Sequence[Event], before: int) -> tuple[Card, ...]:
    """The facts of the gist memory before an iteration; on slides the newest go first."""
    facts = [triple for iteration, triple in gist_facts(events) if iteration < before]
    cards = enumerate(fact_cards("g", facts, "gist"))
    return tuple(replace(card, given=True, weight=float(place)) for place, card in cards)


def gist_facts(events: Sequence[Event]) -> Iterator[tuple[int, ProximalTriple]]:
    """The facts that the gist memory took in, each with its iteration."""
    for event in events:
        if isinstance(event, Remembered):
            yield from ((event.iteration, fact) for fact in event.added)


def linked_rows(events: Sequence[PassagesLinked], gold: Sequence[str]) -> list[dict[str, Any]]:
    """The passages that gist triples were linked to, as rows."""
    return [
        {
            "list": event.name,
            "fact": event.query,
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "score": passage.score,
            "in the final ranking": "counts" if rank <= event.size else "too far down",
        }
        for event in events
        for rank, passage in enumerate(event.ranking, start=1)
    ]


def remembered(event: Remembered) -> str:
    """Sentences about how the gist memory grew."""
    added, repeated = len(event.added), len(event.repeated)
    again = f" {count(repeated, 'fact')} {'was' if repeated == 1 else 'were'} in it already."
    new = f"{count(added, 'fact')} added to the gist memory." if added else "Nothing new was added."
    size = f" It holds {count(event.size, 'fact')} now." if event.size else " It is empty."
    return new + (again if repeated else "") + size


@teller("reason", Reasoned, "Is the question answered?")
def verdict(scene: Scene, event: Reasoned) -> Telling:
    """The memory next to the verdict."""
    kind = "gold" if event.answerable else "pruned"
    card = Card("v", capital(event.verdict), event.reason, kind)
    verdict = Column("the verdict", (card,), "Is it answered?", roomy=True)
    memory = gist_cards(scene.events, event.iteration + 1)
    columns = (Column("the memory", memory, FACT), verdict) if memory else (verdict,)
    return Telling(headline=capital(event.verdict), columns=columns)


@teller("rewrite", Rewrote, "What is asked next?")
def rewriting(scene: Scene, event: Rewrote) -> Telling:
    """The query with what is struck out, and the next one with what was put in."""
    changes = timeline.new_substitutions(scene.events, event)
    struck = _marked(scene.query, "del", [change.removed for change in changes])
    query = Card("q", "Query", pieces=struck, kind="query", given=True)
    matches = any(event.is_of("match") for event in scene.events)
    nothing = NO_MATCH if matches else NOTHING_NEW
    following = Card("n", "No next query", nothing, "pruned")
    if event.query.strip():
        put_in = _marked(event.query, "ins", [change.inserted for change in changes])
        because = " ".join(f"Because {change.because}." for change in changes if change.because)
        following = Card("n", "Next query", because, "query", pieces=put_in)
    columns = (Column("", (query, following), "What is asked next?", roomy=True),)
    return Telling(headline=_rewriting_headline(event, changes), columns=columns)


def _rewriting_headline(event: Rewrote, changes: Sequence[Substitution]) -> str:
    """The words that were substituted, and by what."""
    if not event.query.strip():
        return "There is nothing new to ask"
    if not changes:
        return "The next query asks in other words"
    inserted = cut(changes[-1].inserted, LONGEST)
    if not changes[-1].removed:
        return f"“{inserted}” comes in"
    return f"“{cut(changes[-1].removed, LONGEST)}” is now “{inserted}”"


def _marked(text: str, mark: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The text cut around the first occurrence of each of the words, which get the mark."""
    places = sorted((text.find(word), word) for word in words if word and word in text)
    pieces: list[tuple[str, str]] = []
    at = 0
    for start, word in places:
        if start >= at:
            pieces += [(text[at:start], ""), (word, mark)]
            at = start + len(word)
    return tuple(piece for piece in [*pieces, (text[at:], "")] if piece[0])
