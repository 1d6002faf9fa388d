"""Collections as Parquet: read back by pyarrow, and by our own import."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from gear_app.exports import parquet
from gear_app.ingest import read_path
from gear_app.types import Passage
from gear_app.workspace import Workspace
from tests.exports.test_collection import exported


def test_a_folder_of_mteb_comes_back_with_the_same_passages_questions_and_gold(
    films: Workspace, tmp_path: Path
) -> None:
    assert exported(films, "--mteb", str(tmp_path / "mteb")) == 0
    batch = read_path(tmp_path / "mteb")
    there = list(films.collections.every_passage("films"))
    assert {(p.key, p.title, p.text) for p in batch.passages} == {
        (p.key, p.title, p.text) for p in there
    }
    assert not batch.documents
    questions = films.collections.questions("films")
    assert list(batch.questions) == [replace(q, decomposition=()) for q in questions]
    assert any(question.supporting_keys for question in questions)


def test_the_columns_of_mteb_are_those_of_its_data_sets(films: Workspace, tmp_path: Path) -> None:
    assert exported(films, "--mteb", str(tmp_path)) == 0
    names = {
        file: pq.read_schema(tmp_path / file).names for file in (parquet.CORPUS, parquet.QRELS)
    }
    assert names == {
        parquet.CORPUS: ["_id", "title", "text"],
        parquet.QRELS: ["query-id", "corpus-id", "score"],
    }
    assert pq.read_table(tmp_path / parquet.QRELS).to_pylist() == [
        {"query-id": "q1", "corpus-id": key, "score": 1} for key in ("harbour", "quill")
    ]
    assert exported(films, "--mteb", str(tmp_path)) == 2  # never over files that are there


def test_a_file_is_written_in_pieces_and_without_rows_it_has_its_columns(tmp_path: Path) -> None:
    read: list[int] = []

    def passages() -> Iterator[Passage]:
        for number in range(2 * parquet.ROWS_AT_ONCE + 1):
            read.append(number)
            yield Passage(number, f"p{number}", "", "x")

    pieces = parquet.corpus_pieces(passages())
    first = next(pieces)
    assert len(read) == parquet.ROWS_AT_ONCE
    (tmp_path / "whole").write_bytes(b"".join([first, *pieces]))
    assert pq.read_table(tmp_path / "whole")["_id"].to_pylist() == [f"p{n}" for n in read]
    (tmp_path / "empty").write_bytes(b"".join(parquet.corpus_pieces([])))
    assert pq.read_table(tmp_path / "empty").to_pydict() == {"_id": [], "title": [], "text": []}


def test_a_table_for_an_atlas_has_every_passage_with_its_vector_and_a_place(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    file = tmp_path / "atlas.parquet"
    assert exported(films, "--atlas", str(file)) == 0
    table = pq.read_table(file)
    assert str(table.schema.field("vector").type).startswith("list<") and table.num_rows == 8
    rows = table.to_pylist()
    passages = list(films.collections.every_passage("films"))
    assert [(r["id"], r["title"], r["text"]) for r in rows] == [
        (p.key, p.title, p.text) for p in passages
    ]
    vectors = films.models.embedder.embed([p.indexed for p in passages])
    assert np.array_equal(np.array([r["vector"] for r in rows], np.float32), vectors)
    places = np.array([(r["projection_x"], r["projection_y"]) for r in rows])
    centred = vectors - vectors.mean(axis=0)
    widths = np.linalg.svd(centred, compute_uv=False)[:2]
    assert np.allclose(np.linalg.norm(places - places.mean(axis=0), axis=0), widths, atol=1e-4)


@pytest.mark.parametrize("cuts", [[], [1], [2, 3]])
def test_the_axes_do_not_depend_on_the_parts_that_vectors_come_in(cuts: list[int]) -> None:
    vectors = np.random.default_rng(1).normal(size=(5, 4)).astype(np.float32)
    places = [0, *cuts, len(vectors)]
    parts = [vectors[start:end] for start, end in itertools.pairwise(places)]
    assert np.allclose(parquet.principal_axes(parts), parquet.principal_axes([vectors]), atol=1e-6)


def test_no_vectors_and_vectors_of_one_number_have_axes_too() -> None:
    assert parquet.principal_axes([]).shape == (2, 0)
    line = np.array([[1.0], [3.0]], np.float32)
    assert parquet.principal_axes([line]).tolist() == [[1.0], [0.0]]
