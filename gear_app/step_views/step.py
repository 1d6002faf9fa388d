"""A step's telling by its verb, its whole card (the short steps that led to it, the step itself,
and the calls of a language model), and the step as data for the presenter's screen: what it found,
kept back behind what it asks, and of each column so many cards as a hall can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from gear_app.analysis.rankings import CUTS
from gear_app.analysis.timeline import ModelCall, Step, model_calls
from gear_app.step_views import (  # noqa: F401 - so that each has said which verbs it tells
    answers,
    beams,
    calibration,
    chain,
    community,
    gear,
    griever,
    network,
    reading,
    rerank,
    retrieval,
    thoughts,
    tree,
    walk,
)
from gear_app.step_views.blocks import Block, Column, FoldBlock, MarkupBlock
from gear_app.step_views.view import PlainView, Scene, StepView, ranking_of
from gear_app.views import calls
from gear_app.views.markup import tag

VIEWS = StepView.VERBS  # by verb, as the families have said
TOGETHER = (  # short ones, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("choose", "visit"),
    ("activate", "visit"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)


def view_of(scene: Scene) -> StepView[Any]:
    """A step as it is told; one of a verb that nobody tells by its ranking, or in plain lines."""
    plain = retrieval.RankingView if ranking_of(scene.step.events) else PlainView
    return StepView.VERBS.get(scene.step.verb, plain)(scene)


def card(scene: Scene) -> list[tuple[Scene, Block]]:
    """The blocks in order, each with the scene of the step that it is of: the step's own come
    last.
    """
    verb = scene.step.verb
    together = {one for verbs in TOGETHER if verb in verbs for one in verbs} - {verb}
    earlier = [
        step for step in scene.before if step.verb in together and step.search == scene.step.search
    ]
    if not earlier:
        return [(scene, block) for block in _of_step(scene)]
    drawn: list[tuple[Scene, Block]] = []
    for step in (*earlier, scene.step):
        its = replace(scene, step=step)
        drawn.append((its, _heading(step, now=step is scene.step)))
        drawn += [(its, block) for block in _of_step(its)]
    return drawn


def _heading(step: Step, *, now: bool) -> Block:
    """Among steps that are drawn together; `now`: the one that is shown."""
    kind = "gear-part gear-part-now" if now else "gear-part"
    current = "true" if now else None
    return MarkupBlock(tag("h3", step.verb.capitalize(), class_=kind, aria_current=current))


def _of_step(scene: Scene) -> list[Block]:
    drawn = view_of(scene).blocks
    made = model_calls(scene.step.events)
    if made:
        drawn.append(FoldBlock("calls", calls.heading(made), partial(_calls, made)))
    return drawn


def _calls(made: list[ModelCall]) -> list[MarkupBlock]:
    return [MarkupBlock(calls.card(one)) for one in made]


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
