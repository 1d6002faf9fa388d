"""Files for builds, the same imported into a workspace and pushed, and what an index holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from gear_app.cluster.build import Build, BuildOrder, build
from gear_app.cluster.engine import Engine, Tools
from gear_app.embedders.local import HashingEmbedder
from gear_app.extract.local import LocalExtractor
from gear_app.opensearch import catalogue
from gear_app.opensearch.cluster import Cluster, unread
from gear_app.opensearch.index import OpenSearchIndex
from gear_app.opensearch.load import StorageOptions
from gear_app.seams import Embedder, Extractor
from gear_app.workspace import Workspace
from tests.cluster.worlds import silent
from tests.workspaces import ToyExtractor

COLLECTION = "boats"


def toy() -> Extractor:
    return ToyExtractor()


@cache
def local() -> Extractor:
    return LocalExtractor()


def hashing(device: str) -> Embedder:
    return HashingEmbedder()


TOOLS = Tools(toy, hashing)


def row(number: int, text: str = "") -> dict[str, Any]:
    """A passage about a boat, which shares its builder with some and its harbour with others."""
    boat, yard = f"Boat{number}", f"Anna Yard{number % 7}"
    words = text or (
        f"{boat} was built by {yard}. {boat} lies on Pier{number % 5} of Lorn. {yard} studied in Sel."
    )
    return {"id": f"b{number}", "title": boat, "text": words}


def files(folder: Path, boats: int = 60) -> tuple[str, ...]:
    """A corpus, one with repeated and clashing rows, a text of several passages, a Parquet file and
    questions whose gold goes by the id of a repeated passage.
    """
    folder.mkdir(parents=True, exist_ok=True)
    third = boats // 3
    first = [row(number) for number in range(third)]
    again = [{**row(3), "id": "other"}, row(5, "Something else."), {**row(2), "id": "b2"}]
    second = [*again, *(row(number) for number in range(third, 2 * third))]
    _lines(folder / "first.jsonl", first)
    _lines(folder / "second.jsonl", second)
    harbour = " ".join(f"Buoy{n} was laid by Ida Quay. The tide comes in." for n in range(90))
    (folder / "harbour.txt").write_text(f"The harbour of Lorn\n\n{harbour}", encoding="utf-8")
    (folder / "harbour again.txt").write_text(f"The harbour of Lorn\n\n{harbour}", encoding="utf-8")
    table = pyarrow.Table.from_pylist([row(number) for number in range(2 * third, boats)])
    parquet.write_table(table, folder / "third.parquet", row_group_size=4)
    question = {"question": "Who built Boat3?", "id": "q1", "supporting_ids": ["other", "b1"]}
    _lines(folder / "questions.jsonl", [{**question, "answers": ["Anna Yard3"]}])
    names = "first.jsonl", "second.jsonl", "harbour.txt", "harbour again.txt", "third.parquet"
    return tuple(str(folder / name) for name in (*names, "questions.jsonl"))


def order(url: str, paths: Sequence[str], tools: Tools = TOOLS) -> BuildOrder:
    """To build these files with these tools."""
    extractor = tools.extractor()
    return BuildOrder(
        tuple(paths),
        COLLECTION,
        url,
        triples=extractor.name,
        maker=extractor.name,
        extractor=extractor.fingerprint,
        embedder=tools.embedder("cpu").fingerprint,
    )


def built(url: str, paths: Sequence[str], engine: Engine, tools: Tools = TOOLS) -> Build:
    """An index, built from files."""
    return build(order(url, paths, tools), tools, engine, silent)


def pushed(url: str, paths: Sequence[str], folder: Path, tools: Tools = TOOLS) -> str:
    """The name of the index of the same files, imported, extracted and pushed."""
    made = Workspace(folder / "w.db", embedder=HashingEmbedder(), extractor=tools.extractor())
    for path in paths:
        made.import_path(path, COLLECTION)
    made.extract(COLLECTION, tools.extractor().name)
    return made.clusters.push(COLLECTION, None, url, StorageOptions(), silent).index


def documents(cluster: Cluster, index: str) -> dict[str, dict[str, Any]]:
    """All that an index gives back, by the documents' ids: also the bytes of vectors, and what is
    searched by names.
    """
    fields = ["bytes", "sentence_bytes", "mentions", "ends"]
    body = {"size": 10_000, "query": {"match_all": {}}, "docvalue_fields": fields}
    cluster.call(lambda client: client.indices.refresh(index=index), unread)
    (answer,) = cluster.searches(index, [body])
    return {hit["_id"]: hit["_source"] | hit.get("fields", {}) for hit in answer["hits"]["hits"]}


def opened(cluster: Cluster, index: str) -> OpenSearchIndex:
    """The index, to be searched."""
    return catalogue.open_index(cluster, index, HashingEmbedder())


def _lines(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
