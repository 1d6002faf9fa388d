"""A step of a run as data for the presenter's screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gear_app.analysis.timeline import Step
from gear_app.events import Event, Failed
from gear_app.views import presenter
from gear_app.views.slides import facts, pictures, queries, rankings
from gear_app.views.slides.column import Card, Column, Moment


def slide(
    step: Step, steps: Sequence[Step], events: Sequence[Event], gold: Sequence[str], question: str
) -> dict[str, Any]:
    """The step as data for the screen. `events` are those known at it, `steps` the whole run's."""
    there = [one for one in steps if one.iteration == step.iteration]
    stages = {one.verb: one.number for one in reversed(there)}
    named = [verb for verb in dict.fromkeys(one.verb for one in there) if verb]
    iteration = f"iteration {step.iteration} · " if step.iteration and step.iterates else ""
    return {
        "question": question,
        "prompt": presenter.prompt(step),
        "heading": presenter.heading(step, events, gold),
        "columns": [asdict(one) for one in columns(step, events, gold, question) if one.cards],
        "number": step.number,
        "count": len(steps),
        "place": f"{iteration}{step.verb} · step {step.number + 1} of {len(steps)}",
        "dots": [{"number": one.number, "label": one.verb} for one in there],
        "stages": [{"number": stages[verb], "label": verb} for verb in named],
    }


def columns(
    step: Step, events: Sequence[Event], gold: Sequence[str], question: str
) -> tuple[Column, ...]:
    """What the step shows; of a step that gave up, why."""
    draw = COLUMNS.get(step.verb, rankings.first_passages)
    found = draw(Moment(step, events, gold, question))
    if found:
        return found
    failures = [event for event in step.events if isinstance(event, Failed)]
    cards = tuple(
        Card(f"f{n}", "This step gave up", event.message, "pruned", given=True)
        for n, event in enumerate(failures[:2])
    )
    return (Column("", cards, roomy=True),) if cards else ()


COLUMNS: Mapping[str, Callable[[Moment], tuple[Column, ...]]] = {
    "extract": facts.extract,
    "read": facts.read,
    "link": facts.links,
    "expand": pictures.expand,
    "follow": pictures.follow,
    "remember": facts.remember,
    "reason": facts.reason,
    "rewrite": queries.rewrite,
    "recognise": queries.recognise,
    "walk": pictures.walk,
    "promote": pictures.promote,
    "think": queries.think,
    "split": queries.split,
    "match": facts.matches,
    "chain": facts.chain_of_facts,
    "verify": rankings.verify,
    "answer": queries.answer,
}
