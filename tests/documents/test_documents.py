from __future__ import annotations

import pytest

from tests.documents.reports import Import, read_files


def only(name: str, content: bytes) -> Import:
    batch = read_files([(name, content)])
    assert [r.status for r in batch.reports] == ["accepted"], batch.reports
    for passage in batch.passages:
        document = batch.documents[passage.document or 0] if batch.documents else None
        assert document is None or passage.text == document.text[passage.start : passage.end]
    return batch


def test_a_text_file_is_kept_as_it_was_and_titled_by_its_name() -> None:
    text = "Ada Quill was born in Port Mira.\r\n\r\n  She studied law.\n"
    batch = only("ada_quill.txt", text.encode())
    (document,), (report,) = batch.documents, batch.reports
    assert (document.title, document.text, document.source) == ("ada quill", text, "ada_quill.txt")
    assert [(p.title, p.text, p.start) for p in batch.passages] == [("ada quill", text.strip(), 0)]
    assert (report.message, report.documents, report.passages) == ("1 document, 1 passage", 1, 1)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro.\n\n# The *Sel* Bridge #\n\nText.", "The Sel Bridge"),
        ("Intro.\n\n## Archive\n\nText.", "notes"),
        ("Text.\n\n# One\n\nText.\n\n# Two", "notes"),
        ("The Sel Bridge\n==============\n\nText.", "The Sel Bridge"),
        ("No heading here.", "notes"),
    ],
)
def test_markdown_is_titled_by_its_first_heading(text: str, title: str) -> None:
    batch = only("notes.md", text.encode())
    assert batch.documents[0].title == title


def test_html_is_read_without_scripts_styles_and_navigation() -> None:
    page = """<html><head><title> Port &amp; Harbour </title><style>p {}</style></head><body><nav>Home</nav>
    <h1>Port Mira</h1><p>Port Mira lies<br>on the <b>riv</b>er
      Sel.</p><script>alert("<p>no</p>")</script><ul><li>fish<li>salt</ul>
    <table><tr><th>Year</th><th>Boats</th></tr><tr><td>1911</td><td>7</td></tr></table><!-- hidden --></body></html>"""
    batch = only("p.html", page.encode())
    assert batch.documents[0].title == "Port & Harbour"
    assert (
        batch.documents[0].text
        == "Port Mira\n\nPort Mira lies\non the river Sel.\n\n- fish\n- salt\n\nYear: 1911\nBoats: 7"
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p title='a > b' data-x=\"<p>\">Lorn.", "Lorn."),
        (
            "<svg/>Lorn <svg><title>ship</title><text>x</text></svg>lies <select><option>a</select>here.",
            "Lorn lies here.",
        ),
        ("<table><tr><td>a<td><td>b<tr><td><p>c</p><td>d<td></table>", "a, b\nc, d"),
        ("<table><tr><td>a<td><table><tr><td>b<td>c</table><td>d</table>", "a\n\nb: c\n\nd"),
        ("<?xml version='1.0'?><html><title/><script src='x'/><p>Lorn.</p></html>", "Lorn."),
    ],
)
def test_html_as_a_browser_reads_it(page: str, text: str) -> None:
    assert only("p.html", page.encode()).documents[0].text == text


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<h1>Port</h1><title>Mira &amp; Sel</title>Text.", "Mira & Sel"),
        ("<title></title><h1> </h1><h1>Port <i>Mira</i></h1><h1>Lorn</h1>Text.", "Port Mira"),
        ("<head><script>'<title>No</title>'</script><title>Port</title></head>Text.", "Port"),
    ],
)
def test_the_title_of_a_page(page: str, title: str) -> None:
    assert only("p.html", page.encode()).documents[0].title == title


def test_a_table_with_a_text_column_gives_its_rows_as_passages() -> None:
    table = (
        'ID,Title,Text\na,Ada,"She was born, in Mira.\nThen she left."\nb,,=HYPERLINK("x")\nc,Bo,\n'
    )
    batch = only("people.csv", table.encode())
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        ("a", "Ada", "She was born, in Mira.\nThen she left."),
        ("b", "", '=HYPERLINK("x")'),
    ]
    assert batch.reports[0].message == "2 passages; 1 row without a text left out"


def test_a_table_without_a_text_column_spells_out_its_rows() -> None:
    table = "Name\tBorn in\tDied\nAda Quill\tPort Mira\t\nBo Hale\tLorn\t1950\n"
    batch = only("p.tsv", table.encode("utf-16"))
    assert [(p.title, p.text) for p in batch.passages] == [
        ("p › Ada Quill", "Name: Ada Quill\nBorn in: Port Mira"),
        ("p › Bo Hale", "Name: Bo Hale\nBorn in: Lorn\nDied: 1950"),
    ]


def test_a_long_passage_is_cut_and_its_parts_numbered() -> None:
    long = " ".join(f"Word number {i} is said here." for i in range(300))  # 1,800 words
    batch = read_files([("t.csv", f"id,text\nshort,A short one.\nlong,{long}\n".encode())])
    assert [p.key for p in batch.passages[:3]] == ["short", "long#1", "long#2"]
    assert " ".join(p.text for p in batch.passages[1:]) == long
    without = only("t.csv", f"title,text\nLong,{' '.join(long.split()[:360])}\n".encode())
    assert len(without.passages) == 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Café Müller", "cp1252"),
        ("The rope was ordered by 李小华 and paid by the firm 东方机械 in the same week.", "gbk"),
        ("Łódkę kupiła Żaneta Ślązak z Łodzi.", "cp1250"),
        ("Die Brücke über die Sel ist schön.", "cp850"),
        ("Le pont fut achevé à Noël, très tard.", "mac-roman"),
        ("“It’s a bridge”, she said — the café’s, 5 µm – no…", "cp1252"),
        ("short 𝄞", "utf-32"),
        ("\ufeffshort 𝄞", "utf-32-be"),
    ],
)
def test_encodings(text: str, encoding: str) -> None:
    read = only("t.txt", text.encode(encoding)).documents[0].text
    assert read == text.removeprefix("\ufeff")
