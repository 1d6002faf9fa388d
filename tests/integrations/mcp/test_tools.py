"""What can be asked, without the protocol: on the small collection, whose facts are known by heart."""

from __future__ import annotations

import json

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.integrations.mcp.server import NAMES
from gear_app.integrations.mcp.tools import NOTICE, McpTools
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION

APP = "http://127.0.0.1:8501"


@pytest.fixture
def tools(films: Workspace) -> McpTools:
    return McpTools(films, "", APP + "/")


def _id(films: Workspace, key: str) -> str:
    return f"films:{films.collections['films'].passage_by_key(key).id}"


def test_search_gives_what_connectors_want_and_a_stored_run(
    tools: McpTools, films: Workspace
) -> None:
    reply = tools.search(QUESTION)
    assert all(set(one) == {"id", "title", "url"} for one in reply["results"])
    assert {"Harbour Lights", "Ada Quill"} <= {one["title"] for one in reply["results"][:5]}
    run = films.runs.get(reply["run"])
    assert (run.state, run.question, run.reader) == ("done", QUESTION, "local")
    assert reply["see"] == f"{APP}/explore?run={run.id}"
    assert len({one["url"] for one in reply["results"]}) == len(reply["results"])
    assert all(one["url"].startswith(reply["see"]) for one in reply["results"])


def test_compare_has_a_run_for_each_method_and_the_ranks_of_each(tools: McpTools) -> None:
    reply = tools.compare(QUESTION, ["bm25", "gear"], k=3)
    assert [one["method"] for one in reply["runs"]] == ["bm25", "gear"]
    ranks = [row["ranks"] for row in reply["passages"]]
    for method in ("bm25", "gear"):
        assert sorted(row[method] for row in ranks if method in row) == [1, 2, 3]
    assert len(ranks[0]) == 2


def test_a_path_names_what_joins_two_passages(tools: McpTools, films: Workspace) -> None:
    near = tools.path(_id(films, "harbour"), _id(films, "quill"))
    assert (near["found"], near["names"], near["facts"]) == (True, ["Ada Quill"], [])
    far = tools.path("Harbour Lights", "Tom Vane")
    assert far["names"] == ["Harbour Lights", "Ada Quill", "Port Mira", "Tom Vane"]
    assert [one["title"] for one in far["facts"]] == ["Harbour Lights", "Ada Quill", "Port Mira"]


def test_neighbours_of_a_passage_are_facts_of_others(tools: McpTools, films: Workspace) -> None:
    quill = _id(films, "quill")
    facts = tools.neighbours(quill)["facts"]
    assert facts and quill not in [fact["passage"] for fact in facts]


def test_what_cannot_be_asked_is_told_in_words(tools: McpTools, films: Workspace) -> None:
    with pytest.raises(Unknown, match="Unknown passage 'films:999'"):
        tools.fetch("films:999")
    for id_ in ("1", "other:1", "nonsense", "films:" + "9" * 5_000, "films:" + "9" * 20):
        with pytest.raises(BadInput, match="COLLECTION:NUMBER") as caught:
            tools.fetch(id_)
        assert len(str(caught.value)) < 200
    films.imports.do(Pasted("Elsewhere", "Lorn lies elsewhere."), "elsewhere")
    other = films.collections["elsewhere"].passages()[0].id
    with pytest.raises(Unknown, match=f"Unknown passage 'films:{other}'"):
        tools.fetch(f"films:{other}")
    with pytest.raises(BadInput, match="1 to 50"):
        tools.search_with(QUESTION, k=51)
    with pytest.raises(BadInput, match="2 to 8 methods"):
        tools.compare(QUESTION, ["bm25"])


def test_words_of_documents_are_marked_as_data_in_every_reply(tools: McpTools) -> None:
    found = tools.search(QUESTION)
    asked = {
        "fetch": [found["results"][0]["id"]],
        "compare": [QUESTION, ["bm25", "dense"]],
        "neighbours": ["Ada Quill"],
        "path": ["Ada Quill", "law"],
        "why_not": [found["run"], "vane"],
        "collections": [],
    }
    for name in NAMES:
        reply = getattr(tools, name)(*asked.get(name, [QUESTION]))
        assert NOTICE in json.dumps(reply, ensure_ascii=False)
