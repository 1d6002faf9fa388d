"""Lessons as teachers write them: what is read, and what is said about a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.lessons.lesson import Lesson, read_folders

LESSON = """
title = "Two towns"

[[run]]
name = "beams"
collection = "films"
question = "Where was the director of Harbour Lights born?"
method = "sync_ge"

[[page]]
title = "One search"
text = 'The first is [Harbour Lights] with {{ score("harbour", "fuse 1")|round(2) }}.'
step = "retrieve 1"

[[page]]
title = "Which is first?"
text = "Say."
step = "retrieve 1"
reveal = "fuse 1"
after = "So it is."
[page.task]
question = "Which passage?"
asks = 'first("fuse 1")'
[[page.task.option]]
text = "Winter Lights"
is = "winter"
[[page.task.option]]
text = "Harbour Lights"
is = "harbour"
"""


def parse(text: str, folder: Path) -> Lesson:
    """The lesson in a text."""
    (folder / "1-lesson.toml").write_text(text, encoding="utf-8")
    lessons, problems = read_folders([folder])
    assert problems == []
    return lessons["lesson"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('title = "Two towns"', "", "title\n  Field required"),
        ('method = "sync_ge"', "", "run.0.method\n  Field required"),
        ('reveal = "fuse 1"', 'revael = "fuse 1"', "page.1.revael\n  Extra inputs"),
        ('title = "One search"', 'title = "One search', "Illegal character"),
        ('title = "One search"', 'title = " "', "page.0.title\n  String should have"),
        ('step = "retrieve 1"', 'run = "walk"', "page 1: “walk” is not the name of one of"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_hides_no_other_lesson(
    before: str, after: str, words: str, tmp_path: Path
) -> None:
    assert before in LESSON
    (tmp_path / "1-bad.toml").write_text(LESSON.replace(before, after, 1), encoding="utf-8")
    (tmp_path / "2-good.toml").write_text(LESSON, encoding="utf-8")
    lessons, (problem,) = read_folders([tmp_path])
    assert list(lessons) == ["good"]
    assert problem.startswith("1-bad.toml: ") and words in problem
