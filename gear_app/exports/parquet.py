"""A collection as Parquet: a data set as MTEB and BEIR publish them, and a table for Embedding
Atlas. Files of any size are written in the memory of some of their rows.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from gear_app.exports.collection import HEAD
from gear_app.seams import Vectors
from gear_app.types import Passage, Question

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 1_000
_PART = "00000-of-00001.parquet"
CORPUS, QUERIES = f"corpus/corpus-{_PART}", f"queries/queries-{_PART}"
QRELS, CARD = f"qrels/test-{_PART}", "README.md"
# What loads the folder by its parts, as it does those of the hub.
CARD_TEXT = """---
configs:
- config_name: corpus
  data_files:
  - split: corpus
    path: corpus/*.parquet
- config_name: queries
  data_files:
  - split: queries
    path: queries/*.parquet
- config_name: default
  data_files:
  - split: test
    path: qrels/*.parquet
---
"""

Row = Mapping[str, object]
Judgment = tuple[str, str, int]  # a question, a passage, its grade


def corpus_pieces(passages: Iterable[Passage]) -> Iterator[bytes]:
    """The pieces of a file of passages; their ids are their keys."""
    rows = ({"_id": one.key, "title": one.title, "text": one.text} for one in passages)
    return _pieces({"_id": "string", "title": "string", "text": "string"}, rows)


def query_pieces(questions: Iterable[Question]) -> Iterator[bytes]:
    """The pieces of a file of questions; `metadata` has the answers, type and hops known."""
    import pyarrow as pa

    metadata = pa.struct(
        {"answers": pa.list_(pa.string()), "type": pa.string(), "hops": pa.int32()}
    )
    rows = (
        {
            "_id": one.id,
            "text": one.question,
            "metadata": {"answers": list(one.answers), "type": one.type, "hops": one.hops},
        }
        for one in questions
    )
    return _pieces({"_id": "string", "text": "string", "metadata": metadata}, rows)


def qrels_pieces(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """The pieces of a file of gold passages with their grades."""
    types = dict(zip(HEAD, ("string", "string", "int32"), strict=True))
    return _pieces(types, (dict(zip(HEAD, one, strict=True)) for one in judgments))


def atlas_pieces(
    passages: Iterable[tuple[Passage, str | None, Vectors]], axes: Vectors
) -> Iterator[bytes]:
    """The pieces of a table for Embedding Atlas: passages with their document, where they have
    one, their vector, and where they lie on two axes (`principal_axes`).
    """
    import pyarrow as pa

    names = dict.fromkeys(("id", "title", "text", "document"), "string")
    numbers = {"vector": pa.list_(pa.float32()), "projection_x": "float", "projection_y": "float"}
    rows = (
        {
            "id": passage.key,
            "title": passage.title,
            "text": passage.text,
            "document": document,
            "vector": vector,
            "projection_x": float(vector @ axes[0]),
            "projection_y": float(vector @ axes[1]),
        }
        for passage, document, vector in passages
    )
    return _pieces({**names, **numbers}, rows)


def principal_axes(parts: Iterable[Vectors]) -> Vectors:
    """The two directions (2, d) in which vectors differ most (PCA), of vectors that come in parts
    (n, d). The sign of each is that of its largest number, so that the same vectors always give the
    same picture. Where there are fewer directions the others are 0.
    """
    number, total, products = 0, np.zeros(0), np.zeros((0, 0))
    for part in parts:
        wide = part.astype(np.float64)
        total = wide.sum(axis=0) + (total if number else 0)
        products = wide.T @ wide + (products if number else 0)
        number += len(part)
    axes = np.zeros((2, len(total)))
    if number:
        mean = total / number
        _, vectors = np.linalg.eigh(products / number - np.outer(mean, mean))
        found = vectors.T[::-1][:2]
        largest = np.take_along_axis(found, np.abs(found).argmax(axis=1, keepdims=True), axis=1)
        axes[: len(found)] = found * np.where(largest < 0, -1, 1)
    return axes.astype(np.float32)


class _Sink(io.BytesIO):
    """A file that is taken away piece by piece while it is written."""

    gone = 0  # bytes that were taken away

    def tell(self) -> int:
        """How many bytes were written, those included that were taken away."""
        return self.gone + super().tell()

    def taken(self) -> bytes:
        """The bytes written since they were taken the last time."""
        piece = self.getvalue()
        self.gone += len(piece)
        self.seek(0)
        self.truncate()
        return piece


def _pieces(columns: Mapping[str, str | pa.DataType], rows: Iterable[Row]) -> Iterator[bytes]:
    """A Parquet file, a piece for some rows; of no rows it has its columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, sink, left = pa.schema(list(columns.items())), _Sink(), iter(rows)
    with pq.ParquetWriter(sink, schema) as writer:
        while some := list(itertools.islice(left, ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema))
            yield sink.taken()
    yield sink.taken()
