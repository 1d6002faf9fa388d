"""A collection as a transformer of PyTerrier: a frame of queries to a frame of results.

PyTerrierTransformer("w.db", "notes", "hybrid", store=False).search("Who wrote it?")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from gear_app.integrations.search import PassageSearch, missing
from gear_app.workspace.workspace import Workspace

try:
    import pyterrier as pt
except ImportError as error:
    raise missing("pyterrier", "pyterrier") from error

ADDED = ("docno", "score", "rank", "title", "text", "address")
NUMBERS = {"score": "float64", "rank": "int64"}


class PyTerrierTransformer(pt.Transformer):
    """Gives for each query the passages that a method ranks first: the query's own columns, then
    `docno` (a passage's key), `score`, `rank` (from 0, as PyTerrier counts), `title`, `text` and
    `address`, that of the run.
    """

    def __init__(
        self,
        workspace: Workspace | str | Path | None,
        collection: str,
        method: str = "",
        **options: Any,  # noqa: ANN401
    ) -> None:
        """Arguments of PassageSearch: `k`, `settings`, `store`, `app`. An experiment of many
        queries is quicker with `store=False`, which keeps no run.
        """
        self._search = PassageSearch(workspace, collection, method, **options)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The results of every query of a frame, in its order."""
        pt.validate.query_frame(inp, ["query"], context=self)
        rows = [
            {
                **query,
                "docno": hit.key,
                "score": hit.score,
                "rank": hit.rank - 1,
                "title": hit.title,
                "text": hit.text,
                "address": hit.address,
            }
            for query in inp.to_dict("records")
            for hit in self._search.ask(query["query"])
        ]
        return pd.DataFrame(rows, columns=[*inp.columns, *ADDED]).astype(NUMBERS)
