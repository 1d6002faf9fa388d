"""The line on top of a run: the question, the run's facts, three figures.

And a sentence for every state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gear_app.core.text import count
from gear_app.display import answers, labels
from gear_app.display.labels import as_sentence, base_name, method_name
from gear_app.display.markup import Html, explained, join, tag
from gear_app.trace import timeline
from gear_app.trace.events import VERBS, Event, Promoted, Reasoned
from gear_app.trace.evidence import conclusions, evidence_of, unanswered
from gear_app.trace.gold import base
from gear_app.trace.metrics import found_at, gold_count, recall_at, retrieved_answer
from gear_app.trace.rankings import QuerySearch, keys
from gear_app.trace.trace import RunTrace

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo

PARTIAL = "What it found until then is shown; run it again to see the rest."


class Figure(NamedTuple):
    """One of the header's figures; `tone` is "", "yes" or "no"."""

    value: str
    label: str
    tone: str = ""


def facts(run: RunInfo, events: Sequence[Event], *, ahead: int = 0) -> str:
    """The run's facts in one line, those that are known. `ahead` is how many steps come after those
    of the events.
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
    end = trace.end.sentence if trace.end and trace.result else ""
    parts = [
        method_name(run.method),
        number,
        run.collection,
        f"triples: {run.triple_set}" if run.triple_set and uses_triples else "",
        labels.reader_name(reader, labels.model_of(run)) if reader and reads else "",
        "imported" * run.recorded,
        labels.run_time(run.ms, run.loading_ms),
        f"{count(ahead, 'more step')} with →" if ahead else end,
    ]
    return " · ".join(filter(None, parts))


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
    trace, so_far = RunTrace.of(events), "" if over else " so far"
    last, first = trace.final, base(trace)
    figures_: list[Figure] = []
    if gold and last and first:
        recall = recall_at(keys(last), gold, 5)
        name, baseline_keys = _baseline(trace, first)
        before = recall_at(baseline_keys, gold, 5)
        baseline = f" ({name} alone {before:.2f})" if name else ""
        gold_found = f"{found_at(keys(last), gold, 5)} of {gold_count(gold)}"
        tone = "yes" if recall > before else ""
        figures_.append(Figure(f"{recall:.2f}", f"recall@5{so_far}{baseline}", tone))
        figures_.append(Figure(gold_found, f"gold passages in the first 5{so_far}"))
    if answer := retrieved_answer(trace, gold_answers):
        words = ", ".join(filter(None, ["the answer", answers.measures(answer)]))
        return [*figures_, Figure(answer.answer or "No answer", words, "yes" * bool(answer.em))]
    return [*figures_, *_conclusions(trace, over=over)]


def _baseline(trace: RunTrace, first: QuerySearch) -> tuple[str, Sequence[str]]:
    """The search to compare a run with, and the keys that it found; "" for a run that is its own.

    Hybrid search, where the run did not begin with it but knows what it would have found.
    """
    if trace.start and trace.start.hybrid:
        return base_name("hybrid"), trace.start.hybrid
    return "" if trace.single else base_name(first.base), keys(first.ranking)


def _conclusions(trace: RunTrace, *, over: bool) -> Iterator[Figure]:
    """How much BDTR hands to answering, and the last verdict or the final thought. In no colour:
    whether a reader's answer is right is not known here. None where the evidence says that there
    is no answer.
    """
    for event in [event for event in trace if isinstance(event, Promoted)][-1:]:
        yield Figure(str(len(event.kept)), "passages handed to answering")
    last = next(reversed(conclusions(trace)), None)
    if last is None or (evidence_of(trace) and unanswered(trace)):
        return
    if last.answer:
        yield Figure(last.answer, "the reader's answer")
    elif isinstance(last, Reasoned):
        verdict = labels.capital(last.verdict)
        yield Figure(verdict.removesuffix(" yet") if over else verdict, "the reader's verdict")


def head(
    question: str, line: str, figures_: Sequence[Figure], changed: str = "", spent: str = ""
) -> Html:
    """The header as safe HTML.

    `changed` are the settings that are not the defaults, `spent` what model calls took.
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
        tag("div", words, class_="gear-facts-line") for words in (line, spent, changed) if words
    ]
    left = tag("div", tag("h1", question, dir="auto"), *lines)
    return tag("div", left, tag("div", join(right), class_="gear-figures"), class_="gear-header")


def state_sentence(run: RunInfo, worker: str = "") -> str:
    """Meaning of a run's state and what to do next. Empty for a finished run that went well."""
    if run.state == "running":
        return run.message or "Running."
    if run.state == "queued" and worker in ("starting", "not running"):
        return "Waiting for the worker, which is loading its models."
    if run.state == "queued":
        before = (run.queue_position or 1) - 1
        return f"Waiting in the queue{f', {before} before it' if before else ''}."
    if run.state == "done":
        return ""
    verb = "The run" if run.state == "failed" else "The run was"
    reason = f": {as_sentence(run.message)}" if run.message else "."
    return f"{verb} {run.state}{reason} {PARTIAL}"
