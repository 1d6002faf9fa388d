"""The line on top of a run: the question, the run's facts, three figures.

And a sentence for every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gear_app.core.text import count
from gear_app.display import answers, labels
from gear_app.display.labels import as_sentence, base_name, method_name
from gear_app.display.markup import Html, explained, join, tag
from gear_app.trace import timeline
from gear_app.trace.events import VERBS, Event, Promoted, Reasoned, Thought
from gear_app.trace.evidence import conclusions, evidence_of, unanswered
from gear_app.trace.gold import base
from gear_app.trace.metrics import found_at, gold_count, recall_at, retrieved_answer
from gear_app.trace.rankings import QuerySearch, keys
from gear_app.trace.trace import RunTrace

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo

KEPT = "What it found is kept below; run it again to see the rest."
ENDS = {
    "failed": f"The run failed: {{}} {KEPT}",
    "cancelled": f"The run was cancelled. {KEPT}",
    "interrupted": f"The run was interrupted. {KEPT}",
}


def going_on(runs: Sequence[RunInfo]) -> bool:
    """Whether any of the runs waits or runs."""
    return any(not run.ended for run in runs)


class Figure(NamedTuple):
    """One of the header's figures; `tone` is "", "yes" or "no"."""

    value: str
    label: str
    tone: str = ""


def facts(run: RunInfo, events: Sequence[Event], *, ahead: int = 0, keys: bool = True) -> str:
    """The run's facts in one line, those that are known. `ahead` is how many steps come after those
    of the events. `keys`: the page steps through the run by keys.
    """
    trace = RunTrace.of(events)
    verbs = [VERBS[step.verb] for step in trace.steps]
    reads = any(verb.reader for verb in verbs)
    uses_triples = reads or any(verb.triples for verb in verbs)
    reader = trace.start.reader if trace.start else ""
    links = timeline.link_rounds(events)
    number = f"{count(links, 'round')} of links" if links else ""
    if trace.iterates and trace.iterations:
        n = trace.iterations
        number = f"iteration {n}" if ahead else count(n, "iteration")
    parts = [
        method_name(run.method),
        number,
        run.collection,
        f"triples: {run.triple_set}" if run.triple_set and uses_triples else "",
        labels.reader_name(reader, labels.model_of(run)) if reader and reads else "",
        "imported" * run.recorded,
        labels.took(run.ms, run.loading_ms),
        f"{count(ahead, 'more step')} with →" if ahead else end_sentence(events, keys=keys),
    ]
    return " · ".join(filter(None, parts))


def end_sentence(events: Sequence[Event], *, keys: bool = True) -> str:
    """How a finished run ended and, where there are `keys` for it, what can be done with it; empty
    while it is going on.
    """
    trace = RunTrace.of(events)
    if trace.result is None:
        return ""
    reason = (trace.end.sentence if trace.end else "") or "Finished."
    return f"{reason} Step through it with ← and →." if keys else reason


def figures(
    events: Sequence[Event],
    gold: Sequence[str],
    gold_answers: Sequence[str] = (),
    *,
    over: bool = True,
) -> list[Figure]:
    """Recall at 5 with the baseline's, gold found, and the answer or verdict: what is known of
    these. `over` False: the run goes on, and nothing here is final.
    """
    so_far = "" if over else " so far"
    last, first = RunTrace.of(events).final, base(events)
    figures_: list[Figure] = []
    if gold and last and first:
        recall = recall_at(keys(last), gold, 5)
        name, found_before = _baseline(events, first)
        before = recall_at(found_before, gold, 5)
        baseline = f" ({name} alone {before:.2f})" if name else ""
        gold_found = f"{found_at(keys(last), gold, 5)} of {gold_count(gold)}"
        tone = "yes" if recall > before else ""
        figures_.append(Figure(f"{recall:.2f}", f"recall@5{so_far}{baseline}", tone))
        figures_.append(Figure(gold_found, f"gold passages in the first 5{so_far}"))
    if answer := retrieved_answer(events, gold_answers):
        words = ", ".join(filter(None, ["the answer", answers.measures(answer)]))
        return [*figures_, Figure(answer.answer or "No answer", words, "yes" * bool(answer.em))]
    return [*figures_, *_concluded(events, over=over)]


def _baseline(events: Sequence[Event], first: QuerySearch) -> tuple[str, Sequence[str]]:
    """The search to compare a run with, and the keys that it found; "" for a run that is its own.

    Hybrid search, where the run did not begin with it but knows what it would have found.
    """
    trace = RunTrace.of(events)
    if trace.start and trace.start.hybrid:
        return base_name("hybrid"), trace.start.hybrid
    return "" if trace.single else base_name(first.base), keys(first.ranking)


def _concluded(events: Sequence[Event], *, over: bool) -> list[Figure]:
    """The last verdict, the final thought, or how much is handed to answering.

    In no colour: whether a reader's answer is right is not known here.
    """
    # What was found stands below, and there that a reader has no answer.
    without = conclusions(events) if evidence_of(events) and unanswered(events) else []
    concluded = (conclusion(event, over=over) for event in reversed(events) if event not in without)
    return [figure for figure in concluded if figure][:1]


def conclusion(event: Event, *, over: bool) -> Figure | None:
    """The conclusion that an event states; `over` False: the run goes on."""
    match event:
        case Reasoned(answerable=True, answer=answer) if answer:
            return Figure(answer, "the reader's answer")
        case Reasoned():
            verdict = labels.capital(event.verdict)
            return Figure(verdict.removesuffix(" yet") if over else verdict, "the reader's verdict")
        case Thought(final=True):
            label = "the reader's answer" if event.answer else "the final thought"
            return Figure(event.answer or "Answerable", label)
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
            tag("b", figure.value, dir="auto"),
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


def state_sentence(
    state: str,
    *,
    message: str = "",
    position: int | None = None,
    worker: str = "",
) -> str:
    """Meaning of a run's state and what to do next. Empty for a finished run that went well.

    Of a queued one: its `position`, None where another run of the same person has to end first.
    """
    if state == "running":
        return f"{message or 'Running.'} Each step appears as it happens."
    if state != "queued":
        reason = as_sentence(message or "no reason was given")
        return ENDS.get(state, "").format(reason)
    if worker in ("starting", "not running"):
        return "Waiting for the worker, which is loading its models."
    if position == 1:
        return "Next in the queue."
    before = f"{position - 1} before it" if position else "for another run of the same person"
    return f"Waiting in the queue, {before}. It starts by itself."
