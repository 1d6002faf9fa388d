"""Small files that would cost much: time, memory or passages. Each of these once took seconds to
minutes.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

from gear_app.ingest import (
    FileReport,
    Limits,
    content_hash,
    derived_key,
    read_files,
    read_path,
    read_text,
    split,
)
from gear_app.segmentation.blocks import sentences
from tests.ingest.bombs import raw_pdf
from tests.ingest.make import make_docx, make_pdf, make_word, make_zip

LONG = "word " * 1501


def report(name: str, content: bytes, limits: Limits | None = None) -> FileReport:
    (only,) = read_files([(name, content)], limits).reports
    return only


def _lines(rows: list[dict[str, object]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def with_document(content: bytes, old: bytes, new: bytes) -> bytes:
    """The Word file with one thing in its text changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert old in members["word/document.xml"]
    members["word/document.xml"] = members["word/document.xml"].replace(old, new, 1)
    return make_zip(members)


def test_a_cell_that_spans_more_columns_than_there_are_comes_once() -> None:
    plain = make_docx("Lorn", [], [["Year", "People"], ["1911", "700"]])
    spanning = with_document(plain, b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="100000000"/>')
    (document,) = read_files([("a.docx", spanning)]).documents
    assert document.text == "Lorn\n\nYear | People\n1911 | 700"


def test_a_cell_that_spans_rows_comes_once() -> None:
    plain = make_docx("", [], [["Year", "People"], ["", "700"]])
    first = with_document(plain, b"</w:tcPr>", b'<w:vMerge w:val="restart"/></w:tcPr>')
    merged = with_document(first, b"</w:tcPr><w:p><w:r/>", b"<w:vMerge/></w:tcPr><w:p><w:r/>")
    (document,) = read_files([("a.docx", merged)]).documents
    assert document.text == "Year | People\n | 700"


def test_a_pdf_that_shows_one_page_many_times_is_refused() -> None:
    content = make_pdf(["Tom Vane built bridges.", "And harbours."])
    kids = re.search(rb"/Kids \[ (\d+ 0 R) (\d+ 0 R) \]", content)
    assert kids
    found = report("a.pdf", content.replace(kids[0], kids[0].replace(kids[2], kids[1])))
    assert (found.status, found.message) == (
        "failed",
        "the PDF file shows one page several times; that looks like a bomb",
    )
    assert report("b.pdf", content).status == "accepted"


def test_a_pdf_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_PAGES", 2)
    assert report("a.pdf", make_pdf(["One.", "Two."])).status == "accepted"
    found = report("a.pdf", make_pdf(["One.", "Two.", "Three."]))
    assert (found.status, found.message) == (
        "failed",
        "the PDF file has more than 2 pages; split it",
    )


def test_a_pdf_with_more_text_than_its_size_allows_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = make_pdf(["Tom Vane built bridges. " * 2000])
    assert report("a.pdf", content).status == "accepted"
    monkeypatch.setattr("gear_app.ingest.pdf._CHARACTERS", 1000)
    monkeypatch.setattr("gear_app.ingest.pdf._PER_BYTE", 10)
    assert (
        report("a.pdf", content).message
        == f"the PDF file expands to more than {10 * len(content):,} characters, too many for a"
        " file of its size"
    )
    monkeypatch.setattr("gear_app.ingest.pdf._MOST_CHARACTERS", 47_000)
    monkeypatch.setattr("gear_app.ingest.pdf._PER_BYTE", 100)
    assert "more than 47,000 characters" in report("a.pdf", content).message


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
    monkeypatch.setattr(import_module("gear_app.segmentation.sentences"), "MOST_LINES", 2)
    monkeypatch.setattr(import_module("gear_app.ingest.split"), "MOST_SENTENCES", 3)
    assert report("a.txt", text).status == "accepted"
    found = report("a.txt", text + b" It thunders.")
    assert (found.status, found.message) == ("failed", "it has more than 3 sentences; split it")
    found = report("a.txt", text + b"\nIt thunders.")
    assert (found.status, found.message) == ("failed", "it has more than 2 lines; split it")


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
    extra = {b"column\n": len("column: "), b"<p>": len("\n\n" * 2)}.get(start, 0)
    monkeypatch.setattr("gear_app.ingest.contents.MOST_CHARACTERS", 20_000 + extra)
    assert report(name, start + b"word " * 3999 + b"words" + end).status == "accepted"
    found = report(name, start + b"word " * 3999 + b"words!" + end)
    most = f"{20_000 + extra:,}"
    assert (found.status, found.message) == (
        "failed",
        f"it has more than {most} characters of text; split it",
    )


def test_pasted_text_has_only_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.contents.MOST_CHARACTERS", 10)
    batch = read_text("A", "Too long a text.")
    assert batch.documents == ()
    assert batch.reports == (
        FileReport("A", "failed", "it has more than 10 characters of text; split it"),
    )


def test_one_import_holds_only_so_much_text() -> None:
    files = [("a.txt", b"x" * 60), ("b.jsonl", b'{"id": "b", "text": "' + b"y" * 50 + b'"}')]
    files.append(("c.txt", b"z" * 40))
    batch = read_files(files, Limits(characters=100))
    assert [r.status for r in batch.reports] == ["accepted", "failed", "accepted"]
    assert batch.reports[1].message == (
        "this import would hold more than 100 characters of text with it; import it apart from the"
        " others"
    )


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


def test_an_id_that_is_too_long_to_be_repeated_names_no_parts() -> None:
    text = "word " * 1600
    rows = [json.dumps({"id": "k" * size, "text": f"{text}{size}"}) for size in (2000, 2001)]
    batch = read_files([("a.jsonl", "\n".join(rows).encode())])
    keys = [p.key for p in batch.passages]
    assert keys[0] == "k" * 2000 + "#1"
    assert keys[-1] is None


def test_names_of_triples_and_entities_have_a_length() -> None:
    rows = [("x" * size, "is", "Y") for size in (1000, 1001)]
    triples = [dict(zip(("subject", "predicate", "object"), row, strict=True)) for row in rows]
    content = "\n".join(json.dumps({"passage_id": "p", **triple}) for triple in triples)
    named = json.dumps({"passage_id": "p", "entities": ["x" * 1000, "x" * 1001]})
    batch = read_files(
        [("triples.a.jsonl", content.encode()), ("entities.a.jsonl", named.encode())]
    )
    assert [len(t.subject) for t in batch.triple_sets["a"]] == [1000]
    assert [len(name) for name in batch.entities["a"][0].names] == [1000]
    assert batch.reports[0].message.endswith(
        "1 triple dropped: a name of more than 1,000 characters"
    )


def test_a_passage_has_only_so_many_triples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.merge.MOST_TRIPLES", 2)
    rows = [
        {"passage_id": key, "subject": f"S{n}", "predicate": "is", "object": "O"}
        for key, n in [("p", 1), ("p", 2), ("p", 2), ("p", 3), ("q", 3)]
    ]
    (found,) = (batch := read_files([("triples.a.jsonl", _lines(rows))])).reports
    kept = [(t.passage_key, t.subject) for t in batch.triple_sets["a"]]
    assert kept == [("p", "S1"), ("p", "S2"), ("q", "S3")]
    assert "1 triple left out: a passage may have " in found.message


def test_a_file_of_many_sets_names_the_first() -> None:
    rows = [
        {"passage_id": "p", "subject": "S", "predicate": "is", "object": "O", "source": f"s{n}"}
        for n in range(5)
    ]
    assert report("triples.jsonl", _lines(rows)).message == (
        "1 triple in the set 's0', 1 triple in the set 's1', 1 triple in the set 's2', and more in"
        " 2 sets"
    )


def test_the_entities_of_one_passage_are_joined_over_many_lines() -> None:
    rows = [{"passage_id": "p", "entities": [f"N{n}", "Ada"]} for n in range(3)]
    batch = read_files([("entities.a.jsonl", _lines(rows))])
    assert [(e.passage_key, e.names) for e in batch.entities["a"]] == [
        ("p", ("N0", "Ada", "N1", "N2"))
    ]


@pytest.mark.parametrize(
    ("limit", "most", "good", "bad", "message"),
    [
        ("MOST_ROWS", 2, b"a,b\n1,2\n3,4", b"\n5,6", "it has more than 2 rows; split it"),
        ("MOST_CELLS", 2, b"a,b\n1,2", b"\n3,4", "it has more than 2 cells; split it"),
        (
            "MOST_COLUMNS",
            2,
            b"a,b\n1,2,3",
            None,
            "it has more than 2 columns; keep those that hold text",
        ),
        (
            "MOST_OF_A_CELL",
            5,
            b"a,b\nwords,2",
            b"\nwords!",
            "a cell has more than 5 characters: either a quotation mark is never closed, or the text"
            " should be a file of its own",
        ),
    ],
)
def test_a_table_has_bounds(
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    most: int,
    good: bytes,
    bad: bytes | None,
    message: str,
) -> None:
    monkeypatch.setattr(f"gear_app.ingest.rows.{limit}", most)
    assert report("a.csv", good).status == "accepted"
    found = report("a.csv", b"c," + good if bad is None else good + bad)
    assert (found.status, found.message) == ("failed", message)


@pytest.mark.parametrize("value", ["[]", "{}", "1,1"])
def test_json_has_only_so_many_values(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    row = '{"text": "Some words.", "other": [' + ",".join([value] * 10) + "]}"
    monkeypatch.setattr("gear_app.ingest.rows.MOST_JSON_BYTES", 5_000)
    assert report("a.json", row.encode()).status == "accepted"
    monkeypatch.setattr("gear_app.ingest.rows.MOST_JSON_BYTES", 800)
    found = report("a.json", row.encode())
    assert found.message == "it holds too many values to be read at once; split it"


def test_json_has_only_so_many_rows_or_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.rows.MOST_ROWS", 2)
    monkeypatch.setattr("gear_app.ingest.datasets.MOST_ROWS", 2)
    rows = [{"id": f"k{n}", "text": f"Row {n}."} for n in range(3)]
    assert report("a.json", json.dumps(rows[:2]).encode()).status == "accepted"
    assert report("a.jsonl", _lines(rows[:2])).status == "accepted"
    assert report("a.json", json.dumps(rows).encode()).message == (
        "it has more than 2 rows; split it"
    )
    assert report("a.jsonl", _lines(rows)).message == "it has more than 2 lines; split it"


def test_a_number_of_thousands_of_digits_is_called_that() -> None:
    found = report("a.json", b'[{"text": 1' + b"0" * 5000 + b"}]")
    assert found.message == "it is not JSON: a number has thousands of digits"


def test_the_same_words_are_the_same_content_however_composed_and_spaced() -> None:
    words = [f"caf\u00e9{n}" for n in range(2500)]
    composed = content_hash("T", " ".join(words))
    assert content_hash("T", "\n\t".join(words) + " \n") == composed
    assert content_hash("T", " ".join(words).replace("\u00e9", "e\u0301")) == composed
    assert content_hash("T", " ".join(words[:-1])) != composed
    assert content_hash("T " + words[0], " ".join(words[1:])) != composed
    marks = "a" + "\u0315\u0300" * 10
    assert content_hash("", marks) == content_hash("", "a" + "\u0300" * 10 + "\u0315" * 10)


def test_an_encoding_is_guessed_from_the_beginning() -> None:
    text = "Привет мир, это проверка кодировки текста. " * 10_000
    assert read_files([("a.txt", text.encode("cp1251"))]).documents[0].text == text


@pytest.mark.parametrize(
    ("body", "limit", "message"),
    [
        (b"<w:p/>" * 3, "MOST_PARAGRAPHS", "the Word file has more than 2 paragraphs; split it"),
        (b"<w:tbl>" + b"<w:tr/>" * 3 + b"</w:tbl>", "MOST_PARAGRAPHS", "more than 2 paragraphs"),
        (b"<w:x/>" * 3, "MOST_ELEMENTS", "the Word file has more than 2 elements; split it"),
        (b"<w:p/>" * 3, "MOST_XML", "0.0 MB of XML; at most 0.0 MB are taken; split it"),
    ],
)
def test_a_word_file_has_bounds(
    monkeypatch: pytest.MonkeyPatch, body: bytes, limit: str, message: str
) -> None:
    content = make_word(b"<w:p><w:r><w:t>Lorn.</w:t></w:r></w:p>" + body)
    assert report("a.docx", content).status == "accepted"
    monkeypatch.setattr(f"gear_app.ingest.word.{limit}", 2)
    found = report("a.docx", content)
    assert (found.status, message in found.message) == ("failed", True), found


def test_a_page_has_only_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.html.MOST_BYTES", 4)
    assert report("a.html", b"<p>x").status == "accepted"
    assert report("a.html", b"<p>xy").message == "the page has more than 0.0 MB; split it"


@pytest.mark.parametrize("codec", ["punycode", "idna", "raw_unicode_escape", "hex", "nonsense"])
def test_an_encoding_that_is_none_of_texts_is_not_believed(codec: str) -> None:
    page = f'<meta charset="{codec}"><p>'.encode() + "Café-Müller \\u0041".encode("cp1252")
    assert read_files([("a.html", page)]).documents[0].text == "Café-Müller \\u0041"


def test_a_page_has_only_so_many_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.html.MOST_TAGS", 2)
    assert report("a.html", b"<p>x</p>").status == "accepted"
    assert report("a.html", b"<p>x<b></p>").message == "the page has more than 2 tags; split it"


def test_what_is_too_large_to_be_read_of_a_pdf_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_INSTRUCTIONS", 400)
    shown = b"BT /F1 12 Tf 72 720 Td (%s) Tj ET "
    page = shown % b"Page." + b"/Small Do /Lar#67e % Do\n Do "
    forms = {"Small": shown % b"Small.", "Large": shown % b"Large." * 5}
    batch = read_files([("a.pdf", raw_pdf([page, shown % b"Long." * 20, shown % b"Last."], forms))])
    assert batch.documents[0].text.split() == ["Page.", "Small.", "Last."]
    assert batch.reports[0].message == (
        "1 document, 1 passage; pages or drawings too large to be read, left out: 2"
    )


def test_a_pdf_that_takes_long_is_stopped_between_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_SECONDS", 0)
    assert report("a.pdf", make_pdf(["One."])).status == "accepted"
    found = report("a.pdf", make_pdf(["One.", "Two."]))
    assert (found.status, found.message) == (
        "failed",
        "the first 1 of the PDF file's 2 pages took 0 seconds of computing; split it",
    )


def test_what_is_packed_in_an_archive_counts_with_the_archive() -> None:
    packed = {
        f"{i}.txt.gz": gzip.compress((f"{i} " + "Lorem ipsum. " * 20_000).encode())
        for i in range(4)
    }
    limits = Limits(expanded_bytes=700_000, ratio=1000)
    batch = read_files([("a.zip", make_zip(packed)), ("b.txt.gz", packed["3.txt.gz"])], limits)
    assert [r.status for r in batch.reports] == [
        "accepted",
        "accepted",
        "failed",
        "failed",
        "failed",
    ]
    assert (
        batch.reports[2].message
        == "it expands to more than is allowed; at most 0.2 MB more are taken in this import"
    )
    assert len(read_files([("b.txt.gz", packed["3.txt.gz"])], limits).documents) == 1


def test_word_files_in_an_archive_count_with_the_archive() -> None:
    word = make_docx("Lorn", ["The harbour of Lorn froze. " * 30_000])
    with zipfile.ZipFile(io.BytesIO(word)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    limits = Limits(expanded_bytes=size * 3 // 2, ratio=1000)
    batch = read_files(
        [("a.zip", make_zip({"a.docx": word, "b.docx": word})), ("c.docx", word)], limits
    )
    assert [r.status for r in batch.reports] == ["accepted", "failed", "failed"]
    assert batch.reports[1].message.startswith("the archive expands to ")
    assert batch.reports[1].message.endswith(" MB more are taken in this import")


def test_archives_of_one_import_share_what_they_may_expand_to() -> None:
    archive = make_zip({"a.txt": b"Lorem ipsum. " * 10_000})
    batch = read_files([("a.zip", archive), ("b.zip", archive)], Limits(expanded_bytes=150_000))
    assert [(r.name, r.status) for r in batch.reports] == [
        ("a.zip/a.txt", "accepted"),
        ("b.zip", "failed"),
    ]


def test_all_parts_of_a_gzip_file_are_read() -> None:
    content = b"".join(gzip.compress(part) for part in (b"Ada left. ", b"", b"Bo stayed."))
    assert read_files([("a.txt.gz", content)]).documents[0].text == "Ada left. Bo stayed."


@pytest.mark.parametrize(
    ("hops", "kept"),
    [
        ("2", 2),
        ("99", 99),
        ("100", None),
        ("-1", None),
        ("1e400", None),
        ("-Infinity", None),
        ("1" + "0" * 400, None),
    ],
)
def test_a_number_of_hops_that_makes_no_sense_is_left_out(hops: str, kept: int | None) -> None:
    batch = read_files([("q.jsonl", b'{"id": "q", "question": "Q?", "hops": %s}' % hops.encode())])
    assert [(q.id, q.hops) for q in batch.questions] == [("q", kept)]


@pytest.mark.parametrize(
    "row",
    [
        {
            "paragraphs": [
                {"title": "T", "paragraph_text": LONG},
                {"title": "S", "paragraph_text": "Short."},
            ]
        },
        {"context": [["T", [LONG]], ["S", ["Short."]]]},
    ],
    ids=["musique", "hotpot"],
)
def test_a_paragraph_of_a_question_that_is_too_long_is_cut(row: dict[str, object]) -> None:
    batch = read_files([("q.jsonl", json.dumps({"id": "q", "question": "Q?", **row}).encode())])
    assert [q.id for q in batch.questions] == ["q"]
    assert max(len(p.text.split()) for p in batch.passages) <= 125
    assert batch.passages[0].key == derived_key("T", LONG.strip()) + "#1"
    assert batch.passages[-1].text == "Short."
    assert batch.reports[0].message.endswith(
        "; passages of more than 1,500 words are cut into parts"
    )


def test_a_titled_corpus_has_no_endless_passages() -> None:
    endless = "".join(f"{i:06}" for i in range(2501))
    batch = read_files([("c.json", json.dumps({"T": [endless], "S": [endless[:15_000]]}).encode())])
    assert [len(p.text) for p in batch.passages] == [*[1000] * 14, 1006, 15_000]


def test_a_passage_of_an_openie_file_that_is_too_long_is_left_out_with_its_triples() -> None:
    docs = [
        {
            "passage": f"T\n{text}",
            "extracted_entities": ["X"],
            "extracted_triples": [["X", "is", "Y"]],
        }
        for text in (LONG, "Short.")
    ]
    batch = read_files([("o.json", json.dumps({"docs": docs}).encode())])
    assert [p.text for p in batch.passages] == ["Short."]
    assert [t.passage_key for t in batch.triple_sets["o"]] == [derived_key("T", "Short.")]
    assert (
        "1 passage of more than 1,500 words left out, with all triples" in batch.reports[0].message
    )
    assert (
        report("o.json", json.dumps({"docs": docs[:1]}).encode()).message
        == "it looks like an OpenIE file, but none of its passages can be used: "
        "1 passage of more than 1,500 words left out, with all triples"
    )


def test_a_folder_of_too_many_files_or_bytes_is_refused_whole(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name} {'x' * 500_000}", encoding="utf-8")
    assert len(read_path(tmp_path, Limits(members=3, folder_bytes=1_600_000)).documents) == 3
    many, large = (
        read_path(tmp_path, limits)
        for limits in (Limits(members=2), Limits(folder_bytes=1_400_000))
    )
    assert (many.documents, large.documents) == ((), ())
    assert many.reports == (
        FileReport(
            tmp_path.name,
            "failed",
            "the folder holds more than 2 files; import its parts one by one",
        ),
    )
    assert large.reports == (
        FileReport(
            tmp_path.name,
            "failed",
            "the folder holds 1.5 MB; at most 1.4 MB are taken; import its parts one by one",
        ),
    )


def test_files_without_a_size_are_read_no_further_than_the_limit(tmp_path: Path) -> None:
    if not Path("/proc/self/maps").is_file():
        pytest.skip("this system has no files without a size")
    special = tmp_path / "maps.txt"
    special.symlink_to("/proc/self/maps")
    (found,) = read_path(special, Limits(file_bytes=100)).reports
    assert found.message == "it is too large: 0.0 MB; at most 0.0 MB are taken; split it"
    (found,) = read_path(special, Limits(expanded_bytes=100)).reports
    assert found.message == "it is larger than it was said to be; at most 0.0 MB are taken"
