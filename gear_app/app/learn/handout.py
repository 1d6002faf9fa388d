"""A lesson as one page, to read through and to print: texts, pictures in words, solutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.app.learn.competition import rivals, rows
from gear_app.app.learn.runs import Runs, scene_of
from gear_app.display import draw, labels, memory
from gear_app.display.markup import Html, join, tag
from gear_app.display.step import card_rows, telling
from gear_app.lessons.facts import Rival, fused, page_text
from gear_app.lessons.lesson import Lesson, Page, Task
from gear_app.trace.events import RankedPassage
from gear_app.workspace.workspace import Workspace

PASSAGES = 7  # of a ranking


def handout(workspace: Workspace, lesson: Lesson, runs: Runs) -> Html:
    """All pages of a lesson. Raises NotReady."""
    traces = {name: run.trace for name, run in runs.items()}
    sections = []
    for page in lesson.pages:
        text, by_gamma = page_text(page, traces), None
        if page.picture == "competition":
            info, trace = runs[page.run]
            by_gamma = rivals(info.id, page.step, _workspace=workspace, _trace=trace)
        after = list(_pictures(page, runs, by_gamma, revealed=True))
        before = list(_pictures(page, runs, by_gamma, revealed=False)) if page.task else after
        info = runs[page.run].info
        question = f"{labels.method_name(info.method)}: {info.question}"
        figures = [
            tag("figure", tag("figcaption", question), *pictures) if pictures else ""
            for pictures in (before, [picture for picture in after if picture not in before])
        ]
        task = _task(page.task, text.solution) if page.task and not text.problem else ""
        parts = tag("h2", page.title), text.text, figures[0], task, figures[1], text.after
        sections.append(tag("section", *parts))
    head = tag("h1", lesson.title), tag("p", lesson.about, class_="gear-note")
    return tag("article", *head, *sections, class_="gear-plain")


def _task(task: Task, place: int) -> Html:
    solution = task.options[place]
    remark = f" ({solution.remark})" if solution.remark else ""
    return tag(
        "div",
        tag("h3", task.question),
        tag("ol", join(tag("li", option.text) for option in task.options)),
        tag("p", tag("b", "Solution: "), f"{solution.text}{remark}.", class_="gear-solution"),
    )


def _pictures(
    page: Page, runs: Runs, by_gamma: dict[str, list[Rival]] | None, *, revealed: bool
) -> Iterator[Html]:
    """The picture of a page in words, before its task is answered or afterwards."""
    run, name = runs[page.run], page.reveal if revealed else page.step
    if by_gamma:
        yield draw.table(rows(by_gamma, revealed))
    elif page.picture == "fusion" and revealed:
        yield _ranking(fused({name: run_.trace for name, run_ in runs.items()}), run.trace.gold)
    elif name:
        scene = scene_of(run, page, name)
        view = telling(scene)
        if page.picture == "gist":
            yield draw.table(card_rows(memory.gist(scene.trace).columns))
        yield tag("p", view.headline)
        if view.picture and page.picture != "gist":
            yield draw.columns(view, scene.trace.names)
        for event in scene.step.events:
            if event.listed:
                yield _ranking(event.listed, run.trace.gold)


def _ranking(ranking: Sequence[RankedPassage], gold: Sequence[str]) -> Html:
    return draw.table(
        [
            {
                "rank": rank,
                "passage (★ gold)": f"{'★ ' if line.key in gold else ''}{line.name}",
                "score": f"{line.score:.4f}",
            }
            for rank, line in enumerate(ranking[:PASSAGES], start=1)
        ]
    )
