"""Why a passage stands where chain ranks it: the two sentences of its best link, what they cover of
the question, and its score as a sum of seven terms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from gear_app.analysis.entities import EntityNames
from gear_app.events import LinkedPassage, LinkedSentence, RankedPassage, ScorePart
from gear_app.step_views.chain_round import Round, holders
from gear_app.types import Span
from gear_app.views import rankings
from gear_app.views.decimals import exact
from gear_app.views.markup import NO_NAMES, Html, around, entity, find, join, tag, title

FINE = 8  # decimals of a probability, which the logarithm magnifies
ALIKE = 65  # a mention weighs as in a collection of 64 passages


class Term(NamedTuple):
    """A term of a score: how its value comes about, the value, its weight, and their product."""

    name: str
    how: str
    value: float
    weight: float
    part: float


def explained(shown: Round, id_: int, names: EntityNames = NO_NAMES) -> Html:
    """Everything that is told of a passage, beside the picture."""
    passage = shown.passages[id_]
    link = shown.links.get(id_)
    ranks = ", ".join(filter(None, (f"rank {shown.rank_now(id_)}", shown.rank_at_base(id_))))
    star = " · ★ gold" if shown.is_gold(id_) else ""
    pieces = [title(passage.name, ranks + star)]
    pieces += (
        [pair(shown, link, names), covered(shown, link, names)] if link else [_unlinked(passage)]
    )
    pieces.append(score(shown, id_))
    return tag("div", join(pieces), class_="gear-why-here")


def _unlinked(passage: RankedPassage) -> Html:
    """That no link is shown, and why."""
    there = {part.source for part in passage.parts if part.score}
    words = (
        "No link leads to it. It shares nothing that few enough passages name with those that"
        " were started from."
    )
    if "link" in there:
        words = "It is linked, but too far down for the run to have kept its sentences."
    elif "spread" in there:
        words = (
            "No link leads to it. What it shares with passages that were started from stands in the"
            " question itself, which makes no link; only the walk counts it (spread)."
        )
    return tag("p", words, class_="gear-note")


def pair(shown: Round, link: LinkedPassage, names: EntityNames = NO_NAMES) -> Html:
    """The two sentences with the shared mention marked in both, and how many passages have it."""
    starts = [start.id for start in shown.started(link)]
    place = starts.index(link.start) + 1 if link.start in starts else 0
    of = shown.base if link.round == 1 else f"round {link.round - 1}"
    ranked = f" · {place} in {of}" if place else ""
    others = "no other passage does"
    if link.passages > 2:
        others = f"{holders(shown, link.passages)} do"
    gold = " gear-gold-end" if shown.is_gold(link.id) else ""
    return tag(
        "div",
        _end(shown.title(link.start), ranked, link.mention, link.here, (), "gear-here-end", names),
        tag("p", "both name ", entity(link.mention, "b"), f"; {others}"),
        _end(
            shown.title(link.id),
            "",
            link.mention,
            link.there,
            new(link),
            "gear-there-end" + gold,
            names,
        ),
        *_also(shown, link),
        class_="gear-ends",
    )


def _end(
    name: str,
    aside: str,
    mention: str,
    end: LinkedSentence,
    fresh: Sequence[str],
    kind: str,
    names: EntityNames,
) -> Html:
    """A passage's title and its sentence, the mention marked where it stands; `fresh` are the
    question's words that this sentence has and the other has not.
    """
    in_title = [] if end.marks else [(find(name, mention), "mark", "gear-shared")]
    places: list[tuple[Span | None, str, str]] = [(at, "mark", "gear-shared") for at in end.marks]
    places += [(_whole_word(end.text, word), "mark", "gear-fresh") for word in fresh]
    return tag(
        "div",
        tag("div", around(name, in_title, names), aside, class_="gear-why", dir="auto"),
        *_above(end, mention, name, names),
        tag("div", around(end.text, places, names), dir="auto"),
        tag("div", _compared(end), class_="gear-why", dir="auto"),
        class_=f"gear-end {kind}",
    )


def _compared(end: LinkedSentence) -> str:
    short = f", of which {exact(end.counted)} counts: a short line" if end.counted < 1 else ""
    return f"cosine {exact(end.cosine)} with “{end.part}”{short}"


def _whole_word(text: str, word: str) -> Span | None:
    """Where a word stands, with the ending that its normal form is without."""
    found = find(text, word)
    if found is None:
        return None
    rest = takewhile(str.isalnum, text[found.end :])
    return Span(found.start, found.end + sum(1 for _ in rest))


def _above(end: LinkedSentence, mention: str, passage: str, names: EntityNames) -> list[Html]:
    """The line above the sentence that names the mention for it, where one does that is not the
    passage's title, which is shown.
    """
    if not end.above or end.above.casefold() == passage.casefold():
        return []
    marked = around(end.above, [(find(end.above, mention), "mark", "gear-shared")], names)
    return [tag("div", "under ", marked, class_="gear-why", dir="auto")]


def _also(shown: Round, link: LinkedPassage) -> list[Html]:
    """Further mentions that join the passage with starts, those of a start together."""
    names: dict[int, list[str]] = {}
    for other in link.others:
        names.setdefault(other.start, []).append(f"{other.mention} ({other.passages})")
    told = [f"{', '.join(of)} with {shown.title(start)}" for start, of in names.items()]
    words = f"It also shares {'; '.join(told)}."
    return [tag("p", words, class_="gear-why", dir="auto")] if told else []


def new(link: LinkedPassage) -> tuple[str, ...]:
    """What of the question the second sentence has and the first has not."""
    return tuple(name for name in link.there.covers if name not in link.here.covers)


def covered(shown: Round, link: LinkedPassage, names: EntityNames = NO_NAMES) -> Html:
    """The question with its words in three states, and how much of it each state is."""
    kinds = {mention.name: _state(mention.name, link) for mention in shown.event.mentions}
    if not kinds:
        return tag("p", "The question mentions nothing to be covered.", class_="gear-note")
    places = [(one.span, "mark", f"gear-{kinds[one.name]}") for one in shown.event.mentions]
    left = max(0.0, 1.0 - link.covered - link.cover) if "neither" in kinds.values() else 0.0
    share = {"had": link.covered, "fresh": link.cover, "neither": left}
    lines = [
        ("had", "in the first sentence or its title"),
        ("fresh", "new in the second or its title"),
        ("neither", "in neither"),
    ]
    return tag(
        "div",
        tag("b", "What the pair covers of the question"),
        tag("p", around(shown.event.query, places, names), class_="gear-covered", dir="auto"),
        join(
            tag("p", tag("mark", exact(share[state]), class_=f"gear-{state}"), f" {words}")
            for state, words in lines
        ),
        class_="gear-cover",
    )


def _state(name: str, link: LinkedPassage) -> str:
    if name in link.here.covers:
        return "had"
    return "fresh" if name in link.there.covers else "neither"


def score(shown: Round, id_: int) -> Html:
    """A passage's score as arithmetic: each term, its weight, their product, and the sum."""
    found = terms(shown, id_)
    passage = shown.passages[id_]
    if not found:
        words = "The run kept the terms of the passages further up only."
        return tag("div", title("Its score", exact(passage.score)), tag("p", words))
    lines = [
        piece
        for one in found
        for piece in (
            tag("dt", tag("b", one.name), tag("span", one.how)),
            tag("dd", tag("span", f"{exact(one.value)} × {one.weight:g}"), exact(one.part)),
        )
    ]
    lines.append(tag("dt", "= score", class_="gear-total"))
    total = rankings.rounded_sum([one.part for one in found], passage.score)
    lines.append(tag("dd", exact(total), class_="gear-total"))
    link = shown.links.get(id_)
    most = max(found, key=lambda one: one.part).name
    # The glossary explains the word "alone" as something else.
    source = "in place of a link" if most == "alone" else f"from {most}"
    return tag(
        "div",
        title("Its score", f"most of it {source}"),
        tag("dl", join(lines), class_="gear-terms"),
        *([tag("p", kept, class_="gear-why")] if (kept := _kept(shown, link)) else []),
    )


def _kept(shown: Round, link: LinkedPassage | None) -> str:
    """Which round's score it is, where that is not this one's."""
    if link is None or link.round == shown.event.round:
        return ""
    return f"This is its score of round {link.round}, which is the better one."


def terms(shown: Round, id_: int) -> list[Term]:
    """The terms of a passage's score; none for one whose terms the event does not have."""
    weights = {one.term: one.weight for one in shown.event.weights}
    link = shown.links.get(id_)
    return [
        Term(
            part.source,
            _how(shown, part, link),
            part.score or 0.0,
            weights[part.source],
            part.value,
        )
        for part in shown.passages[id_].parts
        if part.source in weights
    ]


def _near(end: LinkedSentence) -> str:
    """A cosine, and what of it counts."""
    part = f" × {exact(end.counted)}" if end.counted < 1 else ""
    return f"{exact(end.cosine)}{part}"


def _how(shown: Round, part: ScorePart, link: LinkedPassage | None) -> str:
    """How a term comes about, in the numbers that the event has; what stands behind a comma says
    why.
    """
    value = exact(part.score or 0.0)
    match part.source:
        case "base" if part.rank:
            return f"10 / (5 + {part.rank - 1})"
        case "base":
            return f"10 / (5 + 100), not among the first 100 of {shown.base}"
        case "alone":
            return value
        case "spread":
            return f"ln(1 + 50 × {math.expm1(part.score or 0.0) / 50:.{FINE}f})"
    if link is None:
        return value
    match part.source:
        case "parts":
            return f"({_near(link.here)} + {_near(link.there)}) / 2"
        case "link":
            few = link.passages + 0.5
            return f"ln({ALIKE} / {few:g}) × {link.weight / math.log(ALIKE / few):.3g}"
        case "start":
            return f"{exact(link.covered)}, the first"
        case "cover":
            return f"{exact(link.cover)}, the second"
        case _:
            return value
