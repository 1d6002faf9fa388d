"""The sections of Settings: their addresses, the index and the cluster."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.settings.index import CLUSTER, ClusterAnswer
from gear_app.index.opensearch.cluster import PASSWORD, URL, USER
from gear_app.workspace.workspace import Workspace
from tests.app.settings.settings_page import drawn, section, sentences


def test_the_login_of_the_environment_is_for_its_cluster_alone(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ((URL, "https://search:9200"), (USER, "reader"), (PASSWORD, "hush")):
        monkeypatch.setenv(name, value)
    page.session_state[CLUSTER] = ClusterAnswer("https://search:9200", failure="It is away.")
    monkeypatch.setattr(Workspace, "clusters", None, raising=False)  # whatever asks it fails
    section(page, "index").text_input(key="cluster-address").set_value("https://other:9200").run()
    told = "That of the environment is for https://search:9200 alone."
    assert told in sentences(page) and "It is away." in sentences(page)
    assert "hush" not in drawn(page)


def test_a_visitor_from_elsewhere_names_no_cluster(elsewhere: None, page: AppTest) -> None:
    assert "From another machine only the cluster" in sentences(section(page, "index"))
    assert not [field for field in page.text_input if field.key == "cluster-address"]
