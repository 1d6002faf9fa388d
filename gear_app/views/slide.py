"""A step of a run as data for the presenter's screen: what it found, kept back behind what it asks,
and of each column so many cards as a hall can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from gear_app.analysis.rankings import CUTS
from gear_app.analysis.timeline import Step
from gear_app.step_views.blocks import Column
from gear_app.step_views.scene import Scene
from gear_app.step_views.step import view_of

ROWS = CUTS[0]  # of a column, so that they fit a hall's screen; recall is of as many passages


def slide(scene: Scene, steps: Sequence[Step]) -> dict[str, Any]:
    """The step as data for the screen. The scene's events are those known at it, `steps` the whole
    run's.
    """
    step, view = scene.step, view_of(scene)
    there = [one for one in steps if one.iteration == step.iteration]
    stages = {one.verb: one.number for one in reversed(there)}
    named = [verb for verb in dict.fromkeys(one.verb for one in there) if verb]
    iteration = f"iteration {step.iteration} · " if step.iteration and step.iterates else ""
    return {
        "question": scene.run.question,
        "prompt": view.asks,
        "heading": view.headline,
        "columns": [asdict(one) for one in fitting(view.columns) if one.cards],
        "number": step.number,
        "count": len(steps),
        "place": f"{iteration}{step.verb} · step {step.number + 1} of {len(steps)}",
        "dots": [{"number": one.number, "label": one.verb} for one in there],
        "stages": [{"number": stages[verb], "label": verb} for verb in named],
    }


def fitting(columns: Sequence[Column]) -> list[Column]:
    """Of each column the cards that lead to those of the next one, then those of greatest weight,
    then the first.
    """
    fitted: list[Column] = []
    leading: set[str] = set()
    for column in reversed(columns):
        worth = {card.id: (card.id in leading, card.weight) for card in column.cards}
        chosen = set(sorted(worth, key=lambda id_: worth[id_], reverse=True)[:ROWS])
        cards = tuple(card for card in column.cards if card.id in chosen)
        leading = {parent for card in cards for parent in card.parents}
        more = column.more + len(column.cards) - len(cards)
        fitted.insert(0, replace(column, cards=cards, more=more))
    return fitted
