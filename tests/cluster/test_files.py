"""Files are cut into parts that hold each row once, and every passage is numbered before it is
worked on.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from gear_app.cluster.files import (
    FilePart,
    LeftOut,
    NumberedPart,
    Numbering,
    contents_of,
    parts_of,
    passages_of,
    read_part,
)
from gear_app.cluster.ray_engine import RayOptions, ray_engine
from gear_app.errors import BadInput, NotReady
from gear_app.store.disk_map import DiskMap

ROWS = [
    {"id": f"r{number}", "title": f"Boat {number}", "text": f"It lies on pier {number}."}
    for number in range(50)
]


def jsonl(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def numbered(paths: list[str], part_bytes: int = 1_000_000) -> tuple[Numbering, list[NumberedPart]]:
    numbering = Numbering()
    parts = parts_of(paths, large=part_bytes, part_bytes=part_bytes)
    return numbering, [numbering.number(part, contents_of(part)) for part in parts]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_large_file_is_read_in_parts_that_hold_every_row_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"corpus.{kind}"
    if kind == "jsonl":
        jsonl(path, ROWS)
    else:
        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, row_group_size=5)
    (whole,) = parts_of([str(path)])
    parts = parts_of([str(path)], large=500, part_bytes=700)
    assert len(parts) > 3
    found = [passage.key for part in parts for passage in read_part(part).passages]
    assert found == [passage.key for passage in read_part(whole).passages]
    assert found == [row["id"] for row in ROWS]


def test_passages_are_numbered_in_the_order_of_the_files_and_repetitions_are_left_out(
    tmp_path: Path,
) -> None:
    first = jsonl(tmp_path / "first.jsonl", ROWS[:3])
    again = [{**ROWS[1], "id": "other"}, {**ROWS[2], "text": "Something else."}, *ROWS[3:5]]
    second = jsonl(tmp_path / "second.jsonl", again)
    numbering, parts = numbered([first, second])
    assert [part.numbers.tolist() for part in parts] == [[1, 2, 3], [0, 4, 5, 6]]
    assert numbering.passages == 6 and numbering.left_out == LeftOut(same=1, renamed=1)
    passages = [passage for part in parts for passage in passages_of(part)]
    keys = ["r0", "r1", "r2", "second.jsonl:r2", "r3", "r4"]
    assert [(passage.id, passage.key) for passage in passages] == list(enumerate(keys, start=1))


def test_a_document_that_comes_again_is_left_out_whole(tmp_path: Path) -> None:
    text = "Harbours\n\n" + " ".join(f"Buoy {n} was laid by Ida Quay." for n in range(60))
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    numbering, (first, second) = numbered([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")])
    assert numbering.documents == 1 and first.documents.tolist() == [1]
    assert not second.numbers.any() and not second.documents.any()
    passages = list(passages_of(first))
    assert [passage.id for passage in passages] == list(range(1, numbering.passages + 1))
    assert {passage.document_id for passage in passages} == {1}
    assert all(passage.text == text[passage.start : passage.end] for passage in passages)


def test_gold_goes_by_the_key_that_was_kept(tmp_path: Path) -> None:
    first = jsonl(tmp_path / "first.jsonl", ROWS[:2])
    second = jsonl(tmp_path / "second.jsonl", [{**ROWS[1], "id": "other"}])
    question = {"id": "q", "question": "Where is it?", "supporting_ids": ["other", "r0"]}
    third = jsonl(tmp_path / "questions.jsonl", [question])  # type: ignore[list-item]
    numbering, _ = numbered([first, second, third])
    (kept,) = numbering.questions
    assert kept.supporting_keys == ("r1", "r0")


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "corpus.jsonl", ROWS)
    _, (part,) = numbered([path])
    jsonl(tmp_path / "corpus.jsonl", [*ROWS[:-1], {**ROWS[-1], "text": "It sank."}])
    with pytest.raises(BadInput, match="changed while it was read"):
        list(passages_of(part))


def test_what_cannot_be_read_is_said_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF")
    (tmp_path / "wrong.jsonl").write_text("no json", encoding="utf-8")
    for path, why in ((tmp_path, "is no file"), (tmp_path / "scan.pdf", "gear-app index push")):
        with pytest.raises(BadInput, match=why):
            parts_of([str(path)])
    with pytest.raises(BadInput, match=r"wrong.jsonl cannot be used: it is not JSON"):
        read_part(FilePart(str(tmp_path / "wrong.jsonl")))
    with pytest.raises(BadInput, match=r"gone.jsonl cannot be read here"):
        read_part(FilePart(str(tmp_path / "gone.jsonl")))


def test_a_map_on_disk_is_a_map() -> None:
    there = DiskMap()
    there["a"], there[b"b"] = b"1", "2"
    there["a"] = b"3"
    assert dict(there) == {"a": b"3", b"b": "2"} and len(there) == 2
    del there["a"]
    assert there.get("a") is None and "a" not in there
    with pytest.raises(KeyError):
        del there["a"]


def test_numbers_of_parts_are_no_copies_of_each_other(tmp_path: Path) -> None:
    """A part can be handed on without the others."""
    _, (part,) = numbered([jsonl(tmp_path / "corpus.jsonl", ROWS[:2])])
    other = replace(part, numbers=np.array([7, 0]))
    assert [passage.id for passage in passages_of(other)] == [7]
    assert [passage.id for passage in passages_of(part)] == [1, 2]


def test_without_ray_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(NotReady, match=r"gear-app\[ray\].*--engine local"),
        ray_engine(RayOptions()),
    ):
        pass
