"""GRIEVER: the clauses of a question, the facts that match its words, and what is joined next."""

from __future__ import annotations

from dataclasses import replace

from gear_app.core.text import count, cut, normalise_entity
from gear_app.display.labels import STORED, exact
from gear_app.display.markup import around, tag
from gear_app.display.telling import (
    FACT,
    LONGEST,
    Card,
    Column,
    Detail,
    Scene,
    Telling,
    fact_card,
    teller,
)
from gear_app.trace.events import Join, Match, Matched, Split

SYNONYMS = 6


@teller("split", Split, "Where can the question be cut?")
def clauses(scene: Scene, event: Split) -> Telling:
    """The question next to its relative clauses."""
    number = len(event.clauses)
    question = Card("q", "The question", event.question, "query", uncovered=True)
    cards = tuple(
        Card(f"c{at}", clause.text, kind="kept", lead=str(at), parents=("q",))
        for at, clause in enumerate(event.clauses, start=1)
    )
    several = f"It asks {number} things, one inside the other"
    return Telling(
        headline=several if number > 1 else "It asks one thing only",
        columns=(
            Column("", (question,), roomy=True),
            Column("clauses", cards, "What else is asked?"),
        ),
    )


@teller("match", Matched, "Which facts does the question half state?")
def matching(scene: Scene, event: Matched) -> Telling:
    """The facts that match words of the query, and the names of the next search."""
    cards = tuple(_match(scene, n, match) for n, match in enumerate(event.matches))
    joins = tuple(_join(n, join) for n, join in enumerate(event.joins))
    headline = "No fact answers a part of the question"
    for match in [match for match in event.matches if match.taken][:1]:
        headline = f"“{cut(match.mention, LONGEST)}” leads to {cut(match.new, LONGEST)}"
    return Telling(
        headline=headline,
        columns=(
            Column("best matches", cards, FACT, shown=8),
            Column("the next search is among passages that name", joins, "What is joined next?"),
        ),
        opens=cards[0].id if cards else "",
        detail=lambda card: _detail(event, card),
        notes=(
            f"{count(event.shortlisted, 'partial triple')} (one side left out) of"
            f" {count(event.triples, 'triple')} compared with the query. A match changes the query"
            f" if it scores at least {event.sure:g}.",
        ),
    )


def _match(scene: Scene, n: int, match: Match) -> Card:
    kind = "kept" if match.taken else "pruned"
    shared, star = {normalise_entity(match.new)}, match.triple.passage_key in scene.gold
    card = fact_card(f"m{n}", match.triple, kind, f"{match.score:.2f}", shared)
    return replace(card, star=star)


def _join(n: int, join: Join) -> Card:
    names = ", ".join(f"{name} ({cosine:.2f})" for name, cosine in join.synonyms[:SYNONYMS])
    synonyms = f"or a synonym: {names}" if names else "no synonym"
    words = f"{synonyms} · {count(join.passages, 'passage')} left to search"
    return Card(f"j{n}", join.entity, words, "kept")


def _detail(event: Matched, card: str) -> Detail:
    """The query with the matched words marked, and the score as arithmetic."""
    if not card.startswith("m"):
        return Detail()
    match = event.matches[int(card[1:])]
    marks = [(match.mention_span, "mark", "gear-mention")]
    marks += [(span, "mark", "gear-relation") for span in match.relation_spans]
    words = tag("p", around(event.query, marks), dir="auto")
    state = "taken" if match.taken else "not taken"
    return Detail("Selected match", state, words, tuple(arithmetic(match)), match.triple)


def arithmetic(match: Match) -> list[tuple[str, str]]:
    """A match's score with its terms, as (term, value)."""
    factors = match.mention_cosine, match.relation_cosine, match.agreement, match.title_cosine
    mention, relation, agreement, title = (round(value, STORED) for value in factors)
    total = mention * (relation + agreement) + match.title_weight * title
    score = total if abs(total - match.score) < 10 * 10.0**-STORED else match.score
    titles = [(f"+ {match.title_weight:g} × title", exact(title))] if match.title_weight else []
    return [
        (f"“{match.mention}” and {match.known}", exact(mention)),
        ("× (relation", exact(relation)),
        ("+ agreement)", exact(agreement)),
        *titles,
        ("= score", exact(score)),
    ]
