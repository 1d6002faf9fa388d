"""Texts and web pages: lengths, encodings, and text that is anything but words."""

from __future__ import annotations

import pytest

from gear_app.documents.passages import split
from gear_app.documents.read import read_text
from tests.documents.reports import read_files, report


@pytest.mark.parametrize(
    "piece", [*".!?…\"'”»)]。！？؟।」([-*#|>_0aAé中", '."', ".)x", "?!", ".\u200b"]
)
def test_a_hundred_thousand_of_the_same(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + "x"
    found = split(text)
    assert [(span.start, span.end) for span in found[:2]] == [(0, 1000), (1000, 2000)]
    assert len(found) == 100  # what is left over joins the last


@pytest.mark.parametrize("piece", [". ", '。"', "! ", "x. ", ".\n", "\n", "\r", " ", "\t.", '." '])
def test_a_hundred_thousand_sentences(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + "x"
    joined = "".join(text[span.start : span.end] for span in split(text))
    assert "".join(joined.split()) == "".join(text.split())


MANY = "Zürich, Köln, Düren, Jülich, Wörth, Höchst: "


@pytest.mark.parametrize(
    ("content", "text", "said"),
    [
        (MANY.encode() * 2 + b"caf\xe9", MANY * 2 + "caf\ufffd", "1 byte not in"),
        (MANY.encode() * 4 + b"\xe9\xff", MANY * 4 + "\ufffd\ufffd", "2 bytes not in"),
        (MANY.encode("cp1252") + "ü".encode(), MANY + "Ã¼", "read as windows-1252"),
    ],
)
def test_few_bad_bytes_make_no_other_encoding(content: bytes, text: str, said: str) -> None:
    batch = read_files([("a.txt", content)])
    assert batch.documents[0].text == text
    assert said in batch.reports[0].message
    lines = b'{"text": "' + content.replace(b"\xef\xbb\xbf", b"") + b'"}\n{"text": "b"}\n'
    batch = read_files([("a.jsonl", lines)])
    assert batch.passages[0].text == text.strip()
    assert said in batch.reports[0].message


def test_elements_may_be_nested_as_deep_as_they_like() -> None:
    batch = read_files([("a.html", b"<div>" * 100_000 + b"x " + b"<b>" * 100_000 + b"y")])
    assert [d.text for d in batch.documents] == ["x y"]


@pytest.mark.parametrize(
    "content", [b"<p>", b"<!-- never closed", b"<script>only()</script>", b"<frameset><frame>"]
)
def test_html_without_text_is_skipped(content: bytes) -> None:
    assert report("a.html", content)[1:3] == ("skipped", "there is no text in it")


def test_what_no_database_takes_is_replaced() -> None:
    batch = read_files([("c.jsonl", b'{"id": "a", "title": "A\\u0000", "text": "x\\ud800y"}')])
    assert [(p.title, p.text) for p in batch.passages] == [("A\ufffd", "x\ufffdy")]
    assert read_text("t", "a\x00b \udc00").documents[0].text == "a\ufffdb \ufffd"
    assert read_files([("\udc80.json", b'{"T\\ud800": ["x"]}')]).passages[0].title == "T\ufffd"
