"""GRIEVER in the question's own words: its clauses, what was matched to triples, what it joins next; safe HTML."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gear_app.events import Join, Match, Matched, Rewrote, Split
from gear_app.types import Span
from gear_app.views.markup import Html, join, tag
from gear_app.views.spans import around

SHOWN = 3  # matches drawn in full; the others stand in the table
SYNONYMS = 6


def clauses(event: Split) -> Html:
    """The question with its clauses in numbered brackets, innermost words last; one clause is said to be the whole."""
    if len(event.clauses) < 2:
        whole = "There is no relative clause in it, so the question is searched as it is."
        return tag(
            "div", tag("p", event.question, class_="gear-split", dir="auto"), tag("p", whole, class_="gear-note")
        )
    starts = {clause.span.start: (n, clause) for n, clause in enumerate(event.clauses, start=1)}
    parts: list[object] = []
    at = 0
    for start, (n, clause) in sorted(starts.items()):
        if not at <= start < clause.span.end <= len(event.question):
            continue
        parts += [event.question[at:start], _clause(n, event.question[start : clause.span.end], clause.connector)]
        at = clause.span.end
    line = tag("p", join([*parts, event.question[at:]]), class_="gear-split", dir="auto")
    lines = [tag("li", tag("span", clause.text, dir="auto")) for clause in event.clauses]
    return tag("div", line, tag("ol", join(lines), class_="gear-queries gear-clauses"))


def _clause(n: int, words: str, connector: str) -> Html:
    first = len(connector) if connector and words.casefold().startswith(connector.casefold()) else 0
    shown = [tag("u", words[:first])] * bool(first) + [words[first:]]
    return tag("span", tag("sup", n), *shown, class_=f"gear-clause gear-clause-{n % 2}")


def counts(event: Matched) -> str:
    """How many triples were looked at, in a sentence."""
    return (
        f"{event.shortlisted} of the {event.triples} triples of the passages found were shortlisted, those nearest to"
        f" the query with one side left out; {len(event.matches)} of them matched words of the query."
    )


def matched(event: Matched, rewrote: Rewrote | None, gold: Collection[str]) -> Html:
    """The best matches: the query's own words above, the triple below; what is removed and what is put in."""
    if not event.matches:
        return tag("p", "No triple matched words of the query.", class_="gear-note")
    cards = [_match(event.query, match, gold) for match in _best(event)]
    return tag("div", join(cards), *_put_in(event, rewrote), class_="gear-list")


def _best(event: Matched) -> Sequence[Match]:
    taken = [match for match in event.matches if match.taken]
    return [*taken, *(match for match in event.matches if not match.taken)][:SHOWN]


def _match(query: str, match: Match, gold: Collection[str]) -> Html:
    marks = [(match.mention_span, "mark", "gear-mention"), (match.relation_span, "mark", "gear-relation")]
    mention = f"“{match.mention}” ~ {match.known}: cosine {match.mention_cosine:.3f}"
    relation = (
        f"“{match.relation}” ~ {match.triple.predicate}: cosine {match.relation_cosine:.3f}" if match.relation else ""
    )
    star = "★ " if match.triple.passage_key in gold else ""
    state = "taken" if match.taken else "not taken"
    return tag(
        "div",
        tag("div", around(query, marks), class_="gear-words", dir="auto"),
        tag("div", _triple(match), class_="gear-words", dir="auto"),
        tag(
            "div",
            " · ".join(filter(None, [mention, relation or "relation not matched", f"score {match.score:.3f}", state])),
            class_="gear-why",
            dir="auto",
        ),
        tag("div", f"{star}{match.triple.passage_title or match.triple.passage_key}", class_="gear-why", dir="auto"),
        class_="gear-match" + ("" if match.taken else " gear-left"),
    )


def _triple(match: Match) -> Html:
    """The triple with its three parts marked as they are in the query; the side the query does not name is new."""

    def side(words: str) -> Html:
        return tag("mark", words, class_="gear-new" if words == match.new else "gear-mention")

    predicate = (
        tag("mark", match.triple.predicate, class_="gear-relation") if match.relation else match.triple.predicate
    )
    return join([side(match.triple.subject), predicate, side(match.triple.object)], " — ")


def _put_in(event: Matched, rewrote: Rewrote | None) -> list[Html]:
    if rewrote is None or not rewrote.query.strip():
        return [tag("p", "Nothing of this could be put into the query, so the search ends here.", class_="gear-note")]
    return []


def joins(found: Sequence[Join]) -> Html:
    """The entities that the next search must touch, their synonyms, and how many passages that leaves."""
    return tag("div", join(_join(one) for one in found), class_="gear-list") if found else Html("")


def _join(found: Join) -> Html:
    names = [f"{name} ({cosine:.2f})" for name, cosine in found.synonyms[:SYNONYMS]]
    more = len(found.synonyms) - SYNONYMS
    names += [f"{more} more"] * (more > 0)
    also = f"or a synonym: {', '.join(names)}" if names else "no synonym"
    left = f"{found.passages} {'passage' if found.passages == 1 else 'passages'} left to search"
    return tag(
        "div",
        tag("b", found.entity),
        tag("span", f"{also} · {left}", class_="gear-why"),
        class_="gear-item gear-kept",
        dir="auto",
    )


def rows(event: Matched, gold: Collection[str]) -> list[dict[str, Any]]:
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
            "relation's cosine": match.relation_cosine if match.relation else None,
            "new": match.new,
            "passage": match.triple.passage_title or match.triple.passage_key,
            "gold": match.triple.passage_key in gold,
        }
        for match in event.matches
    ]


def removed(match: Match) -> tuple[Span | None, ...]:
    """The places in the query that give way to the new entity."""
    return match.mention_span, match.relation_span
