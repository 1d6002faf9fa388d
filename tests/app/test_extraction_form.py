"""Extraction with a language model from the page: the choice, the estimate, the cap, the totals,
what fell short.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.store.rows import JobInfo
from gear_app.workspace.jobs import extraction as extraction_job
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import on_tab, sentences
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply, serving
from tests.models.world import role_of

PAGE = "collections/page.py"

Work = Callable[[], None]
HOSTILE = "Sorry. <script>alert(1)</script> **bold** ![x](http://192.0.2.1/x.png)"


class Model:
    """Replies with a triple about every passage, but for those whose title is in `script`."""

    def __init__(self) -> None:
        self.script: dict[str, str] = {}

    def __call__(self, asked: dict[str, Any]) -> ScriptedReply:
        prompt = asked["messages"][0]["content"]
        title = prompt.rpartition("<passage>\n")[2].partition("\n")[0]
        if role_of(asked) == "entities":
            return chat_reply(json.dumps({"named_entities": [title, "London"]}), usage=(400, 60))
        triples = {"named_entities": [title, "London"], "triples": [[title, "is in", "London"]]}
        return chat_reply(self.script.get(title) or json.dumps(triples), usage=(400, 60))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """A server that the environment names."""
    monkeypatch.setattr(extraction_job, "GATHERED_S", 0.05)
    made = Model()
    with serving(made) as server:
        _named(server, monkeypatch)
        yield made


def _named(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("GEAR_MODEL", "tiny")


@pytest.fixture
def towns(empty: Workspace) -> Workspace:
    """Three passages."""
    for name in ("Soho", "Camden", "Barnes"):
        empty.imports.do(Pasted(name, f"{name} is a part of London."), "towns")
    return empty


def run(page: AppTest) -> AppTest:
    return on_tab(page, "Triples")


def extraction(workspace: Workspace) -> JobInfo:
    return next(job for job in workspace.jobs.recent("towns") if job.kind == "extraction")


def with_model(page: AppTest, extractor: str = "llm") -> AppTest:
    run(page)
    page.selectbox(key="extract-by").set_value(extractor)
    return run(page)


def test_the_estimate_comes_first_and_the_cap_is_twice_it(
    towns: Workspace, page: AppTest, model: Model
) -> None:
    with_model(page)
    estimate = towns.costs.estimate_extraction("towns")
    assert f"Estimate: 3 calls; {estimate.input_tokens:,} tokens in" in sentences(page)
    assert "price not known" in sentences(page)
    assert page.number_input(key="extract-cap-llm-llm").value == estimate.cap
    kinds = {job.kind for job in towns.jobs.recent("towns")}
    assert "extraction" not in kinds, "nothing is asked for before somebody says so"
    with_model(page, "llm:two")
    assert "Estimate: 6 calls" in sentences(page)


def test_what_was_chosen_is_what_is_done(
    towns: Workspace, page: AppTest, model: Model, work: Work
) -> None:
    with_model(page, "llm:two")
    page.text_input(key="extract-into").set_value(" mine ")
    run(page)
    page.number_input(key="extract-cap-llm:two-mine").set_value(60_000)
    page.button(key="extract").click().run()
    job = extraction(towns)
    assert (job.extractor, job.triple_set, job.budget) == ("llm:two", "mine", 60_000)
    assert "“mine” is being extracted" in sentences(page)
    work()
    run(page)
    assert "Extraction is finished. 3 triples from 3 passages." in sentences(page)
    spent = "6 calls of tiny · 2,760 tokens of at most 60,000 · price not known"
    assert any(spent in one.value.replace("\\", "") for one in page.caption)
    assert page.dataframe[0].value["made by"][0] == "tiny, in two steps"


def test_what_fell_short_is_listed_as_text_and_tried_again(
    towns: Workspace, page: AppTest, model: Model, work: Work
) -> None:
    model.script = {"Soho": HOSTILE, "Camden": '{"named_entities": [], "triples": []}'}
    with_model(page)
    page.button(key="extract").click().run()
    work()
    run(page)
    assert "“llm”: 1 passage failed; 1 passage without triples." in sentences(page)
    assert "&lt;script&gt;alert(1)" in sentences(page) and "<script>alert" not in sentences(page)
    assert all("192.0.2.1" not in text.value for text in (*page.markdown, *page.caption))
    model.script = {}
    page.button(key="again-llm").click().run()
    job = extraction(towns)
    assert (job.state, job.extractor, job.budget) == ("queued", "llm", 20_000)
    work()
    run(page)
    assert "failed" not in sentences(page)
    assert {t.subject for t in towns.collections["towns"].triples("llm")} == {
        "Soho",
        "Camden",
        "Barnes",
    }
