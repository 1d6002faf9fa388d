"""An extraction in words: what it will take, what it has taken, which passages fell short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gear_app.core.text import count, shortened
from gear_app.display.calls import raw
from gear_app.display.labels import as_sentence, dollars
from gear_app.display.markup import Html, join, tag
from gear_app.models.server import Spec

if TYPE_CHECKING:
    from gear_app.store.extractions import Failure
    from gear_app.store.rows import JobInfo, TripleSetInfo
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
