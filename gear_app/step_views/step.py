"""A step's telling by its verb, and its whole card: the short steps that led to it, the step
itself, and the calls of a language model.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.analysis.timeline import ModelCall, Step, model_calls
from gear_app.step_views import (  # noqa: F401 - so that each has said which verbs it tells
    answers,
    beams,
    calibration,
    chain,
    extraction,
    gear,
    griever,
    network,
    reading,
    retrieval,
    thoughts,
    walk,
)
from gear_app.step_views.blocks import Block, FoldBlock, MarkupBlock
from gear_app.step_views.scene import Scene
from gear_app.step_views.view import PlainView, StepView, ranking_of
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
    together = {verb for verbs in TOGETHER if scene.step.verb in verbs for verb in verbs}
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
