"""A round of chain as two columns: the passages it started from, what they are linked to, and the
ranking that came of it, term by term.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.events import Followed, LinkedPassage
from gear_app.step_views import chain_score
from gear_app.step_views.blocks import (
    PASSAGE,
    Block,
    Choice,
    Column,
    MarkupBlock,
    PictureBlock,
    RankingBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.step_views.chain_round import (
    Round,
    heading,
    holders,
    link_words,
    round_of,
    whole_name,
)
from gear_app.step_views.view import StepView, pictured
from gear_app.text import count, normalise_entity
from gear_app.views import markup, rankings
from gear_app.views.markup import NO_NAMES, tag

MISSES = 4  # near misses that are drawn; gold ones always
AMONG = 3  # links among the starts that are always drawn, the rarest names first
WIDEST = 0.75  # of the lines that flow.js can draw: a mention that no third passage has
MISSED = 0.15  # and of near misses


BEST_LINK = "Every linked passage shows its best link, the selected one its others too."


class FollowView(
    StepView[Followed],
    verb="follow",
    kind=Followed,
    asks="Where do the names in these passages lead?",
):
    """A round of links."""

    ORIGIN = "the base's rank and the terms of links, added up"

    @cached_property
    def round(self) -> Round | None:
        """The round with the search that it is a part of."""
        event = self.events[0] if self.events else None
        return round_of(event, self.scene.events, self.scene.gold) if event else None

    @property
    def title(self) -> str:
        """What it found."""
        return heading(self.round) if self.round else super().title

    @property
    def purpose(self) -> str:
        """What the picture shows."""
        if not self.round:
            return super().purpose
        event = self.round.event
        several = f"Links of round {event.round}. " if event.rounds > 1 else ""
        line = "A line joins two passages that name the same; the wider, the fewer name it."
        return several + line

    def headline_of(self, event: Followed) -> str:
        """What it found."""
        return self.title

    def card_of(self, event: Followed) -> list[Block]:
        """The links; the ranking that came of them is `below`."""
        shown, scene = self.round, self.scene
        if shown is None or not event.starts:
            return [SentenceBlock("No passage was found to start from. Try other words.")]
        if not shown.links:
            none = "No mention joins these passages to others, or too many passages hold it"
            return [SentenceBlock(f"{none}: no link raises a passage.")]

        def choose(card: str) -> Choice:
            id_ = passage_of(shown, card)
            why = chain_score.explained(shown, id_, scene.names) if id_ else ""
            return Choice(passage_id=id_, why=why)

        label = f"All {count(len(shown.links), 'link')} as a table"
        return [
            PictureBlock("links", "flow", graph(shown), best_card(shown), choose),
            MarkupBlock(markup.legend(legend(shown))),
            MarkupBlock(tag("p", BEST_LINK, class_="gear-note")),
            TableBlock(f"links-{scene.key}", label, partial(rows, shown)),
        ]

    def below(self, k: int, opens: int | None) -> list[Block]:
        """The ranking after the round with a column for every term, and all of it as a table."""
        shown = self.round
        if shown is None or not shown.event.ranking:
            return []
        lines, ranked = ranking(shown, k, self.scene.names), shown.event.ranking
        label = f"All {len(ranked)} passages as a table"
        return [
            RankingBlock("terms", lines, ranked[: len(lines["lines"])], opens),
            TableBlock(f"terms-{self.scene.key}", label, partial(ranking_rows, shown)),
        ]

    @property
    def opens(self) -> int | None:
        """The passage that is opened first, by id."""
        return passage_of(self.round, str(best_card(self.round))) if self.round else None

    def columns_of(self, event: Followed) -> tuple[Column, ...]:
        """What names lead to which passages."""
        return pictured(graph(self.round), PASSAGE) if self.round and event.starts else ()


def graph(shown: Round) -> dict[str, Any]:
    """Component data: the starts on the left, on the right what they lead to from further down, the
    near misses below a line; between them the best link into each, further ones at its side.
    """
    starts = {start.id for start in shown.event.starts}
    far = [link for link in shown.event.links if link.id not in starts and link.start in starts]
    new = [link for link in far if shown.now[link.id] <= len(starts)]
    misses = [link for link in far if link not in new]
    drawn = [link for n, link in enumerate(misses) if n < MISSES or shown.is_gold(link.id)]
    left = [_card(shown, start.id, new=False, missed=False) for start in shown.event.starts]
    right = [_card(shown, link.id, new=True, missed=False) for link in new]
    missed = [_card(shown, link.id, new=True, missed=True) for link in drawn]
    among = [link for link in shown.event.links if link.id in starts and link.start in starts]
    among.sort(key=lambda link: (link.mention.islower(), link.passages))
    between = [_line(shown, link, missed=link in misses) for link in [*new, *drawn]]
    more = len(misses) - len(drawn)
    return {
        "columns": [
            _column(f"First {len(left)} of {shown.name_before}", left, [], 0, len(left)),
            _column("Linked to them, from further down", right, missed, more, len(left)),
        ],
        "links": [
            *between,
            *(line for link in [*new, *drawn] for line in _further(shown, link, starts)),
            *(
                _line(shown, link, missed=False) | {"quiet": place >= AMONG}
                for place, link in enumerate(among)
            ),
        ],
        "direct": True,
        "label": (
            f"Links of round {shown.event.round}: {len(left)} passages lead to {len(between)}"
            " others"
        ),
    }


def _column(
    name: str, cards: list[dict[str, Any]], missed: list[dict[str, Any]], more: int, first: int
) -> dict[str, Any]:
    ids = [card["id"] for card in cards]
    below = ["rule", *(card["id"] for card in missed)] if missed else []
    return {
        "name": name,
        "cards": [*cards, *missed],
        "more": more,
        "weight": 1,
        "order": [*ids, *below],
        "rule": f"near misses: linked, but below the first {first}" if missed else "",
    }


def _card(shown: Round, id_: int, *, new: bool, missed: bool) -> dict[str, Any]:
    passage, gold = shown.passages[id_], shown.is_gold(id_)
    title, score = passage.name, f"{passage.score:z.3f}".replace("-", "−")
    link = shown.links.get(id_)
    linked = f"; {_words(shown, link)}" if link else ""
    return {
        "id": f"c{id_}",
        "title": title,
        "entity": normalise_entity(title),
        "note": " · ".join(_ranks(shown, id_)),
        "score": score if new else "",
        "kind": _kind(shown, id_, missed=missed),
        "star": gold,
        "dashed": missed,
        "label": f"{title}: {', '.join(_ranks(shown, id_))}{linked}" + (", gold" if gold else ""),
    }


def _kind(shown: Round, id_: int, *, missed: bool) -> str:
    """Gold, pink where the base has it among as many as are started from, blue where links did,
    grey where it came among them without one.
    """
    if shown.is_gold(id_):
        return "gold"
    if missed:
        return "pruned"
    if shown.raised(id_):
        return "kept"
    return "plain" if shown.risen(id_) else "passage"


def _ranks(shown: Round, id_: int) -> list[str]:
    """Where a passage stood before any link, after the round before, and now."""
    then = f"{shown.name_before}: {shown.before.get(id_, '–')}" if shown.earlier else ""
    return [*filter(None, (shown.rank_at_base(id_), then)), f"now {shown.rank_now(id_)}"]


def _line(shown: Round, link: LinkedPassage, *, missed: bool) -> dict[str, Any]:
    kind = "pruned" if missed else "kept"
    return {
        "from": f"c{link.start}",
        "to": f"c{link.id}",
        "kind": "gold" if shown.is_gold(link.id) else kind,
        "dashed": missed,
        "strength": (MISSED if missed else WIDEST) * rarity(link.passages),
        "label": whole_name(link),
        "entity": normalise_entity(link.mention),
        "words": _words(shown, link),
    }


def _further(shown: Round, link: LinkedPassage, starts: Collection[int]) -> list[dict[str, Any]]:
    """Lines from the other starts that share something with a passage, one from each."""
    mentions: dict[int, list[str]] = {}
    fewest: dict[int, int] = {}
    for other in link.others:
        if other.start in starts and other.start != link.start:
            mentions.setdefault(other.start, []).append(other.mention)
            fewest[other.start] = min(other.passages, fewest.get(other.start, other.passages))
    return [
        {
            "from": f"c{start}",
            "to": f"c{link.id}",
            "kind": "kept",
            "dashed": False,
            "strength": WIDEST * rarity(fewest[start]),
            "label": ", ".join(names),
            "entity": normalise_entity(names[0]) if len(names) == 1 else "",
            "words": f"{shown.title(start)} and {shown.title(link.id)} name {', '.join(names)}",
            "quiet": True,
        }
        for start, names in mentions.items()
    ]


def rarity(passages: int) -> float:
    """How few passages hold a mention, in (0, 1]: 1 for two, half as much for twice as many."""
    return 2 / max(2, passages)


def _words(shown: Round, link: LinkedPassage) -> str:
    many = holders(shown, link.passages)
    return f"linked from {shown.title(link.start)} by {whole_name(link)}, which {many} name"


def best_card(shown: Round) -> str | None:
    """The card to open first: a gold passage, else the first; those that links raised, on the right
    before the left, come before the others.
    """
    starts, linked = (column["cards"] for column in graph(shown)["columns"])
    raised = [card for card in (*linked, *starts) if shown.raised(int(card["id"][1:]))]
    cards = [*raised, *starts, *linked]
    best = next((card for card in cards if card["star"]), cards[0] if cards else None)
    return best["id"] if best else None


def passage_of(shown: Round, card: str) -> int | None:
    """The passage id of a card id."""
    return next((id_ for id_ in shown.passages if card == f"c{id_}"), None)


def legend(shown: Round) -> list[tuple[str, str]]:
    """What colours and lines mean, as (palette name, words)."""
    there = any(shown.is_gold(id_) for id_ in shown.passages)
    alone = any(_kind(shown, start.id, missed=False) == "plain" for start in shown.event.starts)
    starts = len(shown.event.starts)
    return [
        ("passage", f"among {shown.base}’s first {starts}"),
        ("kept", "raised by links"),
        *([("muted-text", "risen without a link")] if alone else []),
        *([("gold", "★ gold passage")] if there else []),
        ("pruned", "near miss"),
        ("", "point at a card to see how it is linked itself"),
    ]


def rows(shown: Round) -> list[dict[str, Any]]:
    """Every link as a table row, in the order of the ranking."""
    return [
        {
            "passage": shown.title(link.id),
            "gold": shown.is_gold(link.id),
            "linked from": shown.title(link.start),
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
            f"rank in {shown.base}": shown.at_base.get(link.id),
            "rank now": shown.now.get(link.id),
            "also": ", ".join(
                f"{other.mention} ({other.passages}) with {shown.title(other.start)}"
                for other in link.others
            ),
        }
        for link in shown.event.links
    ]


def ranking(shown: Round, k: int, names: EntityNames = NO_NAMES) -> dict[str, Any]:
    """Component data: the ranking with its terms as stacked bars and in columns, and a line below
    the first k.
    """
    links = link_words(shown)
    data = rankings.lines(
        shown.event.ranking,
        shown.gold,
        way="terms",
        beside=rankings.Beside(names=names, links=links),
    )
    for line, passage in zip(data["lines"], shown.event.ranking, strict=False):
        parts = {part.source: part for part in passage.parts}
        values = [parts[name].value if name in parts else None for name in rankings.TERMS]
        line["numbers"] = [_number(value) for value in values]
        line["before"] = str(shown.at_base.get(passage.id, "–"))
        line["score"] = _number(passage.score)
    data["legend"] = []  # the columns name the terms
    weights = {
        one.term: f"{rankings.TERMS[one.term]} × {one.weight:g}" for one in shown.event.weights
    }
    return data | {
        "terms": [
            {"name": name, "kind": "passage" if name == "base" else name, "words": words}
            for name, words in weights.items()
        ],
        "before": shown.base,
        "cut": k,
        "cut_words": f"the first {k} end here · near misses below",
    }


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.3f}".replace("-", "−")


def ranking_rows(shown: Round) -> list[dict[str, Any]]:
    """The whole ranking as table rows, a column a term; those far down have no terms."""
    return [
        {
            "rank": rank,
            "gold": passage.key in shown.gold,
            "passage": passage.name,
            "id": passage.key,
        }
        | dict.fromkeys(rankings.TERMS)
        | {part.source: part.value for part in passage.parts}
        | {"score": passage.score, f"rank in {shown.base}": shown.at_base.get(passage.id)}
        for rank, passage in enumerate(shown.event.ranking, start=1)
    ]
