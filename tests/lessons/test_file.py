"""Lessons as teachers write them: what is read, and what is said about a mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gear_app.errors import BadInput
from gear_app.lessons import Reference, StepName, Words, library
from gear_app.lessons.file import FOLDER, paragraphs, parse, read_folders

LESSON = """
title = "Two towns"

[[run]]
name = "beams"
collection = "films"
question = "Where was the director of Harbour Lights born?"
method = "sync_ge"

[[page]]
title = "One search"
text = "The first is [Harbour Lights] with [0.03](score: harbour; fuse 1)."
step = "retrieve 1"

[[page]]
title = "Which is first?"
text = "Say."
step = "retrieve 1"
reveal = "fuse 1"
after = "So it is."
[page.task]
question = "Which passage?"
asks = "first: fuse 1"
solution = 2
[[page.task.option]]
text = "Winter Lights"
is = "winter"
[[page.task.option]]
text = "Harbour Lights"
is = "harbour"
"""


def test_a_lesson_is_read_from_its_file() -> None:
    lesson = parse(LESSON, "4-two-towns", 4)
    first, second = lesson.pages
    assert (lesson.id, lesson.place, lesson.title) == ("two-towns", 4, "Two towns")
    assert first.text == (
        (
            Words("The first is "),
            Words("Harbour Lights", Reference("name", ("Harbour Lights",))),
            Words(" with "),
            Words("0.03", Reference("score", ("harbour", "fuse 1"))),
            Words("."),
        ),
    )
    assert (first.step, first.reveal) == (StepName("retrieve"), StepName("retrieve"))
    assert second.reveal == StepName("fuse") and second.task is not None
    assert [option.value for option in second.task.options] == ["winter", "harbour"]
    assert [second.task.is_right(place) for place in (0, 1)] == [False, True]
    assert [address for address, _ in lesson.tasks()] == ["two-towns/2"]


def test_empty_lines_part_paragraphs_and_stars_and_backticks_mark_words() -> None:
    assert paragraphs("one\ntwo\n\n**three** `4`") == (
        (Words("one two"),),
        (Words("three", style="strong"), Words(" "), Words("4", style="code")),
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('title = "Two towns"', "", "the lesson has no title"),
        ('method = "sync_ge"', "", "run 1 has no method"),
        ("solution = 2", "solution = 3", "page 2: the task's solution is the number of an option"),
        (
            "(score: harbour; fuse 1)",
            "(scor: harbour)",
            "page 1: “scor: harbour” refers to nothing",
        ),
        ('step = "retrieve 1"', 'step = "retrieve one"', "page 1: “retrieve one” is no step"),
        ('step = "retrieve 1"', f'step = "retrieve {"1" * 5_000}"', "is no step. Write its verb"),
        ('step = "retrieve 1"', 'step = "retrieve ²"', "page 1: “retrieve ²” is no step"),
        ('reveal = "fuse 1"', 'revael = "fuse 1"', "“revael”. Did you mean 'reveal'?"),
        ('title = "One search"', 'title = "One search', "it is no TOML"),
        ('step = "retrieve 1"', 'picture = "movie"', "page 1: a picture is one of"),
        ('step = "retrieve 1"', 'run = "walk"', "page 1: there is no run “walk”"),
    ],
)
def test_a_mistake_is_named_with_its_place(before: str, after: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(LESSON.replace(before, after, 1), "two-towns")
    assert said in str(caught.value)


def test_a_folder_of_the_operator_adds_lessons_and_says_which_file_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = [lesson.id for lesson in library().lessons]
    (tmp_path / "2-two-towns.toml").write_text(LESSON, encoding="utf-8")
    (tmp_path / "1-broken.toml").write_text("title = ", encoding="utf-8")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    found = library()
    assert [lesson.id for lesson in found.lessons] == [*ours, "two-towns"]
    assert [lesson.place for lesson in found.lessons] == list(range(1, len(ours) + 2))
    (bad,) = found.bad
    assert bad.path.name == "1-broken.toml" and bad.message.startswith("1-broken.toml: it is no")


@pytest.mark.parametrize("text", ["a = " + "[" * 9000, "a = " + "9" * 9000])
def test_a_file_beyond_all_measure_is_no_lesson_and_the_others_are_shown(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "1-broken.toml").write_text(text, encoding="utf-8")
    (tmp_path / "2-two-towns.toml").write_text(LESSON, encoding="utf-8")
    found = read_folders([tmp_path])
    assert [lesson.id for lesson in found.lessons] == ["two-towns"]
    assert [bad.path.name for bad in found.bad] == ["1-broken.toml"]


def test_a_folder_that_is_not_there_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "nowhere"))
    assert [bad.message for bad in library().bad] == [f"There is no folder {tmp_path / 'nowhere'}."]


def test_a_pipe_and_a_folder_among_the_lessons_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1-pipe.toml")
    (tmp_path / "2-folder.toml").mkdir()
    (tmp_path / "3-device.toml").symlink_to("/dev/zero")
    (tmp_path / "4-lesson.toml").write_text(LESSON, encoding="utf-8")
    (tmp_path / "5-link.toml").symlink_to(tmp_path / "4-lesson.toml")
    found = read_folders([tmp_path])
    assert [one.id for one in found.lessons] == ["lesson", "link"]
    assert [one.message for one in found.bad] == [
        f"{name}.toml: it is no regular file." for name in ("1-pipe", "2-folder", "3-device")
    ]
