"""A setting that names a model spends no key, sends nothing and opens no folder for a sender without
the right to it, whichever way the request comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import method_form, visitors
from gear_app.core.config import MODELS
from gear_app.core.errors import NotReady, Refused
from gear_app.core.overrides import alternatives, settings
from gear_app.display.comparison_tables import Entry
from gear_app.evaluation.definition import Definition, define
from gear_app.evaluation.service import EvaluationService
from gear_app.integrations.mcp.tools import McpTools
from gear_app.lessons.lesson import Run
from gear_app.methods import METHODS
from gear_app.models.server import Spec
from gear_app.workspace.runs.request import ALL_RIGHTS, NO_RIGHTS, Options, Rights, RunRequest
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences
from tests.app.explored import asked
from tests.models.server import KEY, ScriptedServer, serving
from tests.models.test_endpoint import hashed

PAID, FOLDER = "openai:tiny", "/etc"
NAMED: dict[str, tuple[str, Mapping[str, str]]] = {
    "paid embedder": ("dense", {"embedder": PAID}),
    "folder of an embedder": ("dense", {"embedder": f"sentence-transformers:{FOLDER}"}),
    "folder of token vectors": ("dense", {"embedder": f"colbert:{FOLDER}"}),
    "cross-encoder": ("rerank", {"cross_encoder": FOLDER}),
    "cross-encoder below": ("ircot:rerank", {"base.cross_encoder": FOLDER}),
    "weights": ("gfm", {"weights": FOLDER}),
}
REFUSED = "and this request may not"
Named = tuple[str, Mapping[str, str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """The server of the environment, which counts what it is asked."""
    with serving(hashed) as scripted:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", scripted.base_url)
        monkeypatch.setenv("GEAR_MODEL", "tiny")
        yield scripted


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor from another machine, for whom the operator opened nothing."""
    monkeypatch.setattr(visitors, "is_home", lambda: False)
    monkeypatch.delenv(visitors.OPENED, raising=False)


def evaluation(world: Workspace, named: Named) -> None:
    method, values = named
    words = " ".join([method, *(f"{name}={value}" for name, value in values.items())])
    EvaluationService(world, visitors.rights()).create(
        define(world, Definition("demo", (words,))), "x"
    )


def resumed_evaluation(world: Workspace, named: Named) -> None:
    """One that somebody with all rights has defined is begun by somebody without."""
    method, values = named
    words = " ".join([method, *(f"{name}={value}" for name, value in values.items())])
    definition = define(world, Definition("demo", (words,)))
    row = world.store.collections.get("demo")
    id_ = world.store.evaluations.create(row.id, definition.to_json(), "x", None)
    EvaluationService(world, visitors.rights()).start(id_)


def what_if(world: Workspace, named: Named) -> None:
    run = world.ask(factories.QUESTION, "demo", "bm25").run
    world.reruns.enqueue_draft(run, RunChange(named[1]), visitors.rights())


def mcp(world: Workspace, named: Named) -> None:
    McpTools(world, "demo", "").search_with(factories.QUESTION, named[0], dict(named[1]))


def lesson(world: Workspace, named: Named) -> None:
    fields = {"collection": "demo", "question": factories.QUESTION, "method": named[0]}
    run = Run(**fields, settings=named[1])
    world.runs.enqueue(run.request("x"))


def again(world: Workspace, named: Named) -> None:
    """Somebody without rights makes a run with all rights again."""
    run = world.ask(factories.QUESTION, "demo", "bm25").run
    if "embedder" in named[1]:
        config = json.dumps(dict(named[1]))
        world.store.db.execute(
            "UPDATE tasks SET request = json_set(request, '$.config', json(?)) WHERE id = ?",
            [config, run],
        )
        world.runs.again(run, rights=visitors.rights())
    else:
        world.runs.enqueue(RunRequest(factories.QUESTION, "demo", named[0], settings=named[1]))


ENTRANCES: list[Callable[[Workspace, Named], None]] = [
    evaluation,
    resumed_evaluation,
    what_if,
    mcp,
    lesson,
    again,
]


@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("entrance", ENTRANCES, ids=lambda one: str(one.__name__))
def test_a_request_without_rights_names_no_model(
    entrance: Callable[[Workspace, Named], None],
    named: str,
    world: Workspace,
    server: ScriptedServer,
    elsewhere: None,
) -> None:
    with pytest.raises(Refused, match=REFUSED):
        entrance(world, NAMED[named])
    assert not server.asked
    assert not [run for run in world.runs.recent() if run.method != "bm25"]


def test_the_forms_of_a_visitor_from_elsewhere_name_no_model(
    app: AppTest,
    world: Workspace,
    server: ScriptedServer,
    elsewhere: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for named, (method, values) in NAMED.items():
        entry = Entry(method, tuple(values.items()))
        monkeypatch.setattr(method_form, "entry", lambda *_, of=entry, **__: of)
        page = asked(app.run(), factories.QUESTION)
        assert REFUSED in sentences(page), named
    assert not world.runs.recent() and not server.asked


REQUEST = method_form.request


def compared(
    method: str, values: Mapping[str, str], question: str, collection: str, _: Entry
) -> RunRequest:
    """What Compare asks for a column of this method with these settings."""
    return REQUEST(question, collection, Entry(method, tuple(values.items())))


def test_the_columns_of_a_visitor_from_elsewhere_name_no_model(
    app: AppTest,
    world: Workspace,
    server: ScriptedServer,
    elsewhere: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = app.run().switch_page("compare/page.py").run()
    for named, (method, values) in NAMED.items():
        monkeypatch.setattr(method_form, "request", partial(compared, method, values))
        page.text_input(key="compare-question").set_value(factories.QUESTION)
        page.button(key="compare-button").click().run()
        assert REFUSED in sentences(page), named
    assert not world.runs.recent() and not server.asked


def test_every_setting_in_free_words_names_a_model_and_is_tried_here() -> None:
    """One that is declared later and names something else than a model needs a decision here."""
    free = {
        name.rpartition(".")[2]
        for method in METHODS.values()
        for name, value in settings(method.defaults).items()
        if isinstance(value, str) and name not in alternatives(method.defaults)
    }
    tried = {name.rpartition(".")[2] for _, values in NAMED.values() for name in values}
    assert free | {"embedder"} == set(MODELS) == tried


@pytest.mark.parametrize(
    ("home", "opened", "demo", "rights"),
    [
        (True, "", "", ALL_RIGHTS),
        (False, "", "", NO_RIGHTS),
        (False, "everyone", "", Rights(spend=True)),
        (False, "everyone", "1", NO_RIGHTS),
        (True, "everyone", "1", NO_RIGHTS),
    ],
)
def test_the_rights_of_a_visitor(
    home: bool, opened: str, demo: str, rights: Rights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "at_home", lambda ip, headers: home)
    monkeypatch.setenv(visitors.OPENED, opened)
    monkeypatch.setenv("GEAR_DEMO", demo)
    assert visitors.rights() == rights


def test_who_may_spend_asks_the_server_and_names_no_folder(
    world: Workspace, server: ScriptedServer
) -> None:
    rights = Rights(spend=True)
    request = RunRequest("Who?", "demo", "dense", settings={"embedder": PAID}, rights=rights)
    assert world.runs.enqueue(request)
    for method, values in list(NAMED.values())[1:]:
        request = RunRequest("Who?", "demo", method, settings=values, rights=rights)
        with pytest.raises(Refused, match="model or a folder"):
            world.runs.enqueue(request)


def test_models_that_come_along_and_defaults_need_no_right(world: Workspace) -> None:
    for values in ({"embedder": "minilm"}, {"embedder": "hashing"}, {"embedder": ""}, {}):
        assert world.runs.enqueue(RunRequest("Who?", "demo", "dense", settings=values))
    whole = settings(METHODS["gfm"].defaults)
    with pytest.raises(NotReady):  # no weights are set
        world.runs.enqueue(RunRequest("Who?", "demo", "gfm", settings=whole))


@pytest.mark.parametrize(
    "asks",
    [
        {"reader": "llm"},
        {"reader": "llm", "method": "agent"},
        {"options": Options(answer=True), "reader": "llm"},
    ],
)
def test_the_key_of_the_environment_is_spent_by_who_may_alone(
    asks: dict[str, Any], world: Workspace, server: ScriptedServer
) -> None:
    method = asks.pop("method", "gear")
    named = Spec(server.base_url, "tiny", key_from="environment")
    for model in (None, named):
        request = RunRequest("Who?", "demo", method, model=model, **asks)
        with pytest.raises(Refused, match="may not spend it"):
            world.runs.enqueue(request)
    assert not server.asked
    ours = RunRequest("Who?", "demo", method, **asks, rights=Rights(spend=True))
    assert world.runs.enqueue(ours)
