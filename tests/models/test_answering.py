"""Answers written by a language model."""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.display.calls import fell_short
from gear_app.trace import timeline
from gear_app.trace.events import Answered, Called, Failed
from gear_app.workspace.runs.request import Options
from gear_app.workspace.runs.service import Answer
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Serve
from tests.models.server import ScriptedReply, chat_reply
from tests.models.world import by_role, role_of
from tests.small import QUESTION, of_kind


def ask(films: Workspace) -> Answer:
    return films.ask(QUESTION, "films", "bm25", reader="llm", options=Options(answer=True))


def test_each_source_has_its_prompt(films: Workspace, serve: Serve) -> None:
    def reply(asked: dict[str, Any]) -> ScriptedReply:
        return chat_reply("Answer: Port Mira" if role_of(asked) == "answer" else "Lorn, of course")

    server = serve(reply)
    found = ask(films)
    said_ = of_kind(found.events, Answered)
    assert [(event.source, event.answer) for event in said_] == [
        ("retrieved", "Port Mira"),
        ("gold", "Port Mira"),
        ("nothing", "Lorn, of course"),
    ]
    alone = [text for text in server.prompts if "<document" not in text]
    read = sorted((text for text in server.prompts if "<document" in text), key=len)
    assert len(alone) == 1 and QUESTION in alone[0]
    marked = f"{QUESTION}</question>"
    gold, retrieved = (text.split("The documents.")[1] for text in read)
    assert gold.count("</document") == 2 and "She studied law." in gold and marked in gold
    assert retrieved.count("</document") == len(found.ranking[:5]) > 2
    assert (found.spent.calls, len(of_kind(found.events, Called))) == (3, 3)
    last = timeline.steps(found.events)[-1]
    assert (last.verb, last.iteration, len(of_kind(last.events, Called))) == ("answer", 0, 3)


@pytest.mark.parametrize("words", ["", " \n "])
def test_a_reply_without_words_costs_one_answer_and_not_the_run(
    films: Workspace, serve: Serve, words: str
) -> None:
    serve(by_role(answer=["Port Mira"], answer_alone=[words]))
    found = ask(films)
    (failed,) = of_kind(found.events, Failed)
    assert (failed.step, failed.reply, failed.replied) == ("answer", words, True)
    assert "is empty" in failed.message
    assert [event.source for event in of_kind(found.events, Answered)] == ["retrieved", "gold"]
    assert films.runs.get(found.run).state == "done" and found.spent.unusable == 1
    assert "1 reply not fully usable" in fell_short(found.events)
    last = timeline.steps(found.events)[-1]
    assert (last.verb, last.failed, len(last.events)) == ("answer", True, 6)
