"""Extraction on the way by a language model: its calls are the run's, and what fails in it is
told.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gear_app.analysis import timeline
from gear_app.errors import Cancelled, NotReady
from gear_app.events import Called, Event, Extracted, Failed, Retrieved, Stopped
from gear_app.llm.server import Spec
from gear_app.runs.request import Options, RunRequest
from gear_app.runs.runner import Answer
from gear_app.workspace import Workspace
from tests.llm.conftest import Bench
from tests.llm.server import ScriptedReply, ScriptedServer, chat_reply, error
from tests.llm.test_reader import gear_script
from tests.llm.world import by_role, role_of
from tests.small import PASSAGES, QUESTION, TRIPLES, of_kind
from tests.waiting import PATIENCE_S
from tests.workspaces import bare

LAZILY = Options(lazy="llm")
USELESS = "Hello! I am happy to help."
KEYS = {title: key for key, title, _ in PASSAGES}


def title(asked: dict[str, Any]) -> str:
    """Of the passage that a prompt is about."""
    return str(re.findall(r"<passage>\n(.*)\n", asked["messages"][0]["content"])[-1])


def graph(asked: dict[str, Any], usage: tuple[int, int] = (11, 7)) -> ScriptedReply:
    """The small world's own triples of the passage."""
    facts = [list(fact) for key, *fact in TRIPLES if key == KEYS[title(asked)]]
    return chat_reply(json.dumps({"named_entities": [facts[0][0]], "triples": facts}), usage=usage)


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    return bare(tmp_path)


def ask(
    films: Workspace, server: ScriptedServer, method: str = "naive_ge:bm25", **more: Any
) -> Answer:
    more = {"k": 3, "options": LAZILY, **more}
    return films.ask(QUESTION, "films", method, model=Spec(server.base_url, "tiny"), **more)


def test_the_extractors_calls_are_the_runs_own(films: Workspace, bench: Bench) -> None:
    server = bench.serve(graph)
    answer = ask(films, server)
    kinds = [type(event).__name__ for event in answer.events]
    assert kinds == [
        "Started",
        "Retrieved",
        "Called",
        "Called",
        "Called",
        "Extracted",
        "Expanded",
        "Fused",
        "Ranked",
        "EvidenceFound",
    ]
    assert [(c.role, c.iteration) for c in of_kind(answer.events, Called)] == [
        ("extraction", 1)
    ] * 3
    assert (answer.spent.calls, answer.spent.tokens) == (3, 3 * (11 + 7))
    step = next(step for step in timeline.steps(answer.events) if step.verb == "extract")
    assert [type(event).__name__ for event in step.events] == ["Called"] * 3 + ["Extracted"]
    (extracted,) = of_kind(answer.events, Extracted)
    assert extracted.extractor == "llm" and all(t.closest for t in extracted.triples)
    assert films.collections.get("films").triple_sets[0].name == "llm"
    assert ask(films, server).spent.calls == 0 and len(server.asked) == 3


def test_reader_and_extractor_share_a_server_and_the_run_is_made_again_without_it(
    films: Workspace, bench: Bench
) -> None:
    reader = by_role(**gear_script())
    server = bench.serve(
        lambda asked: graph(asked) if role_of(asked) == "extraction" else reader(asked)
    )
    answer = ask(films, server, "gear:bm25", reader="llm")
    roles = [call.role for call in of_kind(answer.events, Called)]
    assert (
        roles.count("extraction")
        == len(set(map(title, extractions(server))))
        == len(extractions(server))
    )
    assert roles[0] == "extraction" and "read" in roles
    films.store.replies.forget()
    asked = len(server.asked)
    happened: list[Event] = []
    assert (
        films.runs.replay(answer.run, happened.append).difference == ""
        and len(server.asked) == asked
    )
    assert of_kind(happened, Extracted) == of_kind(answer.events, Extracted)


def extractions(server: ScriptedServer) -> list[dict[str, Any]]:
    return [asked for asked in server.asked if role_of(asked) == "extraction"]


def test_a_method_whose_reader_reads_no_triples_extracts_none(
    films: Workspace, bench: Bench
) -> None:
    """IRCoT over hybrid: the model reads passages; nobody would look at the triples it was asked
    for.
    """
    server = bench.serve(by_role(ircot=["So the answer is: Port Mira."]))
    answer = ask(films, server, "ircot", reader="llm")
    assert [call.role for call in of_kind(answer.events, Called)] == ["think"]
    run = films.runs.get(answer.run)
    assert (run.options, run.triple_set) == ({}, None) and films.collections.get(
        "films"
    ).triple_sets == []


def test_a_reply_that_cannot_be_used_is_told_counted_and_costs_its_passage_alone(
    films: Workspace, bench: Bench
) -> None:
    server = bench.serve(
        lambda asked: chat_reply(USELESS) if title(asked) == "Harbour Lights" else graph(asked)
    )
    answer = ask(films, server, "gear:bm25")
    (failed,) = of_kind(answer.events, Failed)
    assert (failed.step, failed.reply) == ("extract", USELESS) and answer.spent.unusable == 1
    assert [
        p.title for e in of_kind(answer.events, Extracted) for p in e.passages if p.id in e.failed
    ] == ["Harbour Lights"]
    assert [f.reply for f in films.jobs.failures("films", "llm")] == [USELESS]
    assert [title(asked) for asked in server.asked].count("Harbour Lights") == 1
    assert films.runs.replay(answer.run).difference == ""
    ask(films, server, "gear:bm25")
    assert [title(asked) for asked in server.asked].count("Harbour Lights") == 2


def test_a_run_that_begins_without_triples_and_a_server_fails_with_the_servers_words(
    films: Workspace, bench: Bench
) -> None:
    server = bench.serve(lambda asked: error(401, "The account is closed."))
    for method in ("naive_ge:bm25", "gear:bm25", "ircot"):
        with pytest.raises(NotReady, match=r"none could be extracted\. .* The account is closed"):
            ask(films, server, method)
    run = films.runs.recent()[0]
    assert run.state == "failed" and "The account is closed." in run.message
    assert films.jobs.failures("films", "llm") == [], (
        "a passage nobody replied about can be asked about again"
    )


def test_once_nothing_more_is_extracted_no_later_step_tries_or_tells_it_again(
    films: Workspace, bench: Bench
) -> None:
    """The festival is read and the server goes with the next passage; the second iteration finds a
    passage that has not been read.
    """
    server = bench.serve(
        lambda asked: (
            graph(asked)
            if title(asked) == "Festival of Lights"
            else error(401, "The account is closed.")
        )
    )
    spec = Spec(server.base_url, "tiny", at_once=1)
    answer = films.ask(
        QUESTION,
        "films",
        "gear:bm25",
        k=3,
        model=spec,
        options=LAZILY,
        settings={"round_k": 3},
    )
    first, second = of_kind(answer.events, Retrieved)
    assert [passage.key for passage in first.ranking] == ["festival", "harbour", "hale"]
    assert [passage.key for passage in second.ranking] == ["festival", "harbour", "winter"]
    assert [title(asked) for asked in server.asked] == ["Festival of Lights", "Harbour Lights"]
    (failed,), (_,) = of_kind(answer.events, Failed), of_kind(answer.events, Extracted)
    assert failed.message.startswith("Nothing more is extracted in this run. ")
    assert "is closed" in failed.message and films.runs.get(answer.run).state == "done"
    assert [step.verb for step in timeline.steps(answer.events) if step.failed] == ["extract"]
    assert films.runs.replay(answer.run).difference == "", "a replay goes the same way"


def test_a_budget_ends_the_extraction_and_what_it_paid_for_is_kept(
    films: Workspace, bench: Bench
) -> None:
    server = bench.serve(lambda asked: graph(asked, usage=(400, 100)))
    spec = Spec(server.base_url, "tiny", max_tokens=100)

    def within(budget: int) -> Answer:
        return films.ask(
            QUESTION, "films", "naive_ge", k=8, model=spec, options=LAZILY, budget=budget
        )

    with pytest.raises(NotReady, match="too small for a single call"):
        within(100)
    answer = within(3000)
    (failed,), (step,) = of_kind(answer.events, Failed), of_kind(answer.events, Extracted)
    assert "The budget of 3,000 tokens does not allow another call" in failed.message
    assert (
        0 < len(step.passages) == answer.spent.calls == len(server.asked) < 8
        and answer.spent.tokens <= 3000
    )
    assert of_kind(answer.events, Stopped) == [] and films.runs.replay(answer.run).difference == ""
    assert (
        "The budget of 3,000 tokens does not allow another call"
        in films.runs.get(answer.run).message
    )
    assert (
        films.runs.same(RunRequest(QUESTION, "films", "naive_ge", k=8, model=spec, options=LAZILY))
        is None
    )
    rest = within(6000)
    assert len(server.asked) == 8 and rest.spent.calls == 8 - answer.spent.calls


def test_a_run_that_is_stopped_while_the_server_is_slow_keeps_the_replies_that_came(
    films: Workspace, bench: Bench
) -> None:
    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if title(asked) != "Ada Quill":
            return graph(asked)
        there = Workspace(films.path, embedder=films.models.uncached_embedder)
        while there.store.db.value("SELECT count(*) FROM model_replies") < 7:
            server.closing.wait(0.01)
        there.runs.cancel(there.runs.recent()[0].id)
        there.close()
        return ScriptedReply(b"", stalls=True)

    server = bench.serve(reply)
    with pytest.raises(Cancelled):
        ask(films, server, "naive_ge", k=8)
    done = (
        films.collections.get("films").triple_sets[0].passages_done
    )  # what came in as it was stopped is kept, not yet used
    assert server.gone.wait(PATIENCE_S) and films.costs.kept_replies().replies == 7 and done <= 7
    asked = len(server.asked)
    server.reply = graph
    answer = ask(films, server, "naive_ge", k=8)
    assert (
        len(server.asked) == asked + 1
        and len(of_kind(answer.events, Extracted)[0].passages) == 8 - done
    )
