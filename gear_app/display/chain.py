"""A round of chain: the passages that it started from, what they are linked to, and the ranking
that came of it. A passage opens into the two sentences of its best link and the terms of its score.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from gear_app.core.text import count
from gear_app.display import scores
from gear_app.display.chain_round import Round, heading, link_words, whole_name
from gear_app.display.labels import exact, number
from gear_app.display.markup import Html, around, entity, find, tag
from gear_app.display.search import with_ranking
from gear_app.display.telling import (
    PASSAGE,
    Card,
    Column,
    Detail,
    Link,
    Message,
    Scene,
    ScoredRanking,
    Table,
    Telling,
    teller,
)
from gear_app.trace.entities import EntityNames
from gear_app.trace.events import Followed, LinkedPassage, LinkedSentence, RankedPassage, ScorePart

MISSES = 4  # near misses in the picture; gold ones always
AMONG = 3  # links among the starts that are always drawn, the rarest names first
WIDEST, MISSED = 0.75, 0.15  # strength of the rarest name's line, and of a near miss's
FINE = 8  # decimals of a probability, which the logarithm magnifies
ALIKE = 65  # a mention weighs as in a collection of 64 passages


@teller("follow", Followed, "Where do the names in these passages lead?")
def follow(scene: Scene, event: Followed) -> Telling:
    """A round of links, and the ranking after it: the starts on the left, on the right what they
    lead to from further down, near misses last; the line to each is its best link.
    """
    round_ = Round(event, scene.gold)
    starts = round_.before
    far = [link for link in event.links if link.id not in starts and link.start in starts]
    new = [link for link in far if round_.now[link.id] <= len(starts)]
    misses = [link for link in far if link not in new]
    drawn = [link for n, link in enumerate(misses) if n < MISSES or round_.is_gold(link.id)]
    among = [link for link in event.links if link.id in starts and link.start in starts]
    among.sort(key=lambda link: (link.mention.islower(), link.passages))
    left = tuple(_card(round_, start.id) for start in event.starts)
    right = tuple(_card(round_, link.id, link, missed=link in drawn) for link in [*new, *drawn])
    links = [_line(round_, link, missed=link in misses) for link in [*new, *drawn]]
    links += [_line(round_, link)._replace(quiet=n >= AMONG) for n, link in enumerate(among)]
    raised = [card for card in (*right, *left) if round_.raised(int(card.id[1:]), len(starts))]
    first = sorted([*raised, *right, *left], key=lambda card: not card.star)
    none = Message("No name joins these passages to others: no link raises a passage.")
    headline, label = heading(round_), f"All {count(len(event.links), 'link')} as a table"
    telling = Telling(
        headline=headline,
        title=headline,
        purpose="A line joins two passages with a name in common; the wider, the rarer the name.",
        messages=() if event.links else (none,),
        columns=(
            Column(f"First {len(left)} of {round_.name_before}", left, PASSAGE),
            Column("Linked to them, from further down", right, PASSAGE, len(misses) - len(drawn)),
        ),
        links=tuple(links),
        direct=True,
        picture=bool(event.links),
        opens=first[0].id if first else "",
        detail=lambda card: _detail(round_, int(card[1:]), scene.trace.names),
        legend=(
            ("passage", "not raised by a link"),
            ("kept", "raised by links"),
            ("gold", "★ gold passage"),
            ("pruned", "near miss: linked, but further down"),
        ),
        tables=(Table("links", label, partial(rows, round_)),),
    )
    ranking = ScoredRanking(event.ranking, "terms", links=link_words(round_))
    return with_ranking(scene, telling, ranking) if event.ranking else telling


def _card(
    round_: Round, id_: int, link: LinkedPassage | None = None, *, missed: bool = False
) -> Card:
    """A passage with its ranks; of a linked one the name that leads to it."""
    passage, gold = round_.passages[id_], round_.is_gold(id_)
    raised = round_.raised(id_, len(round_.event.starts))
    kind = "pruned" if missed else "kept" if raised else "passage"
    many = f", which {round_.holders(link.passages)} name" if link else ""
    return Card(
        f"c{id_}",
        passage.name,
        round_.ranks(id_),
        "gold" if gold else kind,
        star=gold,
        note=number(passage.score) if link else "",
        pieces=(("by ", ""), (whole_name(link), "mark"), (many, "")) if link else (),
        parents=(f"c{link.start}",) if link else (),
        weight=float(gold),
    )


def _line(round_: Round, link: LinkedPassage, *, missed: bool = False) -> Link:
    kind = "gold" if round_.is_gold(link.id) else "pruned" if missed else "kept"
    rarity = 2 / max(2, link.passages)  # 1 where two passages hold the name
    words = f"linked by {whole_name(link)}, which {round_.holders(link.passages)} name"
    strength = (MISSED if missed else WIDEST) * rarity
    return Link(f"c{link.start}", f"c{link.id}", strength, words, kind, dashed=missed)


def rows(round_: Round) -> list[dict[str, Any]]:
    """Every link as a table row, in the order of the ranking."""
    return [
        {
            "passage": round_.title(link.id),
            "gold": round_.is_gold(link.id),
            "linked from": round_.title(link.start),
            "both name": link.mention,
            "passages that do": link.passages,
            "weight": link.weight,
            "part compared with the first": link.start_sentence.part,
            "its cosine": link.start_sentence.cosine,
            "part compared with this": link.end_sentence.part,
            "cosine": link.end_sentence.cosine,
            "the first covers": link.covered,
            "this adds": link.cover,
            "round": link.round,
            "rank before any link": round_.at_base.get(link.id),
            "rank now": round_.now.get(link.id),
            "also": _also(round_, link),
        }
        for link in round_.event.links
    ]


def _also(round_: Round, link: LinkedPassage) -> str:
    """Other mentions that join a passage with starts."""
    return ", ".join(
        f"{other.mention} ({other.passages}) with {round_.title(other.start)}"
        for other in link.others
    )


# Why a passage is ranked where it is


def _detail(round_: Round, id_: int, names: EntityNames) -> Detail:
    """The sentences of a passage's best link, what they cover of the question, and its score."""
    link = round_.links.get(id_)
    words = [tag("p", "No link leads to it.", class_="gear-note")]
    if link:
        words = [pair(round_, link, names), covered(round_, link, names)]
    html = tag("div", *words, class_="gear-why-here")
    passage = round_.passages[id_]
    terms = tuple(arithmetic(passage, link))
    return Detail(passage.name, round_.ranks(id_), html, terms, passage=id_)


def pair(round_: Round, link: LinkedPassage, names: EntityNames) -> Html:
    """The two sentences with the shared mention marked in both, and how many passages have it."""
    many = f"; {round_.holders(link.passages)} do"
    also = _also(round_, link)
    gold = " gear-gold-end" if round_.is_gold(link.id) else ""
    start_title, end_title = round_.title(link.start), round_.title(link.id)
    return tag(
        "div",
        _end(start_title, link.mention, link.start_sentence, "gear-here-end", names),
        tag("p", "both name ", entity(link.mention, "b"), many),
        _end(end_title, link.mention, link.end_sentence, f"gear-there-end{gold}", names),
        tag("p", f"It also shares {also}.", class_="gear-why") if also else "",
        class_="gear-ends",
    )


def _end(name: str, mention: str, end: LinkedSentence, kind: str, names: EntityNames) -> Html:
    """A passage's title and its sentence, the mention marked where it stands."""
    in_title = [] if end.marks else [(find(name, mention), "mark", "gear-shared")]
    places = [(at, "mark", "gear-shared") for at in end.marks]
    return tag(
        "div",
        tag("div", around(name, in_title, names), class_="gear-why", dir="auto"),
        tag("div", around(end.text, places, names), dir="auto"),
        tag("div", f"cosine {_near(end)} with “{end.part}”", class_="gear-why", dir="auto"),
        class_=f"gear-end {kind}",
    )


def covered(round_: Round, link: LinkedPassage, names: EntityNames) -> Html:
    """The question with its words in three states, and how much of it each state is."""
    states = dict.fromkeys(link.end_sentence.covers, "fresh") | dict.fromkeys(
        link.start_sentence.covers, "had"
    )
    places = [
        (mention.span, "mark", f"gear-{states.get(mention.name, 'neither')}")
        for mention in round_.event.mentions
    ]
    shares = (
        ("had", link.covered, "in the first sentence or its title"),
        ("fresh", link.cover, "new in the second or its title"),
        ("neither", max(0.0, 1.0 - link.covered - link.cover), "in neither"),
    )
    lines = [
        tag("p", tag("mark", exact(share), class_=f"gear-{state}"), f" {words}")
        for state, share, words in shares
    ]
    question = around(round_.event.query, places, names)
    return tag(
        "div",
        tag("b", "What the pair covers of the question"),
        tag("p", question, class_="gear-covered", dir="auto"),
        *lines,
        class_="gear-cover",
    )


def arithmetic(passage: RankedPassage, link: LinkedPassage | None) -> list[tuple[str, str]]:
    """A passage's score: how each term is computed, times its weight, and the sum."""
    terms = [
        (f"{part.source}: {_how(part, link)}{part.formula}", exact(part.value))
        for part in passage.parts
    ]
    total = scores.rounded_sum([part.value for part in passage.parts], passage.score)
    return [*terms, ("= score", exact(total))]


def _near(end: LinkedSentence) -> str:
    """A cosine, and what of it counts."""
    return exact(end.cosine) + (f" × {exact(end.counted)}" if end.counted < 1 else "")


def _how(part: ScorePart, link: LinkedPassage | None) -> str:
    """Arithmetic of a term, in the numbers that the event has."""
    if part.source == "base" and part.rank:
        return f"10 / (5 + {part.rank - 1}) = "
    if part.source == "spread":
        return f"ln(1 + 50 × {math.expm1(part.score or 0.0) / 50:.{FINE}f}) = "
    if part.source == "parts" and link:
        return f"({_near(link.start_sentence)} + {_near(link.end_sentence)}) / 2 = "
    if part.source == "link" and link:
        few = link.passages + 0.5
        return f"ln({ALIKE} / {few:g}) × {link.weight / math.log(ALIKE / few):.3g} = "
    return ""
