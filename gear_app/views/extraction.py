"""An extraction in words: what it will take, what it has taken, which passages fell short; and, of
triples made while a question was asked, which passages were read and what came of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.events import Event, Extracted, Failed, RankedPassage, ShownTriple
from gear_app.llm.server import Spec
from gear_app.retrievers import graph_first, uses_triples
from gear_app.text import count, shortened
from gear_app.views.calls import raw
from gear_app.views.gear import triple_words
from gear_app.views.labels import as_sentence, dollars
from gear_app.views.markup import Html, join, tag

if TYPE_CHECKING:
    from gear_app.workspace import Estimate, Failure, JobInfo, TripleSetInfo

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
    kept = (
        f", of which {found.kept:,} are replied to by what is kept and cost nothing"
        if found.kept
        else ""
    )
    tokens = f"{found.input_tokens:,} tokens in and {found.output_tokens:,} out"
    return (
        f"Estimate: {count(found.calls, 'call')}{kept}; {tokens}; {dollars(found.dollars)}. It"
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
        why = (
            found.error.partition(" Reply: ")[0] if found.reply else found.error
        )  # it stands below, whole
        return "failed", f"{as_sentence(why)}{'' if found.reply else ' There is no reply.'}"
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


if TYPE_CHECKING:
    from gear_app.workspace import CollectionInfo

LLM_READER = "llm"  # the reader that asks a language model
TRIPLES_SHOWN = 2  # triples of a passage, before "and 9 more"
ASKING = {"llm": "a language model", "llm:two": "a language model, in two steps"}


def can_extract(method: str, reader: str) -> bool:
    """Whether a run of this method could extract: it asks for triples of passages it found."""
    return uses_triples(method, reader=reader != LLM_READER) and not graph_first(method)


def unread(collection: CollectionInfo, triples: str | None) -> int:
    """How many passages have no triples in this set because nobody has extracted them yet."""
    done = next(
        (found.passages_done for found in collection.triple_sets if found.name == triples), 0
    )
    return collection.passages - done


def lazy_offer(collection: CollectionInfo, triples: str | None) -> str:
    """What it means to extract on the way, in a sentence of our own words."""
    return (
        f"{unread(collection, triples):,} of {collection.passages:,} passages have not been"
        " extracted in this set yet. Those that a run touches are extracted while it goes on, and"
        " stay for the next question."
    )


def choice_name(extractor: str, model: str = "") -> str:
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


def run_total(events: Sequence[Event]) -> str:
    """How many passages a run extracted on its way, in words; "" for none."""
    read = sum(
        len(event.passages) - len(event.meanwhile)
        for event in events
        if isinstance(event, Extracted)
    )
    return f"{count(read, 'passage')} extracted on the way" if read else ""


def event_summary(event: Extracted, model: str = "") -> str:
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


def unusable_replies(failures: Sequence[Failed]) -> str:
    """How many replies of a language model were of no use, and how many not wholly."""
    partly = sum(bool(event.dropped) for event in failures)
    parts = ((len(failures) - partly, "could not be used"), (partly, "could be used in part only"))
    return "; ".join(
        f"{count(number, 'reply', 'replies')} {what}" for number, what in parts if number
    )


def passages_read(event: Extracted, gold: Collection[str]) -> Html:
    """Every passage with the first of its triples."""
    return tag(
        "div",
        join(_passage_read(event, passage, gold) for passage in event.passages),
        class_="gear-list",
    )


def passages_read_rows(event: Extracted, gold: Collection[str]) -> list[dict[str, Any]]:
    """A line for every triple, and one for every passage that gave none."""
    lines: list[dict[str, Any]] = []
    for passage in event.passages:
        about, note = {"passage": _passage_title(passage, gold)}, {"note": _note(event, passage)}
        facts = [
            {
                "subject": t.subject,
                "predicate": t.predicate,
                "object": t.object,
                "sentence": t.sentence,
            }
            for t in _triples_of(event, passage)
        ]
        lines += [{**about, **fact, **note} for fact in facts] or [{**about, **note}]
    return lines


def _passage_read(event: Extracted, passage: RankedPassage, gold: Collection[str]) -> Html:
    made = _triples_of(event, passage)
    said = [count(len(made), "triple")] if made else []
    said += [_note(event, passage)] if not made or passage.id in event.meanwhile else []
    head = tag(
        "div",
        tag("b", _passage_title(passage, gold)),
        " ",
        tag("span", ", ".join(said), class_="gear-why"),
        dir="auto",
    )
    more = (
        tag("span", f"and {len(made) - TRIPLES_SHOWN} more", class_="gear-why")
        if len(made) > TRIPLES_SHOWN
        else ""
    )
    facts = join(tag("div", triple_words(triple), dir="auto") for triple in made[:TRIPLES_SHOWN])
    return tag(
        "div",
        head,
        facts,
        more,
        class_=f"gear-item gear-made {'gear-kept' if made else 'gear-nothing'}",
    )


def _triples_of(event: Extracted, passage: RankedPassage) -> list[ShownTriple]:
    return [triple for triple in event.triples if triple.passage_id == passage.id]


def _note(event: Extracted, passage: RankedPassage) -> str:
    if passage.id in event.failed:
        return "failed; the next run that touches it tries again"
    if passage.id in event.meanwhile:
        return "made meanwhile by a job or another run"
    return "made on the way" if _triples_of(event, passage) else "nothing found in it"


def _passage_title(passage: RankedPassage, gold: Collection[str]) -> str:
    return ("★ " if passage.key in gold else "") + passage.name
