"""The lessons that come with the application say what their runs say, and a lesson that does not is
found out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gear_app.embedders.cache import CachedEmbedder
from gear_app.events import Expanded
from gear_app.lessons import Lesson, LessonPage, library
from gear_app.lessons.competition import STOPS, contest, gamma_setting
from gear_app.lessons.evidence import RunEvidence, RunEvidences
from gear_app.lessons.facts import page_problems
from gear_app.lessons.file import parse
from gear_app.runs.request import RunRequest
from gear_app.ui.learn import lesson_print
from gear_app.views import glossary
from gear_app.workspace import Workspace
from tests import screens
from tests.lessons.test_file import LESSON

DATA = Path(__file__).parents[2] / "data"
LESSONS = {lesson.id: lesson for lesson in library().lessons}


def problems(lesson: Lesson, runs: RunEvidences) -> list[str]:
    """What the runs do not bear out, after its page; none for a true lesson."""
    return [
        f"page {page.number}: {found}"
        for page in lesson.pages
        for found in page_problems(page, runs)
    ]


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, minilm: CachedEmbedder) -> Iterator[Workspace]:
    """The collections of the lessons, with the bundled model's vectors."""
    workspace = Workspace(tmp_path_factory.mktemp("lessons") / "w.db", embedder=minilm)
    for name in ("demo", "garden", "walkthrough"):
        workspace.import_path(DATA / name, name)
    yield workspace
    workspace.close()


def made(workspace: Workspace, lesson: Lesson) -> tuple[dict[str, RunEvidence], dict[str, str]]:
    """A lesson's runs, made where they are not there yet: their events, and their ids."""
    found, ids = {}, {}
    for run in lesson.runs:
        same = workspace.runs.same(run.request())
        ids[run.name] = same.id if same else workspace.runner.ask(run.request()).run
        info = workspace.runs.get(ids[run.name])
        found[run.name] = RunEvidence(run, tuple(workspace.runs.events(info.id)), info.gold)
    return found, ids


def test_the_lessons_stand_in_their_order() -> None:
    assert list(LESSONS) == [
        "one-search",
        "triples-and-syncge",
        "beam-search",
        "gist-memory",
        "pagerank-or-beams",
        "bridges-and-bdtr",
        "griever",
        "links-and-rrf",
        "bremen-cathedral",
        "what-is-a-path-made-of",
        "passage-or-sentence",
        "what-a-reranker-loses",
        "runs-that-fail",
    ]
    assert all(lesson.tasks() for lesson in LESSONS.values())


@pytest.mark.models
@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_every_number_name_and_solution_of_a_lesson_is_true_of_its_runs(
    lesson: Lesson, taught: Workspace
) -> None:
    assert problems(lesson, made(taught, lesson)[0]) == []


@pytest.mark.models
@pytest.mark.parametrize("lesson", LESSONS.values(), ids=LESSONS)
def test_a_printed_lesson_says_what_was_reviewed(lesson: Lesson, taught: Workspace) -> None:
    """But for decimals, whose last digit is the processor's; the test above holds their truth."""
    runs, ids = made(taught, lesson)
    competitions = {
        page.number: contest(partial(taught.what_if.variant, ids[page.run]), runs[page.run], page)
        for page in lesson.pages
        if page.picture == "competition"
    }
    infos = {name: taught.runs.get(id_) for name, id_ in ids.items()}
    lines = screens.html_lines(lesson_print.whole(lesson, runs, infos, competitions))
    screens.compare([re.sub(r"\d+\.\d+", "0.0", line) for line in lines], f"lesson-{lesson.id}")


def test_terms_that_a_lesson_explains_are_in_the_glossary() -> None:
    named = {
        words.reference.arguments[0]
        for lesson in LESSONS.values()
        for page in lesson.pages
        for paragraph in page.texts()
        for words in paragraph
        if words.reference and words.reference.kind == "term"
    }
    assert named and named <= set(glossary.TERMS)


COMPETITIONS = [
    (lesson, page)
    for lesson in LESSONS.values()
    for page in lesson.pages
    if page.picture == "competition" and page.task
]


@pytest.mark.models
@pytest.mark.parametrize(("lesson", "page"), COMPETITIONS, ids=lambda one: one.title)
def test_at_every_stop_of_gamma_the_bars_are_those_of_a_run_made_so(
    lesson: Lesson, page: LessonPage, taught: Workspace
) -> None:
    runs, ids = made(taught, lesson)
    own = runs[page.run]
    found = contest(partial(taught.what_if.variant, ids[page.run]), own, page)
    for stop in STOPS:
        settings = {**own.run.settings, "beam.gamma": gamma_setting(stop, found.width)}
        request = RunRequest(
            own.run.question, own.run.collection, own.run.method, own.run.triples, settings
        )
        (search,) = [
            event for event in taught.runner.ask(request).events if isinstance(event, Expanded)
        ]
        last = search.steps[-1]
        assert [rival.found.path for rival in found.kept(stop)] == [one.path for one in last.kept]
        there = {one.path: one for one in (*last.kept, *last.pruned)}
        for rival in found.rivals:
            if one := there.get(rival.found.path):
                assert rival.at[stop] == one
    assert {stop: len(found.kept(stop)) for stop in STOPS} == dict.fromkeys(STOPS, found.width)


@pytest.mark.models
def test_the_example_of_the_documentation_is_a_true_lesson(taught: Workspace) -> None:
    page = (DATA.parent / "docs" / "teach.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    lesson = parse(written, "2-night-shift")
    assert problems(lesson, made(taught, lesson)[0]) == []


@pytest.mark.models
def test_without_gamma_one_beam_takes_all_places_in_the_third_lesson(taught: Workspace) -> None:
    lesson = LESSONS["beam-search"]
    runs, ids = made(taught, lesson)
    variant = partial(taught.what_if.variant, ids["beams"])
    found = contest(variant, runs["beams"], lesson.page(2))
    assert {rival.beam for rival in found.kept("off")} == {0}
    assert {rival.beam for rival in found.kept("2b")} == {0, 1}


# A lesson that is not true


@pytest.fixture
def films_run(films: Workspace) -> dict[str, RunEvidence]:
    return made(films, parse(LESSON, "two-towns"))[0]


def test_a_lesson_on_ones_own_collection_is_borne_out(films_run: dict[str, RunEvidence]) -> None:
    assert problems(parse(LESSON, "two-towns"), films_run) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[0.03](score: harbour", "[0.04](score: harbour", "page 1: “0.04” is 0.0"),
        ("[Harbour Lights] with", "[Harbor Lights] with", "is called so"),
        ("The first is [", "The first of 9 is [", "page 1: the number 9 refers to nothing"),
        (
            "solution = 2",
            "solution = 1",
            "page 2: the task's solution says “winter”, the run “harbour”",
        ),
        ("score: harbour;", "score: harbor;", "the ranking has no such passage"),
        ('reveal = "fuse 1"', 'reveal = "fuse 2"', "Unknown step of the run 'beams' 'fuse 2'"),
        (
            'reveal = "fuse 1"',
            'reveal = "expand 1"\nopens = "Nobody | left | nothing"',
            "the card that opens first: “beam: score; Nobody | left | nothing”: no candidate",
        ),
        ('asks = "first: fuse 1"', 'asks = "found: five"', "“five” is no whole number"),
    ],
)
def test_what_a_run_does_not_bear_out_is_said(
    before: str, after: str, said: str, films_run: dict[str, RunEvidence]
) -> None:
    assert before in LESSON
    (first, *_) = problems(parse(LESSON.replace(before, after, 1), "two-towns"), films_run)
    assert said in first
