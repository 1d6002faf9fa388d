"""Texts and web pages: lengths, encodings, and text that is anything but words."""

from __future__ import annotations

import pytest

from gear_app.documents.read import read_text
from tests.documents.reports import read_files, split


@pytest.mark.parametrize(
    "piece", [*".!?…\"'”»)]。！？؟।」([-*#|>_0aAé中", '."', ".)x", "?!", ".\u200b"]
)
def test_a_hundred_thousand_of_the_same(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + "x"
    found = split(text)
    assert [(span.start, span.end) for span in found[:2]] == [(0, 1000), (1000, 2000)]
    assert len(found) == 100  # what is left over joins the last


def test_elements_may_be_nested_as_deep_as_they_like() -> None:
    batch = read_files([("a.html", b"<div>" * 100_000 + b"x " + b"<b>" * 100_000 + b"y")])
    assert [d.text for d in batch.documents] == ["x y"]


def test_what_no_database_takes_is_replaced() -> None:
    batch = read_files([("c.jsonl", b'{"id": "a", "title": "A\\u0000", "text": "x\\ud800y"}')])
    assert [(p.title, p.text) for p in batch.passages] == [("A\ufffd", "x\ufffdy")]
    assert read_text("t", "a\x00b \udc00").documents[0].text == "a\ufffdb \ufffd"
    assert read_files([("\udc80.json", b'{"T\\ud800": ["x"]}')]).passages[0].title == "T\ufffd"
