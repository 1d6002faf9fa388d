"""A round of chain: the passages that it started from, what they are linked to, and the ranking
that came of it. A passage opens into the two sentences of its best link and the terms of its score.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from gear_app.core.text import count
from gear_app.core.types import Span
from gear_app.display import scores
from gear_app.display.chain_round import (
    Round,
    heading,
    holders,
    link_words,
    round_of,
    whole_name,
)
from gear_app.display.decimals import exact
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
from gear_app.trace.events import Followed, LinkedPassage, LinkedSentence, ScorePart

MISSES = 4  # near misses in the picture; gold ones always
AMONG = 3  # links among the starts that are always drawn, the rarest names first
WIDEST, MISSED = 0.75, 0.15  # strength of the rarest name's line, and of a near miss's
FINE = 8  # decimals of a probability, which the logarithm magnifies
ALIKE = 65  # a mention weighs as in a collection of 64 passages


@teller("follow", Followed, "Where do the names in these passages lead?")
def follow(scene: Scene, event: Followed) -> Telling:
    """A round of links, and the ranking after it."""
    round_ = round_of(event, scene.events, scene.gold)
    headline = heading(round_)
    several = f"Links of round {event.round}. " if event.rounds > 1 else ""
    telling = Telling(
        headline=headline,
        title=headline,
        purpose=f"{several}A line joins two passages with a name in common; the wider, the rarer"
        " the name.",
        origin="the base's rank and the terms of links, added up",
    )
    if not event.starts:
        nothing = Message("No passage was found to start from. Try other words.")
        return replace(telling, messages=(nothing,))
    if round_.links:
        telling = _with_picture(scene, round_, telling)
    else:
        none = "No mention joins these passages to others, or too many passages hold it"
        message = Message(f"{none}: no link raises a passage.")
        telling = replace(telling, messages=(message,))
    ranking = ScoredRanking(event.ranking, "terms", "terms", links=link_words(round_))
    telling = with_ranking(scene, telling, ranking) if event.ranking else telling
    terms = Table("terms", "Terms of the scores as a table", partial(term_rows, round_))
    return replace(telling, tables=(*telling.tables, terms))


def _with_picture(scene: Scene, round_: Round, telling: Telling) -> Telling:
    """The starts on the left, on the right what they lead to from further down, near misses last;
    the line to each is its best link.
    """
    event = round_.event
    starts = {start.id for start in event.starts}
    far = [link for link in event.links if link.id not in starts and link.start in starts]
    new = [link for link in far if round_.now[link.id] <= len(starts)]
    misses = [link for link in far if link not in new]
    drawn = [link for n, link in enumerate(misses) if n < MISSES or round_.is_gold(link.id)]
    left = tuple(_card(round_, start.id) for start in event.starts)
    right = tuple(_card(round_, link.id, link, missed=link in drawn) for link in [*new, *drawn])
    among = [link for link in event.links if link.id in starts and link.start in starts]
    among.sort(key=lambda link: (link.mention.islower(), link.passages))
    links = [_line(round_, link, missed=link in misses) for link in [*new, *drawn]]
    links += [line for link in [*new, *drawn] for line in _further(round_, link, starts)]
    links += [
        _line(round_, link, missed=False)._replace(quiet=place >= AMONG)
        for place, link in enumerate(among)
    ]
    columns = (
        Column(f"First {len(left)} of {round_.name_before}", left, PASSAGE),
        Column("Linked to them, from further down", right, PASSAGE, len(misses) - len(drawn)),
    )
    label = f"All {count(len(round_.links), 'link')} as a table"
    return replace(
        telling,
        columns=tuple(column for column in columns if column.cards),
        links=tuple(links),
        direct=True,
        opens=_first_card(round_, (*right, *left)),
        detail=lambda card: _detail(round_, int(card[1:]), scene.names),
        legend=_legend(round_, (*left, *right)),
        tables=(Table("links", label, partial(rows, round_)),),
    )


def _card(
    round_: Round, id_: int, link: LinkedPassage | None = None, *, missed: bool = False
) -> Card:
    """A passage with its ranks; of a linked one the name that leads to it."""
    passage, gold = round_.passages[id_], round_.is_gold(id_)
    then = f"{round_.name_before}: {round_.before.get(id_, '–')}" if round_.earlier else ""
    ranks = [*filter(None, (round_.rank_at_base(id_), then)), f"now {round_.rank_now(id_)}"]
    pieces: tuple[tuple[str, str], ...] = ()
    if link:
        many = holders(round_, link.passages)
        pieces = (("by ", ""), (whole_name(link), "mark"), (f", which {many} name", ""))
    return Card(
        f"c{id_}",
        passage.name,
        " · ".join(ranks),
        "pruned" if missed and not gold else _colour(round_, id_),
        star=gold,
        note=f"{passage.score:z.3f}".replace("-", "−") if link else "",
        pieces=pieces,
        parents=(f"c{link.start}",) if link else (),
        weight=float(gold),
    )


def _colour(round_: Round, id_: int) -> str:
    """Gold, pink where the base has it among as many as are started from, blue where links did,
    grey where it came among them without a link.
    """
    if round_.is_gold(id_):
        return "gold"
    if round_.raised(id_):
        return "kept"
    return "plain" if round_.risen(id_) else "passage"


def _line(round_: Round, link: LinkedPassage, *, missed: bool) -> Link:
    kind = "gold" if round_.is_gold(link.id) else "pruned" if missed else "kept"
    strength = (MISSED if missed else WIDEST) * rarity(link.passages)
    names = f"{whole_name(link)}, which {holders(round_, link.passages)} name"
    words = f"linked from {round_.title(link.start)} by {names}"
    return Link(f"c{link.start}", f"c{link.id}", strength, words, kind, dashed=missed)


def _further(round_: Round, link: LinkedPassage, starts: Collection[int]) -> Iterator[Link]:
    """Lines from the other starts that share something with a passage, one from each."""
    for start in dict.fromkeys(other.start for other in link.others):
        shared = [other for other in link.others if other.start == start]
        if start in starts and start != link.start:
            names = ", ".join(other.mention for other in shared)
            words = f"{round_.title(start)} and {round_.title(link.id)} name {names}"
            strength = WIDEST * rarity(min(other.passages for other in shared))
            yield Link(f"c{start}", f"c{link.id}", strength, words, quiet=True)


def rarity(passages: int) -> float:
    """Rarity of a mention, in (0, 1]: 1 where two passages hold it, half as much for four."""
    return 2 / max(2, passages)


def _first_card(round_: Round, cards: Sequence[Card]) -> str:
    """A gold passage that links raised, else a raised one, else a gold one."""
    order = sorted(cards, key=lambda card: (not round_.raised(int(card.id[1:])), not card.star))
    gold = [card for card in order if card.star]
    return (gold or order)[0].id if order else ""


def _legend(round_: Round, cards: Sequence[Card]) -> tuple[tuple[str, str], ...]:
    kinds = {card.kind for card in cards}
    entries = (
        ("passage", f"among {round_.base}’s first {len(round_.event.starts)}"),
        ("kept", "raised by links"),
        ("plain", "risen without a link"),
        ("gold", "★ gold passage"),
        ("pruned", "near miss: linked, but further down"),
    )
    legend = [
        ("muted-text" if kind == "plain" else kind, w) for kind, w in entries if kind in kinds
    ]
    return (*legend, ("", "the line to a passage is its best link; its card shows the others"))


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
            "part compared with the first": link.here.part,
            "its cosine": link.here.cosine,
            "part compared with this": link.there.part,
            "cosine": link.there.cosine,
            "the first covers": link.covered,
            "this adds": link.cover,
            "round": link.round,
            f"rank in {round_.base}": round_.at_base.get(link.id),
            "rank now": round_.now.get(link.id),
            "also": ", ".join(
                f"{other.mention} ({other.passages}) with {round_.title(other.start)}"
                for other in link.others
            ),
        }
        for link in round_.event.links
    ]


def term_rows(round_: Round) -> list[dict[str, Any]]:
    """The whole ranking as table rows, a column a term; those far down have no terms."""
    return [
        {"rank": rank, "gold": passage.key in round_.gold, "passage": passage.name}
        | dict.fromkeys(scores.TERMS)
        | {part.source: part.value for part in passage.parts}
        | {"score": passage.score, f"rank in {round_.base}": round_.at_base.get(passage.id)}
        for rank, passage in enumerate(round_.event.ranking, start=1)
    ]


# Why a passage is ranked where it is


class Term(NamedTuple):
    """A term of a score: how its value comes about, the value, its weight, and their product."""

    name: str
    how: str
    value: float
    weight: float
    part: float


def _detail(round_: Round, id_: int, names: EntityNames) -> Detail:
    """The sentences of a passage's best link, what they cover of the question, and its score."""
    passage, link = round_.passages[id_], round_.links.get(id_)
    ranks = ", ".join(filter(None, (f"rank {round_.rank_now(id_)}", round_.rank_at_base(id_))))
    star = " · ★ gold" if round_.is_gold(id_) else ""
    words = [_unlinked(round_, id_)]
    if link:
        words = [pair(round_, link, names), covered(round_, link, names)]
    html = tag("div", *words, class_="gear-why-here")
    return Detail(passage.name, ranks + star, html, tuple(arithmetic(round_, id_)), passage=id_)


def _unlinked(round_: Round, id_: int) -> Html:
    """Say why no link is shown."""
    sources = {part.source for part in round_.passages[id_].parts if part.score}
    words = "No link leads to it: no rare name is in it and in a passage that was started from."
    if "link" in sources:
        words = "It is linked, but too far down for the run to have kept its sentences."
    elif "spread" in sources:
        words = (
            "No link leads to it. What it shares with passages that were started from stands in the"
            " question itself, which makes no link; only the walk counts it (spread)."
        )
    return tag("p", words, class_="gear-note")


def pair(round_: Round, link: LinkedPassage, names: EntityNames) -> Html:
    """The two sentences with the shared mention marked in both, and how many passages have it."""
    starts = [start.id for start in round_.started(link)]
    base = round_.base if link.round == 1 else f"round {link.round - 1}"
    ranked = f" · {starts.index(link.start) + 1} in {base}" if link.start in starts else ""
    many = f"{holders(round_, link.passages)} do"
    count_words = many if link.passages > 2 else "no other passage does"
    gold = " gear-gold-end" if round_.is_gold(link.id) else ""
    fresh = tuple(name for name in link.there.covers if name not in link.here.covers)
    also: dict[int, list[str]] = {}
    for other in link.others:
        also.setdefault(other.start, []).append(f"{other.mention} ({other.passages})")
    shared = [f"{', '.join(several)} with {round_.title(id_)}" for id_, several in also.items()]
    return tag(
        "div",
        _end(round_.title(link.start), ranked, link.mention, link.here, (), "gear-here-end", names),
        tag("p", "both name ", entity(link.mention, "b"), f"; {count_words}"),
        _end(round_.title(link.id), "", link.mention, link.there, fresh, f"gear-there-end{gold}",
             names),
        tag("p", f"It also shares {'; '.join(shared)}.", class_="gear-why") if shared else "",
        class_="gear-ends",
    )  # fmt: skip


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
    places += [(_with_ending(end.text, word), "mark", "gear-fresh") for word in fresh]
    short = f", of which {exact(end.counted)} counts: a short line" if end.counted < 1 else ""
    compared = f"cosine {exact(end.cosine)} with “{end.part}”{short}"
    return tag(
        "div",
        tag("div", around(name, in_title, names), aside, class_="gear-why", dir="auto"),
        tag("div", around(end.text, places, names), dir="auto"),
        tag("div", compared, class_="gear-why", dir="auto"),
        class_=f"gear-end {kind}",
    )


def _with_ending(text: str, word: str) -> Span | None:
    """The place of a word with the ending that its normal form is without."""
    place = find(text, word)
    if place is None:
        return None
    rest = takewhile(str.isalnum, text[place.end :])
    return Span(place.start, place.end + sum(1 for _ in rest))


def covered(round_: Round, link: LinkedPassage, names: EntityNames) -> Html:
    """The question with its words in three states, and how much of it each state is."""
    states = {}
    for mention in round_.event.mentions:
        in_start, in_passage = mention.name in link.here.covers, mention.name in link.there.covers
        states[mention.name] = "had" if in_start else "fresh" if in_passage else "neither"
    if not states:
        return tag("p", "The question mentions nothing to be covered.", class_="gear-note")
    places = [
        (mention.span, "mark", f"gear-{states[mention.name]}") for mention in round_.event.mentions
    ]
    rest = max(0.0, 1.0 - link.covered - link.cover) if "neither" in states.values() else 0.0
    shares = (
        ("had", link.covered, "in the first sentence or its title"),
        ("fresh", link.cover, "new in the second or its title"),
        ("neither", rest, "in neither"),
    )
    lines = [
        tag("p", tag("mark", exact(share), class_=f"gear-{state}"), f" {words}")
        for state, share, words in shares
    ]
    heading_ = tag("b", "What the pair covers of the question")
    question = tag(
        "p", around(round_.event.query, places, names), class_="gear-covered", dir="auto"
    )
    return tag("div", heading_, question, *lines, class_="gear-cover")


def arithmetic(round_: Round, id_: int) -> Iterator[tuple[str, str]]:
    """A passage's score: each term, its weight, their product, and the sum."""
    parts, passage = terms(round_, id_), round_.passages[id_]
    if not parts:
        yield ("Its score; the run kept no terms so far down", exact(passage.score))
        return
    for part in parts:
        yield (f"{part.name}: {part.how} = {exact(part.value)} × {part.weight:g}", exact(part.part))
    link = round_.links.get(id_)
    better = (
        f" of round {link.round}, the better" if link and link.round != round_.event.round else ""
    )
    total = scores.rounded_sum([part.part for part in parts], passage.score)
    yield (f"= score{better}", exact(total))


def terms(round_: Round, id_: int) -> list[Term]:
    """The terms of a passage's score; none where the event does not have them."""
    weights = {term.term: term.weight for term in round_.event.weights}
    link = round_.links.get(id_)
    return [
        Term(part.source, _how(round_, part, link), part.score or 0.0, weights[part.source],
             part.value)
        for part in round_.passages[id_].parts
        if part.source in weights
    ]  # fmt: skip


def _near(end: LinkedSentence) -> str:
    """A cosine, and what of it counts."""
    return exact(end.cosine) + (f" × {exact(end.counted)}" if end.counted < 1 else "")


def _how(round_: Round, part: ScorePart, link: LinkedPassage | None) -> str:
    """Arithmetic of a term, in the numbers that the event has."""
    match part.source:
        case "base" if part.rank:
            return f"10 / (5 + {part.rank - 1})"
        case "base":
            return f"10 / (5 + 100), not among the first 100 of {round_.base}"
        case "spread":
            return f"ln(1 + 50 × {math.expm1(part.score or 0.0) / 50:.{FINE}f})"
        case "parts" if link:
            return f"({_near(link.here)} + {_near(link.there)}) / 2"
        case "link" if link:
            few = link.passages + 0.5
            return f"ln({ALIKE} / {few:g}) × {link.weight / math.log(ALIKE / few):.3g}"
        case "start" if link:
            return f"the first sentence covers {exact(link.covered)}"
        case "cover" if link:
            return f"the second adds {exact(link.cover)}"
    return "value"
