"""Triples made while the question was asked: passages read, what came of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.events import Event, Extracted, Failed, RankedPassage, ShownTriple
from gear_app.retrievers import graph_first, uses_triples
from gear_app.text import count
from gear_app.views.markup import Html, join, tag
from gear_app.views.reader_steps import words

if TYPE_CHECKING:
    from gear_app.workspace import CollectionInfo

LLM = "llm"  # the reader that asks a language model
SHOWN = 2  # triples of a passage, before "and 9 more"
ASKING = {"llm": "a language model", "llm:two": "a language model, in two steps"}


def can(method: str, reader: str) -> bool:
    """Whether a run of this method could extract: it asks for triples of passages it found."""
    return uses_triples(method, reader=reader != LLM) and not graph_first(method)


def unread(collection: CollectionInfo, triples: str | None) -> int:
    """How many passages have no triples in this set because nobody has extracted them yet."""
    done = next(
        (found.passages_done for found in collection.triple_sets if found.name == triples), 0
    )
    return collection.passages - done


def offer(collection: CollectionInfo, triples: str | None) -> str:
    """What it means to extract on the way, in a sentence of our own words."""
    return (
        f"{unread(collection, triples):,} of {collection.passages:,} passages have not been"
        " extracted in this set yet. Those that a run touches are extracted while it goes on, and"
        " stay for the next question."
    )


def extractor_name(extractor: str, model: str = "") -> str:
    """What a choice calls an extractor; one that asks a language model goes by the model's name."""
    return (
        f"by {model or ASKING[extractor]}"
        if extractor in ASKING
        else f"by the {extractor} extractor"
    )


def maker(extractor: str, model: str = "") -> str:
    """What a sentence calls an extractor.

    `model` is the language model's name, where it asks one.
    """
    words = ASKING.get(extractor)
    if words is None:
        return f"the {extractor} extractor"
    return f"{model}, {words}" if model else words


def on_the_way(events: Sequence[Event]) -> str:
    """How many passages a run extracted on its way, in words; "" for none."""
    read = sum(
        len(event.passages) - len(event.meanwhile)
        for event in events
        if isinstance(event, Extracted)
    )
    return f"{count(read, 'passage')} extracted on the way" if read else ""


def summary(event: Extracted, model: str = "") -> str:
    """What was read, what came of it, by whom, and what that made of the collection."""
    others = sum(triple.passage_id in event.meanwhile for triple in event.triples)
    own, read = len(event.triples) - others, len(event.passages) - len(event.meanwhile)
    said = []
    if read:
        failed = f"; {count(len(event.failed), 'passage')} failed" if event.failed else ""
        had = "had no triples and was read" if read == 1 else "had no triples and were read"
        by = maker(event.extractor, model)
        said.append(
            f"{count(read, 'passage')} {had}: {count(own, 'triple')}, made on the way by"
            f" {by}{failed}."
        )
    if event.meanwhile:
        said.append(
            f"{count(len(event.meanwhile), 'passage')} had been read by a job or another run"
            f" meanwhile, with {count(others, 'triple')}, and none was asked about again."
        )
    if own:
        said.append(
            "The triples stay for the next question: the collection is at revision"
            f" {event.revision} now."
        )
    return " ".join(said)


def replies(failures: Sequence[Failed]) -> str:
    """How many replies of a language model were of no use, and how many not wholly."""
    partly = sum(bool(event.dropped) for event in failures)
    parts = ((len(failures) - partly, "could not be used"), (partly, "could be used in part only"))
    return "; ".join(
        f"{count(number, 'reply', 'replies')} {what}" for number, what in parts if number
    )


def drawn(event: Extracted, gold: Collection[str]) -> Html:
    """Every passage with the first of its triples."""
    return tag(
        "div",
        join(_passage(event, passage, gold) for passage in event.passages),
        class_="gear-list",
    )


def rows(event: Extracted, gold: Collection[str]) -> list[dict[str, Any]]:
    """A line for every triple, and one for every passage that gave none."""
    lines: list[dict[str, Any]] = []
    for passage in event.passages:
        about, note = {"passage": _title(passage, gold)}, {"note": _note(event, passage)}
        facts = [
            {
                "subject": t.subject,
                "predicate": t.predicate,
                "object": t.object,
                "sentence": t.sentence,
            }
            for t in _made(event, passage)
        ]
        lines += [{**about, **fact, **note} for fact in facts] or [{**about, **note}]
    return lines


def _passage(event: Extracted, passage: RankedPassage, gold: Collection[str]) -> Html:
    made = _made(event, passage)
    said = [count(len(made), "triple")] if made else []
    said += [_note(event, passage)] if not made or passage.id in event.meanwhile else []
    head = tag(
        "div",
        tag("b", _title(passage, gold)),
        " ",
        tag("span", ", ".join(said), class_="gear-why"),
        dir="auto",
    )
    more = (
        tag("span", f"and {len(made) - SHOWN} more", class_="gear-why") if len(made) > SHOWN else ""
    )
    facts = join(tag("div", words(triple), dir="auto") for triple in made[:SHOWN])
    return tag(
        "div",
        head,
        facts,
        more,
        class_=f"gear-item gear-made {'gear-kept' if made else 'gear-nothing'}",
    )


def _made(event: Extracted, passage: RankedPassage) -> list[ShownTriple]:
    return [triple for triple in event.triples if triple.passage_id == passage.id]


def _note(event: Extracted, passage: RankedPassage) -> str:
    if passage.id in event.failed:
        return "failed; the next run that touches it tries again"
    if passage.id in event.meanwhile:
        return "made meanwhile by a job or another run"
    return "made on the way" if _made(event, passage) else "nothing found in it"


def _title(passage: RankedPassage, gold: Collection[str]) -> str:
    return ("★ " if passage.key in gold else "") + (passage.title or passage.key)
