"""The answer as markup: the trail of steps, the sums of two scores, what was needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gear_app.analysis.why_not import TrailStep, WhyNot
from gear_app.analysis.why_not.model import (
    AddedTerm,
    Asked,
    ExtractedTriples,
    Margin,
    Neighbours,
    PrunedCandidate,
)
from gear_app.text import normalise_entity
from gear_app.views.markup import Html, join, tag
from gear_app.views.why_not.evidence import evidence_words
from gear_app.views.why_not.words import SIGNS, iteration_words, needed_words, step_words

if TYPE_CHECKING:
    pass


FEW = 6  # triples of a passage


def trail(answer: WhyNot) -> Html:
    """The steps as a list; the sign and the class of a step say what it did."""
    items = [
        tag(
            "li",
            tag("i", SIGNS[step.outcome], title=step.outcome.value),
            tag("div", tag("b", step.step + iteration_words(step)), tag("span", step_words(step))),
            class_=f"gear-why-{step.outcome.name.lower().replace('_', '-')}",
        )
        for step in answer.trail
    ]
    return tag("ol", join(items), class_="gear-why-trail")


def arithmetic(answer: WhyNot) -> Html:
    """The evidence of the step that lost it, with the terms of both scores; "" where there is no
    more to it than the trail says.
    """
    lost = answer.lost
    evidence = lost.evidence if lost else None
    if isinstance(evidence, Margin):
        return Html(_margin(evidence, answer.title))
    if isinstance(evidence, PrunedCandidate):
        return Html(_candidates(evidence))
    if isinstance(evidence, Asked):
        return _queries(evidence)
    if isinstance(evidence, Neighbours):
        return _own_triples(evidence, answer.trail)
    return Html("")


def _margin(margin: Margin, title: str) -> Html:
    link = margin.link
    quoted = []
    if link:
        sentences = [
            tag("p", words, class_="gear-note", dir="auto")
            for words in (link.here.text, link.there.text)
        ]
        quoted = [tag("b", "The two sentences of its best link"), *sentences]
    sums = (
        _sum(title, margin.terms, margin.score),
        _sum(f"At the cut: {margin.holder}", margin.holder_terms, margin.needed),
    )
    return join(
        [
            tag("div", join(sums), class_="gear-why-sums"),
            _missing(margin.needed - margin.score),
            tag("div", join(quoted), class_="gear-why-link") if quoted else Html(""),
        ]
    )


def _sum(title: str, terms: Sequence[AddedTerm], total: float) -> Html:
    lines = [(term.name, f"{term.value:.4f}") for term in terms] + [("= score", f"{total:.4f}")]
    rows = join(Html(tag("dt", name, dir="auto") + tag("dd", value)) for name, value in lines)
    return tag("div", tag("b", title), tag("dl", rows, class_="gear-sum"), class_="gear-why-sum")


def _missing(score: float) -> Html:
    name = tag("dt", "missing", class_="gear-why-missing")
    value = tag("dd", f"{score:.4f}", class_="gear-why-missing")
    return tag("dl", join([name, value]), class_="gear-sum")


def _candidates(found: PrunedCandidate) -> Html:
    parts: list[Html] = []
    one, other = found.candidate, found.survivor
    for candidate, name in ((one, "This triple"), (other, "The last that was kept")):
        if candidate is None:
            continue
        shown = candidate.triple
        terms = (
            AddedTerm("beam so far", candidate.previous),
            AddedTerm("+ cosine to the query", candidate.cosine),
            AddedTerm("= sum", candidate.total),
            AddedTerm(f"× weight, place {candidate.position + 1} in its beam", candidate.weight),
        )
        words = f"{name}: {shown.text}"
        parts.append(_sum(words, terms, candidate.score))
    if other and found.place:
        parts.append(_missing(other.score - found.score))
    return join(parts or [tag("p", evidence_words(found), class_="gear-note")])


def _own_triples(found: Neighbours, trail: Sequence[TrailStep]) -> Html:
    """How near the beams came, and the triples of the passage that they could have gone on to."""
    own = [
        one
        for step in trail
        if isinstance(step.evidence, ExtractedTriples)
        for one in step.evidence[0]
    ]
    name = found.shared or normalise_entity(found.nearest.own if found.nearest else "")
    near = [triple for triple in own if name and name in normalise_entity(triple)] or own
    told = tag("p", evidence_words(found), class_="gear-note", dir="auto")
    items = join(tag("li", triple, dir="auto") for triple in near[:FEW])
    return join([told, tag("b", "Its triples"), tag("ul", items, class_="gear-why-needs")])


def _queries(found: Asked) -> Html:
    rows = [
        tag(
            "tr",
            tag("td", one.iteration),
            tag("td", one.query, dir="auto"),
            tag("td", one.rank or "–"),
        )
        for one in found.queries
    ]
    names = ("iteration", "query", "its rank in what that finds")
    head = tag("tr", join(tag("th", name, scope="col") for name in names))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), class_="gear-gold")
    return tag("div", table, tag("p", found.sentence, class_="gear-note"), class_="gear-scroll")


def needed(answer: WhyNot) -> Html:
    """What it would have needed, as a list."""
    words = needed_words(answer)
    return tag("ul", join(tag("li", one, dir="auto") for one in words), class_="gear-why-needs")
