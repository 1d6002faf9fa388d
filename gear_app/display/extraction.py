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
    """What the screen calls an extractor.

    One that asks a language model goes by the model's name.
    """
    names = {LOCAL: "Local extractor", JOINT: model or "Language model", IMPORTED: "imported"}
    return (
        f"{model or 'Language model'}, in two steps"
        if extractor == TWO
        else names.get(extractor, extractor)
    )


def maker_names(found: TripleSetInfo) -> str:
    """What made a set, with the language models that were asked."""
    models = dict.fromkeys(Spec.from_json(model).model for model in found.models)
    return extractor_name(found.maker, ", ".join(models))


def estimate(found: Estimate) -> str:
    """What an extraction will take, marked as an estimate."""
    if not found.calls:
        return (
            "Nothing is left to ask: every passage has been read for this set. Name another set to"
            " read them anew."
        )
    tokens = f"{found.input_tokens:,} tokens in and {found.output_tokens:,} out"
    return (
        f"Estimate: {count(found.calls, 'call')}; {tokens}; {dollars(found.dollars)}. It"
        f" rests on {found.basis}."
    )


def totals(job: JobInfo) -> str:
    """What an extraction has taken until now: calls, tokens and what they cost.

    "" where nobody was asked.
    """
    spent = job.spent
    if not job.model or not (spent.calls or job.state == "running"):
        return ""
    kept = f" ({spent.kept:,} kept from before)" if spent.kept else ""
    most = f" of at most {job.budget:,}" if job.budget is not None else ""
    taken = "" if spent.taken == spent.tokens else f", {spent.taken:,} of them paid for now"
    words = [
        f"{count(spent.calls, 'call')} of {Spec.from_json(job.model).model}{kept}",
        f"{spent.unusable:,} not fully usable" if spent.unusable else "",
        f"{spent.tokens:,} tokens{most}{taken}",
        dollars(spent.cost),
    ]
    return " · ".join(filter(None, words))


def shortfall_words(found: TripleSetInfo) -> str:
    """How many passages of a set failed, gave nothing, or were read in part; "" where none did."""
    parts = [f"{count(found.passages_failed, 'passage')} failed"] if found.passages_failed else []
    parts += (
        [f"{count(found.passages_without, 'passage')} gave no triples"]
        if found.passages_without
        else []
    )
    if found.passages_short:
        dropped = f", {count(found.parts_dropped, 'part')} dropped" if found.parts_dropped else ""
        parts += [
            f"of {count(found.passages_short, 'passage')} not all of the reply could be"
            f" used{dropped}"
        ]
    return f"“{found.name}”: {'; '.join(parts)}." if parts else ""


def shortfall_list(found: Sequence[Failure]) -> Html:
    """The passages one below the other; each opens into why, and into the reply as it came."""
    return tag("div", join(map(_shortfall, found)), class_="gear-list")


def _shortfall(found: Failure) -> Html:
    state, why = _state(found)
    name = tag("b", found.title or found.passage_key, dir="auto")
    reply = raw(shortened(found.reply, REPLY_SHOWN)) if found.reply else ""
    return tag(
        "details",
        tag("summary", name, tag("em", state, class_="gear-short")),
        tag("p", why, class_="gear-why-not", dir="auto"),
        reply,
        class_="gear-call",
    )


def _state(found: Failure) -> tuple[str, str]:
    if found.triples is None:
        return "failed", f"{as_sentence(found.error)}{'' if found.reply else ' There is no reply.'}"
    dropped = (
        f"{count(found.dropped, 'part')} of the reply could not be used." if found.dropped else ""
    )
    why = " ".join(filter(None, [dropped, found.error]))
    if found.triples:
        return f"{count(found.triples, 'triple')}, not all of the reply used", why
    return "no triples", why or (
        "The reply holds no triples." if found.reply else "The extractor found none."
    )


def retry_words(found: TripleSetInfo, model: str) -> str:
    """What trying again means."""
    if found.maker not in STEPS:
        return "The passages that failed are extracted again."
    return (
        f"Asks {model} anew about those that failed or gave no triples, taking at most twice what"
        " is estimated."
    )


ASKING = {JOINT: "a language model", TWO: "a language model, in two steps"}


def maker(extractor: str, model: str = "") -> str:
    """What a sentence calls an extractor.

    `model` is the language model's name, where it asks one.
    """
    words = ASKING.get(extractor)
    if words is None:
        return f"the {extractor} extractor"
    return f"{model}, {words}" if model else words
