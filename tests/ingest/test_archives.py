"""Archives and compressed files: what they may expand to, and what is broken in them."""

from __future__ import annotations

import gzip
import io
import random
import stat
import struct
import zipfile

import pytest

from gear_app.ingest import Limits, read_files
from tests.ingest.make import make_zip
from tests.ingest.reports import failure, report

SMALL = Limits(file_bytes=3_000_000, expanded_bytes=8_000_000, members=5)


def test_a_zip_bomb_is_refused_by_its_ratio() -> None:
    bomb = make_zip({"bomb.txt": b"0" * 7_000_000})
    assert len(bomb) < 10_000
    assert failure("bomb.zip", bomb, SMALL) == (
        "bomb.txt expands more than 100-fold; that looks like a zip bomb"
    )


def test_an_archive_that_expands_beyond_the_limit_is_refused() -> None:
    noise = random.Random(0).randbytes(250_000)
    archive = make_zip({f"{i}.txt": noise.hex().encode() for i in range(2)})
    assert failure("big.zip", archive, Limits(expanded_bytes=900_000)) == (
        "the archive expands to 1.0 MB; at most 0.9 MB are taken"
    )


def test_a_size_stated_too_small_does_not_get_past_the_limits() -> None:
    honest = make_zip({"a.txt": b"word " * 1_000_000})
    lying = honest.replace(struct.pack("<I", 5_000_000), struct.pack("<I", 1000))
    assert lying != honest
    assert failure("lying.zip", lying) == ("it is broken in the archive and cannot be read")


def test_too_many_members_are_refused() -> None:
    assert failure("many.zip", make_zip({f"{i}.txt": b"x" for i in range(6)}), SMALL) == (
        "the archive has 6 members; at most 5 are taken"
    )


def test_an_archive_inside_an_archive_is_refused_and_its_neighbours_are_read() -> None:
    inner = make_zip({"x.txt": b"x"})
    outer = make_zip({"a.ZIP": inner, "b.txt": b"Hello.", "c.txt": inner})
    assert [report[:3] for report in read_files([("o.zip", outer)]).reports] == [
        ("o.zip/a.ZIP", "failed", "an archive inside an archive; unpack it first"),
        ("o.zip/b.txt", "accepted", "1 document, 1 passage"),
        ("o.zip/c.txt", "failed", "it is not text: it contains binary data"),
    ]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.txt", "/etc/passwd.txt", "a/../../b.txt", "..\\b.txt", "C:\\b.txt"]
)
def test_names_that_lead_out_of_the_archive_are_refused(name: str) -> None:
    assert failure("a.zip", make_zip({name: b"root"})) == "its name leads out of the archive"


def test_symbolic_links_in_archives_are_refused() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert failure("a.zip", buffer.getvalue()) == ("it is a symbolic link")


def test_encrypted_members_are_refused() -> None:
    content = bytearray(make_zip({"a.txt": b"secret"}))
    content[6] |= 1  # local header
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert failure("a.zip", bytes(content)) == "it is encrypted; pack it without a password"


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04 not really", b"hello", make_zip({"a.txt": b"x"})[:-30]],
    ids=["noise", "text", "cut"],
)
def test_broken_archives(content: bytes) -> None:
    assert failure("a.zip", content) == "the archive is broken and cannot be opened"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives_packed_in_other_ways_are_refused_member_by_member(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "Hello.", method)
        archive.writestr("b.txt", "Hello again.", zipfile.ZIP_DEFLATED)
    first, second = read_files([("a.zip", buffer.getvalue())]).reports
    assert (first.status, second.status) == ("failed", "accepted")
    assert first.message == "a.txt is packed in an unusual way; pack it as an ordinary zip"


def test_a_directory_of_very_many_members_is_refused_before_it_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = make_zip({f"{i}.txt": b"x" for i in range(51)})
    monkeypatch.setattr(zipfile, "ZipFile", None)  # must not be reached
    assert failure("a.zip", many, SMALL).startswith("the archive has far more than 5 members; ")


def test_a_gzip_bomb_is_refused() -> None:
    bomb = gzip.compress(b"0" * 9_000_000)
    assert "looks like a bomb" in failure("corpus.jsonl.gz", bomb, SMALL)


def test_what_a_gzip_file_holds_may_be_no_larger_than_a_file() -> None:
    packed = gzip.compress(random.Random(2).randbytes(1_000_000).hex().encode())
    assert failure("a.txt.gz", packed, Limits(text_bytes=1_999_999)) == (
        "it expands to more than 2.0 MB; split it"
    )
    assert report("a.txt.gz", packed, Limits(text_bytes=2_000_000)).status == "accepted"


def test_gzip_files_of_very_many_parts_are_refused() -> None:
    parts = gzip.compress(b"x") * 6
    assert failure("a.txt.gz", parts, SMALL).startswith("the gzip file has more than 5 parts; ")
    inside = failure("a.zip.gz", gzip.compress(b"PK"))
    assert inside == "an archive inside an archive; unpack it first"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"")[:10] + b"\xff" * 20, "the gzip file is broken and cannot be opened"),
        (gzip.compress(b'{"id": "a", "text": "x"}')[:-9], "the gzip file is cut off"),
        (b"no gzip at all", "it is not a gzip file, although it is called one"),
    ],
    ids=["broken", "cut", "text"],
)
def test_broken_gzip_files(content: bytes, message: str) -> None:
    assert failure("corpus.jsonl.gz", content) == message


def test_all_parts_of_a_gzip_file_are_read() -> None:
    content = b"".join(gzip.compress(part) for part in (b"Ada left. ", b"", b"Bo stayed."))
    assert read_files([("a.txt.gz", content)]).documents[0].text == "Ada left. Bo stayed."


def test_what_is_packed_in_an_archive_counts_with_the_archive() -> None:
    texts = [f"{i} " + "Lorem ipsum. " * 20_000 for i in range(4)]
    packed = {f"{i}.txt.gz": gzip.compress(text.encode()) for i, text in enumerate(texts)}
    limits = Limits(expanded_bytes=700_000, ratio=1000)
    last = ("b.txt.gz", packed["3.txt.gz"])
    reports = read_files([("a.zip", make_zip(packed)), last], limits).reports
    assert [r.status for r in reports] == ["accepted"] * 2 + ["failed"] * 3
    assert reports[2].message == (
        "it expands to more than is allowed; at most 0.2 MB more are taken in this import"
    )
    assert len(read_files([last], limits).documents) == 1


def test_archives_of_one_import_share_what_they_may_expand_to() -> None:
    archive = make_zip({"a.txt": b"Lorem ipsum. " * 10_000})
    batch = read_files([("a.zip", archive), ("b.zip", archive)], Limits(expanded_bytes=150_000))
    found = [(r.name, r.status) for r in batch.reports]
    assert found == [("a.zip/a.txt", "accepted"), ("b.zip", "failed")]


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (["第三章作业说明书.txt", "河边的学校.txt"], "gb18030"),
        (["港の灯.txt", "議事録と予定.txt"], "cp932"),
        (["Протокол собрания.txt", "Список лодок.txt"], "cp866"),
        (["grüße.txt", "Ärger.txt"], "cp437"),
    ],
)
def test_names_without_a_mark_of_their_encoding_are_read_by_what_fits(
    names: list[str], encoding: str
) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(f"{number}" + "x" * len(name.encode(encoding)), f"Text {number}.")
    content = written.getvalue()
    for number, name in enumerate(names):
        raw = name.encode(encoding)
        content = content.replace(b"%d" % number + b"x" * len(raw), b"%d" % number + raw)
    read = read_files([("a.zip", content)])
    assert [r.name for r in read.reports] == [f"a.zip/{n}{name}" for n, name in enumerate(names)]
