"""The lessons of the application agree with their runs, and their printed form is reviewed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.app.learn.competition import rivals
from gear_app.app.learn.handout import handout
from gear_app.app.learn.runs import LessonRun, Runs
from gear_app.lessons.facts import LessonTrace, Rival, beams, gammas, page_text
from gear_app.lessons.lesson import Lesson, library, read_folders
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.rerun import RerunService
from gear_app.workspace.workspace import Workspace
from tests import screens
from tests.variants import drafted

DATA = Path(__file__).parents[2] / "data"
LESSONS = library()[0]
every_lesson = pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, minilm: CachedEmbedder) -> Iterator[Workspace]:
    """The collections of the lessons, with the bundled model's vectors."""
    workspace = Workspace(tmp_path_factory.mktemp("lessons") / "w.db", embedder=minilm)
    for name in ("demo", "garden", "walkthrough"):
        workspace.imports.do(DATA / name, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RerunService, "enqueue_draft", drafted)
        yield workspace
    workspace.close()


def made(workspace: Workspace, lesson: Lesson) -> Runs:
    """A lesson's runs, made where they are missing."""
    runs: Runs = {}
    for run in lesson.runs:
        stored = workspace.runs.same(run.request())
        id_ = stored.id if stored else workspace.runner.ask(run.request()).run
        info = workspace.runs.get(id_)
        runs[run.name] = LessonRun(
            info, LessonTrace(RunTrace(workspace.runs.events(id_)), info.gold)
        )
    return runs


def problems(lesson: Lesson, runs: Runs) -> list[str]:
    traces = {name: run.trace for name, run in runs.items()}
    return [text.problem for page in lesson.pages if (text := page_text(page, traces)).problem]


def competitions(
    workspace: Workspace, lesson: Lesson, runs: Runs
) -> dict[int, dict[str, list[Rival]]]:
    return {
        number: rivals(
            runs[page.run].info.id,
            page.step,
            _workspace=workspace,
            _trace=runs[page.run].trace,
        )
        for number, page in enumerate(lesson.pages, start=1)
        if page.picture == "competition"
    }


@pytest.mark.models
@every_lesson
def test_every_name_number_and_solution_of_a_lesson_is_true_of_its_runs(
    lesson: Lesson, taught: Workspace
) -> None:
    assert problems(lesson, made(taught, lesson)) == []
    assert any(page.task for page in lesson.pages)


@pytest.mark.models
@every_lesson
def test_a_printed_lesson_says_what_was_reviewed(lesson: Lesson, taught: Workspace) -> None:
    """But for decimals, whose last digits are the processor's."""
    runs = made(taught, lesson)
    (id_,) = [id_ for id_, one in LESSONS.items() if one is lesson]
    lines = screens.html_lines(handout(taught, lesson, runs))
    screens.compare([re.sub(r"\d+\.\d+", "0.0", line) for line in lines], f"lesson-{id_}")


@pytest.mark.models
def test_at_every_gamma_the_bars_are_those_of_a_run_made_with_it(taught: Workspace) -> None:
    lesson = LESSONS["beam-search"]
    runs = made(taught, lesson)
    for number, by_gamma in competitions(taught, lesson, runs).items():
        page = lesson.pages[number - 1]
        (run,) = [one for one in lesson.runs if one.name == page.run]
        for name, gamma in gammas(int(run.settings["beam.width"])).items():
            settings = {**run.settings, "beam.gamma": "none" if gamma is None else gamma}
            request = run.model_copy(update={"settings": settings}).request()
            asked = taught.runner.ask(request)
            last = beams(LessonTrace(RunTrace(asked.events)).step(page.step))[-1]
            kept = [rival for rival in by_gamma[name] if rival.rank]
            kept.sort(key=lambda rival: rival.rank or 0)
            assert [rival.extension for rival in kept] == list(last.kept)
            every = {one.path: one for one in (*last.kept, *last.pruned)}
            assert all(every[one.path] == one for _, one, _ in by_gamma[name])
            assert len(by_gamma[name]) == len(by_gamma["2b"])  # bars neither come nor go


@pytest.mark.models
def test_the_example_of_the_documentation_is_a_true_lesson(
    taught: Workspace, tmp_path: Path
) -> None:
    page = (DATA.parent / "docs" / "teach.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (tmp_path / "2-night-shift.toml").write_text(written, encoding="utf-8")
    lesson = read_folders([tmp_path])[0]["night-shift"]
    assert problems(lesson, made(taught, lesson)) == []
