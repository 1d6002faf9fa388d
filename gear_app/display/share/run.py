"""A run as a page of its own: its head, every step with picture, arithmetic and tables, the gold
passages, the memory, and what the run was made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gear_app.core.errors import NotReady
from gear_app.core.text import count
from gear_app.core.types import Passage
from gear_app.display import (
    calls,
    draw,
    evidence,
    gold,
    header,
    labels,
    memory,
    settings,
)
from gear_app.display.labels import step_label
from gear_app.display.markup import Html, card, facts, join, tag, title
from gear_app.display.step import card_rows, telling
from gear_app.display.telling import Scene, gain
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace import timeline
from gear_app.trace.passage_labels import labelled, named_passages
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace

SOURCES_SHOWN = 12
UNKNOWN_LICENCE = "not stated: whoever hands this page on answers for its texts"


@dataclass(frozen=True)
class StoredRun:
    """A run with all that its page is made from: its events, the passages that they name by id, and
    what is known of its collection. `titles` are those of gold passages by key.
    """

    run: RunInfo
    events: RunTrace
    passages: Mapping[int, Passage]
    titles: Mapping[str, str]
    documents: tuple[str, ...] = ()
    licence: str = ""

    def scene(self, step: Step) -> Scene:
        """A step where the whole run is known and nothing can be marked."""
        before = timeline.before(step, self.events.steps)
        return Scene(self.run, self.events, step, before, tuple(self.run.gold))


def stored(workspace: Workspace, run_id: str, licence: str = "") -> StoredRun:
    """A finished run out of a workspace. Raises NotReady for one that waits or runs, or that has no
    step to show.
    """
    run = workspace.runs.get(run_id)
    if not run.ended:
        raise NotReady(
            f"Run {run.id} is not finished: it is {run.state}. Export it when it has ended."
        )
    plain = workspace.runs.events(run.id)
    ids = sorted(named_passages(plain))
    trace = RunTrace(labelled(plain, workspace.store.passages.labels(ids)))
    if not trace.steps:
        raise NotReady(f"Run {run.id} ended before its first step: there is nothing to show.")
    passages, names = workspace.store.passages.with_ids(ids), []
    titles: dict[str, str] = {}
    if run.collection_id is not None:
        documents = workspace.store.documents.of(run.collection_id)
        names = [document.source or document.title for document in documents]
        gold = workspace.store.passages.named(run.collection_id, run.revision, run.gold)
        labels_ = workspace.store.passages.labels([passage.id for passage in gold])
        titles = {passage.key: labels_.get(passage.id, passage.name) for passage in gold}
    return StoredRun(run, trace, passages, titles, tuple(dict.fromkeys(names)), licence)


def page(stored_run: StoredRun) -> Html:
    """The run as HTML."""
    decisive = golds.opening_step(stored_run.events, stored_run.run.gold)
    opens = len(stored_run.events.steps) - 1 if decisive is None else decisive
    steps = (
        _step(stored_run, step, opens=step.number == opens) for step in stored_run.events.steps
    )
    return join([_head(stored_run), *_gold(stored_run), *steps, *_below(stored_run)])


def _head(stored_run: StoredRun) -> Html:
    run, events = stored_run.run, stored_run.events
    head = header.head(
        run.question,
        header.facts(run, events),
        header.figures(events, run.gold, run.answers),
        settings.run_words(run),
        calls.spent(events),
    )
    drawn = evidence.card(events, run.gold, run.answers)
    return tag("section", head, drawn, class_="box-card")


def _step(stored_run: StoredRun, step: Step, *, opens: bool) -> Html:
    scene = stored_run.scene(step)
    description = telling(scene)
    name = f"{step.number + 1} · {step_label(step)}: {description.headline}"
    purpose = tag("p", description.purpose, class_="gear-note")
    content = draw.step(scene, stored_run.passages)
    open_ = "" if opens else None
    return tag("details", tag("summary", name), purpose, content, class_="box-card", open=open_)


def _gold(stored_run: StoredRun) -> Iterator[Html]:
    run, events = stored_run.run, stored_run.events
    if verdict := gain(events, run.gold):
        passages = golds.gold_passages(events, run.gold, stored_run.titles)
        recall = draw.table(gold.recall_rows(events, run.gold))
        strip = gold.strip(events, passages, run.question)
        yield card(title("Gold passages", verdict), strip, recall)


def _below(stored_run: StoredRun) -> Iterator[Html]:
    run, events = stored_run.run, stored_run.events
    if gathered := memory.memory(events):
        table = draw.folded("As a table", draw.table(card_rows(gathered.columns)))
        drawn = draw.columns(gathered, events.names), draw.details(gathered, events.names)
        yield card(title(*memory.title(events, run)), *drawn, table)
    rows = settings.rows(run.method, run.config)
    yield card(draw.folded("Settings of this run", draw.table(rows)))
    yield card(title("What this run is made of"), _about(stored_run))


def _about(stored_run: StoredRun) -> Html:
    run = stored_run.run
    sources = ", ".join(stored_run.documents[:SOURCES_SHOWN])
    more = len(stored_run.documents) - SOURCES_SHOWN
    pairs = [
        ("Run", run.id),
        ("Made", labels.readable_time(run.created)),
        ("Method", f"{labels.method_name(run.method)} ({run.method})"),
        ("Reader", labels.reader_name(run.reader, labels.model_of(run)) if run.reader else ""),
        ("Collection", f"{run.collection}, revision {run.revision}"),
        ("Triples", run.triple_set or ""),
        ("Texts from", sources + (f" and {count(more, 'other')}" if more > 0 else "")),
        ("Licence of the texts", stored_run.licence or UNKNOWN_LICENCE),
        ("Versions", ", ".join(f"{name} {value}" for name, value in run.versions.items())),
        ("Hash of the corpus", run.corpus_hash),
        ("Gold", "marked after the run" if run.gold_marked else ""),
        ("Imported", "from a page or a file of another workspace" if run.recorded else ""),
    ]
    return facts(pairs)
