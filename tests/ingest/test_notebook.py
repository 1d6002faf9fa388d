"""Notebooks: their cells in order, results counted, and files that are none."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from gear_app.errors import BadInput
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.notebook import read_notebook


@pytest.fixture(autouse=True)
def plain_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Markdown whose marks are not read: what makes blocks of them is tested elsewhere."""

    def add_markdown(document: ReadDocument, text: str) -> None:
        document.add(BlockKind.PARAGRAPH, text)

    double = ModuleType("gear_app.ingest.markdown")
    vars(double)["add_markdown"] = add_markdown
    monkeypatch.setitem(sys.modules, "gear_app.ingest.markdown", double)


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4, **more}).encode()


def test_words_and_code_come_in_order_and_results_are_counted() -> None:
    content = notebook(
        {"cell_type": "markdown", "source": ["The pump ", "failed."]},
        {"cell_type": "code", "source": "for x in y:\n    pump(x)\n", "outputs": [{}, {}]},
        {"cell_type": "raw", "source": "By hand."},
        metadata={"title": "Pump log"},
    )
    document = read_notebook(content)
    assert document.title == "Pump log"
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.PARAGRAPH, "The pump failed."),
        (BlockKind.CODE, "for x in y:\n    pump(x)"),
        (BlockKind.PARAGRAPH, "By hand."),
    ]
    assert document.report() == ["left out: 2 outputs"]


def test_an_older_notebook_has_headings_and_worksheets() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Pumps"]},
        {"cell_type": "code", "input": ["pump()"], "outputs": []},
    ]
    document = read_notebook(json.dumps({"worksheets": [{"cells": cells}]}).encode())
    assert [(block.kind, block.text, block.level) for block in document.blocks] == [
        (BlockKind.HEADING, "Pumps", 2),
        (BlockKind.CODE, "pump()", 0),
    ]


@pytest.mark.parametrize(("level", "kept"), [(-3, 1), (0, 1), (6, 6), (10**9, 6)])
def test_a_heading_s_level_is_one_that_there_is(level: int, kept: int) -> None:
    cell = {"cell_type": "heading", "level": level, "source": "Pumps"}
    assert [block.level for block in read_notebook(notebook(cell)).blocks] == [kept]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"cells": 3}',
        b'{"worksheets": [3]}',
        b'{"cells": [{"source": 3}]}',
        b"[" * 100_000,
        b'{"cells": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_notebook_is_told(content: bytes) -> None:
    with pytest.raises(BadInput, match="not a notebook"):
        read_notebook(content)


def test_cells_that_hold_odd_things_do_not_fail() -> None:
    cells = [3, {}, {"cell_type": "code", "source": [1, "pump()"], "outputs": 3}, {"source": "\0"}]
    assert [block.text for block in read_notebook(notebook(*cells)).blocks] == ["pump()", "\ufffd"]
