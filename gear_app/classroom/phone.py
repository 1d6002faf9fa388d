"""What phones may see. A learner sees her own answers, and of a question what is revealed, nothing
before; a follower the slide of a presentation without what is still covered on it, and what the
presenter points at.

This is the one place that decides it. A phone is sent these values and no others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gear_app.classroom.session import ClassSession, Learner, Sheet, tally
from gear_app.text import normalise_entity


def page(session: ClassSession, number: int, wanted: int | None = None) -> dict[str, Any]:
    """A page of the lesson for one learner, as JSON: the teacher's, or the `wanted` one where the
    class is not locked to a page.
    """
    learner = session.learner(number)
    index = session.page
    if wanted is not None and not session.locked:
        index = min(max(wanted, 0), len(session.sheets) - 1)
    sheet = session.sheets[index]
    return {
        "lesson": session.lesson,
        "nickname": learner.nickname,
        "locked": session.locked,
        "page": index,
        "pages": len(session.sheets),
        "title": sheet.title,
        "text": list(sheet.text),
        "task": _task(session, learner, sheet) if sheet.asks else None,
    }


def _task(session: ClassSession, learner: Learner, sheet: Sheet) -> dict[str, Any]:
    ballot = session.ballot(sheet.key)
    task: dict[str, Any] = {
        "key": sheet.key,
        "question": sheet.question,
        "options": list(sheet.options),
        "answers": [votes.get(learner.number) for votes in ballot.votes],
        "revealed": ballot.revealed,
    }
    if ballot.revealed:
        counted = (tally(session, sheet.key, vote) for vote in range(len(ballot.votes)))
        task["right"] = sheet.right
        task["remarks"] = list(sheet.remarks)
        task["solution"] = list(sheet.solution)
        task["counts"] = [list(one.counts) for one in counted]
    return task


MOST_CARDS = 10_000
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Pointed:
    """What a presenter does between two steps: how many cards are uncovered, the card under the
    pointer by its id, and the names of entities that are lit.
    """

    uncovered: int = 0
    card: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Presentation:
    """A presentation that others may follow: its newest slide, and what is pointed at."""

    slide: Mapping[str, Any] = field(default_factory=dict)
    pointed: Pointed = Pointed()


def followed(presentation: Presentation) -> dict[str, Any]:
    """The slide as a follower gets it: `lit` are the cards pointed at, `names` what is lit by name.

    The words of covered cards are left out, and so is the heading until all are uncovered: a
    follower's browser would else hold what the hall is still to guess.
    """
    slide, pointed = presentation.slide, presentation.pointed
    left, columns = pointed.uncovered, []
    for column in slide.get("columns", ()):
        cards = []
        for card in column["cards"]:
            seen = card["given"] or left > 0
            left -= not card["given"]
            cards.append(card if seen else _covered(card, -left))
        columns.append({**column, "cards": cards})
    done = left >= 0
    there = {card["id"] for column in columns for card in column["cards"]}
    for column in columns:
        column["cards"] = [_without_others(card, there) for card in column["cards"]]
    return {
        **slide,
        "heading": slide.get("heading", "") if done else slide.get("prompt", ""),
        "columns": columns,
        "uncovered": pointed.uncovered,
        "lit": _lit(columns, pointed),
        "names": list(pointed.names),
    }


def _covered(card: Mapping[str, Any], number: int) -> dict[str, Any]:
    """A card of which nothing is told but that it is there. Its own id would say which passage it
    is to those who have seen another slide with that, or whether a beam goes on.
    """
    blank = {"title": "", "text": "", "note": "", "lead": "", "pieces": (), "parents": ()}
    look = {"kind": "passage", "star": False, "marked": False}
    return {**card, **blank, **look, "id": f"covered {number}"}


def _without_others(card: Mapping[str, Any], there: Collection[str]) -> dict[str, Any]:
    """A card with no line from one that is not `there`."""
    return {**card, "parents": tuple(one for one in card["parents"] if one in there)}


def _lit(columns: Sequence[Mapping[str, Any]], pointed: Pointed) -> list[str]:
    """The ids of the card that is pointed at, and of those on which a lit name stands."""
    names = [f" {normalise_entity(name)} " for name in pointed.names if normalise_entity(name)]
    found = []
    for card in (card for column in columns for card in column["cards"]):
        words = f" {normalise_entity(_words(card))} "
        if card["id"] == pointed.card or any(name in words for name in names):
            found.append(str(card["id"]))
    return found


def _words(card: Mapping[str, Any]) -> str:
    return " ".join([card["title"], *(text for text, _ in card["pieces"]), card["text"]])


def pointed_from(said: Mapping[str, Any]) -> Pointed:
    """What a presenter's browser says, within bounds; what is no such value counts as nothing."""
    uncovered, card, names = said.get("uncovered"), said.get("card"), said.get("names")
    number = uncovered if isinstance(uncovered, int) else 0
    listed = names if isinstance(names, list) else []
    return Pointed(
        min(max(number, 0), MOST_CARDS),
        card[:LONGEST_NAME] if isinstance(card, str) else "",
        tuple(name[:LONGEST_NAME] for name in listed[:10] if isinstance(name, str)),
    )
