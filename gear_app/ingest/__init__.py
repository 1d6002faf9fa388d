"""Documents and data sets come in: bytes and files to passages, questions and triples. It knows no
store.

`read_files` takes uploads, `read_path` a file or folder, `read_text` pasted text; each gives a
`Batch` and, per file, whether it was accepted, skipped or failed, and why. What is recognised is
told in docs/documents-and-formats.md.
"""

from gear_app.ingest.batch import (
    Batch,
    ChangedIds,
    FileReport,
    Limits,
    NewEntities,
    NewPassage,
    NewTriple,
    content_hash,
    derived_key,
    own_ids,
    with_keys,
)
from gear_app.ingest.forms import NO_FIELDS, ROLES, UNKNOWN
from gear_app.ingest.gold import GoldSearch, with_found
from gear_app.ingest.process import ReadingProcess
from gear_app.ingest.read import Origin, is_light, read_files, read_origin, read_path, read_text
from gear_app.ingest.split import split

__all__ = [
    "NO_FIELDS",
    "ROLES",
    "UNKNOWN",
    "Batch",
    "ChangedIds",
    "FileReport",
    "GoldSearch",
    "Limits",
    "NewEntities",
    "NewPassage",
    "NewTriple",
    "Origin",
    "ReadingProcess",
    "content_hash",
    "derived_key",
    "is_light",
    "own_ids",
    "read_files",
    "read_origin",
    "read_path",
    "read_text",
    "split",
    "with_found",
    "with_keys",
]
