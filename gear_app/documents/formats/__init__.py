"""Document formats. To add one, write a module in this folder with a function that reads a file's
content and is registered with its endings.

    @document_format("a transcript", ".vtt", ".srt")
    def read_speech(content: bytes) -> ReadDocument:
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

from gear_app.documents.blocks import ReadDocument

Reader = Callable[[bytes], ReadDocument]


# By the ending of files: the name of their format in reports ("a web page"), and its reader.
DOCUMENT_FORMATS: dict[str, tuple[str, Reader]] = {}


def document_format(name: str, *endings: str) -> Callable[[Reader], Reader]:
    """Decorator that registers a function as the reader of files with these endings."""

    def register(read: Reader) -> Reader:
        DOCUMENT_FORMATS.update(dict.fromkeys(endings, (name, read)))
        return read

    return register


for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
