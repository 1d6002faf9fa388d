"""A small real workspace behind the real pages: hashed vectors, a pattern for an extractor, and a
worker by hand.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

import gear_app
from gear_app.core.types import ExtractedTriple, Extraction, Passage, Span
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.display.drawn import unmarked
from tests.waiting import finish
from tests.workspaces import copy_template

MAIN = Path(gear_app.__file__).parent / "app" / "navigation.py"
_FACT = re.compile(r"([A-Z][\w ]+?) (was designed by|was born in|opened in) ([\w ]+)")


class PatternExtractor:
    """Sentences of three shapes become triples; everything else gives none."""

    name = "local"
    fingerprint = "pattern"

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        for passage in passages:
            found = tuple(
                ExtractedTriple(
                    match[1].strip(), match[2], match[3].strip(), Span(match.start(), match.end())
                )
                for match in _FACT.finditer(passage.text)
            )
            yield Extraction(tuple(name for t in found for name in (t.subject, t.object)), found)


def write_pack(folder: Path) -> Path:
    """The factories' passages, triples and question as a pack."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = [
        {"id": key, "title": title, "text": text} for key, (title, text) in factories.TEXTS.items()
    ]
    triples = [
        {"passage_id": key, "subject": s, "predicate": p, "object": o}
        for key, s, p, o in factories.TRIPLES
    ]
    question = {
        "id": "q1",
        "question": factories.QUESTION,
        "answers": ["François Carpentier"],
        "supporting_ids": list(factories.GOLD),
        "type": "bridge",
        "hops": 3,
    }
    for name, rows in (("corpus", corpus), ("triples.curated", triples), ("questions", [question])):
        (folder / f"{name}.jsonl").write_text(
            "\n".join(json.dumps(row) for row in rows), encoding="utf-8"
        )
    return folder


@pytest.fixture(scope="session", autouse=True)
def _components() -> Iterator[None]:
    """Streamlit reads the metadata of all installed packages for every AppTest; here once. No run
    of a page may end with an exception.
    """
    run = ElementTree.run

    def runs(tree: ElementTree, *, timeout: float | None = None) -> AppTest:
        app = run(tree, timeout=timeout)
        assert not app.exception
        return app

    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        patch.setattr(ElementTree, "run", runs)
        yield


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace without anything, behind the pages; no worker process is started."""
    file = tmp_path / "workspace.db"
    workspace = Workspace(file, embedder=HashingEmbedder(), extractor=PatternExtractor())
    copy_template("empty", file)
    monkeypatch.setattr(Workspace, "ensure_worker", lambda self: None)
    monkeypatch.setattr(gear_app, "open", lambda path=None: workspace)
    st.cache_resource.clear()
    yield workspace
    workspace.close()
    st.cache_resource.clear()


@pytest.fixture
def world(empty: Workspace, tmp_path: Path) -> Workspace:
    """A workspace with the factories' collection, called demo."""
    pack = write_pack(tmp_path / "pack")
    copy_template("demo", empty.path, lambda made: made.imports.do(pack, "demo"))
    return empty


@pytest.fixture
def work(empty: Workspace) -> Callable[[], None]:
    """Do what a worker would do, until nothing waits and no server is waited for."""

    def until_done() -> None:
        turns = empty.worker()
        finish(turns)
        turns.close()

    return until_done


@pytest.fixture
def start() -> AppTest:
    """The application at its bare address, not run yet."""
    return AppTest.from_file(str(MAIN), default_timeout=60)


@pytest.fixture
def app(empty: Workspace, start: AppTest) -> AppTest:
    """The application on the page Explore, which has not run yet."""
    return start.run().switch_page("explore/page.py")


@pytest.fixture
def page(request: pytest.FixtureRequest, app: AppTest) -> AppTest:
    """The application on the PAGE that the tests of a file name, which has not run yet."""
    return app.run().switch_page(request.module.PAGE)


BOUND = {"collection", "tab", "section", "annotate", "results", "words", "entity"}


def visit(at: AppTest, **address: str) -> AppTest:
    """The page with this in its address, as after a reload."""
    bound = BOUND & address.keys()  # such a widget reads the address when a session begins only
    if "collection" in bound:
        at.run()  # lists collections that were made since
    at.query_params.update({name: address[name] for name in address.keys() - bound})
    for name in bound:
        at.session_state[name] = address[name]
    return at.run()


def on_tab(at: AppTest, name: str, key: str = "tab") -> AppTest:
    """The page with this tab open."""
    at.session_state[key] = name
    return at.run()


def sentences(at: AppTest) -> str:
    """All HTML the page shows, in one string, names and explained terms as the text they are."""
    return unmarked("\n".join(element.proto.body for element in at.get("html")))


def leaks(at: AppTest) -> list[str]:
    """What of the hostile passage's markup the page takes for its own; nothing is right."""
    markdown = (*at.markdown, *at.caption, *at.error, *at.warning, *at.info, *at.success)
    read = "\n".join(element.value for element in markdown)
    found = [words for words in ("evil.example", "<script") if words in read]
    return found + [words for words in ("<script>alert", "<img") if words in sentences(at)]
