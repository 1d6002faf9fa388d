"""What the component of Annotate is given: queue, fields, suggested causes and history as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gear_app.analysis.timeline import Step
from gear_app.annotate.codebook import OWN, Category
from gear_app.annotate.queue import Filters, QueueItem, QueuePlace
from gear_app.annotate.record import EMPTY, SEVERITIES, VERDICTS, Label
from gear_app.text import count
from gear_app.views.labels import method_name, step_place

WINDOW = 60  # places of a queue that are sent to the browser
BEFORE = 8  # of these before the one that is shown
HIDDEN = "The suggested cause is hidden until you have chosen a category."
NO_CAUSE = "Nothing suggests a cause for this run."
RUNS = {
    True: "missed gold in the first 5",
    False: "found all gold in the first 5",
    None: "all finished runs",
}
FIELD_NAMES = {
    "verdict": "Verdict",
    "category": "Category",
    "severity": "Severity",
    "step": "Step at fault",
}


def queue_data(
    places: Sequence[QueuePlace], here: str, labels: Mapping[str, Label]
) -> dict[str, Any]:
    """The part of the queue around the place that is shown, and counts of all of it."""
    ids = [place.item.case for place in places]
    at = ids.index(here) if here in ids else 0
    start = max(0, min(at - BEFORE, len(places) - WINDOW))
    window = places[start : start + WINDOW]
    done = [place for place in places if place.state in ("done", "deferred")]
    deferred = sum(place.state == "deferred" for place in done)
    return {
        "here": here,
        "places": [
            {
                "case": place.item.case,
                "run": place.item.run,
                "question": place.item.question,
                "method": place.item.method,
                "aside": aside(place.item),
                "state": place.state,
                "label": label_data(labels.get(place.item.case, EMPTY)),
            }
            for place in window
        ],
        "counts": {
            "done": len(done),
            "deferred": deferred,
            "all": len(places),
            "before": start,
            "after": len(places) - start - len(window),
            "words": f"{deferred} deferred" if deferred else "",
        },
    }


def aside(item: QueueItem) -> str:
    """What stands under a question in the queue: method, and how much gold its run has."""
    return f"{method_name(item.method)} · {item.found} of {item.gold} gold"


def label_data(label: Label) -> dict[str, Any]:
    """A form's values for the browser."""
    fields = asdict(label)
    told = fields.pop("suggestion")
    return fields | {"confirmed": told["confirmed"]}


def field_data(
    offered: Mapping[str, Sequence[Category]], numbers: Mapping[str, int]
) -> dict[str, Any]:
    """The options of each field; the categories `offered` by method, each with its number key."""
    return {
        "categories": {
            method: [
                {
                    "value": one.key,
                    "name": one.name,
                    "about": one.definition,
                    "source": "own" if one.source == OWN else "",
                    "number": numbers[one.key],
                }
                for one in categories
            ]
            for method, categories in offered.items()
        },
        "verdicts": [{"value": one, "name": one.capitalize()} for one in VERDICTS],
        "severities": [{"value": one, "name": one.capitalize()} for one in SEVERITIES],
    }


def step_data(steps: Sequence[Step]) -> list[dict[str, str]]:
    """The steps of a run as options; a name that comes twice is one option."""
    names = dict.fromkeys(step_place(step) for step in steps)
    alone = max((step.iteration for step in steps), default=0) < 2
    short = "iteration 1, " if alone else "iteration "
    return [{"value": name, "name": name.replace(short, "")} for name in names]


def step_number(steps: Sequence[Step], name: str) -> int | None:
    """The number of the step that a label names; None for the whole run, or where it is none."""
    return next((step.number for step in steps if step_place(step) == name), None)


def heading(places: Sequence[QueuePlace]) -> str:
    """How far the annotator is."""
    done = sum(place.state in ("done", "deferred") for place in places)
    left = len(places) - done
    if not places:
        return "There is nothing to judge with these filters"
    return f"{done} of {count(len(places), 'run')} judged, {left or 'none'} to go"


def questions(places: Sequence[QueuePlace]) -> int:
    """How many questions the runs of a queue ask: several methods may ask the same one."""
    return len({place.item.question for place in places})


def queue_line(
    places: Sequence[QueuePlace], filters: Filters, annotator: str, left_out: int
) -> str:
    """What is in the queue, and how it came there; so many runs that pass the filters are
    `left_out`, for two others have judged them.
    """
    words = [
        count(questions(places), "question") if places else "",
        RUNS[filters.missed],
        method_name(filters.method) if filters.method else "",
        filters.type,
        f"a set of {count(len(filters.questions), 'question')}" if filters.questions else "",
        f"suggested cause: {filters.cause}" if filters.cause else "",
        f"{filters.sample} drawn with seed {filters.seed}" if filters.sample else "",
        f"{count(left_out, 'run')} judged by two others" if left_out else "",
        f"annotator {annotator}",
    ]
    return " · ".join(filter(None, words))


def no_gold_words(collection: str) -> str:
    """That nothing can be judged yet, and how it comes to that."""
    return (
        f"No finished run of “{collection}” knows gold passages that it can miss. Open a run on"
        " Explore and tick the passages in its ranking that answer the question, or search for them"
        " under Add a gold passage…: every run of the question is measured by them. Questions that"
        f" came with gold only have to be run: gear-app eval --collection {collection}"
    )
