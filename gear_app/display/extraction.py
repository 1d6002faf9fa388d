"""Triples in words: what an extraction will take, what it has taken, which passages fell short; and
what people changed by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from gear_app.core.text import count, cut, shortened
from gear_app.core.types import Triple
from gear_app.display.calls import raw
from gear_app.display.labels import as_sentence, dollars, readable_time
from gear_app.display.markup import Html, join, tag
from gear_app.models.server import Spec

if TYPE_CHECKING:
    from gear_app.store.extractions import Failure
    from gear_app.store.rows import JobInfo, TripleSetInfo
    from gear_app.store.triples import Change, EditRow
    from gear_app.workspace.runs.costs import Estimate


LOCAL, JOINT, TWO = "local", "llm", "llm:two"  # extractors
STEPS = {
    JOINT: "One step: entities and triples together (GEAR)",
    TWO: "Two steps: entities first (HippoRAG)",
}
LOCAL_NOTE = "Rules over a parser, no language model: English only, and it costs nothing."
REPLY_SHOWN = 4_000  # characters of a reply; more of it is in the file (text.shortened)
IMPORTED = "import"


def extractor_name(extractor: str, model: str = "") -> str:
    """Name of an extractor on the screen.

    One that asks a language model goes by the model's name.
    """
    names = {LOCAL: "Local extractor", JOINT: model or "Language model", IMPORTED: "imported"}
    return (
        f"{model or 'Language model'}, in two steps"
        if extractor == TWO
        else names.get(extractor, extractor)
    )


def maker_names(triple_set: TripleSetInfo) -> str:
    """Extractor of a triple set, with the language models that were called."""
    models = dict.fromkeys(Spec.from_json(model).model for model in triple_set.models)
    return extractor_name(triple_set.maker, ", ".join(models))


def estimate(estimate: Estimate) -> str:
    """Cost of an extraction or evaluation to come, marked as an estimate."""
    if not estimate.calls:
        return (
            "Nothing is left to ask: every passage has been read for this set. Name another set to"
            " read them anew."
        )
    tokens = f"{estimate.input_tokens:,} tokens in and {estimate.output_tokens:,} out"
    return (
        f"Estimate: {count(estimate.calls, 'call')}; {tokens}; {dollars(estimate.dollars)}. It"
        f" rests on {estimate.basis}."
    )


def totals(job: JobInfo) -> str:
    """Cost of an extraction until now: calls, tokens and dollars.

    "" where nobody was asked.
    """
    spent = job.spent
    if not job.model or not (spent.calls or job.state == "running"):
        return ""
    cached = f" ({spent.kept:,} kept from before)" if spent.kept else ""
    most = f" of at most {job.budget:,}" if job.budget is not None else ""
    words = [
        f"{count(spent.calls, 'call')} of {Spec.from_json(job.model).model}{cached}",
        f"{spent.unusable:,} not fully usable" if spent.unusable else "",
        f"{spent.tokens:,} tokens{most}",
        dollars(spent.cost),
    ]
    return " · ".join(filter(None, words))


def shortfall_words(triple_set: TripleSetInfo) -> str:
    """How many passages of a set failed, gave nothing, or were read in part; "" where none did."""
    dropped = count(triple_set.parts_dropped, "part")
    numbers = {
        "failed": triple_set.passages_failed,
        "without triples": triple_set.passages_without,
        f"whose reply was not all used ({dropped} dropped)": triple_set.passages_short,
    }
    parts = [f"{count(number, 'passage')} {words}" for words, number in numbers.items() if number]
    return f"“{triple_set.name}”: {'; '.join(parts)}." if parts else ""


def shortfall_list(failures: Sequence[Failure]) -> Html:
    """The passages one below the other; each opens into why, and into the reply as it came."""
    return tag("div", join(map(_shortfall, failures)), class_="gear-list")


def _shortfall(failure: Failure) -> Html:
    state, reason = _state(failure)
    name = tag("b", failure.title or failure.passage_key, dir="auto")
    reply = raw(shortened(failure.reply, REPLY_SHOWN)) if failure.reply else ""
    return tag(
        "details",
        tag("summary", name, tag("em", state, class_="gear-short")),
        tag("p", reason, class_="gear-why-not", dir="auto"),
        reply,
        class_="gear-call",
    )


def _state(failure: Failure) -> tuple[str, str]:
    silent = "The reply holds no triples." if failure.reply else "The extractor found none."
    reason = as_sentence(failure.error) or silent
    if failure.triples is None:
        return "failed", reason
    dropped = count(failure.dropped, "part") + " of the reply could not be used."
    if failure.triples:
        return f"{count(failure.triples, 'triple')}, not all of the reply used", dropped
    return "no triples", dropped if failure.dropped else reason


def retry_words(triple_set: TripleSetInfo, model: str) -> str:
    """Explanation of trying again."""
    if triple_set.maker not in STEPS:
        return "The passages that failed are extracted again."
    return (
        f"Asks {model} anew about those that failed or gave no triples, taking at most twice what"
        " is estimated."
    )


LONGEST = 160  # characters of a triple in a sentence
CHANGES = 20  # of a step that are listed


def triple_words(triple: Triple) -> str:
    """A triple in a line."""
    return cut(f"{triple.subject} · {triple.predicate} · {triple.object}", LONGEST)


def edit_sentence(edit: EditRow) -> str:
    """Sentence for an edit step."""
    size = count(len(edit.changes), "triple")
    names = ", ".join(f"“{cut(name, 60)}”" for name in edit.entities)
    if edit.kind == "merge":
        return f"{names} became “{edit.name}”: {size}."
    if names:
        return f"Deleted {names}: {size}."
    if len(edit.changes) == 1:
        return change_sentence(edit.changes[0])
    return f"{'Added' if edit.kind == 'add' else 'Deleted'} {size}."


def change_sentence(change: Change) -> str:
    """Sentence for the change of a triple."""
    before, after = (f"“{triple_words(triple)}”" if triple else "" for triple in change)
    if before and after:
        return f"Changed {before} to {after}."
    return f"Added {after}." if after else f"Deleted {before}."


def step_line(edit: EditRow) -> Html:
    """A step in a line: its number, what it did, and beside that who and when; struck through
    where it was undone.
    """
    aside = " · ".join(
        filter(None, ["undone" if edit.undone else "", edit.author, readable_time(edit.at)])
    )
    words = tag("s" if edit.undone else "span", edit_sentence(edit), dir="auto")
    number = tag("b", f"{edit.number}")
    line = tag("div", number, " ", words, tag("small", aside), class_="gear-step-line")
    if len(edit.changes) < 2:
        return line
    more = len(edit.changes) - CHANGES
    changes = [tag("li", change_sentence(change), dir="auto") for change in edit.changes[:CHANGES]]
    changes += [tag("li", f"and {more:,} more")] if more > 0 else []
    return Html(line + tag("details", tag("summary", "Triple by triple"), tag("ul", *changes)))


def triple_list(triples: Collection[Triple]) -> Html:
    """A passage's triples, a line each."""
    lines = []
    for triple in triples:
        predicate = tag("span", f" {triple.predicate} ", class_="gear-predicate")
        lines.append(tag("li", triple.subject, predicate, triple.object, dir="auto"))
    return tag("ul", *lines, class_="gear-triple-list")


def changed_since(since: Sequence[Sequence[Triple]], triples: str) -> str:
    """Difference from what a run saw, as the end of a sentence; "" for nothing."""
    numbers = dict(zip(("changed or deleted", "new"), map(len, since), strict=True))
    words = " and ".join(f"{number:,} {change}" for change, number in numbers.items() if number)
    return f": of the triples “{triples}”, {words}" if words else ""
