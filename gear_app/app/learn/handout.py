"""A lesson as one page, to read through and to print: texts, a table per picture, solutions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gear_app.app.learn import competition
from gear_app.app.learn.picture import Runs, scene_of
from gear_app.display import labels, memory
from gear_app.display.markup import Html, join, tag
from gear_app.display.step import telling
from gear_app.display.telling import Card, Column
from gear_app.lessons.competition import Rival
from gear_app.lessons.facts import fused, page_text
from gear_app.lessons.lesson import Lesson, Page, Task
from gear_app.trace.events import RankedPassage

PASSAGES, CARDS = 7, 12  # rows of a table
SHORT = 8  # characters of a cell that is not to be broken
Competitions = dict[int, dict[str, list[Rival]]]  # of the pages that have one, by number


def handout(lesson: Lesson, runs: Runs, competitions: Competitions) -> Html:
    """All pages of a lesson."""
    traces = {name: run.trace for name, run in runs.items()}
    sections = []
    for place, page in enumerate(lesson.pages, start=1):
        text = page_text(page, traces)
        after = list(_tables(page, runs, competitions.get(place), revealed=True))
        before = after
        if page.task:
            before = list(_tables(page, runs, competitions.get(place), revealed=False))
        question = (
            f"{labels.method_name(runs[page.run].info.method)}: {runs[page.run].info.question}"
        )
        figures = [
            tag("figure", tag("figcaption", question), *tables) if tables else ""
            for tables in (before, [table for table in after if table not in before])
        ]
        task = _task(page.task) if page.task else ""
        parts = tag("h2", page.title), text.text, figures[0], task, figures[1], text.after
        sections.append(tag("section", *parts))
    head = tag("h1", lesson.title), tag("p", lesson.about, class_="gear-note")
    return tag("article", *head, *sections, class_="gear-plain")


def _task(task: Task) -> Html:
    solution = task.options[task.solution - 1]
    remark = f" ({solution.remark})" if solution.remark else ""
    return tag(
        "div",
        tag("h3", task.question),
        tag("ol", join(tag("li", option.text) for option in task.options)),
        tag("p", tag("b", "Solution: "), f"{solution.text}{remark}.", class_="gear-solution"),
    )


def _tables(
    page: Page, runs: Runs, by_gamma: dict[str, list[Rival]] | None, *, revealed: bool
) -> Iterator[Html]:
    """The picture of a page in words, before its task is answered or afterwards."""
    run, name = runs[page.run], page.reveal if revealed else page.step
    if by_gamma:
        yield _of_rows(competition.rows(by_gamma, revealed))
    elif page.picture == "fusion" and revealed:
        yield _ranking(fused({name: run_.trace for name, run_ in runs.items()}), run.trace.gold)
    elif name:
        scene = scene_of(run, page, name)
        if page.picture == "gist":
            yield _of_rows(memory.rows(scene.events))
        view = telling(scene)
        yield tag("p", view.headline)
        columns = view.columns if view.picture and page.picture != "gist" else ()
        for column in columns:
            if column.cards:
                yield _column(column)
        for event in scene.step.events:
            if event.listed:
                yield _ranking(event.listed, run.trace.gold)


def _column(column: Column) -> Html:
    cards = column.cards[:CARDS]
    if more := column.more + len(column.cards) - len(cards):
        cards = (*cards, Card("", f"and {more} more"))
    rows = [_cells(card) for card in cards]
    return _table(["", column.name, "", ""], rows)


def _cells(card: Card) -> list[str]:
    words = "".join(text for text, _ in card.pieces) or card.text
    dropped = " (left out)" if card.kind == "pruned" and card.pieces else ""
    return [card.lead, ("★ " if card.star else "") + card.title, words + dropped, card.note]


def _ranking(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> Html:
    rows = [
        [rank, ("★ " if line.key in gold else "") + line.name, f"{line.score:.4f}"]
        for rank, line in enumerate(ranking[:PASSAGES], start=1)
    ]
    return _table(["", "passage (★ gold)", "score"], rows)


def _of_rows(rows: Sequence[Mapping[str, object]]) -> Html:
    return _table(list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """A table without its empty columns."""
    places = [at for at, head in enumerate(heads) if any(str(row[at]) for row in rows)]
    cells = [[row[at] for at in places] for row in rows]
    body = (
        join(
            tag("td", cell, class_="gear-number" if len(str(cell)) < SHORT else None)
            for cell in row
        )
        for row in cells
    )
    head = join(tag("th", heads[at], scope="col") for at in places)
    return tag(
        "table", tag("thead", tag("tr", head)), tag("tbody", *(tag("tr", row) for row in body))
    )
