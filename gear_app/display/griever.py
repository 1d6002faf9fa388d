"""GRIEVER: the clauses of a question, the facts that match its words, and what is joined next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gear_app.core.text import count, cut
from gear_app.display.decimals import STORED, exact
from gear_app.display.markup import around, tag
from gear_app.display.telling import (
    FACT,
    LONGEST,
    Card,
    Column,
    Detail,
    Scene,
    Table,
    Telling,
    teller,
)
from gear_app.trace.events import Join, Match, Matched, Split

SYNONYMS = 6
NO_CLAUSE = "There is no relative clause in it, so the question is searched as it is."


@teller("split", Split, "Where can the question be cut?")
def clauses(scene: Scene, event: Split) -> Telling:
    """The question next to its relative clauses."""
    n = len(event.clauses)
    question = Card("q", "The question", event.question, "query", given=True)
    cards = tuple(
        Card(f"c{at}", clause.text, kind="kept", lead=str(at), parents=("q",))
        for at, clause in enumerate(event.clauses, start=1)
    )
    columns = (Column("", (question,), roomy=True), Column("clauses", cards, "What else is asked?"))
    return Telling(
        headline=f"It asks {n} things, one inside the other" if n > 1 else "It asks one thing only",
        columns=tuple(column for column in columns if column.cards),
        notes=(NO_CLAUSE,) if n < 2 else (),
    )


@teller("match", Matched, "Which facts does the question half state?")
def matching(scene: Scene, event: Matched) -> Telling:
    """The facts that match words of the query, and the names of the next search."""
    match_ = next((candidate for candidate in event.matches if candidate.taken), None)
    headline = "No fact answers a part of the question"
    if match_:
        headline = f"“{cut(match_.mention, LONGEST)}” leads to {cut(match_.new, LONGEST)}"
    cards = tuple(_match(scene, n, match) for n, match in enumerate(event.matches))
    joins = tuple(_join(n, join) for n, join in enumerate(event.joins))
    columns = (
        Column("best matches", cards, FACT, shown=8),
        Column("the next search is among passages that name", joins, "What is joined next?"),
    )
    total = len(event.matches)
    best = f"the best {total} {'is' if total == 1 else 'are'} kept" if total else "none is kept"
    notes = [
        f"The passages found have {count(event.triples, 'triple')}. Of these,"
        f" {count(event.shortlisted, 'partial triple')} (one side left out) were compared with the"
        f" query; {best}. A match changes the query if it scores at least {event.sure:g}."
    ]
    if total and not match_:
        notes.append("None of these is put into the query, so the search ends here.")
    label = f"All {count(total, 'match', 'matches')} as a table"
    return Telling(
        headline=headline,
        columns=tuple(column for column in columns if column.cards),
        opens=cards[0].id if cards else "",
        detail=lambda card: _detail(event, card),
        notes=tuple(notes),
        tables=(Table("matches", label, partial(rows, event, scene.gold)),) if total else (),
    )


def _match(scene: Scene, n: int, match: Match) -> Card:
    """A match; the side that the query does not name is marked."""
    triple = match.triple
    mark = "mark" if triple.object == match.new else ""
    return Card(
        f"m{n}",
        triple.subject,
        kind="kept" if match.taken else "pruned",
        star=triple.passage_key in scene.gold,
        note=f"{match.score:.2f}",
        pieces=((f"{triple.predicate} → ", ""), (triple.object, mark)),
        marked=triple.subject == match.new,
        source=f"in {triple.passage_name}",
    )


def _join(n: int, join: Join) -> Card:
    names = [f"{name} ({cosine:.2f})" for name, cosine in join.synonyms[:SYNONYMS]]
    more = len(join.synonyms) - SYNONYMS
    names += [f"{more} more"] * (more > 0)
    synonyms = f"or a synonym: {', '.join(names)}" if names else "no synonym"
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
    mention, relation, agreement, title = (
        round(value, STORED)
        for value in (
            match.mention_cosine,
            match.relation_cosine,
            match.agreement,
            match.title_cosine,
        )
    )
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


def rows(event: Matched, gold: Sequence[str]) -> list[dict[str, Any]]:
    """Every match as a table row, best first."""
    return [
        {
            "taken": match.taken,
            "score": match.score,
            "mention": match.mention,
            "known side": match.known,
            "cosine": match.mention_cosine,
            "relation": match.relation or None,
            "predicate": match.triple.predicate,
            "relation's cosine": match.relation_cosine,
            "agreement": match.agreement,
            "title's cosine": match.title_cosine,
            "new": match.new,
            "passage": match.triple.passage_name,
            "gold": match.triple.passage_key in gold,
        }
        for match in event.matches
    ]
