"""Small files that would cost much: time, memory or passages. Each of these once took seconds to
minutes.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from gear_app.ingest import FileReport, Limits, derived_key, read_files, read_path, sentences, split
from tests.ingest.make import make_docx, make_pdf, make_zip

LONG = "word " * 1501


def report(name: str, content: bytes, limits: Limits | None = None) -> FileReport:
    (only,) = read_files([(name, content)], limits).reports
    return only


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
