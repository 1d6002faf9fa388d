"""Texts and web pages: lengths, encodings, and text that is anything but words."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from gear_app.ingest import Limits, content_hash, read_files, read_text, split
from gear_app.language.blocks import sentences
from tests.ingest.reports import failure, report


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


def test_runs_of_marks_end_one_sentence_and_only_before_white_space() -> None:
    text = 'Really?!..." She left....Then." He "stayed.")] And?? 10.5.. .x'
    assert [text[span.start : span.end] for span in sentences(text)] == [
        'Really?!..."',
        'She left....Then."',
        'He "stayed.")]',
        "And??",
        "10.5..",
        ".x",
    ]


def test_a_text_of_too_many_lines_or_sentences_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"It rains.\n\nIt snows. It pours."
    # The functions of these names hide the modules.
    monkeypatch.setattr(import_module("gear_app.ingest.split"), "MOST_LINES", 2)
    monkeypatch.setattr(import_module("gear_app.ingest.split"), "MOST_SENTENCES", 3)
    assert report("a.txt", text).status == "accepted"
    assert failure("a.txt", text + b" It thunders.") == ("it has more than 3 sentences; split it")
    assert failure("a.txt", text + b"\nIt thunders.") == ("it has more than 2 lines; split it")


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("a.txt", b"", b""),
        ("a.html", b"<p>", b"</p>"),
        ("a.csv", b"text\n", b"\n"),
        ("a.csv", b"column\n", b"\n"),
        ("a.jsonl", b'{"text": "', b'"}'),
        ("a.json", b'{"title": ["', b'"]}'),
    ],
)
def test_a_document_has_only_so_many_characters(
    monkeypatch: pytest.MonkeyPatch, name: str, start: bytes, end: bytes
) -> None:
    most = 20_000 + (len("column: ") if start == b"column\n" else 0)
    monkeypatch.setattr("gear_app.ingest.batch.MOST_CHARACTERS", most)
    assert report(name, start + b"word " * 3999 + b"words" + end).status == "accepted"
    assert failure(name, start + b"word " * 3999 + b"words!" + end) == (
        f"it has more than {most:,} characters of text; split it"
    )


def test_one_import_holds_only_so_much_text() -> None:
    row = b'{"id": "b", "text": "' + b"y" * 50 + b'"}'
    files = [("a.txt", b"x" * 60), ("b.jsonl", row), ("c.txt", b"z" * 40)]
    reports = read_files(files, Limits(characters=100)).reports
    assert [r.status for r in reports] == ["accepted", "failed", "accepted"]
    assert reports[1].message.startswith("this import would hold more than 100 characters of text")


def test_a_title_is_repeated_with_every_passage_and_so_is_cut() -> None:
    long = " ".join(map(str, range(400)))
    files = [
        ("a.md", f"# {'x' * 1000}\n\n{long}".encode()),
        ("b.html", f"<title>{'x' * 1000}</title>{long}b".encode()),
        ("c.csv", f"title,text\n{'x' * 1000},{long}c".encode()),
        ("d.jsonl", json.dumps({"id": "d", "title": "x" * 1000, "text": f"{long}d"}).encode()),
    ]
    batch = read_files(files)
    assert {p.title for p in batch.passages} == {"x" * 299 + "…"}
    assert len(batch.passages) == 8


def test_the_same_words_are_the_same_content_however_composed_and_spaced() -> None:
    words = [f"caf\u00e9{n}" for n in range(2500)]
    composed = content_hash("T", " ".join(words))
    assert content_hash("T", "\n\t".join(words) + " \n") == composed
    assert content_hash("T", " ".join(words).replace("\u00e9", "e\u0301")) == composed
    assert content_hash("T", " ".join(words[:-1])) != composed
    assert content_hash("T " + words[0], " ".join(words[1:])) != composed
    marks = "a" + "\u0315\u0300" * 10
    assert content_hash("", marks) == content_hash("", "a" + "\u0300" * 10 + "\u0315" * 10)


MANY = "Zürich, Köln, Düren, Jülich, Wörth, Höchst: "


@pytest.mark.parametrize(
    ("content", "text", "said"),
    [
        (MANY.encode() * 2 + b"caf\xe9", MANY * 2 + "caf\ufffd", "1 byte not in"),
        (MANY.encode() * 4 + b"\xe9\xff", MANY * 4 + "\ufffd\ufffd", "2 bytes not in"),
        (
            (MANY + "caf\ufffd ").encode() * 2 + b"\xe9",
            (MANY + "caf\ufffd ") * 2 + "\ufffd",
            "1 byte",
        ),
        (b"\xef\xbb\xbf" + MANY.encode() + b"\xe9", MANY + "\ufffd", "1 byte not in"),
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


@pytest.mark.parametrize(
    ("charset", "bytes_", "text"),
    [
        ("utf-8", "Köln, ".encode() + b"\xe9", "Köln, \ufffd"),
        ("shift_jis", "灯台の".encode("shift_jis") + b"\xff", "灯台の\ufffd"),
        ("utf-8", "Köln, é".encode("cp1252"), "Köln, é"),
    ],
)
def test_a_page_with_bad_bytes_is_read_as_it_declares(
    charset: str, bytes_: bytes, text: str
) -> None:
    page = f"<meta charset={charset}><p>".encode() + bytes_
    assert read_files([("a.html", page)]).documents[0].text == text


@pytest.mark.parametrize("codec", ["punycode", "idna", "raw_unicode_escape", "hex", "nonsense"])
def test_an_encoding_that_is_none_of_texts_is_not_believed(codec: str) -> None:
    page = f'<meta charset="{codec}"><p>'.encode() + "Café-Müller \\u0041".encode("cp1252")
    assert read_files([("a.html", page)]).documents[0].text == "Café-Müller \\u0041"


def test_elements_may_be_nested_as_deep_as_they_like() -> None:
    batch = read_files([("a.html", b"<div>" * 100_000 + b"x " + b"<b>" * 100_000 + b"y")])
    assert [d.text for d in batch.documents] == ["x y"]


@pytest.mark.parametrize(
    "content", [b"<p>", b"<!-- never closed", b"<script>only()</script>", b"<frameset><frame>"]
)
def test_html_without_text_is_skipped(content: bytes) -> None:
    assert report("a.html", content)[1:3] == ("skipped", "there is no text in it")


@pytest.mark.parametrize(
    ("limit", "most", "page", "more", "message"),
    [
        ("MOST_BYTES", 4, b"<p>x", b"y", "the page has more than 0.0 MB; split it"),
        ("MOST_TAGS", 2, b"<p>x</p>", b"<b>", "the page has more than 2 tags; split it"),
    ],
)
def test_a_page_has_only_so_many_bytes_and_tags(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, page: bytes, more: bytes, message: str
) -> None:
    monkeypatch.setattr(f"gear_app.ingest.html.{limit}", most)
    assert report("a.html", page).status == "accepted"
    assert failure("a.html", page + more) == message


def test_what_no_database_takes_is_replaced() -> None:
    batch = read_files([("c.jsonl", b'{"id": "a", "title": "A\\u0000", "text": "x\\ud800y"}')])
    assert [(p.title, p.text) for p in batch.passages] == [("A\ufffd", "x\ufffdy")]
    assert read_text("t", "a\x00b \udc00").documents[0].text == "a\ufffdb \ufffd"
    assert read_files([("\udc80.json", b'{"T\\ud800": ["x"]}')]).passages[0].title == "T\ufffd"
    assert report("\udc80.txt", b"x").name == "\ufffd.txt"
