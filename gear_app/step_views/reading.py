"""What a reader took from the passages it was given: their texts with the sentences marked, what
was taken and what was left, and the sum of every score.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.events import Read, ReadPassage, ShownTriple
from gear_app.step_views.blocks import FACT, Block, Column, MarkupBlock, TableBlock
from gear_app.step_views.view import StepView, fact_cards, note
from gear_app.text import count, normalise_entity
from gear_app.types import ProximalTriple, ScoreSum, ScoreTerm, Span
from gear_app.views.decimals import STORED, exact
from gear_app.views.markup import (
    Html,
    around,
    explained,
    find_sentence,
    join,
    named,
    tag,
    triple_words,
)
from gear_app.views.rankings import rounded_sum

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


class ReadView(
    StepView[Read], verb="read", kind=Read, asks="Which facts of the passages touch the query?"
):
    """What a reader took from passages."""

    @property
    def headline(self) -> str:
        """Also that nothing was taken."""
        taken = len(self.event.triples) if self.event else 0
        if not taken:
            nothing = "The reader takes no fact from these passages"
            return super().headline if self.scene.step.failed else nothing
        touch = "touches" if taken == 1 else "touch"
        return f"{count(taken, 'fact')} of these passages {touch} the query"

    def card_of(self, event: Read) -> list[Block]:
        """What was taken and left of each passage; all of it as a table, too."""
        scene = self.scene
        texts = scene.texts([one.id for one in event.passages])
        rows = reading_rows(event)
        drawn: list[Block] = [
            note(summary(event)),
            MarkupBlock(cards(event, texts, scene.gold, scene.names)),
        ]
        if rows:
            drawn.append(TableBlock(f"read-{event.purpose}", "As a table", lambda: rows))
        return drawn

    def columns_of(self, event: Read) -> tuple[Column, ...]:
        """The facts that were taken."""
        return (Column("facts taken", fact_cards("t", event.triples), FACT),)


@dataclass(frozen=True)
class Considered:
    """A triple that a reader took or left, with the sum of its score where it has one, and the
    stored triple that it is where it is one.
    """

    triple: ProximalTriple
    taken: bool
    sum: ScoreSum | None
    stored: ShownTriple | None


def considered(event: Read) -> list[Considered]:
    """What the reader took, best first, then the best of what it left."""
    stored = {triple.id: triple for triple in event.stored}
    all_ = (*event.triples, *event.passed_over)
    sums = event.sums if len(event.sums) == len(all_) else (None,) * len(all_)
    return [
        Considered(triple, place < len(event.triples), sum_, stored.get(triple.triple_id or -1))
        for place, (triple, sum_) in enumerate(zip(all_, sums, strict=True))
    ]


def summary(event: Read) -> str:
    """How many passages were read, and what came of it, in a sentence."""
    taken, left = len(event.triples), len(event.passed_over)
    read = f"{count(len(event.passages), 'passage')} read: " if event.passages else ""
    if written_by_model(event):
        return f"{read}the language model wrote {count(taken, 'fact')} in its own words."
    if not taken:
        nothing = "no fact was sure enough to be taken" if left else "no fact touches the query"
        return f"{read}{nothing}."
    first = ", the surest first" if taken > 1 else ""
    leaves = f", the next {count(left, 'fact')} left" if left else ""
    return f"{read}{count(taken, 'stored fact')} taken{first}{leaves}."


def reading_rows(event: Read) -> list[dict[str, Any]]:
    """What was taken and what was left, as rows."""
    taken = [{"what": "taken"} | _row(triple) for triple in event.triples]
    return taken + [{"what": "left"} | _row(triple) for triple in event.passed_over]


def _row(triple: ProximalTriple) -> dict[str, Any]:
    return {
        "subject": triple.subject,
        "predicate": triple.predicate,
        "object": triple.object,
        "score": triple.score,
        "why": triple.why,
    }


def written_by_model(event: Read) -> bool:
    """Whether a language model wrote the triples, in place of choosing stored ones."""
    return any(triple.triple_id is None for triple in event.triples)


def cards(event: Read, texts: Mapping[int, str], gold: Collection[str], names: EntityNames) -> Html:
    """A card for every passage that something was taken from or left in: its text with the
    sentences marked, and its triples with the sums of their scores. `texts` by id, as far as known.

    Passages with something taken come first and are open. Triples that are in none come last.
    """
    all_ = considered(event)
    places = [_passage_of(one, event, texts) for one in all_]
    found = []
    for passage in event.passages:
        mine = [one for one, place in zip(all_, places, strict=True) if place == passage.id]
        if mine:
            found.append((not any(one.taken for one in mine), passage, mine))
    found.sort(key=lambda card: card[0])
    drawn = [_card(event, card, mine, texts, gold, names) for _, card, mine in found]
    known = {passage.id for passage in event.passages}
    loose = [one for one, place in zip(all_, places, strict=True) if place not in known]
    rest = [_line(event, one) for one in loose]
    return tag("div", join([*drawn, *rest]), class_="gear-list")


def _passage_of(one: Considered, event: Read, texts: Mapping[int, str]) -> int | None:
    """The passage of a stored triple; of a written one the first that names both its sides."""
    if one.stored:
        return one.stored.passage_id
    sides = [normalise_entity(name) for name in (one.triple.subject, one.triple.object)]
    for passage in event.passages:
        words = normalise_entity(f"{passage.title} {texts.get(passage.id, '')}")
        if all(f" {side} " in f" {words} " for side in sides):
            return passage.id
    return None


def _card(
    event: Read,
    passage: ReadPassage,
    mine: Sequence[Considered],
    texts: Mapping[int, str],
    gold: Collection[str],
    names: EntityNames,
) -> Html:
    star = "★ " if passage.key in gold else ""
    taken = sum(one.taken for one in mine)
    says = [f"{taken} taken"] * bool(taken) + [f"{len(mine) - taken} left"] * (taken < len(mine))
    head = tag(
        "summary",
        tag("b", star, named(passage.name, names)),
        tag("span", " · ".join(says), class_="gear-why"),
    )
    return tag(
        "details",
        head,
        _text(mine, texts.get(passage.id, ""), names),
        join(_line(event, one) for one in mine),
        class_="gear-reading",
        open="" if taken else None,
    )


def _text(mine: Sequence[Considered], text: str, names: EntityNames) -> Html:
    """The passage, the sentences of what was taken marked, and otherwise those of what was left;
    the sentences alone where the passage is gone.
    """
    stored = [(one.stored, one.taken) for one in mine if one.stored]
    if not text:
        sentences = dict.fromkeys(one.sentence for one, _ in stored if one.sentence)
        return tag("p", named(" … ".join(sentences), names), class_="gear-passage", dir="auto")
    marks: dict[Span, str] = {}
    for one, taken in sorted(stored, key=lambda pair: pair[1]):
        span = one.span or find_sentence(text, one.sentence)
        if span:
            marks[span] = "" if taken else "gear-considered"
    places = [(span, "mark", kind) for span, kind in marks.items()]
    return tag("p", around(text, places, names), class_="gear-passage", dir="auto")


def _line(event: Read, one: Considered) -> Html:
    """A triple with its score, and folded away, why it was taken or left and the sum."""
    triple = one.triple
    score = f"{triple.score:.3f}" if triple.score is not None else ""
    kind = "gear-proximal" if one.taken else "gear-passed-over"
    head = [
        triple_words(triple),
        tag("span", "taken" if one.taken else "left", class_="gear-why"),
        tag("span", score, class_="gear-score"),
    ]
    if triple.triple_id is None and one.taken:
        head[1] = tag("span", "written by the language model", class_="gear-why")
        return tag("div", *head, class_=f"gear-item {kind}", dir="auto")
    return tag(
        "details",
        tag("summary", *head),
        tag("p", fate(event, one), class_="gear-note", dir="auto"),
        *([tag("p", triple.why, class_="gear-note", dir="auto")] if triple.why else []),
        *([table(one.sum, triple.score)] if one.sum else []),
        class_=f"gear-item gear-taking {kind}",
        dir="auto",
    )


def fate(event: Read, one: Considered) -> str:
    """Why a triple was taken or left, in a sentence."""
    if event.purpose == "sync":
        if one.taken:
            return "Taken: the search through triples starts here."
        return f"Left: only the surest {len(event.triples)} start the search."
    if one.taken:
        return "Taken: of the facts that say something new, it is the surest."
    if event.triples:
        return "Left: one step at a time is remembered, and another fact is surer."
    return "Left: it is not sure enough. A wrong fact in the memory would do more harm than none."


def table(sum_: ScoreSum, score: float | None) -> Html:
    """A score as a table of its terms and what they come to."""
    rows = [
        tag(
            "tr",
            tag("td", TERMS.get(term.name, term.name)),
            *(tag("td", words, class_="gear-number") for words in _numbers(term)),
        )
        for term in sorted(sum_.terms, key=lambda term: -abs(term.value * term.weight))
    ]
    heads = tag("tr", join(tag("th", head, scope="col") for head in ("", "value", "×", "=")))
    total = added(sum_)
    parts = [tag("td", "= sum"), tag("td", exact(total), class_="gear-number", colspan=3)]
    sure = (
        f"score = 1 / (1 + e^(({sum_.even:g} − {exact(total)}) / {sum_.slope:g}))"
        f" = {exact(probability(sum_) if score is None else score)}:"
        f" about how often a fact with this sum is right. {sum_.even:g} is even odds."
    )
    body = join([heads, *rows, tag("tr", *parts, class_="gear-total")])
    return tag(
        "div",
        tag("table", body, class_="gear-table gear-weighted"),
        tag("p", explained(sure), class_="gear-note"),
    )


def _numbers(term: ScoreTerm) -> tuple[str, str, str]:
    return exact(term.value), f"{term.weight:g}".replace("-", "−"), exact(product(term))


def product(term: ScoreTerm) -> float:
    """A term's part of the sum, as it is printed."""
    return round(term.value * term.weight, STORED)


def added(sum_: ScoreSum) -> float:
    """What the terms add up to, as they are printed."""
    parts = [product(term) for term in sum_.terms]
    return rounded_sum(parts, sum(parts))


def probability(sum_: ScoreSum) -> float:
    """The score that the sum gives."""
    return 1 / (1 + math.exp((sum_.even - added(sum_)) / sum_.slope))
