"""Markdown as plain text, written out by hand; and notebooks: their cells in order, results counted."""

from __future__ import annotations

import json

import pytest

from gear_app.documents.blocks import Kind
from gear_app.documents.formats.text import read_markdown, read_notebook


def plain(text: str) -> str:
    """What is kept of a Markdown text."""
    return read_markdown(text.encode()).text


REPORT = """---
owner: Ada
---
# INC-7: disk full

**Severity:** SEV2
## Root cause
The *log* of `ledger_sync` grew, see [the page](https://a.example/x).
* [x] rotate
+ page

| Who | Where |
|:--|---|
| Ada | Ghent |

> quoted
```
# kept **as is**
```
"""
PLAIN = """owner: Ada

INC-7: disk full

Severity: SEV2

Root cause

The log of ledger_sync grew, see the page.

- [x] rotate
- page

Who: Ada
Where: Ghent

quoted

# kept **as is**"""


def test_marks_go_and_the_layout_stays() -> None:
    assert plain(REPORT) == PLAIN
    assert read_markdown(REPORT.encode()).named("file") == "INC-7: disk full"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\ntitle: Log\nkeeper: Ida\n---\nIt rains.", "keeper: Ida\n\nIt rains."),
        ("---\n# of the club\nkeeper: Ida\n...\nIt rains.", "keeper: Ida\n\nIt rains."),
        ("---\r\nkeeper: Ida\r\n---\r\nIt rains.", "keeper: Ida\n\nIt rains."),
        ("---\ntitle: Log: May\nby: Ida\n---\nIt rains.", "by: Ida\n\nIt rains."),
    ],
)
def test_front_matter_is_keys_and_values_between_rules(text: str, told: str) -> None:
    assert plain(text) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Press File > Save as > PDF.", "Press File > Save as > PDF."),
        (
            "If x>5 then A -> B, and List<String> is it.",
            "If x>5 then A -> B, and List<String> is it.",
        ),
        (">> nested", "nested"),
        ("un**believ**able **and** ~~not~~", "unbelievable and not"),
        ("`__init__`, `**kwargs**` and `a | b > c`", "__init__, **kwargs** and a | b > c"),
        ("```x``` is code", "x is code"),
    ],
)
def test_a_mark_goes_only_where_it_is_one(line: str, told: str) -> None:
    assert plain(f"Before.\n\n{line}\n\nAfter.") == "\n\n".join(
        filter(None, ["Before.", told, "After."])
    )


# Notebooks


def notebook(*cells: object) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def test_words_and_code_come_in_order_and_results_are_counted() -> None:
    content = notebook(
        {"cell_type": "markdown", "source": ["The pump ", "failed."]},
        {"cell_type": "code", "source": "for x in y:\n    pump(x)\n", "outputs": [{}, {}]},
        {"cell_type": "raw", "source": "By hand."},
    )
    document = read_notebook(content)
    assert [(block.kind, block.text) for block in document.blocks] == [
        (Kind.PROSE, "The pump failed."),
        (Kind.PROSE, "for x in y:\n    pump(x)"),
        (Kind.PROSE, "By hand."),
    ]
    assert document.remarks() == ["left out: 2 outputs"]
