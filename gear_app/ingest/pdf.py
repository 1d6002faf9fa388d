"""A PDF file to a title and a text."""

from __future__ import annotations

import io
import itertools
import logging
import re
import struct
import zlib
from typing import Any

from gear_app.errors import BadInput, Refused
from gear_app.ingest.documents import Extracted, stated_title

# What pypdf lets through on damaged files besides their own errors: the ordinary
# ones below, found by feeding them thousands of damaged copies. It does not promise to wrap them
# ("broken PDF files might cause other exceptions"), so they are named here, around the calls into
# the library and nothing
# else.
_STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


_PAGES = 5_000
# Few bytes can show the same text on many pages: beyond the first number of characters, this many a
# byte are taken.
_CHARACTERS, _PER_BYTE = 200_000, 50
_MOST_CHARACTERS = 20_000_000


def read_pdf(content: bytes, title: str) -> Extracted:
    """The text of a PDF file, pages apart by a blank line; the title is the one it states."""
    import pypdf
    from pypdf.errors import (
        DependencyError,
        DeprecationError,
        FileNotDecryptedError,
        LimitReachedError,
        PyPdfError,
    )

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it has to say goes into the report
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        pages = _pages(reader, min(_MOST_CHARACTERS, max(_CHARACTERS, _PER_BYTE * len(content))))
        stated = reader.metadata.title if reader.metadata else None
    except (FileNotDecryptedError, DependencyError) as error:
        raise BadInput("the PDF file is encrypted; save a copy without a password") from error
    except LimitReachedError as error:
        raise Refused(f"the PDF file expands beyond what is sensible: {error}") from error
    except (PyPdfError, DeprecationError, *_STUMBLES) as error:
        raise BadInput("the PDF file is broken and cannot be read") from error
    text = _joined_hyphens("\n\n".join(pages).replace("\x00", ""))
    if not text.strip():
        raise BadInput("no text found; it may be a scan")
    return Extracted(stated_title(stated) or title, text)


def _pages(reader: Any, most: int) -> list[str]:  # noqa: ANN401
    """The pages' texts. Refuses too many pages, a page that comes twice, and more than `most`
    characters.
    """
    pages = list(itertools.islice(reader.pages, _PAGES + 1))
    if len(pages) > _PAGES:
        raise Refused(f"the PDF file has more than {_PAGES:,} pages; split it")
    places = [
        (page.indirect_reference.idnum, page.indirect_reference.generation)
        for page in pages
        if page.indirect_reference
    ]
    if len(set(places)) < len(places):
        raise Refused("the PDF file shows one page several times; that looks like a bomb")
    texts: list[str] = []
    for page in pages:
        texts.append(page.extract_text())
        if sum(map(len, texts)) > most:
            raise Refused(
                f"the PDF file expands to more than {most:,} characters, too many for a file of its"
                " size"
            )
    return texts


def _joined_hyphens(text: str) -> str:
    """Words divided at a line's end are put together, unless the text has them with a hyphen
    elsewhere.
    """

    def joined(word: re.Match[str]) -> str:
        return (
            f"{word[1]}-{word[2]}"
            if f"{word[1]}-{word[2]}" in hyphenated
            else f"{word[1]}{word[2]}"
        )

    hyphenated = set(re.findall(r"\b[^\W\d_]+-[^\W\d_]+\b", text))
    return re.sub(r"\b([^\W\d_]+)-\n([a-z][^\W\d_]*)", joined, text)
