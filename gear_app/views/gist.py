"""The gist memory over the iterations: what each added, and what the reader decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.timeline import GistIteration, gist_iterations
from gear_app.events import Event, Reasoned
from gear_app.types import ProximalTriple
from gear_app.views.markup import Html, join, tag


def drawn(events: Sequence[Event], current: int = 0) -> Html:
    """A column an iteration, a bar a triple, from the iteration that added it to the end.

    `current` is the iteration to emphasise. No gist memory gives an empty string.
    """
    found = gist_iterations(events)
    if not found:
        return Html("")
    waiting = "no verdict" if timeline.ranked(events) is not None else "reading …"
    heads = [_head(place, gist, current, waiting) for place, gist in enumerate(found, start=1)]
    bars = [
        _bar(place, row, triple, repeated)
        for row, (place, triple, repeated) in enumerate(_entries(found), start=2)
    ]
    nothing = (
        []
        if bars
        else [tag("div", "Nothing was added to the gist memory.", class_="gear-gist-none")]
    )
    style = f"grid-template-columns:repeat({len(found)},minmax(0,1fr))"
    return tag("div", join([*heads, *bars, *nothing]), class_="gear-gist", style=style)


def rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The same as a table: a line for every triple added or repeated."""
    return [
        {
            "iteration": found.iteration,
            "what": "repeated, not added" if repeated else "added",
            "subject": triple.subject,
            "predicate": triple.predicate,
            "object": triple.object,
            "why": triple.why,
        }
        for found in gist_iterations(events)
        for repeated, triples in ((False, found.added), (True, found.repeated))
        for triple in triples
    ]


def verdict_words(verdict: Reasoned) -> str:
    """The verdict in words: the answer where there is one."""
    if verdict.answerable:
        return f"Answerable: {verdict.answer}" if verdict.answer else "Answerable"
    return "Not answerable yet"


def _entries(found: Sequence[GistIteration]) -> list[tuple[int, ProximalTriple, bool]]:
    return [
        (place, triple, repeated)
        for place, gist in enumerate(found, start=1)
        for repeated, triples in ((False, gist.added), (True, gist.repeated))
        for triple in triples
    ]


def _head(place: int, gist: GistIteration, current: int, waiting: str) -> Html:
    verdict = gist.verdict
    state, words = "open", waiting
    if verdict:
        state, sign = ("yes", "●") if verdict.answerable else ("no", "○")
        words = f"{sign} {verdict_words(verdict)}"
    here = " gear-here" if gist.iteration == current else ""
    return tag(
        "div",
        tag("b", f"Iteration {gist.iteration}"),
        " ",
        tag("span", words, class_=f"gear-verdict gear-{state}"),
        tag("div", verdict.reason if verdict else "", class_="gear-reason"),
        class_="gear-gist-head" + here,
        style=f"grid-column:{place};grid-row:1",
    )


def _bar(place: int, row: int, triple: ProximalTriple, repeated: bool) -> Html:
    words = [tag("b", triple.subject), f" {triple.predicate} ", tag("b", triple.object)]
    note = [tag("i", " known already, not added again")] if repeated else []
    return tag(
        "div",
        join([*words, *note]),
        class_="gear-gist-bar" + (" gear-repeat" if repeated else ""),
        style=f"grid-column:{place} / -1;grid-row:{row}",
        dir="auto",
    )
