"""Every missed gold passage of an evaluation has one cause, and the counts are those of the lists."""

from __future__ import annotations

import html as html_text
import re
from pathlib import Path

import pytest

from gear_app import retrievers
from gear_app.analysis.counts import causes, flow, steps
from gear_app.analysis.lost import Cause
from gear_app.errors import BadInput
from gear_app.evaluate import results
from gear_app.evaluate.causes import behind, gold_answers
from gear_app.evaluate.selection import Pick
from gear_app.rendering.html import draw
from gear_app.views.evaluate import causes as views
from gear_app.views.evaluate.tables import Look
from gear_app.views.palette import LIGHT
from gear_app.workspace import Workspace
from tests.evaluating import evaluate
from tests.workspaces import filled

K = 1


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


def test_every_missed_passage_has_one_cause(space: Workspace) -> None:
    found = evaluate(space, "films", ["bm25", "hybrid", "gear"], ks=(K, 5))
    answers = gold_answers(space, found, K)
    assert len(answers) == 3 * 2
    for method in found.methods:
        missed = (found.gold_of(method)["rank"] > K).sum()
        counted = causes(answers)[method]
        assert sum(counted.values()) == missed > 0 and Cause.FOUND not in counted
        assert sum(steps(answers, method).values()) == missed
        for cause, number in counted.items():
            assert len(behind(answers, Pick("cause", cause.value, method))) == number
        for pair, number in steps(answers, method).items():
            assert len(behind(answers, Pick("pair", " > ".join(pair), method))) == number


def test_a_run_that_failed_lost_nothing_that_is_counted(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise BadInput("gone")

    with monkeypatch.context() as patched:
        patched.setattr(retrievers, "answer", failing)
        found = evaluate(space, "films", ["bm25"], ks=(K, 5))
    assert list(found.failed["failure"]) == ["gone"]
    assert gold_answers(space, found, K) == []


def test_the_page_shows_the_counts_and_the_flow_adds_up(space: Workspace) -> None:
    id_ = evaluate(space, "films", ["bm25", "gear"], ks=(K, 5)).id
    found = results.load(space, id_)
    answers = gold_answers(space, found.evaluation, K)
    html = draw(views.table(found, answers, Look("gear", K)))
    for method, counted in causes(answers).items():
        for cause, number in counted.items():
            assert f'data-pick="cause|{cause.value}|{method}">{number}<' in html
    fates = flow(answers, "bm25", "gear")
    (drawn,) = views.flow_figure(fates, LIGHT).data
    assert sum(drawn.link.value) == 2
    picks = re.findall(
        r'data-pick="(fate[^"]*)">(\d)<', draw(views.flow_table(fates, "bm25", "gear"))
    )
    assert [int(number) for _, number in picks] == list(fates.values()) == [1, 1]
    for pick, number in picks:
        listed = behind(answers, Pick.parse(html_text.unescape(pick)))
        assert len(listed) == int(number) and {one.method for one in listed} == {"bm25"}
    lost = behind(answers, Pick("missed", "", "bm25"))
    assert len(lost) == 2
    link = views.behind(found.evaluation, lost[:1])
    assert "&amp;all=1&amp;why=" in link and f"&amp;k={K}" in link
