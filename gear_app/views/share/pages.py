"""Whole pages: of a run, of a comparison, and the folder of many with its index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gear_app
from gear_app.analysis.passage_labels import named_passages
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.trace import RunTrace
from gear_app.errors import BadInput, GearError, NotReady
from gear_app.exports.otlp import Trace
from gear_app.exports.samples import AnswerSample, response_of
from gear_app.rendering.chart import chart
from gear_app.runs import comparison as compare
from gear_app.runs import share
from gear_app.store.rows import RunInfo
from gear_app.text import count
from gear_app.types import Passage, Question
from gear_app.views import header, labels, markup
from gear_app.views.compare import aligned_rankings, figures
from gear_app.views.compare.comparison import Comparison, comparison
from gear_app.views.compare.entries import MOST
from gear_app.views.markup import Html, tag
from gear_app.views.share.document import document, plain_document
from gear_app.views.share.run import (
    Block,
    RunShown,
    StoredRun,
    check_shown,
    page_data,
    picture,
    stored,
    table,
)
from gear_app.workspace import Workspace

CUT = 5
CHECK_S = 5.0  # for drawing the steps of an imported run
RESTS = "Dotted: the method had stopped, its ranking stays."
INDEX = "index.html"


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A page that opens without the application, and its runs."""

    html: str
    runs: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """Its size as a file."""
        return len(self.html.encode())


def page(
    workspace: Workspace,
    run_ids: Sequence[str],
    *,
    licence: str = "",
    back: tuple[str, str] | None = None,
) -> SharedPage:
    """One run, or several of one question side by side, each to be stepped through.

    `licence` is that of the texts, in words; `back` is a link, (words, address). Raises NotReady
    for a run that is not finished, BadInput for runs that cannot be compared.
    """
    told = [stored(workspace, run_id, licence) for run_id in dict.fromkeys(run_ids)]
    return _page_of(workspace, told, back)


def _page_of(
    workspace: Workspace, told: Sequence[StoredRun], back: tuple[str, str] | None
) -> SharedPage:
    infos = [one.run for one in told]
    others = compare.comparable(infos)[1]
    if not told or others or len(told) > MOST:
        raise BadInput(
            f"A page has one run, or up to {MOST} of one question and one collection."
            f" Left out would be: {', '.join(run.id for run in others or infos[MOST:])}."
        )
    first, ids = infos[0], tuple(run.id for run in infos)
    data = {
        "runs": [page_data(one) for one in told],
        "comparison": _compared(workspace, told) if len(told) > 1 else None,
        "k": str(CUT),
        "name": "gear_app · a run" if len(told) == 1 else "gear_app · runs side by side",
        "back": {"words": back[0], "href": back[1]} if back else None,
        "file": f"run-{first.id}.json",
        "made": f"Made by gear_app {gear_app.__version__}. This page asks no network: what it shows"
        " is inside it. So are the runs: gear-app import FILE.",
    }
    return SharedPage(document(first.question, data, workspace.runs.to_json(ids)), ids)


def import_runs(workspace: Workspace, path: Path, collection: str = "") -> share.ImportedRuns:
    """Store the runs of a page, or of a JSON file, in a new collection (runs.share). Raises
    BadInput for a file that has none, and for runs that cannot be shown.
    """
    with workspace.store.transaction():
        imported = share.import_runs(workspace.store, path, collection)
        for run_id in imported.runs:
            try:
                check_shown(stored(workspace, run_id), CHECK_S / len(imported.runs))
            except NotReady:  # it ended before its first step
                continue
            except Exception as error:
                raise BadInput(
                    f"{path.name} has a run that cannot be shown ({type(error).__name__})."
                ) from error
    return imported


def _compared(workspace: Workspace, told: Sequence[StoredRun]) -> dict[str, object]:
    run, question, limit = told[0].run, None, None
    if run.collection_id is not None:
        try:
            limit = workspace.collections.get(run.collection).max_iterations
            question = workspace.collections.question(run.collection, run.question)
        except GearError:  # its name is another collection's now, or nobody's
            question, limit = None, None
    return comparison_data(told, question, limit)


def comparison_data(
    runs: Sequence[StoredRun], question: Question | None, limit: int | None
) -> dict[str, Any]:
    """The comparison as page.js draws it. `question` and `limit` are the collection's: its question
    as it stands there, and how many iterations its runs may have.
    """
    infos = [one.run for one in runs]
    events = {one.run.id: one.events for one in runs}
    titles = {key: title for one in runs for key, title in one.titles.items()}
    whole = comparison(
        infos,
        lambda run, gold: compare.digest(events[run.id], gold, run.answers),
        lambda keys: {key: titles[key] for key in keys if key in titles},
        question,
        limit,
    )
    base = compare.baseline(whole.columns, None) or ""
    best = compare.best(whole.columns, whole.keys)
    passages = {id_: text for one in runs for id_, text in one.passages.items()}
    told = RunShown(infos[0], RunTrace(), passages)
    cuts = {str(k): list(_sections(whole.settled(base, k, best), told)) for k in CUTS}
    head = header.head(infos[0].question, whole.facts, [])
    return {"head": head, "cuts": cuts, "details": told.details}


def _sections(whole: Comparison, told: RunShown) -> Iterator[list[Block]]:
    """The cards of a cut-off, from the top."""
    columns, gold, k = whole.columns, whole.gold, whole.k
    if whole.found:
        yield [_card_title("What was found", ""), {"html": whole.found}]
    lines = aligned_rankings.component_data(columns, gold, whole.base, k)
    details = {one["key"]: told.passage(one["id"]) for one in lines["passages"] if one["id"]}
    first = compare.first_selected(columns, whole.keys, whole.base, k)
    yield [
        _card_title("Rankings", "one passage is one line; select it to read it"),
        picture("aligned", lines, first, details),
        table("As a table", aligned_rankings.rows(columns, gold, k)),
    ]
    cards = [whole.gold_card()] if gold else []
    for card in cards:
        yield [_card_title(card.title, card.aside), picture("grid", card.grid, None, {})]
    rows = figures.recall_rows(columns, whole.keys, k) if gold else []
    if rows:
        drawn = chart(figures.recall_chart(columns, whole.keys, k, whole.highlight))
        yield [
            _card_title("Recall per iteration", f"R@{k}"),
            {"html": drawn + tag("p", RESTS, class_="gear-note")},
            table("As a table", rows),
        ]
    for card in whole.method_cards():
        yield [_card_title(card.title, card.aside), picture("grid", card.grid, None, {})]


def _card_title(words: str, aside: str) -> Block:
    return {"html": markup.title(words, aside)}


def trace(workspace: Workspace, run_id: str) -> Trace:
    """A run as it is exported for tools that show traces. Raises Unknown."""
    run = workspace.runs.get(run_id)
    happened = tuple(workspace.runs.timed_events(run.id))
    ids = named_passages([stored.event for stored in happened])
    passages = workspace.collections.passages_by_id(sorted(ids))
    return Trace(run, happened, {id_: passage.text for id_, passage in passages.items()})


def sample(workspace: Workspace, run_id: str) -> AnswerSample:
    """A run as it is exported for tools that judge answers, with the first k passages of its final
    ranking. Raises Unknown.
    """
    run = workspace.runs.get(run_id)
    events = workspace.runs.events(run.id)
    ids = [one.id for one in RunTrace.of(events).final[: run.k]]
    passages = workspace.collections.passages_by_id(ids)
    found = tuple(passages[id_] for id_ in ids if id_ in passages)
    gold: list[Passage] = []
    if run.collection_id is not None:
        gold = workspace.store.passages.named(run.collection_id, run.revision, run.gold)
    return AnswerSample(run, response_of(events), found, tuple(gold))


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file of a folder of pages, by its name in the folder."""

    name: str
    html: str


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A run in the index: what it came to, in words."""

    run: RunInfo
    figures: str


def folder(
    workspace: Workspace,
    run_ids: Sequence[str],
    title: str,
    *,
    licence: str = "",
) -> Iterator[SharedFile]:
    """A page for every run, one for every question that several of them ask, and the index, last.

    All lie beside each other and name each other by file name, so that any static host serves them.
    """
    back = ("All runs", INDEX)
    groups: dict[tuple[str, int | None], list[IndexEntry]] = {}
    for run_id in dict.fromkeys(run_ids):
        told = stored(workspace, run_id, licence)
        yield SharedFile(run_file(run_id), _page_of(workspace, [told], back).html)
        key = told.run.question, told.run.collection_id
        groups.setdefault(key, []).append(_entry(told))  # what is kept of thousands of runs
    compared = {}
    for entries in groups.values():
        if 1 < len(entries) <= MOST:
            ids = [one.run.id for one in entries]
            compared[ids[0]] = f"compare-{ids[0]}.html"
            shared = page(workspace, ids, licence=licence, back=back)
            yield SharedFile(compared[ids[0]], shared.html)
    yield SharedFile(INDEX, index(title, list(groups.values()), compared, licence))


def run_file(run_id: str) -> str:
    """The name of a run's page in a folder."""
    return f"run-{run_id}.html"


def index(
    title: str,
    questions: Sequence[Sequence[IndexEntry]],
    compared: dict[str, str],
    licence: str = "",
) -> str:
    """The page that leads to the others: question by question, each run with its figures.

    `compared` is the file that compares the runs of a question, by the id of the first of them.
    """
    runs = [one for group in questions for one in group]
    head = tag("tr", *(tag("th", name) for name in ("Method", "Made", "What came of it", "")))
    parts: list[Html] = []
    for group in questions:
        rows = [head, *(_index_row(one) for one in group)]
        beside = compared.get(group[0].run.id)
        link = markup.link("Side by side", beside) if beside else Html("")
        parts.append(
            tag(
                "section",
                tag("h2", group[0].run.question, dir="auto"),
                tag("table", *rows, class_="index"),
                link,
                class_="box-card",
            )
        )
    facts = f"{count(len(questions), 'question')}, {count(len(runs), 'run')}"
    if licence:
        facts += f". Licence of the texts: {licence}"
    body = tag(
        "div",
        tag("header", tag("h1", title, dir="auto"), tag("p", facts, class_="gear-note")),
        *parts,
        tag("footer", f"Made by gear_app {gear_app.__version__}.", class_="gear-note"),
        id="page",
    )
    return plain_document(title, body)


def _entry(told: StoredRun) -> IndexEntry:
    run = told.run
    found = header.figures(told.events, run.gold, run.answers)
    return IndexEntry(run, " · ".join(f"{one.value} {one.label}" for one in found))


def _index_row(one: IndexEntry) -> Html:
    run = one.run
    return tag(
        "tr",
        tag("td", markup.link(labels.method_name(run.method), run_file(run.id))),
        tag("td", labels.readable_time(run.created)),
        tag("td", one.figures, dir="auto"),
        tag("td", run.state if run.state != "done" else "", class_="number"),
    )
