"""A collection as a retriever of LangChain.

LangChainRetriever(workspace="w.db", collection="notes").invoke("Who wrote it?")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from gear_app.integrations import APP
from gear_app.integrations.search import PassageSearch, missing

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing("langchain-core", "langchain") from error


class LangChainRetriever(BaseRetriever):
    """Gives documents: `page_content` is a passage's text, `metadata` has its key, title, score,
    rank and the address of its run. The fields are those of PassageSearch.
    """

    workspace: Any = None
    collection: str
    method: str = ""
    k: int = 10
    settings: Mapping[str, str | int | float | bool] = Field(default_factory=dict)
    store: bool = True
    app: str = APP
    _search: PassageSearch

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401 - pydantic's
        """The collection is looked up at once."""
        super().model_post_init(context)
        self._search = PassageSearch(
            self.workspace,
            self.collection,
            self.method,
            k=self.k,
            settings=self.settings,
            store=self.store,
            app=self.app,
        )

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:  # noqa: ANN401
        return [
            Document(page_content=hit.text, metadata=hit.metadata)
            for hit in self._search.ask(query)
        ]
