"""Large files of lines, slice by slice: each is as a small file of its own, and the memory that is
taken does not grow with the file.

Lines and paragraphs stay whole, rows of a table too, before which the names of its columns are
repeated; of a Parquet file each slice has some rows.
"""

from __future__ import annotations

import codecs
import io
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import BinaryIO

from gear_app.errors import BadInput, Refused
from gear_app.ingest import rows, tables
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import Limits
from gear_app.ingest.qrels import is_qrels

_TABLES = (".csv", ".tsv")
_KINDS = (".jsonl", ".txt", ".qrels", ".parquet", *_TABLES)
# Where a character is more than a byte a line's end is not found by its byte.
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_MARK = codecs.BOM_UTF8.decode("latin-1")
_NEARLY = 0.9  # of a slice: from there on it ends with a paragraph


def has_slices(path: PurePosixPath) -> bool:
    """Whether a file of this name can be read slice by slice."""
    return path.suffix.lower() in _KINDS


def slices(path: PurePosixPath, file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """What a file of this name holds, in order; one that is small is one slice. Raises BadInput,
    Refused.
    """
    kind = path.suffix.lower()
    if kind == ".parquet":
        return rows.parquet_slices(file, limits.slice_bytes)
    wide = file.read(4).startswith(_WIDE)
    file.seek(0)
    if wide:
        return iter([file.read(limits.text_bytes + 1)])
    if kind in _TABLES and not is_qrels(path):
        return _of_table(file, limits)
    return _of_lines(file, limits)


def _of_lines(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    some: list[bytes] = []
    size = 0
    for line in iter(partial(file.readline, limits.text_bytes + 1), b""):
        full = len(some) == rows.MOST_ROWS or size + len(line) > limits.slice_bytes
        ended = size > _NEARLY * limits.slice_bytes and not line.strip()
        if some and (full or ended):
            yield b"".join(some)
            some, size = [], 0
        _admit(len(line), limits)
        some.append(line)
        size += len(line)
    if some:
        yield b"".join(some)


def _of_table(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    lines = io.TextIOWrapper(file, "latin-1", newline="")  # a character for each byte
    form = tables.form_of(lines.read(tables.HEAD).removeprefix(_MARK).lstrip("\r\n"))
    lines.seek(0)
    some: list[str] = []

    def each_line() -> Iterator[str]:
        for line in iter(partial(lines.readline, limits.text_bytes + 1), ""):
            _admit(len(line), limits)
            some.append(line)
            yield line

    records = tables.records(each_line(), form.delimiter, quoted=form.quoted)
    for _ in itertools.islice(records, form.leading):
        pass
    header = "".join(some)
    some.clear()
    broken: BadInput | None = None
    size = number = whole = 0  # the last of these are the lines of whole rows
    try:
        for number, _ in enumerate(records, start=1):
            size += sum(map(len, some[whole:]))
            whole = len(some)
            if size > limits.slice_bytes or number % rows.MOST_ROWS == 0:
                yield (header + "".join(some)).encode("latin-1")
                some.clear()
                size = whole = 0
    except BadInput as error:
        broken = error
    if whole or not (number or broken):  # rows since the last slice, or a table without any
        yield (header + "".join(some[:whole])).encode("latin-1")
    if broken:
        raise broken
    lines.detach()


def _admit(size: int, limits: Limits) -> None:
    if size > limits.text_bytes:
        raise Refused(f"a line of it has more than {megabytes(limits.text_bytes)}; break it up")
