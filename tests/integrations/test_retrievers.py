"""What each framework gets, by the real package where it is installed; and the page's examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gear_app.core.errors import Unknown
from gear_app.integrations.search import PassageSearch
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION

ROOT = Path(__file__).parents[2]
PACKAGES = {"LangChain": "langchain_core", "LlamaIndex": "llama_index", "PyTerrier": "pyterrier"}


def test_a_question_gives_passages_and_a_run_that_can_be_opened(films: Workspace) -> None:
    found = PassageSearch(films, "films", "hybrid", k=3, app="http://here/").ask(QUESTION)
    (run,) = films.runs.recent("films")
    assert [one.rank for one in found] == [1, 2, 3] and found[0].text and found[0].title
    assert found[0].address.startswith(f"http://here/explore?run={run.id}#")
    assert list(found[0].metadata) == ["key", "title", "score", "rank", "address"]


@pytest.mark.parametrize("name", ["langchain", "llamaindex", "pyterrier"])
def test_without_the_package_the_way_to_it_is_told(name: str) -> None:
    packages = ", ".join(f"{one!r}: None" for one in PACKAGES.values())
    script = f"import sys; sys.modules.update({{{packages}}}); import gear_app.integrations.{name}"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert f"is not installed. Run: pip install 'gear-app[{name}]'" in done.stderr


def test_langchain_gets_documents(films: Workspace) -> None:
    pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
    from gear_app.integrations.langchain import LangChainRetriever

    retriever = LangChainRetriever(workspace=films, collection="films", method="hybrid", k=2)
    first, second = retriever.invoke(QUESTION)
    assert first.page_content and (first.metadata["rank"], second.metadata["rank"]) == (1, 2)
    assert len(retriever.batch([QUESTION, "Who studied bridges?"])) == 2
    with pytest.raises(Unknown):
        LangChainRetriever(workspace=films, collection="filmz")


def test_llamaindex_gets_nodes_with_scores(films: Workspace) -> None:
    pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")
    from gear_app.integrations.llamaindex import LlamaIndexRetriever

    first, second = LlamaIndexRetriever(films, "films", "hybrid", k=2).retrieve(QUESTION)
    assert first.score >= second.score and first.node.get_content()
    assert first.node.node_id == first.node.metadata["key"]


def test_pyterrier_gets_a_frame_and_can_inspect_it_without_asking(films: Workspace) -> None:
    pt: Any = pytest.importorskip("pyterrier", reason="the extra pyterrier is not installed")
    from gear_app.integrations.pyterrier import PyTerrierTransformer

    hybrid = PyTerrierTransformer(films, "films", "hybrid", k=3, store=False)
    queries = pt.new.queries([QUESTION, "Who built bridges?"], ["a", "b"])
    results = hybrid.transform(queries)
    assert list(results.columns[:5]) == ["qid", "query", "docno", "score", "rank"]
    assert list(results["rank"]) == [0, 1, 2] * 2 and set(results.qid) == {"a", "b"}
    assert len((hybrid % 1)(queries)) == 2
    assert pt.inspect.transformer_inputs(hybrid) == [["qid", "query"]]
    columns = pt.inspect.transformer_outputs(hybrid, ["qid", "query"])
    assert columns == list(results.columns)
