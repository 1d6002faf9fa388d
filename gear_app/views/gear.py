"""The steps of GEAR's agent: proximal triples, their links, the gist memory over the iterations
with the verdicts on it, and the next query.

Safe HTML and rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.timeline import GistIteration, gist_iterations
from gear_app.events import Event, Link, Linked, Read, Reasoned, Rewrote, ShownTriple
from gear_app.types import ProximalTriple, Substitution
from gear_app.views.markup import Html, join, tag
from gear_app.views.rankings import source


def read_triples(event: Read) -> Html:
    """The proximal triples taken, best first, each with why."""
    if not event.triples:
        return tag("p", "The reader took no triple.", class_="gear-note")
    return tag("div", join(_proximal(triple) for triple in event.triples), class_="gear-list")


def passed_over_rows(event: Read) -> list[dict[str, Any]]:
    """What was considered and left, as rows."""
    return [_row(triple) for triple in event.passed_over]


def links(event: Linked, gold: Sequence[str]) -> Html:
    """Each proximal triple and the stored triple it was linked to."""
    if not event.links:
        return tag("p", "There was no proximal triple to link.", class_="gear-note")
    same = [link for link in event.links if link.identity and link.triple is not None]
    other = [link for link in event.links if link not in same]
    note = (
        f"{len(same)} of {len(event.links)} were selected from the stored triples, so they are"
        " linked to themselves."
    )
    head = [tag("p", note, class_="gear-note")] if same else []
    stored = [_item(link.triple, gold) for link in same if link.triple is not None]
    return tag(
        "div", join([*head, *stored, *(_link(link, gold) for link in other)]), class_="gear-list"
    )


def next_query(
    event: Rewrote, before: str, nothing: str = "The gist memory offers nothing new to ask for."
) -> Html:
    """The query before, what was replaced, and the query after.

    `nothing` is said where there is none.
    """
    if not event.query.strip():
        return tag("p", nothing, class_="gear-note")
    return tag(
        "div",
        tag(
            "dl",
            tag("dt", "Query"),
            tag("dd", query_struck(before, event.substitutions), dir="auto"),
            class_="gear-facts",
        ),
        tag(
            "dl",
            tag("dt", "Next query"),
            tag("dd", query_inserted(event), dir="auto"),
            class_="gear-facts",
        ),
        join(
            tag("p", _because(change), class_="gear-note", dir="auto")
            for change in event.substitutions
        ),
        class_="gear-rewrite",
    )


def query_struck(query: str, changes: Sequence[Substitution]) -> Html:
    """The query with the words that give way struck through."""
    return _around(query, "del", [change.removed for change in changes])


def query_inserted(event: Rewrote) -> Html:
    """The next query with the words that came in underlined."""
    return _around(event.query, "ins", [change.inserted for change in event.substitutions])


def _around(text: str, name: str, marked: Sequence[str]) -> Html:
    """The text with the first occurrence of each of the words wrapped in a tag.

    Those absent are skipped.
    """
    spans = sorted(
        (start, start + len(word)) for word in marked if word and (start := text.find(word)) >= 0
    )
    parts: list[object] = []
    at = 0
    for start, end in spans:
        if start >= at:
            parts += [text[at:start], tag(name, text[start:end])]
            at = end
    return join([*parts, text[at:]])


def _because(change: Substitution) -> str:
    removed = (
        f"“{change.removed}” gave way to “{change.inserted}”"
        if change.removed
        else f"“{change.inserted}” came in"
    )
    return f"{removed}, because {change.because}" if change.because else f"{removed}."


def _proximal(triple: ProximalTriple) -> Html:
    note = " · ".join(
        filter(None, [f"{triple.score:.3f}" if triple.score is not None else "", triple.why])
    )
    return tag(
        "div",
        triple_words(triple),
        tag("span", note, class_="gear-why"),
        class_="gear-item gear-proximal",
        dir="auto",
    )


def _link(link: Link, gold: Sequence[str]) -> Html:
    left = tag("div", triple_words(link.proximal), class_="gear-item gear-proximal", dir="auto")
    if link.triple is None:
        right = tag("div", "nothing near enough", class_="gear-item gear-nothing")
    else:
        right = _item(link.triple, gold)
    return tag(
        "div",
        left,
        tag("div", "→", tag("span", _how(link)), class_="gear-arrow"),
        right,
        class_="gear-link",
    )


def _item(triple: ShownTriple, gold: Sequence[str]) -> Html:
    return tag(
        "div", triple_words(triple), _of(triple, gold), class_="gear-item gear-kept", dir="auto"
    )


def _how(link: Link) -> str:
    ranks = ", ".join(source(part) for part in link.parts)
    return ranks or (f"score {link.score:.3f}" if link.score is not None else "")


def _of(triple: ShownTriple, gold: Sequence[str]) -> Html:
    star = "★ " if triple.passage_key in gold else ""
    return tag("span", f"{star}{triple.passage_title or triple.passage_key}", class_="gear-why")


def fact(triple: ProximalTriple) -> Html:
    """A fact that something rests on, in a frame."""
    return tag("div", triple_words(triple), class_="gear-item gear-proximal", dir="auto")


def triple_words(triple: ProximalTriple | ShownTriple) -> Html:
    """A triple in its own words, both sides bold."""
    return tag("span", tag("b", triple.subject), f" {triple.predicate} → ", tag("b", triple.object))


def _row(triple: ProximalTriple) -> dict[str, Any]:
    return {
        "subject": triple.subject,
        "predicate": triple.predicate,
        "object": triple.object,
        "score": triple.score,
        "why": triple.why,
    }


def memory(events: Sequence[Event], current: int = 0, iterations: int = 0) -> Html:
    """A column an iteration, a bar a triple, from the iteration that added it to the newest one.

    `current` is the iteration to emphasise; there is room for so many `iterations`, where more are
    to come. No gist memory gives an empty string.
    """
    found = gist_iterations(events)
    if not found:
        return Html("")
    waiting = "no verdict" if timeline.ranked(events) is not None else "reading …"
    entries = list(enumerate(_memory_entries(found), start=2))
    drawn: list[Html] = []
    for place, gist in enumerate(found, start=1):  # what an iteration added follows its head
        drawn.append(_memory_head(place, gist, current, waiting))
        drawn += [
            _memory_bar(place, len(found) + 1, row, triple, repeated)
            for row, (added, triple, repeated) in entries
            if added == place
        ]
    if not entries:
        drawn.append(tag("div", "Nothing was added to the gist memory.", class_="gear-gist-none"))
    columns = max(len(found), iterations)
    style = f"grid-template-columns:repeat({columns},minmax(0,1fr))"
    return tag("div", join(drawn), class_="gear-gist", style=style)


def memory_rows(events: Sequence[Event]) -> list[dict[str, Any]]:
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


def _memory_entries(found: Sequence[GistIteration]) -> list[tuple[int, ProximalTriple, bool]]:
    return [
        (place, triple, repeated)
        for place, gist in enumerate(found, start=1)
        for repeated, triples in ((False, gist.added), (True, gist.repeated))
        for triple in triples
    ]


def _memory_head(place: int, gist: GistIteration, current: int, waiting: str) -> Html:
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


def _memory_bar(place: int, end: int, row: int, triple: ProximalTriple, repeated: bool) -> Html:
    words = [tag("b", triple.subject), f" {triple.predicate} ", tag("b", triple.object)]
    note = [tag("i", " known already, not added again")] if repeated else []
    return tag(
        "div",
        join([*words, *note]),
        class_="gear-gist-bar" + (" gear-repeat" if repeated else ""),
        style=f"grid-column:{place} / {end};grid-row:{row}",
        dir="auto",
    )
