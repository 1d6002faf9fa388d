"""Addresses of clusters, and to which of them the login is sent."""

from __future__ import annotations

import pytest

from gear_app.core.errors import BadInput
from gear_app.index.opensearch.cluster import API_KEY, CA, PASSWORD, URL, USER, address_of


def test_addresses_hold_no_secrets_and_secrets_travel_encrypted() -> None:
    with pytest.raises(BadInput, match=f"set {USER} and {PASSWORD} instead"):
        address_of("https://me:secret@search:9200", {})
    with pytest.raises(BadInput, match="unencrypted"):
        address_of("http://search:9200", {API_KEY: "k", URL: "http://search:9200"})
    with pytest.raises(BadInput, match="no address of a cluster"):
        address_of("search:9200", {})
    for mistyped in ("me:secret@search:9200", "https:/me:secret@search", "https://[me:secret@x"):
        with pytest.raises(BadInput, match="no address of a cluster") as caught:
            address_of(mistyped, {})
        assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match="no address of a cluster"):
        address_of("https://search:port", {})
    with pytest.raises(BadInput, match="No cluster is named"):
        address_of("", {})
    with pytest.raises(BadInput, match="which is no file"):
        address_of("https://search", {CA: "/nowhere"})
    assert str(address_of("https://a, https://b:1/x/", {})) == "https://a:443,https://b:1/x"


def test_only_this_machine_is_sent_a_password_unencrypted() -> None:
    def sent(address: str) -> bool:
        return bool(address_of(address, {API_KEY: "k", URL: address}).api_key)

    assert all(
        map(sent, ("http://localhost", "http://127.0.0.1:9201", "http://127.8.9.1", "http://[::1]"))
    )
    for other in ("127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]"):
        with pytest.raises(BadInput, match="unencrypted"):
            sent(f"http://{other}:9200")


def test_only_the_cluster_that_the_environment_names_is_shown_the_login() -> None:
    login = {API_KEY: "k", USER: "me", PASSWORD: "p"}
    ours = {**login, URL: "https://a.example, https://b.example"}
    for address in ("https://a.example", "https://b.example:443/,https://a.example"):
        known = address_of(address, ours)
        assert (known.login, known.api_key) == (("me", "p"), "k")
    # As a workspace file from somebody else may name one.
    for address in ("https://c.example", "https://a.example,https://c.example"):
        for environment in (ours, login):
            unknown = address_of(address, environment)
            assert (unknown.login, unknown.api_key) == (None, "")
