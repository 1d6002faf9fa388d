"""A lesson to scroll through and to print: its sentences in order, a table for every picture, the
solutions under the tasks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

import streamlit as st

from gear_app.analysis.timeline import progress
from gear_app.errors import NotReady
from gear_app.events import Event, RankedPassage
from gear_app.lessons import Lesson, LessonPage, StepName, Task
from gear_app.lessons.competition import OWN, Competition
from gear_app.lessons.evidence import RunEvidence, RunEvidences, fused
from gear_app.step_views import gist
from gear_app.step_views.blocks import FACT, Card, Column
from gear_app.step_views.retrieval import RankingView
from gear_app.step_views.step import view_of
from gear_app.step_views.view import Scene
from gear_app.store.rows import RunInfo
from gear_app.ui.learn import lesson_bars, lesson_page
from gear_app.ui.learn import runs as lesson_runs
from gear_app.ui.learn.runs import LessonRuns
from gear_app.ui.shared import address
from gear_app.views import decimals, labels
from gear_app.views.markup import Html, join, tag
from gear_app.workspace import Workspace

PASSAGES, CARDS = 7, 12  # lines of a table
NOTHING_NEAR = Card("", "nothing near")
SHORT = 8  # characters of a cell that is not to be broken
Rows = Sequence[Sequence[object]]


def whole(
    lesson: Lesson,
    runs: RunEvidences,
    infos: Mapping[str, RunInfo],
    competitions: Mapping[int, Competition],
) -> Html:
    """All pages of a lesson. `infos` are its runs by name; `competitions` are those of its pages
    that have one, by number.
    """
    parts = []
    before: Competition | None = None
    for page in lesson.pages:
        competition = competitions.get(page.number)
        again = competition is not None and competition is before
        parts.append(_Print(page, runs, infos, competition).section(again=again))
        before = competition
    return tag(
        "article",
        tag("p", f"Lesson {lesson.place}", class_="gear-note"),
        tag("h1", lesson.title),
        tag("p", lesson.about, class_="gear-note"),
        *parts,
        class_="gear-plain",
    )


@dataclass(frozen=True)
class _Print:
    """A page of a lesson on paper."""

    page: LessonPage
    runs: RunEvidences
    infos: Mapping[str, RunInfo]
    competition: Competition | None

    @property
    def evidence(self) -> RunEvidence:
        """The page's run."""
        return self.runs[self.page.run]

    def section(self, *, again: bool) -> Html:
        """What it shows before its task, the task with its solution, what it shows then. `again`:
        the picture is that of the page before.
        """
        page, runs = self.page, self.runs
        before, after = self._figures()
        if again:
            before, after = tag("p", "The table is the one above.", class_="gear-note"), Html("")
        return tag(
            "section",
            tag("h2", page.title),
            lesson_page.text(page.text, page, runs),
            before,
            _task(page.task) if page.task else "",
            after,
            lesson_page.text(page.after, page, runs),
        )

    def _figures(self) -> tuple[Html, Html]:
        """The picture, and the one that the solution reveals; "" for the one that it has not."""
        revealed = self._drawn(self.page.reveal, revealed=True)
        begun = self._drawn(self.page.step, revealed=False) if self.page.task else revealed
        return self._figure(begun), self._figure([one for one in revealed if one not in begun])

    def _figure(self, drawn: Sequence[Html]) -> Html:
        if not drawn:
            return Html("")
        run = self.evidence.run
        asked = tag("figcaption", f"{labels.method_name(run.method)}: {run.question}")
        return tag("figure", asked, *drawn)

    def _drawn(self, name: StepName | None, *, revealed: bool) -> list[Html]:
        """The tables of a picture at a step; `revealed`: with what a task asks for."""
        page, found, there = self.page, self.competition, self.evidence
        if page.picture == "competition" and not revealed:
            return [_sums(found)] if found else []
        if found is not None:
            return [_competition(found)]
        if page.picture == "fusion" and revealed:
            return [_ranking(fused(self.runs), there.gold)]
        if name is None:
            return []
        step = there.step(name)
        known = progress(there.events, there.steps, step.number, finished=True).events
        scene = Scene(self.infos[page.run], known, step, (), there.gold)
        memory = [_memory(known)] if page.picture == "gist" else []
        return [*memory, *_step(scene, memory=bool(memory))]


def _task(task: Task) -> Html:
    solution = task.options[task.solution]
    remark = f" ({solution.remark})" if solution.remark else ""
    said = f"{solution.text}{remark}."
    return tag(
        "div",
        tag("h3", task.question),
        tag("ol", join(tag("li", option.text) for option in task.options)),
        tag("div", tag("strong", "Solution: "), said, class_="gear-solution"),
    )


def _memory(known: Sequence[Event]) -> Html:
    """The gist memory as it is then."""
    rows = [
        [row["iteration"], f"{row['subject']} {row['predicate']} {row['object']}", row["what"]]
        for row in gist.rows(known)
    ]
    return _table(["iteration", "fact of the gist memory", ""], rows)


def _step(scene: Scene, *, memory: bool) -> list[Html]:
    """What a step found in a sentence, what it is about, and its rankings. `memory`: the facts of
    the gist memory stand above.
    """
    view = view_of(scene)
    rankings = [event.listed for event in scene.step.events if event.listed]
    columns = () if isinstance(view, RankingView) else view.columns
    if memory:
        columns = tuple(column for column in columns if column.ask != FACT)
    return [
        tag("p", view.headline),
        *starmap(_table, _columns([column for column in columns if column.cards])),
        *(_ranking(ranking, scene.gold) for ranking in rankings),
    ]


def _columns(columns: Sequence[Column]) -> Iterator[tuple[list[str], Rows]]:
    """The heads and rows of a table for each column of cards; of one for two, where each card of
    the first leads to one of the second at most.
    """
    left = list(columns)
    while left:
        column = left.pop(0)
        cards: list[tuple[Card, ...]] = [(card,) for card in column.cards[:CARDS]]
        names, more = [column.name], column.more + len(column.cards[CARDS:])
        if left and (led := _led_to(column, left[0])):
            names.append(left.pop(0).name)
            cards = [(card, led.get(card.id, NOTHING_NEAR)) for card, *_ in cards]
        rows = [[cell for card in some for cell in _cells(card)] for some in cards]
        heads = [head for name in names for head in ("", name, "", "")]
        there = [place for place, _ in enumerate(heads) if any(row[place] for row in rows)]
        shown = [[row[place] for place in there] for row in rows]
        if more:
            last = {names[0]: f"and {more} more"}
            shown.append([last.get(heads[place], "") for place in there])
        yield [heads[place] for place in there], shown


def _led_to(column: Column, following: Column) -> dict[str, Card]:
    """By the ids of a column's cards the one that each leads to; none where one leads to several,
    or a card comes of several, or of none.
    """
    led: dict[str, Card] = {}
    for card in following.cards:
        if len(card.parents) != 1 or card.parents[0] in led:
            return {}
        led[card.parents[0]] = card
    return led if led.keys() <= {card.id for card in column.cards} else {}


def _cells(card: Card) -> tuple[str, str, str, str]:
    """A card's rank, title, words and number."""
    words = "".join(text for text, _ in card.pieces) or card.text
    left = " (left out)" if card.kind == "pruned" and card.pieces else ""
    return card.lead, ("★ " if card.star else "") + card.title, words + left, card.note


def _ranking(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> Html:
    rows = [
        [rank, ("★ " if line.key in gold else "") + line.name, f"{line.score:.4f}"]
        for rank, line in enumerate(ranking[:PASSAGES], start=1)
    ]
    return _table(["", "passage (★ gold)", "score"], rows)


def _sums(found: Competition) -> Html:
    """The extensions before γ, which are all that a learner may look at before the prediction."""
    rows = [
        [row["beam"], row["extension"], decimals.number(row["sum"])]
        for row in lesson_bars.rows(found, None)
    ]
    return _table(["beam", "extension", "sum"], rows)


def _competition(found: Competition) -> Html:
    rows = [
        [
            lesson_bars.short(rival),
            lesson_bars.ordinal(rival.found.position + 1),
            decimals.number(rival.found.total),
            decimals.number(rival.at[OWN].score),
            *(str(rival.places[stop] or "–") for stop in found.gammas),
        ]
        for rival in found.rivals
    ]
    heads = ["extension", "in its beam", "sum", "score"]
    stops = [f"γ {lesson_bars.stop_name(found, stop)}" for stop in found.gammas]
    return _table([*heads, *stops], rows)


def _table(heads: Sequence[str], rows: Rows) -> Html:
    if not rows:
        return tag("p", "Nothing.")
    return tag(
        "table",
        tag("thead", tag("tr", join(tag("th", head, scope="col") for head in heads))),
        tag("tbody", join(tag("tr", join(_cell(cell) for cell in row)) for row in rows)),
    )


def _cell(cell: object) -> Html:
    short = len(str(cell)) < SHORT
    return tag("td", cell, class_="gear-number" if short else None)


def show(workspace: Workspace, lesson: Lesson, made: LessonRuns) -> None:
    """The whole lesson, and the way back to its pages."""
    with st.container(horizontal=True, key="lesson-foot"):
        st.button(
            "Back to the pages", key="lesson-pages", on_click=address.hold, args=("plain", "")
        )
    competitions = {}
    for page in lesson.pages:
        if page.picture == "competition":
            try:
                competitions[page.number] = lesson_runs.competition(workspace, made, page)
            except NotReady:
                continue
    st.html(whole(lesson, made.evidences, made.infos, competitions))
