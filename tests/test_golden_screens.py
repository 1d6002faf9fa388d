"""What slides, pages, the terminal and exported traces say of the golden traces, and what the report
of an evaluation says (`tests/screens.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from gear_app.cli.report import report
from gear_app.display.evaluate import sections
from gear_app.display.share_pages import StoredRun, compared
from gear_app.display.share_pages import run_page as page
from gear_app.display.step import slide
from gear_app.display.telling import Scene
from gear_app.trace import timeline
from gear_app.trace.trace import progress
from gear_app.workspace.runs.service import Answer
from tests import screens
from tests.display.evaluated import BETTER, WORSE, results

COMPARED = ("bm25", "hybrid", "gear", "hipporag", "chain", "bdtr")


@pytest.mark.parametrize("name", screens.NAMES)
def test_slides_say_what_was_reviewed(name: str) -> None:
    screens.compare(list(_slides(screens.stored(name))), f"{name}.slides")


def _slides(stored: StoredRun) -> Iterator[str]:
    run, steps = stored.run, timeline.steps(stored.events)
    for step in steps:
        known = progress(stored.events, step.number, finished=True).events
        shown = slide(Scene(run, known, step, (), run.gold), steps)
        yield f"## {shown['place']}: {shown['prompt']}"
        yield shown["heading"]
        for column in shown["columns"]:
            more = f" (+{column['more']})" if column["more"] else ""
            yield f"[{column['name']}]{more} {column['ask']}"
            for card in column["cards"]:
                pieces = "".join(f"{mark and f'<{mark}>'}{text}" for text, mark in card["pieces"])
                words = [card["lead"], "★" if card["star"] else "", card["title"], card["note"]]
                yield " | ".join(filter(None, [*words, pieces, card["text"]]))


@pytest.mark.parametrize("name", screens.NAMES)
def test_the_page_of_a_run_says_what_was_reviewed(name: str) -> None:
    screens.compare(screens.html_lines(page(screens.stored(name))), f"{name}.page")


def test_the_page_of_a_comparison_says_what_was_reviewed() -> None:
    cards = compared([screens.stored(name) for name in COMPARED], None, None)
    screens.compare(screens.html_lines("".join(cards)), "comparison.page")


@pytest.mark.parametrize("name", screens.NAMES)
def test_the_terminal_says_what_was_reviewed(name: str) -> None:
    run, events = screens.stored(name).run, screens.stored(name).events
    fields = ("question", "method", "config", "reader", "k", "collection", "iterations")
    values = {name: getattr(run, name) for name in fields}
    answer = Answer(**values, id=run.id, ms=20.0, loading_ms=0.0, events=tuple(events))
    told = "\n".join(report(answer, 5)).splitlines()
    summaries = [f"{type(event).__name__}: {event.summary}" for event in events]
    screens.compare([*told, "", *summaries], f"{name}.terminal")


def test_the_report_of_an_evaluation_says_what_was_reviewed() -> None:
    methods = {"hybrid": [WORSE] * 12, "gear width=5": [BETTER] * 12, "bm25": [WORSE] * 12}
    screens.compare(screens.html_lines(sections.report(results(methods))), "evaluation")


def test_one_thing_is_no_plural() -> None:
    plural = re.compile(
        r"(?<![\w.@-])1 (passages|facts|triples|queries|calls|links|entities|communities|(passage|fact) (have|are))\b"
    )
    for file in screens.FOLDER.glob("*.txt"):
        assert not plural.search(file.read_text(encoding="utf-8")), file.name
