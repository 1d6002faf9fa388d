"""A collection as a retriever of LlamaIndex.

LlamaIndexRetriever("w.db", "notes").retrieve("Who wrote it?")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gear_app.integrations.search import PassageSearch, missing
from gear_app.workspace.workspace import Workspace

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
except ImportError as error:
    raise missing("llama-index-core", "llamaindex") from error


class LlamaIndexRetriever(BaseRetriever):
    """Gives nodes with scores, whose ids are the passages' keys; `metadata` has key, title, score,
    rank and the address of the run.
    """

    def __init__(
        self,
        workspace: Workspace | str | Path | None,
        collection: str,
        method: str = "",
        **options: Any,  # noqa: ANN401
    ) -> None:
        """Arguments of PassageSearch: `k`, `settings`, `store`, `app`."""
        self._search = PassageSearch(workspace, collection, method, **options)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(
                node=TextNode(id_=hit.key, text=hit.text, metadata=hit.metadata), score=hit.score
            )
            for hit in self._search.ask(query_bundle.query_str)
        ]
