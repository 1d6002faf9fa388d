"""Questions on the page Collections: written, edited, deleted, asked, suggested by a language model;
and gold for any passage.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import language_models, visitors
from gear_app.core import demonstration
from gear_app.models.server import REPLY_TOKENS
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.models.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error, serving


@pytest.fixture
def tab(app: AppTest) -> AppTest:
    """The tab Questions, not drawn yet."""
    at = app.run().switch_page("collections/page.py")
    at.session_state["tab"] = "Questions"
    return at


def field(at: AppTest, name: str) -> str:
    """The key of a field of the form that is shown: it names the question as well."""
    inputs = [*at.text_area, *at.text_input, *at.number_input]
    return next(one.key for one in inputs if one.key and one.key.endswith(name))


def test_a_question_is_written_with_answers_and_gold_by_title(
    world: Workspace, tab: AppTest
) -> None:
    tab.run()
    tab.toggle(key="question-new").set_value(True).run()
    tab.text_area(key=field(tab, "-words")).set_value("Who dug the tunnel?")
    tab.text_area(key=field(tab, "-answers")).set_value("Marc Brunel\n\nBrunel")
    search = next(
        one.key
        for one in tab.text_input
        if one.key and one.key.endswith("-search") and "question-demo" in one.key
    )
    tab.text_input(key=search).set_value("thames brunel").run()
    next(one for one in tab.button if one.key and one.key.endswith("-add-marc")).click().run()
    tab.button(key="question-save").click().run()
    kept = world.collections["demo"].questions()[-1]
    assert (kept.question, kept.answers) == ("Who dug the tunnel?", ("Marc Brunel", "Brunel"))
    assert kept.supporting_keys == ("marc",)


def test_a_question_is_edited_and_deleted(world: Workspace, tab: AppTest) -> None:
    tab.run()
    tab.text_area(key=field(tab, "-words")).set_value("Who taught him?").run()
    tab.button(key="question-save").click().run()
    (kept,) = world.collections["demo"].questions()
    assert (kept.question, kept.supporting_keys) == ("Who taught him?", factories.GOLD)
    tab.button(key="question-delete").click().run()
    assert world.collections["demo"].questions() == []


def test_gold_of_a_passage_that_was_not_ranked_changes_the_recall_shown(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask("Thames tunnel", "demo", "bm25", k=1).run
    world.store.runs.mark_gold(run, ["marc"])
    assert [one.key for one in world.runs.answer(run).ranking] == ["tunnel", "marc"]
    app.session_state["details"] = True
    visit(app)
    assert "<b" in sentences(app) and ">1.00<" in sentences(app)
    app.text_input(key=f"gold-{run}-search").set_value("clifton").run()
    app.button(key=f"gold-{run}-add-clifton").click().run()
    assert world.runs.get(run).gold == ("marc", "clifton")
    kept = world.store.questions.find(world.store.collections.get("demo").id, "Thames tunnel")
    assert kept is not None and kept.supporting_keys == ("marc", "clifton")
    assert ">0.50<" in sentences(app)
    app.button(key=f"gold-{run}-remove-marc").click().run()
    assert world.runs.get(run).gold == ("clifton",)


HOSTILE = "Where was <script>alert(1)</script> the designer of the bridge at the Avon Gorge born?"


@pytest.fixture
def server(world: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The server of the environment; it suggests a question about the bridge and its designer."""

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        lines = asked["messages"][0]["content"].rpartition("Everything between")[2].splitlines()
        numbers = [
            lines[lines.index(title) - 1][10:-1] for title in ("Avon Gorge", "Thomas Telford")
        ]
        rows = [[HOSTILE, "Westerkirk", ", ".join(numbers)], ["Who?", "Nobody", "1, 2"]]
        return chat_reply(json.dumps({"questions": rows}))

    monkeypatch.setattr(visitors, "at_home", lambda *_: True)
    with serving(reply) as scripted:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.base_url)
        monkeypatch.setenv("GEAR_MODEL", "tiny_*1*")
        yield scripted


def suggest_buttons(tab: AppTest) -> list[str]:
    tab.run().session_state["fold-suggested"] = True
    return [one.label for one in tab.run().button if one.key == "suggest"]


def test_a_language_model_suggests_questions_and_a_failure_loses_none(
    world: Workspace, tab: AppTest, server: ScriptedServer
) -> None:
    world.store.prices.put("tiny_*1*", 1, 10)  # dollars for a million tokens
    assert suggest_buttons(tab) == [r"Ask tiny\_\*1\* for questions"]
    most, dollars = re.search(
        r"at most ([\d,]+) tokens in and out; (\S+)\.<", sentences(tab)
    ).groups()
    assert not server.asked, "nothing is asked for before somebody says so"
    tab.button(key="suggest").click().run()
    (prompt,) = server.prompts
    assert int(most.replace(",", "")) >= len(prompt) + REPLY_TOKENS and dollars.startswith("$0.0")
    assert "Westerkirk · " in sentences(tab) and "<script>" not in sentences(tab)
    assert "1 call of tiny_*1* · 11 + 7 tokens in + out · cost: under $0.0001" in sentences(tab)
    server.reply = lambda asked: error(401, "no such key")
    world.store.replies.forget()
    tab.button(key="suggest").click().run()
    assert "no such key" in sentences(tab) and "Westerkirk · " in sentences(tab)
    tab.button(key="suggestion-0").click().run()
    question = world.collections["demo"].questions()[-1]
    assert (question.question, question.answers) == (HOSTILE, ("Westerkirk",))
    assert sorted(question.supporting_keys) == ["avon", "telford"]
    assert tab.button(key="suggestion-0").disabled


def test_a_call_that_may_exceed_the_budget_is_not_made(
    world: Workspace, tab: AppTest, server: ScriptedServer
) -> None:
    tab.session_state[language_models.TOKENS] = 1_000
    assert suggest_buttons(tab)
    tab.button(key="suggest").click().run()
    assert "The budget of 1,000 tokens does not allow another call" in sentences(tab)
    assert not server.asked


def _from_elsewhere(world: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "at_home", lambda *_: False)


def _in_a_demonstration(world: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    world.restrict()
    monkeypatch.setenv(demonstration.VARIABLE, "1")
    monkeypatch.delenv("OPENAI_API_KEY")  # a server that wants none is not asked either


@pytest.mark.parametrize("visitor", [_from_elsewhere, _in_a_demonstration])
def test_a_visitor_without_the_right_to_it_is_offered_no_call(
    visitor: Callable[[Workspace, pytest.MonkeyPatch], None],
    world: Workspace,
    tab: AppTest,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visitor(world, monkeypatch)
    assert suggest_buttons(tab) == []
    assert "suggestion-0" in [one.key for one in tab.button]  # those of the templates
