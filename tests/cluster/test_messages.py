"""What can be wrong with a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.core.errors import ClusterFailed, NotReady
from gear_app.core.rows import Search
from gear_app.index.opensearch.cluster import PASSWORD, URL, USER, address_of, connect, version_of
from gear_app.index.opensearch.index import OpenSearchIndex
from tests.cluster.worlds import EMBEDDER, demo, facts_of

pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")

INFO = {"version": {"number": "2.19.1", "distribution": "opensearch"}}
Answers = Mapping[str, tuple[int, object]]  # status and body, by the path's beginning


@contextmanager
def stub(answers: Answers) -> Iterator[str]:
    """The address of a server that gives these answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths = [path for path in answers if self.path.split("?")[0].startswith(path)]
            status, body = answers[max(paths, key=len)]
            content = body if isinstance(body, str) else json.dumps(body)
            self.send_response(status)
            kind = "text/html" if isinstance(body, str) else "application/json"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content.encode())

        do_POST = do_GET  # noqa: N815

        def log_message(self, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def refusal(status: int, reason: str) -> tuple[int, object]:
    return status, {"error": {"root_cause": [], "type": "x", "reason": reason}, "status": status}


USABLE: Answers = {"/": (200, INFO), "/_plugins/_knn": (200, {})}


def told(address: str, file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says of a cluster that cannot be used."""
    assert main(["collections", "--index", address, "--workspace", str(file)]) == 1
    captured = capsys.readouterr()
    assert address in captured.err and not captured.out
    assert len(captured.err.strip().splitlines()) == 1
    return captured.err


def test_versions_2_19_to_3_are_used_and_others_are_refused() -> None:
    def version(number: str, distribution: str | None = "opensearch") -> str:
        info = {"version": {"number": number, "distribution": distribution}}
        return version_of(info, address_of("http://localhost", {}))

    for number in ("2.19.0", "3.0.0", "3.10.1-SNAPSHOT"):
        assert version(number) == number
    for number, named in (("2.18.0", "opensearch"), ("4.0.0", "opensearch"), ("3.5.0", None)):
        with pytest.raises(NotReady, match=rf"must be OpenSearch 2\.19 .* {number}\.$"):
            version(number, named)


def test_an_answer_of_some_shards_is_an_error() -> None:
    lost = {"error": {"root_cause": [], "type": "x", "reason": "all shards failed"}, "status": 503}
    answers = {**USABLE, "/_msearch": (200, {"responses": [lost]})}
    answers["/films/_mget"] = (200, {"docs": [{"_id": "p1", "error": lost["error"]}]})
    with stub(answers) as address:
        index = OpenSearchIndex(
            connect(address_of(address, {})), "films", facts_of(demo(), "films"), EMBEDDER
        )
        for ask in (
            lambda: index.search([Search("bridge", 3, "bm25")]),
            lambda: index.rows([1], ()),
        ):
            with pytest.raises(ClusterFailed, match="could not answer in full from films: all"):
                ask()


def test_the_login_is_in_no_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with stub({"/": refusal(401, "no")}) as address:
        for name, value in ((URL, address), (USER, "reader"), (PASSWORD, "hush")):
            monkeypatch.setenv(name, value)
        assert "hush" not in told(address, tmp_path / "w.db", capsys)
        shown = address_of(address)
        assert shown.login == ("reader", "hush") and "hush" not in repr(shown) + str(shown)
