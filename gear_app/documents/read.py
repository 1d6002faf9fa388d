"""Files to batches. Errors of a file end up in its report.

Parsers of documents are other people's code on hostile input, so all but small texts are read in a
process of their own: no file can keep, fill or break the program. The process says which file it
reads, and writes batches to a folder. It ends where a file takes more time than is allowed, and the
operating system ends it where one takes more memory; Windows has no such limit. A file at which it
ends is left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import BadInput, Refused
from gear_app.core.launch import launch
from gear_app.core.text import cut
from gear_app.core.types import PASTED
from gear_app.documents.blocks import plain_document
from gear_app.documents.files import Origin, Source, is_qrels, load, sources
from gear_app.documents.forms import document_batch, read_rows
from gear_app.documents.items import MEGABYTE, NO_FIELDS, Batch, Fields, Limits, Skipped, refused
from gear_app.documents.passages import add_document
from gear_app.documents.rows import TABLES, TAGGED

_ADVICE = {
    "save it as .docx or PDF": ".doc .dot .rtf .odt .pages .wpd .wps .hwp .abw .one",
    "save it as .pptx or PDF": ".ppt .ppsx .odp .key",
    "save it as .xlsx or CSV": ".numbers",
    "save it as .eml": ".msg .mbox .pst",
    "save what it says as CSV, JSON or text": ".xml .yaml .yml",
    "save its texts as JSON lines with id, title and text": ".sgml .sgm .warc",
    "save its edges as CSV with columns subject, predicate, object": ".graphml .gexf .ttl .nt .rdf",
    "save it as a PDF with text, by OCR": ".djvu",
    "save it as .epub or PDF": ".mobi .azw3 .fb2 .ps .xps",
    "unpack it first, or pack it as .zip": ".rar .7z .tar .tgz .bz2 .xz .zst",
    "it is a picture: run OCR on it first and save the text": (
        ".png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic .svg"
    ),
    "it is a recording: make a transcript of it first and save that as text": (
        ".mp3 .m4a .wav .ogg .flac .mp4 .mov .avi .mkv .webm"
    ),
    "it is a database: save its tables as CSV": ".db .sqlite .sqlite3 .mdb .accdb",
    "it is a program, not a document": ".exe .dll .msi .dmg .apk .iso .bin .so",
}


def read_origin(origin: Origin, limits: Limits | None = None) -> Iterator[Batch]:
    """All files of an origin. Raises BadInput where nothing is at its path."""
    if origin.text:
        yield read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
    else:
        for source in sources(origin, limits or Limits()):
            yield from read_source(source, limits or Limits(), dict(origin.fields))


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it gets its heading, else its first words. Raises Refused where
    it is too long.
    """
    batch, document = Batch(PASTED, read_as="plain text"), plain_document(text)
    name = title.strip() or document.named(" ".join(text.split(None, 8)[:8])[:80])
    if document.blocks:
        add_document(batch, document, name)
    batch.name = name or PASTED
    return batch


def is_light(origin: Origin) -> bool:
    """Whether reading it costs little: plain text and rows of a megabyte at most, and no archive,
    which is opened by the reading process alone. Raises BadInput where nothing is at its path.
    """
    files = [] if origin.text else list(sources(origin, Limits(), unpack=False))
    return sum(source.size for source in files) <= MEGABYTE and all(
        Path(source.name).suffix.lower() in (*TABLES, ".jsonl", ".json", ".qrels", "", ".txt")
        for source in files
    )


def read_source(source: Source, limits: Limits, fields: Fields = NO_FIELDS) -> Iterator[Batch]:
    """A file, in parts where it is large."""
    part = 0
    try:
        if source.error is not None:
            raise source.error
        for part, batch in enumerate(_read(source, limits, fields), start=1):
            batch.name, batch.part = source.name, part
            yield batch
    except BadInput as error:
        yield refused(source.name, error, part + 1)
    except RecursionError:
        yield refused(source.name, Refused("it is nested too deeply"), part + 1)
    except MemoryError:
        yield refused(source.name, Refused(_too_much_memory(limits)), part + 1)
    except Exception as error:  # parsers raise what they like
        reason = f"it cannot be read: {cut(str(error), 200) or type(error).__name__}"
        yield refused(source.name, BadInput(reason), part + 1)


def _too_much_memory(limits: Limits) -> str:
    return (
        f"reading it takes more than {limits.memory_bytes // MEGABYTE:,} MB of memory; import it"
        " in parts"
    )


def _read(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    from gear_app.documents.formats import DOCUMENT_FORMATS  # late: many libraries

    with source.open() as file:
        tagged = (
            source.ending in ("", ".txt", ".xml") or source.ending not in DOCUMENT_FORMATS
        ) and TAGGED.match(file.read(1_000))
    if (
        tagged
        or is_qrels(source.path)
        or source.ending in (*TABLES, ".jsonl", ".json", ".qrels", ".parquet")
    ):
        yield from read_rows(source, limits, fields)
    elif source.ending not in DOCUMENT_FORMATS:
        ways_out = (advice for advice in _ADVICE if source.ending in _ADVICE[advice].split())
        advice = next(ways_out, "save it as PDF, .docx or text")
        raise Skipped(f"{source.ending} is not read; {advice}")
    else:
        name, reader = DOCUMENT_FORMATS[source.ending]
        document = reader(load(source, limits))
        if not document.blocks:
            raise Skipped("; ".join(["there is no text in it", *document.remarks()]))
        yield document_batch(source, document, name)


# Reading in a process of its own

_BATCH = TypeAdapter(Batch)
_ORDER = TypeAdapter(tuple[Origin, int, Limits])  # files, and the number of the first to read


class BatchFiles:
    """Batches in the files of a folder, each read when it is used."""

    def __init__(self, folder: Path) -> None:
        self._files = sorted(folder.glob("*.batch"))
        self.passages = sum(int(file.stem.split("-")[2]) for file in self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> Batch:
        return _BATCH.validate_json(self._files[number].read_bytes())


Batches = BatchFiles | list[Batch]


def read_apart(
    origin: Origin, folder: Path, limits: Limits, wait_s: float
) -> Iterator[tuple[int, str]]:
    """Read an origin into a folder; every `wait_s` the number, from 1, and the name of the file
    that is being read, 0 before the first. Raises BadInput where the process does not start.
    """
    for file in folder.glob("*.batch"):  # of an earlier attempt
        file.unlink()
    number, name, code = 0, "", 1
    while code != 0:
        process = _start(origin, number + 1, folder, limits)
        try:
            while process.returncode is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(wait_s)
                number, name = json.loads((folder / "now").read_bytes())
                yield number, name
        finally:
            process.kill()
            code = process.wait()
        if code != 0:
            reason = _reason(code, folder, limits)
            if not number:
                raise BadInput(f"The documents could not be read: {reason}.")
            part = 1 + len(list(folder.glob(f"{number:06}-*.batch")))
            _write_batch(folder, number, refused(name, Refused(reason), part))


def _start(origin: Origin, first: int, folder: Path, limits: Limits) -> subprocess.Popen[bytes]:
    _write(folder / "now", json.dumps([0, ""]).encode())
    (folder / "order").write_bytes(_ORDER.dump_json((origin, first, limits)))
    program = launch(__name__, str(folder), PYTHONUTF8="1")
    with (folder / "errors").open("wb") as errors:
        return subprocess.Popen(program.command, stderr=errors, env=program.environment)  # noqa: S603 - our own program


def _reason(code: int, folder: Path, limits: Limits) -> str:
    words = (folder / "errors").read_bytes()[-20_000:]  # with the place where it was
    if b"Timeout (" in words:
        return "reading it takes too long"
    # SIGABRT, by which libraries in Rust and C end without memory, and SIGKILL.
    if code in (-6, -9) or b"MemoryE" in words:
        return _too_much_memory(limits)
    return f"reading it broke the program that reads such files ({code})"


# The process that reads


def main() -> None:
    """Read the files of the order in a folder."""
    folder = Path(sys.argv[1])
    origin, first, limits = _ORDER.validate_json((folder / "order").read_bytes())
    if sys.platform != "win32":
        import resource

        resource.setrlimit(
            resource.RLIMIT_AS, (limits.memory_bytes, resource.getrlimit(resource.RLIMIT_AS)[1])
        )
    for number, source in enumerate(sources(origin, limits), start=1):
        if number >= first:
            _write(folder / "now", json.dumps([number, source.name]).encode())
            faulthandler.dump_traceback_later(
                limits.file_s + limits.file_s_a_megabyte * source.size // MEGABYTE, exit=True
            )
            for batch in read_source(source, limits, dict(origin.fields)):
                _write_batch(folder, number, batch)


def _write_batch(folder: Path, file: int, batch: Batch) -> None:
    name = f"{file:06}-{batch.part:06}-{len(batch.passages)}.batch"
    _write(folder / name, _BATCH.dump_json(batch))


def _write(path: Path, content: bytes) -> None:
    incomplete = path.with_suffix(".incomplete")
    incomplete.write_bytes(content)
    incomplete.replace(path)


if __name__ == "__main__":
    main()
    os._exit(0)  # threads of libraries may fail to end
