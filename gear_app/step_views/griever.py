"""GRIEVER in the question's own words: its clauses, what was matched, what it joins next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from gear_app.events import Join, Match, Matched, Rewrote, Split
from gear_app.step_views.blocks import FACT, Block, Card, Column, MarkupBlock, TableBlock
from gear_app.step_views.view import LONGEST, StepView, fact_card, note
from gear_app.text import count, cut
from gear_app.types import Substitution
from gear_app.views.decimals import STORED, exact
from gear_app.views.markup import Html, around, entity, join, tag

SHOWN = 3  # matches drawn in full; the others stand in the table
SYNONYMS = 6


class SplitView(StepView[Split], verb="split", kind=Split, asks="Where can the question be cut?"):
    """The question's relative clauses."""

    def headline_of(self, event: Split) -> str:
        """How many things it asks."""
        n = len(event.clauses)
        return f"It asks {n} things, one inside the other" if n > 1 else "It asks one thing only"

    def card_of(self, event: Split) -> list[Block]:
        """The question with its clauses in brackets."""
        return [MarkupBlock(clauses(event))]

    def columns_of(self, event: Split) -> tuple[Column, ...]:
        """The clauses."""
        cards = tuple(
            Card(f"c{n}", clause.text, kind="kept", lead=str(n))
            for n, clause in enumerate(event.clauses, start=1)
        )
        return (Column("clauses", cards, "What else does it ask?"),) if cards else ()


class MatchView(
    StepView[Matched],
    verb="match",
    kind=Matched,
    asks="Which facts does the question half state?",
):
    """What of the query was matched to triples."""

    def headline_of(self, event: Matched) -> str:
        """What gives way to what."""
        taken = next((one for one in event.matches if one.taken), None)
        if taken is None:
            return "No fact answers a part of the question"
        return f"“{cut(taken.mention, LONGEST)}” leads to {cut(taken.new, LONGEST)}"

    def card_of(self, event: Matched) -> list[Block]:
        """The best matches, what is searched among next, and all matches as a table."""
        gold, iteration = self.scene.gold, self.scene.step.iteration
        rewrote = (one for one in self.scene.events if isinstance(one, Rewrote))
        changes = (one.substitutions for one in rewrote if one.iteration == iteration)
        drawn: list[Block] = [
            note(counts(event)),
            MarkupBlock(best_matches(event, next(changes, ()), gold)),
        ]
        if event.joins:
            heading = tag("div", "The next search is among passages that name", class_="gear-part")
            drawn += [MarkupBlock(heading), MarkupBlock(joins(event.joins))]
        if event.matches:
            label = f"All {count(len(event.matches), 'match', 'matches')} as a table"
            drawn.append(TableBlock("matches", label, partial(rows, event, gold)))
        return drawn

    def columns_of(self, event: Matched) -> tuple[Column, ...]:
        """The best matches; pruned where they were not taken."""
        cards = tuple(
            fact_card(
                f"m{n}",
                match.triple,
                "kept" if match.taken else "pruned",
                note=f"{match.score:.2f}",
            )
            for n, match in enumerate(event.matches)
        )
        return (Column("best matches", cards, FACT),) if cards else ()


def clauses(event: Split) -> Html:
    """The question with its clauses in numbered brackets, innermost words last.

    One clause is said to be the whole.
    """
    if len(event.clauses) < 2:
        whole = "There is no relative clause in it, so the question is searched as it is."
        return tag(
            "div",
            tag("p", event.question, class_="gear-split", dir="auto"),
            tag("p", whole, class_="gear-note"),
        )
    starts = {clause.span.start: (n, clause) for n, clause in enumerate(event.clauses, start=1)}
    parts: list[object] = []
    at = 0
    for start, (n, clause) in sorted(starts.items()):
        if not at <= start < clause.span.end <= len(event.question):
            continue
        parts += [
            event.question[at:start],
            _clause(n, event.question[start : clause.span.end], clause.connector),
        ]
        at = clause.span.end
    line = tag("p", join([*parts, event.question[at:]]), class_="gear-split", dir="auto")
    lines = [
        tag("li", tag("i", n), tag("span", clause.text, dir="auto"))
        for n, clause in enumerate(event.clauses, start=1)
    ]
    return tag("div", line, tag("ol", join(lines), class_="gear-queries gear-clauses"))


def _clause(n: int, words: str, connector: str) -> Html:
    first = len(connector) if connector and words.casefold().startswith(connector.casefold()) else 0
    shown = [tag("u", words[:first])] * bool(first) + [words[first:]]
    return tag("span", tag("sup", n), *shown, class_=f"gear-clause gear-clause-{n % 2}")


def counts(event: Matched) -> str:
    """How many triples were looked at, in sentences."""
    kept = len(event.matches)
    found = f"the best {kept} {'is' if kept == 1 else 'are'} kept" if kept else "none is kept"
    return (
        f"The passages found have {count(event.triples, 'triple')}. Of these,"
        f" {count(event.shortlisted, 'partial triple')} (one side left out) were compared with the"
        f" query; {found}. A match changes the query if it scores at least {event.sure:g}."
    )


def best_matches(event: Matched, changes: Sequence[Substitution], gold: Collection[str]) -> Html:
    """The best matches: the query's own words above, the triple below.

    What is removed and what is put in.
    """
    if not event.matches:
        return tag("p", "No triple matched words of the query.", class_="gear-note")
    put_in = {change.inserted: change for change in changes}
    cards = [
        _match(event.query, match, put_in.get(match.new) if match.taken else None, gold)
        for match in _best(event)
    ]
    ends = not any(match.taken for match in event.matches)
    note = [
        tag(
            "p", "None of these is put into the query, so the search ends here.", class_="gear-note"
        )
    ] * ends
    return tag("div", join(cards), *note, class_="gear-list")


def _best(event: Matched) -> Sequence[Match]:
    taken = [match for match in event.matches if match.taken]
    return [*taken, *(match for match in event.matches if not match.taken)][
        : max(SHOWN, len(taken))
    ]


def _match(query: str, match: Match, change: Substitution | None, gold: Collection[str]) -> Html:
    marks = [(match.mention_span, "mark", "gear-mention")]
    marks += [(span, "mark", "gear-relation") for span in match.relation_spans]
    star = "★ " if match.triple.passage_key in gold else ""
    changed = (
        [tag("del", change.removed), " becomes ", tag("ins", change.inserted)] if change else []
    )
    return tag(
        "div",
        tag("div", around(query, marks), class_="gear-words", dir="auto"),
        tag("div", _triple(match), class_="gear-words", dir="auto"),
        *([tag("div", *changed, class_="gear-change", dir="auto")] if changed else []),
        tag(
            "div",
            f"{arithmetic(match)} · {'taken' if match.taken else 'not taken'}",
            class_="gear-why",
            dir="auto",
        ),
        tag(
            "div",
            star,
            entity(match.triple.passage_name),
            class_="gear-why",
            dir="auto",
        ),
        class_="gear-match" + ("" if match.taken else " gear-left"),
    )


def arithmetic(match: Match) -> str:
    """A match's score with its terms; it is what the printed ones come to."""
    mention, relation, agreement, title_cosine = (
        round(value, STORED)
        for value in (
            match.mention_cosine,
            match.relation_cosine,
            match.agreement,
            match.title_cosine,
        )
    )
    added = mention * (relation + agreement) + match.title_weight * title_cosine
    score = added if abs(added - match.score) < 10 * 10.0**-STORED else match.score
    title = f" + {match.title_weight:g} × {exact(title_cosine)} (title)" * bool(match.title_weight)
    return (
        f"score {exact(score)} = {exact(mention)} (“{match.mention}” and {match.known})"
        f" × ({exact(relation)} (relation) + {exact(agreement)} (agreement)){title}"
    )


def _triple(match: Match) -> Html:
    """The triple with its three parts marked as they are in the query.

    The side the query does not name is new.
    """

    def side(words: str) -> Html:
        class_ = "gear-new" if words == match.new else "gear-mention"
        return tag("mark", entity(words), class_=class_)

    predicate = (
        tag("mark", match.triple.predicate, class_="gear-relation")
        if match.relation
        else match.triple.predicate
    )
    return join([side(match.triple.subject), predicate, side(match.triple.object)], " — ")


def joins(found: Sequence[Join]) -> Html:
    """The entities that the next search must touch, their synonyms, and passages left."""
    return tag("div", join(_join(one) for one in found), class_="gear-list") if found else Html("")


def _join(found: Join) -> Html:
    names = [f"{name} ({cosine:.2f})" for name, cosine in found.synonyms[:SYNONYMS]]
    more = len(found.synonyms) - SYNONYMS
    names += [f"{more} more"] * (more > 0)
    also = f"or a synonym: {', '.join(names)}" if names else "no synonym"
    left = f"{count(found.passages, 'passage')} left to search"
    return tag(
        "div",
        entity(found.entity, "b"),
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
            "relation's cosine": match.relation_cosine,
            "agreement": match.agreement,
            "title's cosine": match.title_cosine,
            "new": match.new,
            "passage": match.triple.passage_name,
            "gold": match.triple.passage_key in gold,
        }
        for match in event.matches
    ]
