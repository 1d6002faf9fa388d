"""Pages of a run and of a comparison: documents without scripts, in the application's styles, that
ask no network and no server for anything and carry their runs as compressed JSON.
"""

from __future__ import annotations

import base64
import functools
import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import gear_app
from gear_app.core.errors import BadInput, GearError, NotReady
from gear_app.core.text import count
from gear_app.core.types import Passage, Question
from gear_app.display import (
    calls,
    draw,
    evidence,
    gold,
    header,
    labels,
    markup,
    memory,
    palette,
    settings,
)
from gear_app.display import comparison_tables as tables
from gear_app.display.comparison import ComparedRun, comparable, compare
from gear_app.display.comparison_tables import MOST, run_labels, run_settings
from gear_app.display.labels import step_label
from gear_app.display.markup import Html, card, facts, join, tag, title
from gear_app.display.step import card_rows, telling
from gear_app.display.telling import Scene, gain
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace import timeline
from gear_app.trace.evidence import labelled, named_passages
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs import share
from gear_app.workspace.runs.share import ELEMENT
from gear_app.workspace.workspace import Workspace

UI = Path(gear_app.__file__).parent / "app"
SHEETS = (UI / "style.css", UI / "frontend" / "columns.css", Path(__file__).parent / "page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def document(title: str, body: Html, runs: str = "") -> str:
    """A page; `runs` is the JSON of the runs that it carries."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="generator", content=f"gear_app {gear_app.__version__}"),
        tag("title", title),
        tag("style", Html(style())),
    )
    data = carried(runs) if runs else ""
    page = tag("body", tag("div", body, id="page"), data)
    return "<!doctype html>\n" + tag("html", head, page, lang="en")


def carried(runs: str) -> Html:
    """The JSON of runs in an element that an import finds by its type."""
    text = base64.b64encode(gzip.compress(runs.encode(), 9, mtime=0)).decode()
    return Html(f'<script type="{ELEMENT}" id="runs">{text}</script>')


@functools.cache
def style() -> str:
    """The style sheet: both palettes, as the reader's browser likes it, and the rules of the HTML
    that views make.
    """
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    rules = "".join(sheet.read_text(encoding="utf-8") for sheet in SHEETS)
    sheet = f"{light}@media(prefers-color-scheme:dark){{{dark}}}{rules}"
    return sheet.replace("</", "<\\/")


CUT = 5


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A page that opens without the application, and its runs."""

    html: str
    runs: tuple[str, ...]


def page(
    workspace: Workspace,
    run_ids: Sequence[str],
    *,
    licence: str = "",
) -> SharedPage:
    """One run, or several of one question side by side, with all their steps.

    `licence` is that of the texts, in words. Raises NotReady for a run that is not finished,
    BadInput for runs that cannot be compared.
    """
    stored_runs = [stored(workspace, run_id, licence) for run_id in dict.fromkeys(run_ids)]
    infos = [stored_run.run for stored_run in stored_runs]
    differing = comparable(infos)[1]
    if not stored_runs or differing or len(stored_runs) > MOST:
        raise BadInput(
            f"A page has one run, or up to {MOST} of one question and one collection."
            f" Left out would be: {', '.join(run.id for run in differing or infos[MOST:])}."
        )
    ids = tuple(run.id for run in infos)
    parts = _compared(workspace, stored_runs) if len(stored_runs) > 1 else []
    for stored_run in stored_runs:
        name = labels.method_name(stored_run.run.method)
        parts += [tag("h2", name)] if len(stored_runs) > 1 else []
        parts.append(run_page(stored_run))
    details = (
        f"Made by gear_app {gear_app.__version__}. This page asks no network: what it shows"
        " is inside it. So are the runs: gear-app import FILE."
    )
    body = join([*parts, tag("footer", details, class_="gear-note")])
    return SharedPage(document(infos[0].question, body, share.to_json(workspace.store, ids)), ids)


def import_runs(workspace: Workspace, path: Path, collection: str = "") -> share.ImportedRuns:
    """Store the runs of a page, or of a JSON file, in a new collection (runs.share). Raises
    BadInput for a file that has none, and for runs that cannot be shown.
    """
    with workspace.store.transaction():
        imported = share.import_runs(workspace.store, path, collection)
        for run_id in imported.runs:
            try:
                run_page(stored(workspace, run_id))
            except NotReady:  # it ended before its first step
                continue
            except Exception as error:
                raise BadInput(
                    f"{path.name} has a run that cannot be shown ({type(error).__name__})."
                ) from error
    return imported


def _compared(workspace: Workspace, stored_runs: Sequence[StoredRun]) -> list[Html]:
    run, question, limit = stored_runs[0].run, None, None
    if run.collection_id is not None:
        with suppress(GearError):  # its name is another collection's now, or nobody's
            limit = workspace.collections.get(run.collection).max_iterations
            question = workspace.store.questions.find(run.collection_id, run.question)
    return list(compared(stored_runs, question, limit))


def compared(
    runs: Sequence[StoredRun], question: Question | None, limit: int | None
) -> Iterator[Html]:
    """The comparison as cards. `question` and `limit` are the collection's: its question as it
    stands there, and how many iterations its runs may have.
    """
    infos = [stored_run.run for stored_run in runs]
    titles = {key: title for stored_run in runs for key, title in stored_run.titles.items()}
    columns = [
        ComparedRun(stored_run.run, label, stored_run.events)
        for stored_run, label in zip(runs, run_labels(infos, limit), strict=True)
    ]
    comparison = compare(
        columns, question, lambda keys: {key: titles[key] for key in keys if key in titles}
    )
    yield header.head(infos[0].question, tables.facts(comparison), [])
    if evidence := tables.evidence_rows(comparison):
        yield card(markup.title("What was found"), draw.table(evidence))
    best, ranked = tables.verdict(comparison), tables.ranking_rows(comparison)
    yield card(markup.title("Rankings", best), draw.table(ranked))
    if comparison.gold:
        about = tag("p", tables.GOLD_ABOUT.format(comparison.k), class_="gear-note")
        gold = draw.table(tables.gold_rows(comparison))
        yield card(markup.title("Gold passages"), gold, about)
    settings = [run_settings(run, limit) for run in infos]
    methods = draw.table(tables.method_rows(comparison, settings))
    yield card(markup.title("Methods"), methods)
    if notes := tables.note_rows(comparison):
        yield card(markup.title("Gist memory and thoughts by iteration"), draw.table(notes))


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
    if run.going:
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


def run_page(stored_run: StoredRun) -> Html:
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
