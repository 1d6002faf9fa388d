"""Slides of pictures: of beams, chains, walks and slopes, the part that fits a hall's screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.analysis.rankings import keys
from gear_app.events import Expanded, Followed, Promoted, Walked
from gear_app.views import beam, calibration, chain, chain_round, presenter, walk_graph
from gear_app.views.slides.column import ENTITY, FACT, PASSAGE, ROWS, Card, Column, Moment
from gear_app.views.slides.rankings import first_passages


def expand(moment: Moment) -> tuple[Column, ...]:
    """The beams that lead to gold passages, and the best of the others."""
    event = moment.one(Expanded)
    if event is None or not event.steps:
        return ()
    search = presenter.searched(moment.step, moment.events)
    there = keys(search.ranking[:ROWS]) if search else None
    data = beam.graph(event, moment.gold, base=there)
    cards = {card["id"]: card for column in data["columns"] for card in column["cards"]}
    wanted: dict[str, set[str]] = {}  # what the next column extends: by which names
    found: list[Column] = []
    for number in reversed(range(len(data["columns"]))):
        column = data["columns"][number]
        chosen = _chosen(column["cards"], wanted)
        drawn = tuple(
            _beam(card, wanted.get(card["id"], set()))
            for card in column["cards"]
            if card["id"] in chosen
        )
        wanted = {}
        for card in (cards[id_] for id_ in chosen if cards[id_]["parent"]):
            wanted.setdefault(card["parent"], set()).update(_joining(card))
        more = column["more"] + len(column["cards"]) - len(drawn)
        found.insert(0, Column(_ordinal(number), drawn, FACT, more))
    return tuple(found)


def _chosen(cards: Sequence[Mapping[str, Any]], wanted: Collection[str]) -> set[str]:
    """Of a column's cards: those that others extend, new gold, gold, and the best of the rest."""
    worth = {
        card["id"]: (card["id"] in wanted, card["fresh"], card["state"] == "gold") for card in cards
    }
    order = sorted(worth, key=lambda id_: worth[id_], reverse=True)  # stable: the best first
    return set(order[:ROWS])


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth")
    return f"{words[number]} fact" if number < len(words) else f"fact {number + 1}"


def _joining(card: Mapping[str, Any]) -> set[str]:
    """The entities, by normal form, that a card of the beams shares with the one before it."""
    pieces = (*card["subject"], *card["relation"])
    return {piece["entity"] for piece in pieces if piece["shared"]}


def _beam(card: Mapping[str, Any], onward: Collection[str]) -> Card:
    """`onward` are the entities by which the cards that extend it go on."""
    joining = _joining(card).union(onward)
    return Card(
        card["id"],
        "".join(piece["text"] for piece in card["subject"]),
        kind=card["state"],
        star=card["star"],
        note=card["score"],
        pieces=tuple(
            (piece["text"], "mark" if piece["entity"] in joining else "")
            for piece in card["relation"]
        ),
        marked=any(piece["entity"] in joining for piece in card["subject"]),
        parents=(card["parent"],) if card["parent"] else (),
    )


def follow(moment: Moment) -> tuple[Column, ...]:
    """What names lead to which passages, round by round."""
    event = moment.one(Followed)
    if event is None or not event.starts:
        return ()
    return _pictured(chain.graph(chain_round.round_of(event, moment.events, moment.gold)), PASSAGE)


def walk(moment: Moment) -> tuple[Column, ...]:
    """From names to the passages the walk ends at; the ranking where the walk leads nowhere."""
    event = moment.one(Walked)
    if event is None or not event.passages:
        return first_passages(moment)
    return _pictured(walk_graph.graph(event, moment.gold, ROWS, ROWS), ENTITY)


def promote(moment: Moment) -> tuple[Column, ...]:
    """Which passages rise and which fall."""
    event = moment.one(Promoted)
    if event is None:
        return ()
    return _pictured(calibration.slope(event, moment.gold, ROWS), PASSAGE)


def _pictured(data: Mapping[str, Any], ask: str) -> tuple[Column, ...]:
    """Columns of cards with lines between neighbours, from the data of such a picture.

    What is starred goes first where there are too many, and then what leads to it.
    """
    links = [link for link in data["links"] if not link.get("quiet")]
    wanted: set[str] = set()
    found: list[Column] = []
    for column in reversed(data["columns"]):
        cards = column["cards"]
        worth = {card["id"]: (card["id"] in wanted, bool(card["star"])) for card in cards}
        chosen = set(sorted(worth, key=lambda id_: worth[id_], reverse=True)[:ROWS])
        wanted = {link["from"] for link in links if link["to"] in chosen}
        drawn = tuple(_from_picture(card, links) for card in cards if card["id"] in chosen)
        more = column["more"] + len(cards) - len(drawn)
        found.insert(0, Column(column["name"], drawn, ask, more))
    return tuple(found)


def _from_picture(card: Mapping[str, Any], links: Sequence[Mapping[str, Any]]) -> Card:
    score, words = card.get("score") or "", card.get("note") or ""
    return Card(
        card["id"],
        card["title"],
        words or score,
        "pruned" if card.get("dashed") else card["kind"],
        star=bool(card["star"]),
        lead=str(card.get("rank") or ""),
        note=score if words else "",
        parents=tuple(link["from"] for link in links if link["to"] == card["id"]),
    )
