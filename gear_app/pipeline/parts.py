"""Files as parts that can be read anywhere: a file that an import would take is one part, a larger
one several.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gear_app import ingest
from gear_app.errors import BadInput
from gear_app.ingest import Batch, Limits

KINDS = (".jsonl", ".parquet", ".txt", ".md", ".markdown", ".json", ".csv", ".tsv")
LARGE = Limits().text_bytes  # beyond it an import takes no file, and it is read in parts
PART_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file, or what it has from `start` to before `end`: bytes of a .jsonl, row groups of a
    .parquet; `end` 0: all of it.
    """

    path: str
    start: int = 0
    end: int = 0

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


def parts_of(
    paths: Sequence[str], large: int = LARGE, part_bytes: int = PART_BYTES
) -> list[FilePart]:
    """The parts of files, in order. Raises BadInput for what is no file that can be read."""
    return [part for path in paths for part in _parts(Path(path), large, part_bytes)]


def read_part(part: FilePart) -> Batch:
    """What a part holds, as an import reads it. Raises BadInput where it cannot be used."""
    try:
        content = _content(part)
    except OSError as error:
        raise BadInput(f"{part.path} cannot be read here: {error.strerror}.") from error
    batch = ingest.read_files([(part.name, content)])
    failed = [report for report in batch.reports if report.status == "failed"]
    if failed:
        raise BadInput(f"{part.path} cannot be used: {failed[0].message}.")
    return batch


def _parts(path: Path, large: int, part_bytes: int) -> Iterator[FilePart]:
    whole = path.expanduser().absolute()
    if not whole.is_file():
        raise BadInput(
            f"{path} is no file. A build takes files; name those of a folder one by one."
        )
    kind = whole.suffix.lower()
    if kind not in KINDS:
        raise BadInput(
            f"{path.name}: a build reads {' '.join(KINDS)}. Import others into a workspace and push"
            " them: gear-app index push"
        )
    if whole.stat().st_size <= large:
        yield FilePart(str(whole))
    elif kind == ".jsonl":
        yield from _lines(whole, part_bytes)
    elif kind == ".parquet":
        yield from _row_groups(whole, part_bytes)
    else:
        raise BadInput(
            f"{path.name} is too large to be read at once. Split it, or make it a .jsonl or"
            " .parquet, which are read in parts."
        )


def _lines(path: Path, part_bytes: int) -> Iterator[FilePart]:
    """Parts of a .jsonl that end where a line does."""
    start = 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while start < size:
            file.seek(min(start + part_bytes, size))
            file.readline()
            yield FilePart(str(path), start, file.tell())
            start = file.tell()


def _row_groups(path: Path, part_bytes: int) -> Iterator[FilePart]:
    """Parts of a .parquet of whole row groups, at least one."""
    from pyarrow import parquet

    told = parquet.ParquetFile(path).metadata
    start = taken = 0
    for number in range(told.num_row_groups):
        taken += told.row_group(number).total_byte_size
        if taken >= part_bytes or number == told.num_row_groups - 1:
            yield FilePart(str(path), start, number + 1)
            start, taken = number + 1, 0


def _content(part: FilePart) -> bytes:
    """The bytes of a part, as those of a file of its own."""
    if not part.end:
        return Path(part.path).read_bytes()
    if part.path.lower().endswith(".parquet"):
        from pyarrow import parquet

        groups = parquet.ParquetFile(part.path).read_row_groups(range(part.start, part.end))
        file = io.BytesIO()
        parquet.write_table(groups, file)
        return file.getvalue()
    with Path(part.path).open("rb") as opened:
        opened.seek(part.start)
        return opened.read(part.end - part.start)
