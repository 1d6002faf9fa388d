"""A run as data for a page of its own: its header, every step with the blocks of its card, in the
order in which Explore draws them, and for everything that can be selected what is shown beside it;
the gold passages and the memory as they are at that step, and what the run was made of.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gear_app.analysis import gold as golds
from gear_app.analysis import timeline
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.timeline import Step
from gear_app.analysis.trace import RunTrace, progress
from gear_app.errors import GearError, NotReady
from gear_app.events import BeamCandidate
from gear_app.rendering.chart import chart
from gear_app.step_views import beam_graph, beams, gist
from gear_app.step_views import blocks as cards
from gear_app.step_views import thoughts as thought_views
from gear_app.step_views.blocks import Choice
from gear_app.step_views.step import card, view_of
from gear_app.step_views.view import Scene
from gear_app.store.rows import RunInfo
from gear_app.text import count
from gear_app.types import Passage
from gear_app.views import (
    calls,
    decimals,
    dials,
    evidence,
    figures,
    gold_strip,
    header,
    labels,
    markup,
    settings,
)
from gear_app.views.labels import base_name, step_label, step_name
from gear_app.views.markup import Html, tag
from gear_app.workspace import Workspace

Block = dict[str, Any]


@dataclass(frozen=True)
class RunShown:
    """What a run's cards are made from. `details` collects what stands beside a selected thing, by
    the name that pictures use for it.
    """

    run: RunInfo
    events: RunTrace
    passages: Mapping[int, Passage]
    details: dict[str, str] = field(default_factory=dict)

    def scene(self, step: Step, steps: Sequence[Step]) -> Scene:
        """A step of the whole run, in which nothing can be marked."""
        return Scene(
            self.run,
            self.events,
            step,
            timeline.before(step, steps),
            tuple(self.run.gold),
            markable=False,
            texts=self._texts,
            iterations=self.events.iterations,
        )

    def _texts(self, ids: Sequence[int]) -> dict[int, str]:
        return {id_: self.passages[id_].text for id_ in ids if id_ in self.passages}

    def passage(self, id_: int) -> str:
        """The name of the details of a passage; "" for one that is gone."""
        shown = self.passages.get(id_)
        if shown is None:
            return ""
        star = (
            markup.legend([("star", "gold passage of this question")])
            if shown.key in self.run.gold
            else ""
        )
        title = markup.title(
            markup.named(shown.name, self.events.names), labels.id_words(shown.key)
        )
        self.details[f"p{id_}"] = title + markup.passage(shown.text, None, self.events.names) + star
        return f"p{id_}"


def blocks(told: RunShown, scene: Scene) -> list[Block]:
    """The card of a step as page.js draws it, and below a round of links the ranking of it."""
    drawn = [_block(told, its, block) for its, block in card(scene)]
    view = view_of(scene)
    below = view.below(CUTS[0], view.opens)
    if below:
        drawn.append(_html(markup.title("Ranking", "every score term by term")))
        drawn += [_block(told, scene, block) for block in below]
    return [block for block in drawn if block]


def _block(told: RunShown, scene: Scene, block: cards.Block) -> Block:
    """A block as data; {} for a way to another step, which the page has in its strip."""
    match block:
        case cards.MarkupBlock(html):
            return _html(html)
        case cards.SentenceBlock():
            return _html(_sentence(block))
        case cards.TableBlock(_, label, rows):
            return table(label, rows())
        case cards.FoldBlock(_, label, parts):
            return {"fold": label, "html": "".join(_part(part) for part in parts())}
        case cards.RankingBlock():
            details = {str(one.id): told.passage(one.id) for one in block.passages}
            return picture("ranking", {**block.lines, "markable": False}, block.opens, details)
        case cards.PictureBlock():
            ids = [one["id"] for column in block.data["columns"] for one in column["cards"]]
            details = {id_: _detail(told, scene, id_, block.choose(id_)) for id_ in ids}
            return picture(block.kind, block.data, block.opens, details)
    return {}


def _html(html: str) -> Block:
    return {"html": html}


def _part(part: cards.MarkupBlock | cards.SentenceBlock) -> Html:
    return part.html if isinstance(part, cards.MarkupBlock) else _sentence(part)


def _sentence(block: cards.SentenceBlock) -> Html:
    return tag("div", block.sentence, class_=f"gear-say gear-say-{block.tone}", dir="auto")


def table(label: str, rows: Sequence[Mapping[str, Any]]) -> Block:
    """Rows that are folded away under a label."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "table": label,
        "heads": heads,
        "rows": [[_cell(row.get(name)) for name in heads] for row in rows],
    }


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return decimals.cell(value)
    return value if isinstance(value, int | str) else "" if value is None else str(value)


def picture(
    kind: str, data: Mapping[str, Any], selected: object, details: Mapping[str, str]
) -> Block:
    """A component of the screen with its data; `details` are names by what is selected in it."""
    shown = {key: name for key, name in details.items() if name}
    return {"picture": kind, "data": {**data, "selected": selected}, "details": shown}


def _detail(told: RunShown, scene: Scene, card_id: str, choice: Choice) -> str:
    """The name of what stands beside a selected card; "" where that is nothing."""
    if choice.candidate is not None:
        html = _candidate(told, scene, choice.candidate)
    elif choice.node:
        html = markup.title("Selected entity") + markup.facts(choice.node)
    elif choice.why:
        html = choice.why
    elif choice.passage_id is not None:
        passage = told.passage(choice.passage_id)
        if not choice.sums:
            return passage
        html = markup.title("Its score") + markup.sum_of(choice.sums)
        html += told.details.get(passage, "")
    else:
        return ""
    name = f"{scene.step.number} {card_id}"
    told.details[name] = html
    return name


def _candidate(told: RunShown, scene: Scene, candidate: BeamCandidate) -> str:
    """The selected triple, its score term by term, and its passage with the sentence marked."""
    triple = candidate.triple
    shown = told.passages.get(triple.passage_id)
    text, span = triple.sentence, None
    if shown is not None:
        text = shown.text
        span = triple.span or markup.find_sentence(shown.text, triple.sentence)
    return markup.join(
        [
            markup.title("Selected triple", beams.state_words(candidate)),
            markup.triple(triple, scene.gold),
            markup.sum_of(beams.arithmetic(candidate, beams.gamma_of(scene.settings))),
            markup.passage(text, span, told.events.names),
        ]
    )


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

    @cached_property
    def ways(self) -> tuple[golds.GoldPassage, ...]:
        """The way of every gold passage through the run."""
        return golds.gold_passages(self.events, self.run.gold, self.titles)


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
    found = RunTrace(labelled(plain, workspace.collections.labels(ids)))
    if not found.steps:
        raise NotReady(f"Run {run.id} ended before its first step: there is nothing to show.")
    passages = workspace.collections.passages_by_id(ids)
    documents: tuple[str, ...] = ()
    titles: dict[str, str] = {}
    if run.collection_id is not None:
        names = [one.source or one.title for one in workspace.collections.documents(run.collection)]
        documents = tuple(dict.fromkeys(names))
        titles = _titles(workspace, run)
    return StoredRun(run, found, passages, titles, documents, licence)


def _titles(workspace: Workspace, run: RunInfo) -> dict[str, str]:
    titles = {}
    for key in run.gold:
        try:
            passage = workspace.collections.passage_by_key(run.collection, key)
        except GearError:
            continue
        titles[key] = workspace.collections.label(passage)
    return titles


def page_data(told: StoredRun) -> dict[str, Any]:
    """The run as page.js draws it."""
    run, events = told.run, told.events
    shown = RunShown(run, events, told.passages)
    steps = events.steps
    decisive = golds.decisive_step(events, run.gold)
    return {
        "id": run.id,
        "opens": len(steps) - 1 if decisive is None else decisive,
        "head": _head(told),
        "strip": {"steps": _stops(told, steps)},
        "gold_title": _gold_title(told),
        "memory_title": _memory_title(told),
        "steps": [_step(told, shown, step, steps) for step in steps],
        "side": _recall(told),
        "below": _below(told),
        "details": shown.details,
        "about_title": markup.title("What this run is made of"),
        "about": _about(told),
    }


def check_shown(told: StoredRun, seconds: float) -> None:
    """Draw the parts of a run's page, and its steps one by one for so many seconds. Raises the
    error of the first that cannot be drawn.
    """
    shown, steps = RunShown(told.run, told.events, told.passages), told.events.steps
    for draw in (_head, _recall, _below, _about):
        draw(told)
    _gold(told, steps[-1], steps)
    until = time.monotonic() + seconds
    for step in steps:
        blocks(shown, shown.scene(step, steps))
        if time.monotonic() > until:
            break


def _head(told: StoredRun) -> str:
    run, events = told.run, told.events
    head = header.head(
        run.question,
        header.facts_of(run, events),
        header.figures(events, run.gold, run.answers),
        dials.set_to(run),
        calls.spent(events),
    )
    return head + evidence.card(events, run.gold, run.answers)


def _stops(told: StoredRun, steps: Sequence[timeline.Step]) -> list[dict[str, Any]]:
    return [
        {
            "number": step.number,
            "iteration": step.iteration,
            "verb": step_name(step),
            "search": step.search,
            "label": step_label(step),
            "failed": step.failed,
        }
        for step in steps
    ]


def _step(
    told: StoredRun, shown: RunShown, step: timeline.Step, steps: Sequence[timeline.Step]
) -> dict[str, Any]:
    scene = shown.scene(step, steps)
    view = view_of(scene)
    iterations = told.events.iterations
    memory = gist.graph(told.events, step.iteration, iterations, told.run.gold)
    if not memory and not told.events.memory:
        memory = thought_views.iterations(told.events, step.iteration)
    return {
        "title": markup.stage(view.title, view.purpose),
        "said": f"Step {step.number + 1} of {len(steps)}: {step_label(step)}.",
        "queries": [
            markup.query(markup.named(query, shown.events.names), label)
            for label, query in scene.queries
        ],
        "blocks": blocks(shown, scene),
        "gold": _gold(told, step, steps),
        "memory": memory,
    }


def _gold_title(told: StoredRun) -> str:
    if not told.run.gold:
        return ""
    return markup.title("Gold passages", gold_strip.verdict(told.events, told.run.gold))


def _gold(told: StoredRun, step: timeline.Step, steps: Sequence[timeline.Step]) -> str:
    """The gold passages with the step's place marked; "" without gold."""
    run, base = told.run, golds.base(told.events)
    if not run.gold or base is None:
        return ""
    here = progress(told.events, step.number, finished=True)
    known = golds.gold_passages(here.events, run.gold, told.titles)
    now = gold_strip.newest(known, over=here.over)
    return gold_strip.strip(
        told.ways,
        base_name(base.base),
        run.question,
        iterates=told.events.iterates,
        at=gold_strip.Position(now, 0, True),
    )


def _memory_title(told: StoredRun) -> str:
    begun = told.events.start
    memory = thought_views.memory_title(told.events)
    by = ""
    if begun is not None and memory.reads:
        by = f", {labels.reader_note(begun.reader, labels.model_of(told.run))}"
    return markup.title(memory.name, memory.aside + by)


def _recall(told: StoredRun) -> list[str]:
    """Recall after every iteration, drawn and in numbers."""
    rankings, base = told.events.rankings, golds.base(told.events)
    if not told.run.gold or not rankings:
        return []
    if len(rankings) == 1:
        alone = told.events.single
        numbers = figures.recall_numbers(
            next(iter(rankings.values())), None if alone else base, told.run.gold, CUTS
        )
        return [markup.title(markup.explained("Recall")) + markup.facts(numbers)]
    rows = figures.recall_rows(rankings, base, told.run.gold, CUTS)
    heads = markup.tag("tr", *(markup.tag("th", markup.explained(name)) for name in rows[0]))
    body = [markup.tag("tr", *(markup.tag("td", value) for value in row.values())) for row in rows]
    drawn = markup.tag("table", heads, *body, class_="gear-table gear-weighted")
    k = CUTS[0]
    name = labels.method_name(told.run.method)
    recalls = figures.recall_chart(rankings, base, told.run.gold, k, name)
    title = markup.title(markup.explained("Recall per iteration"), f"drawn: R@{k}")
    return [title + chart(recalls) + drawn]


def _below(told: StoredRun) -> list[Block]:
    run = told.run
    rows = settings.rows(run.method, run.config)
    found = [table("Settings of this run", rows)]
    if told.events.memory:
        found.insert(0, table("Gist memory as a table", gist.rows(told.events)))
    if drawn := beam_graph.graph(told.events, run.gold):
        found.insert(0, _html(markup.title(beam_graph.TITLE, beam_graph.PURPOSE) + drawn))
    return found


def _about(told: StoredRun) -> str:
    """What was asked of what, by what, when; whose texts these are."""
    run = told.run
    sources = ", ".join(told.documents[:SOURCES_SHOWN])
    more = len(told.documents) - SOURCES_SHOWN
    pairs = [
        ("Run", run.id),
        ("Made", labels.readable_time(run.created)),
        ("Method", f"{labels.method_name(run.method)} ({run.method})"),
        ("Reader", labels.reader_name(run.reader, labels.model_of(run)) if run.reader else ""),
        ("Collection", f"{run.collection}, revision {run.revision}"),
        ("Triples", run.triple_set or ""),
        ("Texts from", sources + (f" and {count(more, 'other')}" if more > 0 else "")),
        ("Licence of the texts", told.licence or UNKNOWN_LICENCE),
        ("Versions", ", ".join(f"{name} {value}" for name, value in run.versions.items())),
        ("Hash of the corpus", run.corpus_hash),
        ("Gold", "marked after the run" if run.gold_marked else ""),
        ("Imported", "from a page or a file of another workspace" if run.recorded else ""),
    ]
    return markup.facts(pairs)
