"""The line on top of a run: the question, the run's facts, three figures.

And a sentence for every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, get_args

from gear_app.core.text import count
from gear_app.core.types import Form
from gear_app.display import answers, labels
from gear_app.display.labels import as_sentence, base_name, duration, method_name
from gear_app.display.markup import Html, explained, join, link, tag
from gear_app.display.memory import FACTS
from gear_app.trace import timeline
from gear_app.trace.events import VERBS, Event, Promoted, Reasoned, Thought
from gear_app.trace.evidence import conclusions, evidence_of, unanswered
from gear_app.trace.gold import base
from gear_app.trace.metrics import found_at, gold_count, recall_at, retrieved_answer
from gear_app.trace.rankings import QuerySearch, keys, seen
from gear_app.trace.trace import RunTrace

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo

CHAIN = f"#{FACTS}"  # the chain of facts further down the page


def going_on(runs: Sequence[RunInfo]) -> bool:
    """Whether any of the runs waits or runs."""
    return any(not run.ended for run in runs)


class Figure(NamedTuple):
    """One of the header's figures; `tone` is "", "yes" or "no", `address` what it leads to."""

    value: str
    label: str
    tone: str = ""
    address: str = ""


def facts(run: RunInfo, events: Sequence[Event], *, ahead: int = 0, keys: bool = True) -> str:
    """The run's facts in one line, those that are known. `ahead` is how many steps come after those
    of the events. `keys`: the page steps through the run by keys.
    """
    trace = RunTrace.of(events)
    verbs = [VERBS[step.verb] for step in trace.steps]
    reads = any(verb.reader for verb in verbs)
    uses_triples = reads or any(verb.triples for verb in verbs)
    reader = trace.start.reader if trace.start else ""
    parts = [
        method_name(run.method),
        _iterations(events, ahead) or labels.rounds_of_links(timeline.link_rounds(events)),
        run.collection,
        f"triples: {run.triple_set}" if run.triple_set and uses_triples else "",
        labels.reader_name(reader, labels.model_of(run)) if reader and reads else "",
        f"{'imported ' if run.recorded else ''}run {run.id[:8]}",
        labels.took(run.ms, run.loading_ms),
        f"{count(ahead, 'more step')} with →" if ahead else end_sentence(events, keys=keys),
    ]
    return " · ".join(filter(None, parts))


def _iterations(events: Sequence[Event], ahead: int) -> str:
    """How many iterations there were; while steps are to come, how many have begun. "" for a method
    that does not work in iterations.
    """
    n = RunTrace.of(events).iterations
    if not n or not RunTrace.of(events).iterates:
        return ""
    return f"iteration {n}" if ahead else count(n, "iteration")


def end_sentence(events: Sequence[Event], *, keys: bool = True) -> str:
    """How a finished run ended and, where there are `keys` for it, what can be done with it; empty
    while it is going on.
    """
    if RunTrace.of(events).result is None:
        return ""
    stopped = RunTrace.of(events).end
    sentence = stopped.sentence if stopped else ""
    reason = sentence or "Finished."
    return f"{reason} Step through it with ← and →." if keys else reason


def figures(
    events: Sequence[Event],
    gold: Sequence[str],
    gold_answers: Sequence[str] = (),
    *,
    over: bool = True,
) -> list[Figure]:
    """Recall at 5 with the baseline's, gold found, answer or verdict: what is known of these.

    `known` answers. `over` False: the run goes on, and nothing here is final.
    """
    so_far = "" if over else " so far"
    last, first = RunTrace.of(events).final, base(events)
    figures_: list[Figure] = []
    if gold and last and first:
        recall = recall_at(keys(last), gold, 5)
        name, found_before = _baseline(events, first)
        before = recall_at(found_before, gold, 5)
        baseline = f" ({name} alone {before:.2f})" if name else ""
        tone = "yes" if recall > before else ""
        gold_found = f"{found_at(keys(last), gold, 5)} of {gold_count(gold)}"
        figures_.append(Figure(f"{recall:.2f}", f"recall@5{so_far}{baseline}", tone))
        figures_.append(Figure(gold_found, f"gold passages in the first 5{so_far}"))
    elif last:
        figures_.append(Figure(str(seen(events)), f"different passages seen{so_far}"))
    return [*figures_, *(_answered(events, gold_answers) or _concluded(events, over=over))]


def _baseline(events: Sequence[Event], first: QuerySearch) -> tuple[str, Sequence[str]]:
    """The search to compare a run with, and the keys that it found; "" for a run that is its own.

    Hybrid search, where the run did not begin with it but knows what it would have found.
    """
    start = RunTrace.of(events).start
    if start and start.hybrid:
        return base_name("hybrid"), start.hybrid
    return "" if RunTrace.of(events).single else base_name(first.base), keys(first.ranking)


def _answered(events: Sequence[Event], gold_answers: Sequence[str]) -> list[Figure]:
    """The answer that was written, in the colour of a right one where it is."""
    answer = retrieved_answer(events, gold_answers)
    if answer is None:
        return []
    words = ", ".join(filter(None, ["the answer", answers.measures(answer)]))
    return [Figure(answer.answer or "No answer", words, "yes" if answer.em else "")]


def _concluded(events: Sequence[Event], *, over: bool) -> list[Figure]:
    """The last verdict, the final thought, or how much is handed to answering.

    In no colour: whether a reader's answer is right is not known here.
    """
    # What was found stands below, and there that a reader has no answer.
    without = conclusions(events) if evidence_of(events) and unanswered(events) else []
    for event in reversed(events):
        if event in without:
            continue
        if concluded := conclusion(event, over=over):
            return [concluded]
    return []


def conclusion(event: Event, *, over: bool) -> Figure | None:
    """The conclusion that an event states; `over` False: the run goes on."""
    match event:
        case Reasoned(answerable=True, answer=answer) if answer:
            return Figure(answer, "the reader's answer", address=CHAIN)
        case Reasoned():
            verdict = labels.capital(event.verdict)
            return Figure(verdict.removesuffix(" yet") if over else verdict, "the reader's verdict")
        case Thought(final=True):
            label = "the reader's answer" if event.answer else "the final thought"
            return Figure(event.answer or "Answerable", label, address=CHAIN)
        case Thought() if over and event.style in ("ircot", "tog", *get_args(Form)):
            return Figure("No answer", "after the last thought")
        case Promoted():
            return Figure(str(len(event.kept)), "passages handed to answering")
    return None


def head(
    question: str, line: str, figures_: Sequence[Figure], changed: str = "", asked: str = ""
) -> Html:
    """The header as safe HTML.

    `changed` are the settings that are not the defaults, `asked` what a model took.
    """
    right = [
        tag(
            "div",
            tag("b", _value(figure), dir="auto"),
            tag("span", explained(figure.label)),
            class_=f"gear-figure gear-{figure.tone}",
        )
        for figure in figures_
    ]
    lines = [
        tag("div", words, class_="gear-facts-line") for words in (line, asked, changed) if words
    ]
    left = tag("div", tag("h1", question, dir="auto"), *lines)
    return tag("div", left, tag("div", join(right), class_="gear-figures"), class_="gear-header")


def _value(figure: Figure) -> Html | str:
    return link(figure.value, figure.address) if figure.address else figure.value


def state_sentence(
    state: str,
    *,
    message: str = "",
    position: int | None = None,
    worker: str = "",
    doing: str = "",
    waited_s: float = 0.0,
) -> str:
    """Meaning of a run's state and what to do next. Empty for a finished run that went well.

    Of a queued one: its `position`, None where there is no place for it, what the `worker` is
    `doing`, and for how long it has waited.
    """
    so_far = f", {duration(waited_s * 1000)} so far" if waited_s >= 1 else ""
    match state:
        case "queued" if position and position > 1:
            return (
                f"Waiting in the queue{so_far}, {position - 1} before it. You can leave this page;"
                " the run stays here."
            )
        case "queued" if worker in ("starting", "not running"):
            return (
                f"Waiting for the worker, which is loading its models{so_far}. This takes some"
                " seconds the first time."
            )
        case "queued" if position is None:
            return (
                f"Waiting until another run of the same person or evaluation has ended{so_far}."
                " Only some of them are asked of a language model at the same time. It starts by"
                " itself; cancel one of the others to begin sooner."
            )
        case "queued" if doing:
            return f"Next in the queue{so_far}: the worker {doing}. It starts by itself."
        case "queued":
            return f"Next in the queue{so_far}. It starts by itself in a moment."
        case "running":
            return (
                f"{message or 'Running.'} Each step appears as it happens; leaving the page does"
                " not stop it."
            )
        case "failed":
            reason = as_sentence(message or "no reason was given")
            return (
                f"The run failed: {reason} What it found is kept below. Change what is wrong and"
                " run it again."
            )
        case "cancelled":
            return (
                "The run was cancelled. What it had found is kept below; run it again to see the"
                " rest."
            )
        case "interrupted":
            return (
                "The run was interrupted before it was done. What it had found is kept below; run"
                " it again."
            )
        case _:
            return ""
