"""The whole card of a step: the short steps that led to it, the step itself, why it gave up, and
the calls of a language model. A step without a card of its own has a plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.analysis.timeline import ModelCall, Step, model_calls
from gear_app.events import Failed
from gear_app.views import calls, chain, chain_round, labels
from gear_app.views.cards import passages, triples
from gear_app.views.cards.blocks import Block, FoldBlock, MarkupBlock
from gear_app.views.cards.scene import Scene
from gear_app.views.markup import tag

TOGETHER = (  # short ones, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)
CARDS: Mapping[str, Callable[[Scene], list[Block]]] = {**triples.CARDS, **passages.CARDS}


def title(scene: Scene) -> tuple[str, str]:
    """The card's heading and what its step is for; of a step that found links, what it found."""
    shown = passages.round_of(scene)
    if shown:
        return chain_round.heading(shown), chain.purpose(shown)
    return labels.step_title(scene.step), labels.step_purpose(scene.step, scene.events)


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
    drawn: list[Block] = []
    if scene.step.verb != "extract":  # its card tells what failed, each with its passage
        drawn += [
            block for event in scene.of(Failed) for block in triples.failure(event, scene.step.verb)
        ]
    drawn += CARDS.get(scene.step.verb, _plain)(scene)
    made = model_calls(scene.step.events)
    if made:
        drawn.append(FoldBlock("calls", calls.heading(made), partial(_calls, made)))
    return drawn


def _calls(made: list[ModelCall]) -> list[MarkupBlock]:
    return [MarkupBlock(calls.card(one)) for one in made]


def _plain(scene: Scene) -> list[Block]:
    """The card of a step that has none of its own: its ranking, or a line for each event."""
    if any(ranking_of(event) for event in scene.step.events):
        return passages.ranking(scene)
    return [triples.note(event.summary) for event in scene.step.events if event.verb]
