"""The question's entities: where they stand in it, the node each was linked to, and its seed
weight.
"""

from __future__ import annotations

from typing import Any

from gear_app.events import QueryEntity, Recognised
from gear_app.types import Span
from gear_app.views.markup import Html, join, tag
from gear_app.views.spans import around, find

HEADS = ("In the question", "Entity of the graph", "cosine", "passages |P|", "seed weight")
NONE = (
    "The reader named no entity of the graph, so there is nowhere for a walk to start: dense"
    " retrieval takes over."
)

SPECIFICITY = (
    "seed weight = node specificity, 1 / the number of passages that name the entity: a rare name"
    " says more."
)


def drawn(event: Recognised) -> Html:
    """The question with its entities marked, and a line for each."""
    question = tag(
        "p",
        around(event.query, [(span, "mark", "gear-entity") for span in places(event)]),
        dir="auto",
    )
    if not any(entity.node for entity in event.entities):
        return tag(
            "div",
            question,
            *_table(event),
            tag("p", NONE, class_="gear-note"),
            class_="gear-question",
        )
    common = [entity for entity in event.entities if entity.passages > 1]
    off = common and all(entity.specificity == 1 for entity in common)
    note = "seed weight: all the same, node specificity is switched off." if off else SPECIFICITY
    return tag(
        "div", question, *_table(event), tag("p", note, class_="gear-note"), class_="gear-question"
    )


def places(event: Recognised) -> list[Span | None]:
    """Where each entity stands in the question, each looked for after the one before it."""
    found: list[Span | None] = []
    at = 0
    for entity in event.entities:
        span = find(event.query, entity.text, at) or find(event.query, entity.text)
        at = span.end if span else at
        found.append(span)
    return found


def rows(event: Recognised) -> list[dict[str, Any]]:
    """The same as table rows."""
    return [
        {
            "in the question": entity.text,
            "entity": entity.node or None,
            "cosine": entity.cosine if entity.node else None,
            "passages": entity.passages,
            "seed weight": entity.specificity if entity.node else 0.0,
        }
        for entity in event.entities
    ]


def _table(event: Recognised) -> list[Html]:
    if not event.entities:
        return []
    heads = tag("tr", join(tag("th", head, scope="col") for head in HEADS))
    return [
        tag("table", heads, join(_row(entity) for entity in event.entities), class_="gear-table")
    ]


def _row(entity: QueryEntity) -> Html:
    if not entity.node:
        return tag(
            "tr", tag("td", entity.text, dir="auto"), tag("td", "none near enough", colspan=4)
        )
    numbers = (f"{entity.cosine:.3f}", entity.passages, f"{entity.specificity:.3f}")
    words = (
        tag("td", tag("mark", entity.text, class_="gear-entity"), dir="auto"),
        tag("td", entity.node, dir="auto"),
    )
    return tag("tr", *words, join(tag("td", value, class_="gear-number") for value in numbers))
