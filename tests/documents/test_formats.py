"""Examples are files, and the line under each is what its report says: those of the documentation,
and further ones in formats.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.documents.reports import read_path

PAGES = (
    Path(__file__).parents[2] / "docs" / "documents-and-formats.md",
    Path(__file__).with_name("formats.md"),
)
EXAMPLE = re.compile(
    r"^File `(?P<name>[^`]+)`:\n\n```\w+\n(?P<content>.*?)```\n\nGives: (?P<gives>[^\n]*)$",
    re.M | re.S,
)


def examples() -> list[tuple[str, str, str]]:
    pages = [page.read_text(encoding="utf-8") for page in PAGES]
    found = [
        (m["name"], m["content"], m["gives"]) for page in pages for m in EXAMPLE.finditer(page)
    ]
    assert len(found) == sum(page.count("Gives:") for page in pages)
    return found


@pytest.mark.parametrize(
    ("name", "content", "gives"), examples(), ids=[name for name, _, _ in examples()]
)
def test_the_example_gives_what_the_page_says(
    tmp_path: Path, name: str, content: str, gives: str
) -> None:
    file = tmp_path / Path(name).name
    file.write_text(content, encoding="utf-8")
    (report,) = read_path(file).reports
    assert (report.status, report.message) == ("accepted", gives)


def test_the_pack_example_fits_together(tmp_path: Path) -> None:
    for name, content, _ in examples():
        if name.startswith("pack/"):
            (tmp_path / Path(name).name).write_text(content, encoding="utf-8")
    (tmp_path / "README.md").write_text("not a document", encoding="utf-8")
    batch = read_path(tmp_path)
    assert [p.key for p in batch.passages] == ["harbour", "quill"]
    assert batch.documents == []
    assert batch.questions[0].supporting_keys == ("harbour", "quill")
    assert [hop.supporting_key for hop in batch.questions[0].decomposition] == ["harbour", "quill"]
    assert [t.sentence for t in batch.triples["curated"][:2]] == [
        "Harbour Lights was directed by Ada Quill.",
        "",
    ]
    assert batch.reports[0][:2] == ("README.md", "skipped")


FILES = Path(__file__).parent / "files"
CASES = list(map(json.loads, (FILES / "cases.jsonl").read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
def test_a_file_that_people_have_is_read_and_its_losses_are_reported(case: dict[str, Any]) -> None:
    batch = read_path(FILES / case["file"], **case.get("fields", {}))
    assert batch.reports[0].message == case["message"]
    assert case["text"] in "".join(document.text for document in batch.documents)
