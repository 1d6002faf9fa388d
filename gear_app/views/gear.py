"""The steps of GEAR's agent: proximal triples, their links, the gist memory over the iterations
with the verdicts on it, and the next query.

Safe HTML and rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.answer_source import AnswerSource
from gear_app.analysis.entities import EntityNames, names_of
from gear_app.analysis.timeline import GistIteration, gist_iterations
from gear_app.events import (
    Event,
    Link,
    Linked,
    PassagesLinked,
    Read,
    Reasoned,
    Rewrote,
    ShownTriple,
)
from gear_app.types import ProximalTriple, Span, Substitution
from gear_app.views.labels import as_sentence, capital
from gear_app.views.markup import NO_NAMES, Html, around, entity, join, named, tag
from gear_app.views.rankings import rows, source

NOTHING_NEW = "The gist memory offers nothing new to ask for."
FACTS = "facts"  # where a page tells the chain of facts that an answer rests on


def reading_rows(event: Read) -> list[dict[str, Any]]:
    """What was taken and what was left, as rows."""
    taken = [{"what": "taken"} | _row(triple) for triple in event.triples]
    return taken + [{"what": "left"} | _row(triple) for triple in event.passed_over]


def links(event: Linked, gold: Sequence[str]) -> Html:
    """Each proximal triple and the stored triple it was linked to."""
    if not event.links:
        return tag("p", "There was no proximal triple to link.", class_="gear-note")
    same = [link for link in event.links if link.identity and link.triple is not None]
    other = [link for link in event.links if link not in same]
    note = _selected(len(same), len(event.links))
    head = [tag("p", note, class_="gear-note")] if same else []
    stored = [_item(link.triple, gold) for link in same if link.triple is not None]
    return tag(
        "div", join([*head, *stored, *(_link(link, gold) for link in other)]), class_="gear-list"
    )


def linked_rows(events: Sequence[PassagesLinked], gold: Sequence[str]) -> list[dict[str, Any]]:
    """The passages that gist triples were linked to, with the parts of their scores, as rows."""
    return [
        {"list": event.name, "fact": event.query}
        | row
        | {"in the final ranking": "counts" if row["rank"] <= event.size else "too far down"}
        for event in events
        for row in rows(event.ranking, gold)
    ]


def _selected(same: int, all_: int) -> str:
    """That triples were chosen among the stored ones, so that nothing had to be looked for."""
    if same == all_ == 1:
        return "The fact was chosen among the stored triples, so it is its own link."
    if same == all_:
        return f"All {all_} facts were chosen among the stored triples, so each is its own link."
    be, own = ("was", "it is its own link") if same == 1 else ("were", "each is its own link")
    return f"{same} of {all_} facts {be} chosen among the stored triples, so {own}."


def next_query(
    event: Rewrote,
    before: str,
    nothing: str = NOTHING_NEW,
    names: EntityNames = NO_NAMES,
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
            tag("dd", query_struck(before, event.substitutions, names), dir="auto"),
            class_="gear-facts",
        ),
        tag(
            "dl",
            tag("dt", "Next query"),
            tag("dd", query_inserted(event, names), dir="auto"),
            class_="gear-facts",
        ),
        join(
            tag("p", named(_because(change), names), class_="gear-note", dir="auto")
            for change in event.substitutions
        ),
        class_="gear-rewrite",
    )


def query_struck(
    query: str, changes: Sequence[Substitution], names: EntityNames = NO_NAMES
) -> Html:
    """The query with the words that give way struck through."""
    return _around(query, "del", [change.removed for change in changes], names)


def query_inserted(event: Rewrote, names: EntityNames = NO_NAMES) -> Html:
    """The next query with the words that came in underlined."""
    return _around(event.query, "ins", [change.inserted for change in event.substitutions], names)


def _around(text: str, name: str, marked: Sequence[str], names: EntityNames) -> Html:
    """The text with the first occurrence of each of the words wrapped in a tag.

    Those absent are skipped.
    """
    spans = [
        Span(start, start + len(word))
        for word in marked
        if word and (start := text.find(word)) >= 0
    ]
    return around(text, [(span, name, "") for span in spans], names)


def _because(change: Substitution) -> str:
    removed = (
        f"“{change.removed}” became “{change.inserted}”"
        if change.removed
        else f"“{change.inserted}” was added"
    )
    return as_sentence(f"{removed}, because {change.because}" if change.because else removed)


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
    title = entity(triple.passage_name)
    return tag("span", star, title, class_="gear-why")


def fact(triple: ProximalTriple) -> Html:
    """A fact that something rests on, in a frame."""
    return tag("div", triple_words(triple), class_="gear-item gear-proximal", dir="auto")


def triple_words(triple: ProximalTriple | ShownTriple) -> Html:
    """A triple in its own words, both sides bold."""
    sides = (entity(name, "b") for name in (triple.subject, triple.object))
    return tag("span", join(sides, f" {triple.predicate} → "))


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
    names = names_of(events)
    entries = list(enumerate(_memory_entries(found), start=2))
    drawn: list[Html] = []
    for place, gist in enumerate(found, start=1):  # what an iteration added follows its head
        drawn.append(_memory_head(place, gist, current, waiting, names))
        drawn += [
            _memory_bar(place, len(found) + 1, row, triple, repeated)
            for row, (added, triple, repeated) in entries
            if added == place
        ]
    if not entries:
        drawn.append(tag("div", "Nothing was added to the gist memory.", class_="gear-gist-none"))
    columns = max(len(found), iterations)
    style = f"grid-template-columns:repeat({columns},minmax(0,1fr))"
    return tag("div", join(drawn), class_="gear-gist", id=FACTS, style=style)


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


def verdict_sentence(verdict: Reasoned) -> str:
    """The verdict with its reason, which may begin in lower case."""
    if not verdict.reason:
        return as_sentence(verdict_words(verdict))
    between = ", because " if verdict.answerable else ": "
    return verdict_words(verdict) + between + verdict.reason


def answer_source(source: AnswerSource, names: EntityNames) -> Html:
    """An answer with the fact it rests on, and that fact's sentence where it is known."""
    said = tag("div", tag("b", named(source.answer, names)), class_="gear-answer", dir="auto")
    rest = []
    if source.fact:
        rest.append(fact(source.fact))
    else:
        rest.append(tag("p", "No fact that was taken names it word for word.", class_="gear-note"))
    if source.stored and source.stored.sentence:
        title = source.stored.passage_name
        quoted = tag("mark", named(source.stored.sentence, names))
        words = join([quoted, " ", tag("span", f"({title})", class_="gear-why")])
        rest.append(tag("p", words, class_="gear-passage", dir="auto"))
    return tag("div", said, *rest, class_="gear-thought gear-final")


def _memory_entries(found: Sequence[GistIteration]) -> list[tuple[int, ProximalTriple, bool]]:
    return [
        (place, triple, repeated)
        for place, gist in enumerate(found, start=1)
        for repeated, triples in ((False, gist.added), (True, gist.repeated))
        for triple in triples
    ]


def _memory_head(
    place: int, gist: GistIteration, current: int, waiting: str, names: EntityNames
) -> Html:
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
        tag("span", named(words, names), class_=f"gear-verdict gear-{state}"),
        tag("div", named(capital(verdict.reason) if verdict else "", names), class_="gear-reason"),
        class_="gear-gist-head" + here,
        style=f"grid-column:{place};grid-row:1",
    )


def _memory_bar(place: int, end: int, row: int, triple: ProximalTriple, repeated: bool) -> Html:
    sides = (entity(name, "b", focus=True) for name in (triple.subject, triple.object))
    words = [join(sides, f" {triple.predicate} ")]
    note = [tag("i", " known already, not added again")] if repeated else []
    return tag(
        "div",
        join([*words, *note]),
        class_="gear-gist-bar" + (" gear-repeat" if repeated else ""),
        style=f"grid-column:{place} / {end};grid-row:{row}",
        dir="auto",
    )
