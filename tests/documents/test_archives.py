"""Archives and compressed files: what they may expand to, and what is broken in them."""

from __future__ import annotations

import gzip
from pathlib import Path

from gear_app.documents.files import Origin
from gear_app.documents.items import Limits
from gear_app.documents.read import is_light
from tests.documents.make import make_zip
from tests.documents.reports import failure, read_files

SMALL = Limits(file_bytes=3_000_000, expanded_bytes=8_000_000, members=5)


def test_too_many_members_are_refused() -> None:
    assert failure("many.zip", make_zip({f"{i}.txt": b"x" for i in range(6)}), SMALL) == (
        "the folder or archive holds more than 5 files or 8 MB; import its parts one by one"
    )


def test_an_archive_inside_an_archive_is_refused_and_its_neighbours_are_read() -> None:
    inner = make_zip({"x.txt": b"x"})
    outer = make_zip({"a.ZIP": inner, "b.txt": b"Hello.", "c.txt": inner})
    assert [report[:3] for report in read_files([("o.zip", outer)]).reports] == [
        ("o.zip/a.ZIP", "failed", "an archive inside an archive; unpack it first"),
        ("o.zip/b.txt", "accepted", "1 document, 1 passage"),
        ("o.zip/c.txt", "failed", "it is not text: it contains binary data"),
    ]


def test_names_in_the_encoding_of_another_country_are_read() -> None:
    names = [
        "港口记录.txt".encode("gbk"),
        "水泵维修手册.txt".encode("gbk"),
        "grüße.txt".encode("cp437"),
    ]
    archive = make_zip({f"{n}" * len(name): b"x y" for n, name in enumerate(names)})
    for number, name in enumerate(names):
        archive = archive.replace(f"{number}".encode() * len(name), name)
    assert {report.name for report in read_files([("o.zip", archive)]).reports} == {
        *("o.zip/grüße.txt", "o.zip/港口记录.txt", "o.zip/水泵维修手册.txt")
    }


def test_all_parts_of_a_gzip_file_are_read() -> None:
    content = b"".join(gzip.compress(part) for part in (b"Ada left. ", b"", b"Bo stayed."))
    assert read_files([("a.txt.gz", content)]).documents[0].text == "Ada left. Bo stayed."


def test_a_name_that_the_archive_states_as_utf_8_stays_as_it_is() -> None:
    names = ["║ 日本語.txt", "plain.txt"]
    reports = read_files([("o.zip", make_zip(dict.fromkeys(names, b"x y")))]).reports
    assert {report.name for report in reports} == {f"o.zip/{name}" for name in names}


def test_two_members_of_one_name_are_both_read() -> None:
    archive = make_zip({"a.txt": b"One.", "b.txt": b"Two."}).replace(b"b.txt", b"a.txt")
    batch = read_files([("o.zip", archive)])
    assert [document.text for document in batch.documents] == ["One.", "Two."]
    assert [report.name for report in batch.reports] == ["o.zip/a.txt"] * 2


def test_folders_and_hidden_files_do_not_count_among_the_members() -> None:
    hidden = {f"__MACOSX/._{n}.txt": b"x" for n in range(6)} | {"f/": b""}
    archive = make_zip(hidden | {f"f/{n}.txt": f"Text {n}.".encode() for n in range(5)})
    assert len(read_files([("o.zip", archive)], SMALL).documents) == 5


def test_an_archive_is_opened_by_the_reading_process_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hello.")
    assert is_light(Origin(path=str(tmp_path)))
    (tmp_path / "o.zip").write_bytes(make_zip({"b.txt": b"Hello."}))
    assert not is_light(Origin(path=str(tmp_path / "o.zip")))
    assert not is_light(Origin(path=str(tmp_path)))
