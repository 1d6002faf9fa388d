"""The page Settings: a language model is chosen and tried out, a key typed and forgotten; who may
do what.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.llm import connection_test
from gear_app.llm.environment import KEY as KEY_VARIABLE
from gear_app.llm.server import Spec
from gear_app.opensearch.address import PASSWORD, URL, USER
from gear_app.ui.shared import visitors
from gear_app.views.compare.entries import Entry
from gear_app.views.language_models import NOTHING_SPENT
from gear_app.workspace import RunRequest, Workspace
from tests import factories
from tests.app import conftest
from tests.llm.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error, serving
from tests.llm.world import by_role

Reply = Callable[[dict[str, Any]], ScriptedReply]
READ = '("Bell Tower", "was designed by", "Robert Hale")'
PLAIN = {"read": READ, "reason": "Answerable: Yes\nAnswer: François Carpentier", "test": "Hello"}


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor at the machine, and nothing in the environment."""
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    for name in (
        KEY_VARIABLE,
        URL,
        USER,
        PASSWORD,
        "OPENAI_BASE_URL",
        "GEAR_MODEL",
        "GEAR_KEY_FOR",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitors, "is_home", lambda: False)


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """A server that has two models, wants the key, and replies by role."""
    with ExitStack() as running:

        def served(reply: Reply | None = None, **roles: str) -> ScriptedServer:
            script = by_role(
                **{role: [text] for role, text in (PLAIN | roles).items() if role != "test"}
            )

            def usual(asked: dict[str, Any]) -> ScriptedReply:
                if server.headers[-1].get("authorization") != f"Bearer {KEY}":
                    return error(401, "Incorrect API key provided: sk-t***. <b>Go away</b>")
                if "path" in asked:
                    return ScriptedReply(
                        json.dumps({"data": [{"id": "tiny"}, {"id": "large"}]}).encode()
                    )
                return (
                    chat_reply("Hello")
                    if asked["messages"][0]["content"] == connection_test.PROMPT
                    else script(asked)
                )

            server = running.enter_context(serving(reply or usual))
            return server

        yield served


@pytest.fixture
def page(world: Workspace, app: AppTest) -> AppTest:
    app.run()
    return app.switch_page("settings/page.py").run()


def sentences(at: AppTest) -> str:
    return html.unescape(conftest.sentences(at))


def drawn(at: AppTest) -> str:
    """Everything the browser is sent, as text."""

    def of(node: Any) -> Iterator[str]:
        yield str(getattr(node, "proto", ""))
        for child in getattr(node, "children", {}).values():
            yield from of(child)

    return "\n".join(of(at._tree))


def state(at: AppTest) -> str:
    """All that the session holds, as text."""
    return repr(at.session_state.to_dict())


def at_server(page: AppTest, address: str, key: str = "", model: str | None = None) -> AppTest:
    """Fill the form in."""
    page.selectbox(key="model-preset").set_value("Another server").run()
    page.text_input(key="model-address").set_value(address).run()
    if key:
        page.text_input(key="model-key").set_value(key).run()
    if model:
        named(page, model)
    assert not page.exception
    return page


def named(page: AppTest, model: str) -> None:
    """Type a model's name: AppTest can choose a name that is listed, but type none."""
    page.session_state["model-next"] = model
    page.run()


def section(page: AppTest, name: str) -> AppTest:
    """Open a section by its address."""
    page.query_params["section"] = name
    page.run()
    assert not page.exception
    return page


def press(page: AppTest, key: str) -> str:
    page.button(key=key).click().run()
    assert not page.exception
    return sentences(page)


# Without a language model


def test_without_a_model_the_local_reader_is_in_use_and_every_card_says_what_to_do(
    page: AppTest,
) -> None:
    shown = sentences(page) + sentences(section(page, "about"))
    shown += sentences(section(page, "costs"))
    assert "In use: the local reader: rules, not a language model; English only." in shown
    for told in (
        "No key is held for https://api.openai.com/v1. OpenAI wants one.",
        "No price is written down, so no cost is known.",
        NOTHING_SPENT,
        "None yet. What a model says is kept",
        "hashed words, for tests",
    ):
        assert told in shown, told
    assert page.number_input(key="budget-field").value == 200_000


def test_a_preset_brings_its_address_and_says_what_it_wants(page: AppTest) -> None:
    offered = page.selectbox(key="model-preset").options
    assert offered == ["OpenAI", "Ollama", "vLLM", "llama.cpp", "LM Studio", "Another server"]
    page.selectbox(key="model-preset").set_value("Ollama").run()
    assert page.text_input(key="model-address").value == "http://localhost:11434/v1"
    assert "ollama pull" in "".join(caption.value for caption in page.caption)


@pytest.mark.parametrize(
    ("address", "model", "told"),
    [
        ("localhost:11434", "tiny", "must begin with http:// or https://"),
        ("https://me:secret@host/v1", "tiny", "must hold no name, password or question mark"),
        ("http://localhost:1/v1", None, "Name the model to use"),
    ],
)
def test_what_cannot_be_used_is_told_before_it_is(
    page: AppTest, address: str, model: str | None, told: str
) -> None:
    at_server(page, address, model=model)
    shown = press(page, "model-use")
    assert told in shown and "In use: the local reader" in shown


def test_openai_is_not_used_without_a_key(page: AppTest) -> None:
    named(page, "gpt-4o-mini")
    assert "OpenAI wants a key. Type it first." in press(page, "model-use")


# The key


def test_a_key_is_taken_out_of_its_field_at_once_and_held_for_its_server(page: AppTest) -> None:
    at_server(page, "http://localhost:1/v1/", KEY)
    assert page.text_input(key="model-key").value == ""
    assert KEY not in drawn(page) + state(page)
    assert (
        "A key for http://localhost:1/v1 is held for this session, in memory alone."
        in sentences(page)
    )
    page.text_input(key="model-address").set_value("http://localhost:2/v1").run()
    assert "No key is held for http://localhost:2/v1." in sentences(page)
    page.text_input(key="model-address").set_value("http://localhost:1/v1").run()
    shown = press(page, "model-forget")
    assert "The key for http://localhost:1/v1 is forgotten." in shown and "No key is held" in shown
    assert "model-forget" not in {button.key for button in page.button}


def test_a_key_that_cannot_be_one_is_not_taken(page: AppTest) -> None:
    at_server(page, "http://localhost:1/v1", "sk–dash")
    assert "The key holds a character that no key has." in sentences(page)
    assert "No key is held" in sentences(page)
    at_server(page, "", KEY)
    assert "The key was not taken. The server's address must begin with" in sentences(page)


# Trying it out


def test_the_connection_is_tested_and_the_models_can_be_chosen(
    page: AppTest, serve: Callable[..., ScriptedServer]
) -> None:
    server = serve()
    at_server(page, server.base_url, KEY)
    assert "The server answers. The server has 2 models. Choose one, then test again." in press(
        page, "model-test"
    )
    assert page.selectbox(key="model-name").options == ["tiny", "large"]
    page.selectbox(key="model-name").set_value("large").run()
    assert "It works: large replied in" in press(page, "model-test")
    asked = server.asked[-1]
    assert (asked["model"], asked["max_tokens"], len(server.asked)) == ("large", 1, 3)


def test_the_only_model_there_is_is_chosen(
    page: AppTest, serve: Callable[..., ScriptedServer]
) -> None:
    server = serve(
        lambda asked: (
            ScriptedReply(b'{"data": [{"id": "only"}]}') if "path" in asked else chat_reply("Hi")
        )
    )
    at_server(page, server.base_url)
    assert "It works: only replied in" in press(page, "model-test")
    assert page.selectbox(key="model-name").value == "only"


def test_a_server_that_lists_no_models_may_reply_all_the_same(
    page: AppTest, serve: Callable[..., ScriptedServer]
) -> None:
    server = serve(
        lambda asked: error(404, "no such page") if "path" in asked else chat_reply("Hi")
    )
    at_server(page, server.base_url, model="tiny")
    assert "The server does not say which models it has." in press(page, "model-test")


def test_a_model_that_must_say_more_than_one_word_is_let(
    page: AppTest, serve: Callable[..., ScriptedServer]
) -> None:
    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if "path" in asked:
            return ScriptedReply(b'{"data": []}')
        short = asked.get("max_completion_tokens", asked.get("max_tokens")) == 1
        return (
            error(400, "max_tokens was reached before the thinking ended")
            if short
            else chat_reply("Hi")
        )

    at_server(page, serve(reply).base_url, model="deep")
    assert "It works: deep replied in" in press(page, "model-test")


FAULTS: dict[str, tuple[ScriptedReply, str]] = {
    "wrong key": (
        error(401, f"Incorrect API key provided: {KEY} <b>now</b>"),
        "answered 401: Incorrect API key",
    ),
    "forbidden": (error(403, f"{KEY} may not"), "answered 403"),
    "unknown model": (error(404, f"no model for {KEY}"), "answered 404"),
    "bad request": (error(400, f"bad {KEY}"), "answered 400"),
    "too many": (error(429, f"slow down, {KEY}", retry_after="60"), "answered 429"),
    "broken": (error(500, f"oops {KEY}"), "answered 500"),
    "elsewhere": (
        ScriptedReply(KEY.encode(), 302, {"Location": f"http://127.0.0.1:9/{KEY}"}),
        "answered 302",
    ),
    "no JSON": (
        ScriptedReply(f"<html>{KEY}</html>".encode(), kind="text/html"),
        "that is not JSON",
    ),
    "no reply": (ScriptedReply(json.dumps({"hello": KEY}).encode()), "JSON without a reply"),
    "no UTF-8": (ScriptedReply(b"\xff\xfe" + KEY.encode()), "not UTF-8"),
    "cut": (ScriptedReply(KEY.encode() * 10, breaks=True), "broke off"),
    "stalled": (ScriptedReply(KEY.encode(), stalls=True), "gave no whole reply"),
    "too large": (ScriptedReply(KEY.encode() * 400_000), "MB, which is no reply"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_told_in_the_servers_own_words_escaped_and_without_the_key(
    page: AppTest,
    serve: Callable[..., ScriptedServer],
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(connection_test, "LIST_S", 0.5)
    monkeypatch.setattr(connection_test, "REPLY_S", 0.5)
    reply, told = FAULTS[fault]
    server = serve(lambda asked: reply)
    at_server(page, server.base_url, KEY, "tiny")
    shown = press(page, "model-test")
    assert "It does not work yet." in shown and told in shown
    assert KEY not in drawn(page) + state(page) + caplog.text
    assert "<b>now" not in conftest.sentences(page)
    assert (
        len(server.asked) <= 3
    )  # each thing once: the models, one word, and more of them where one is refused


def test_a_server_that_is_not_there_is_told_with_advice(page: AppTest) -> None:
    at_server(page, "http://127.0.0.1:9/v1", model="tiny")
    shown = press(page, "model-test")
    assert (
        "could not be reached" in shown
        and "Is the server running, and is the address right?" in shown
    )


def test_the_kind_of_server_follows_the_address(page: AppTest) -> None:
    page.run()
    assert page.selectbox(key="model-preset").value == "OpenAI"
    for address, kind in (
        ("http://localhost:11434/v1", "Ollama"),
        ("http://localhost:4321/v1", "Another server"),
        ("https://api.openai.com/v1", "OpenAI"),
    ):
        page.text_input(key="model-address").set_value(address).run()
        assert not page.exception
        assert page.selectbox(key="model-preset").value == kind
    page.text_input(key="model-address").set_value("http://localhost:4321/v1").run()
    assert "paid for" not in " ".join(caption.value for caption in page.caption)


# Using it


def in_use(page: AppTest, server: ScriptedServer) -> AppTest:
    at_server(page, server.base_url, KEY, "tiny")
    assert f"In use: tiny at {server.base_url}, with the key typed in this session." in press(
        page, "model-use"
    )
    return page


def ask(at: AppTest, question: str = factories.QUESTION) -> None:
    at.switch_page("explore/page.py").run()
    at.text_input(key="question").set_value(question)
    at.button(key="run-button").click().run()
    assert not at.exception


def test_a_run_asks_the_model_with_the_key_of_the_session(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Callable[..., ScriptedServer]
) -> None:
    server = serve()
    in_use(page, server)
    section(page, "costs").number_input(key="budget-field").set_value(50_000).run()
    ask(page)
    (run,) = world.runs.recent()
    assert Spec.from_json(run.model) == Spec(server.base_url, "tiny")
    assert (run.reader, run.budget) == ("llm", 50_000)
    assert run.key_from.startswith("session ") and KEY not in run.key_from
    work()
    page.run()
    assert world.runs.get(run.id).state == "done"
    assert "· tiny ·" in sentences(page) and "by tiny, a language model" in sentences(page)
    assert KEY not in drawn(page)
    assert "Hale" in "".join(server.prompts)
    section(page.switch_page("settings/page.py"), "costs")
    (spent,) = world.costs.spending()
    assert (spent.model, spent.runs, spent.spent.calls) == ("tiny", 1, 3)
    assert "3 replies, 1 kB. Asking the same again costs nothing." in sentences(page)
    assert "What tiny costs is not known." in sentences(page)
    assert "None yet." in press(page, "forget-replies")


def test_the_reader_is_chosen_for_every_question(
    page: AppTest, world: Workspace, serve: Callable[..., ScriptedServer]
) -> None:
    in_use(page, serve())
    page.switch_page("explore/page.py").run()
    assert page.selectbox(key="reader").options == ["local reader", "tiny"]
    assert page.selectbox(key="reader").value == "llm"
    page.selectbox(key="reader").set_value("local").run()
    ask(page)
    assert (world.runs.recent()[0].reader, world.runs.recent()[0].model) == ("local", "")
    page.selectbox(key="reader").set_value("llm").run()
    page.selectbox(key="method").set_value("hybrid").run()
    assert "reader" not in {box.key for box in page.selectbox}  # it asks nobody
    ask(page)
    assert (world.runs.recent()[0].method, world.runs.recent()[0].reader) == ("hybrid", "local")


def test_the_local_reader_can_be_had_back(
    page: AppTest, world: Workspace, serve: Callable[..., ScriptedServer]
) -> None:
    in_use(page, serve())
    assert "In use: the local reader" in press(page, "model-local")
    ask(page)
    assert world.runs.recent()[0].reader == "local"
    assert "reader" not in {box.key for box in page.selectbox}


def test_a_run_whose_key_was_forgotten_fails_with_a_sentence_and_asks_nothing(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Callable[..., ScriptedServer]
) -> None:
    server = serve()
    in_use(page, server)
    ask(page)
    page.switch_page("settings/page.py").run()
    assert "In use: the local reader" in press(page, "model-forget")
    work()
    (run,) = world.runs.recent()
    assert (
        run.state == "failed"
        and "Open Settings, type it again, then press Run or Extract again" in run.message
    )
    assert server.asked == []


def test_compare_puts_both_readers_of_a_method_side_by_side(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Callable[..., ScriptedServer]
) -> None:
    in_use(page, serve())
    page.switch_page("compare/page.py").run()
    box = page.multiselect(key="compare-entries")
    names = box.options
    assert "GEAR, read by tiny" in names and "GEAR" in names and "Hybrid, read by tiny" not in names
    box.set_value([Entry("gear"), Entry("gear", reader="llm")])
    page.text_input(key="compare-question").set_value(factories.QUESTION)
    page.button(key="compare-button").click().run()
    work()
    page.run()
    assert not page.exception
    assert {(run.method, run.reader, run.budget) for run in world.runs.recent()} == {
        ("gear", "local", None),
        ("gear", "llm", 200_000),
    }
    page.button(key="compare-button").click().run()
    assert "there already" in sentences(page) and len(world.runs.recent()) == 2
    assert KEY not in drawn(page)


# Whose key


def another_session() -> AppTest:
    start = AppTest.from_file(str(conftest.MAIN), default_timeout=60).run()
    return start.switch_page("explore/page.py").run()


def test_nobody_else_runs_a_run_again_with_the_key_of_who_made_it(
    page: AppTest, world: Workspace, work: Callable[[], None], serve: Callable[..., ScriptedServer]
) -> None:
    server = serve()
    in_use(page, server)
    ask(page)
    work()
    asked = len(server.asked)
    (run,) = world.runs.recent()
    world.imports.text(
        "Another", "The Bell Tower opened in 1902.", "demo"
    )  # the run is of an earlier revision
    other = another_session()
    other.button(key="again").click().run()
    assert not other.exception
    assert f"This run asked tiny at {server.base_url} with a key." in sentences(other)
    assert [found.id for found in world.runs.recent()] == [run.id] and len(server.asked) == asked
    page.run()
    page.button(key="again").click().run()
    assert len(world.runs.recent()) == 2 and world.runs.recent()[0].key_from == run.key_from


def test_a_run_again_takes_the_budget_of_the_session_whoever_made_the_run(
    page: AppTest, world: Workspace, serve: Callable[..., ScriptedServer]
) -> None:
    asks = Spec(serve().base_url, "tiny")
    world.runs.cancel(
        world.runs.enqueue(RunRequest(factories.QUESTION, "demo", "gear", reader="llm", model=asks))
    )  # as by query
    page.switch_page("explore/page.py").run()
    page.button(key="again").click().run()
    assert not page.exception
    again, first = world.runs.recent()
    assert (first.budget, again.budget, again.reader) == (None, 200_000, "llm")


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        (KEY_VARIABLE, KEY),
        ("OPENAI_BASE_URL", "https://models.example.com/v1"),
        ("GEAR_MODEL", "corporate"),
    ):
        monkeypatch.setenv(name, value)


def test_the_model_of_the_environment_is_there_for_who_may_spend_its_key_and_asked_when_chosen(
    environment: None, page: AppTest, world: Workspace
) -> None:
    assert (
        "For any question you can choose corporate at https://models.example.com/v1"
        in sentences(page)
    )
    assert page.selectbox(key="model-preset").value == "From the environment"
    assert "The key in the server's environment is used." in sentences(page)
    ask(page)
    assert world.runs.recent()[0].reader == "local"  # nothing is spent before somebody chooses it
    page.selectbox(key="reader").set_value("llm").run()
    ask(page, "Who was it?")
    assert (world.runs.recent()[0].reader, world.runs.recent()[0].key_from) == (
        "llm",
        "environment",
    )
    assert KEY not in drawn(page)


def test_a_visitor_from_elsewhere_does_not_get_the_key_of_the_environment(
    environment: None,
    elsewhere: None,
    page: AppTest,
    world: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "corporate" not in sentences(page).partition("About")[0]
    assert page.selectbox(key="model-preset").options == ["OpenAI", "Another server"]
    at_server(page, "https://models.example.com/v1", model="corporate")
    assert "In use: corporate at https://models.example.com/v1, without a key." in press(
        page, "model-use"
    )
    ask(page)
    assert world.runs.recent()[0].key_from == ""
    monkeypatch.setenv("GEAR_KEY_FOR", "everyone")
    page.switch_page("settings/page.py").run()
    assert "with the key in the server's environment" in sentences(page)


def test_nobody_from_elsewhere_spends_the_environments_key_by_running_a_run_again(
    environment: None, elsewhere: None, page: AppTest, world: Workspace
) -> None:
    spec = Spec("https://models.example.com/v1", "corporate", key_from="environment")
    run = world.runs.enqueue(
        RunRequest(factories.QUESTION, "demo", "gear", reader="llm", model=spec)
    )
    world.runs.cancel(run)
    world.imports.text("Another", "The Bell Tower opened in 1902.", "demo")
    page.switch_page("explore/page.py").run()
    page.button(key="again").click().run()
    assert "with a key. Open Settings, choose that server, type a key for it" in sentences(page)
    assert len(world.runs.recent()) == 1


@pytest.mark.parametrize("button", ["model-use", "model-test"])
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://api.example.com/v1", "only addresses that begin with https://"),
        ("https://127.0.0.1/v1", "own network"),
        ("https://localhost:8501/v1", "own network"),
    ],
)
def test_a_visitor_from_elsewhere_names_no_address_of_this_network(
    elsewhere: None, page: AppTest, button: str, address: str, told: str
) -> None:
    at_server(page, address, model="tiny")
    assert told in press(page, button)
    assert "In use: the local reader" in sentences(page)


# Sections, and those of the index and the cluster


def test_the_section_is_in_the_address(page: AppTest) -> None:
    labels = [tab.label for tab in page.tabs]
    assert labels == ["Language model", "Costs", "Index", "Cluster", "About"]
    assert "section" not in page.query_params
    page.session_state["settings-section"] = "Index"
    page.run()
    assert page.query_params["section"] == "index"
    section(page, "nowhere")
    assert "section" not in page.query_params
    assert page.selectbox(key="model-preset").value == "OpenAI"


def test_the_index_of_every_collection_is_told_and_built_again(
    page: AppTest, world: Workspace, work: Callable[[], None]
) -> None:
    work()
    world.ask(factories.QUESTION, "demo", "hybrid")
    section(page, "index")
    (row,) = page.dataframe[0].value.to_dict("records")
    assert (row["collection"], row["index"], row["triple set"]) == ("demo", "✓ built", "curated")
    assert row["passages"] == str(len(factories.TEXTS))
    assert "hashed words, for tests" in sentences(page)
    assert world.indices.arrays().files > 0
    told = press(page, "index-rebuild")
    assert "The index of “demo” is built by the worker." in told
    assert world.indices.arrays().files == 0 and world.indices.state("demo").encoding
    work()
    assert not world.indices.state("demo").encoding


def test_an_index_whose_vectors_are_of_another_model_says_how_many_are_missing(
    page: AppTest, world: Workspace
) -> None:
    section(page, "index")
    (row,) = page.dataframe[0].value.to_dict("records")
    assert row["passages"] == f"0 of {len(factories.TEXTS)}"
    assert row["index"].startswith("● being built") and row["vectors"] == "0 kB"


def cluster_section(page: AppTest, address: str) -> str:
    """What the section says once somebody has typed an address and pressed the button."""
    section(page, "cluster").text_input(key="cluster-address").set_value(address).run()
    return press(page, "cluster-connect")


def test_nobody_is_asked_before_somebody_says_so(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "clusters", None, raising=False)  # whatever asks it fails
    assert "A collection that outgrows this machine" in sentences(section(page, "cluster"))
    assert page.text_input(key="cluster-address").value == ""


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("search", "'search' is no address of a cluster."),
        ("http://127.0.0.1:9", "http://127.0.0.1:9 cannot be reached."),
        ("https://me:secret@search:9200", "The address of search holds a password."),
    ],
)
def test_what_is_wrong_with_a_cluster_is_one_message(
    page: AppTest, address: str, told: str
) -> None:
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    shown = cluster_section(page, address)
    assert shown.count(told) == 1 and "gear-say-bad" in shown


def test_the_login_of_the_environment_is_for_its_cluster_alone(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ((URL, "https://search:9200"), (USER, "reader"), (PASSWORD, "hush")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Workspace, "clusters", None, raising=False)
    section(page, "model")
    monkeypatch.delenv(URL)
    section(page, "cluster")
    monkeypatch.setenv(URL, "https://search:9200")
    page.text_input(key="cluster-address").set_value("https://other:9200").run()
    assert not page.exception
    told = "No login is sent there: that of the environment is for https://search:9200 alone."
    assert told in sentences(page)
    assert "hush" not in drawn(page)


def test_a_visitor_from_elsewhere_names_no_cluster(elsewhere: None, page: AppTest) -> None:
    assert "From another machine only the cluster" in sentences(section(page, "cluster"))
    assert not [field for field in page.text_input if field.key == "cluster-address"]
