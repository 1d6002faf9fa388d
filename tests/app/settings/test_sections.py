"""The sections of Settings: their addresses, the index and the cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.settings.index import CLUSTER, ClusterAnswer
from gear_app.index.opensearch.address import PASSWORD, URL, USER
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.settings.settings_page import drawn, press, section, sentences


def test_the_sections_are_tabs_of_which_the_model_is_the_first(page: AppTest) -> None:
    labels = [tab.label for tab in page.tabs]
    assert labels == ["Language model", "Costs", "Index", "About"]
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
    assert any("hashed words" in one.value for one in page.caption)
    assert world.indices.arrays().files > 0
    told = press(page, "index-rebuild")
    assert "The index of “demo” is built by the worker." in told
    assert world.indices.arrays().files == 0 and world.indices.state("demo").encoding
    work()
    assert not world.indices.state("demo").encoding


def test_an_index_whose_vectors_are_of_another_model_says_how_many_are_missing(
    page: AppTest, world: Workspace
) -> None:
    world.store.db.execute("DELETE FROM embeddings")  # those of the model that is chosen
    section(page, "index")
    (row,) = page.dataframe[0].value.to_dict("records")
    assert row["passages"] == f"0 of {len(factories.TEXTS)}"
    assert row["index"].startswith("● being built") and row["size"] == "0 kB"


def cluster_section(page: AppTest, address: str) -> str:
    """What the section says once somebody has typed an address and pressed the button."""
    section(page, "index").text_input(key="cluster-address").set_value(address).run()
    return press(page, "cluster-connect")


def test_nobody_is_asked_before_somebody_says_so(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Workspace, "clusters", None, raising=False)  # whatever asks it fails
    assert "A collection that outgrows this machine" in sentences(section(page, "index"))
    assert page.text_input(key="cluster-address").value == ""


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("search", "'search' is no address of a cluster."),
        ("http://127.0.0.1:9", "http://127.0.0.1:9 cannot be reached: "),
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
    page.session_state[CLUSTER] = ClusterAnswer("https://search:9200", failure="It is away.")
    monkeypatch.setattr(Workspace, "clusters", None, raising=False)  # whatever asks it fails
    section(page, "index").text_input(key="cluster-address").set_value("https://other:9200").run()
    told = "No login is sent there: that of the environment is for https://search:9200 alone."
    assert told in sentences(page) and "It is away." in sentences(page)
    assert "hush" not in drawn(page)


def test_a_visitor_from_elsewhere_names_no_cluster(elsewhere: None, page: AppTest) -> None:
    assert "From another machine only the cluster" in sentences(section(page, "index"))
    assert not [field for field in page.text_input if field.key == "cluster-address"]
