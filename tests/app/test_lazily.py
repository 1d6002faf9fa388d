"""Extraction on the way in Explore: offered where triples are missing, shown as a step, absent
where nothing is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.llm.server import Spec
from gear_app.ui.shared import language_models, visitors
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit, write_pack
from tests.app.explored import asked, component

OFFER = "have the run extract those of the passages it touches"


@pytest.fixture
def bare(empty: Workspace, tmp_path: Path) -> Workspace:
    """The factories' collection without triples."""
    pack = write_pack(tmp_path / "pack")
    (pack / "triples.curated.jsonl").unlink()
    empty.import_path(pack, "demo")
    return empty


def boxes(app: AppTest) -> list[bool]:
    return [box.value for box in app.checkbox if box.key == "set-lazy"]


def test_a_collection_without_triples_offers_to_extract_and_the_run_does(
    bare: Workspace, app: AppTest, work: Callable[[], None]
) -> None:
    app.run()
    app.selectbox(key="method").set_value("naive_ge").run()
    assert OFFER in sentences(app) and boxes(app) == [False]
    app.checkbox(key="set-lazy").check().run()
    asked(app, factories.QUESTION, "naive_ge")
    (run,) = bare.runs.recent()
    assert (run.options.get("lazy"), run.triple_set) == ("local", "local")
    work()
    app.run()
    verbs = [step["verb"] for step in component(app, "strip")["steps"]]  # type: ignore[attr-defined]
    assert verbs[:2] == ["retrieve", "extract"]
    visit(app, step="1")
    html = sentences(app)
    assert "made on the way by the local extractor" in html
    assert "passages extracted on the way" in html
    assert "has no triples yet" not in html


def test_nothing_is_offered_where_nothing_could_be_extracted(
    bare: Workspace, app: AppTest, work: Callable[[], None]
) -> None:
    app.run()
    for method in ("hipporag", "bm25"):
        app.selectbox(key="method").set_value(method).run()
        assert boxes(app) == [] and OFFER not in sentences(app)
    app.selectbox(key="method").set_value("gear").run()
    app.checkbox(key="set-lazy").check().run()
    bare.extract("demo", "local")
    app.run()
    assert boxes(app) == [], "every passage was extracted"
    asked(app, factories.QUESTION, "gear")
    assert bare.runs.recent()[0].options.get("lazy") is None


def test_with_a_language_model_the_extractor_can_be_chosen(
    bare: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = Spec("http://127.0.0.1:1/v1", "tiny")
    monkeypatch.setattr(language_models, "chosen", lambda: spec)
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    app.session_state["reader"] = "local"
    app.run()
    app.selectbox(key="method").set_value("naive_ge").run()
    app.checkbox(key="set-lazy").check().run()
    chooser = app.selectbox(key="set-extractor")
    assert chooser.options == ["by the local extractor", "by tiny"] and chooser.value == "local"
    chooser.set_value("llm").run()
    asked(app, factories.QUESTION, "naive_ge")
    (run,) = bare.runs.recent()
    assert (run.reader, run.options.get("lazy")) == ("local", "llm")
    assert Spec.from_json(run.model) == spec
