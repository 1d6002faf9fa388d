"""A Word file to a title and a text.

Such a file is a zip of XML. What is needed of it is little and comes in order, so it is taken from
the parser's events: neither the file's text nor a tree of it is in memory at any time.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from lxml import etree

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.documents import DocumentText, stated_title

MOST_XML = 64 * MEGABYTE
MOST_ELEMENTS, MOST_PARAGRAPHS = 5_000_000, 500_000
_MAIN = "word/document.xml"
# What is read of the text, element by element within the one before. In a run of text, some
# elements stand for characters. Deleted text, text boxes and tables in cells are not in it.
_PLACES = {
    ("", "document"): "document",
    ("document", "body"): "body",
    ("body", "p"): "paragraph",
    ("body", "tbl"): "table",
    ("table", "tr"): "row",
    ("row", "tc"): "cell",
    ("cell", "p"): "paragraph",
    ("paragraph", "pPr"): "properties",
    ("properties", "pStyle"): "style",
    ("paragraph", "r"): "run",
    ("paragraph", "hyperlink"): "around runs",
    ("paragraph", "ins"): "around runs",
    ("paragraph", "smartTag"): "around runs",
    ("around runs", "r"): "run",
    ("run", "t"): "text",
    ("run", "tab"): "tab",
    ("run", "ptab"): "tab",
    ("run", "cr"): "line break",
    ("run", "br"): "break",
    ("run", "noBreakHyphen"): "hyphen",
}
_CHARACTERS = {"tab": "\t", "line break": "\n", "hyphen": "-"}


def read_docx(content: bytes, title: str) -> DocumentText:
    """The paragraphs and tables of a Word file, in order; the title is the one it states, else its
    first heading. Raises BadInput where it is broken, Refused where it is too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            names = set(opened.namelist())
            relations = _Relations()
            if "_rels/.rels" in names:
                _parse(opened, "_rels/.rels", relations)
            main = relations.of.get("officeDocument", _MAIN)
            styles, core = _Styles(), _Core()
            for name, target in (
                (str(PurePosixPath(main).with_name("styles.xml")), styles),
                (relations.of.get("core-properties", ""), core),
            ):
                if name in names:
                    _parse(opened, name, target)
            body = _Body(styles.headings)
            _parse(opened, main, body)
    except (*archive.DAMAGE, LookupError, etree.LxmlError) as error:
        raise BadInput("the Word file is broken and cannot be read") from error
    text = "\n\n".join(part for part in body.parts if part.strip())
    return DocumentText(stated_title("".join(core.title)) or body.heading.strip() or title, text)


def _parse(opened: zipfile.ZipFile, name: str, target: _Events) -> None:
    info = opened.getinfo(name)
    if info.file_size > MOST_XML:
        raise Refused(
            f"the Word file's text takes {archive.megabytes(info.file_size)} of XML; at most"
            f" {archive.megabytes(MOST_XML)} are taken; split it"
        )
    # Entities are not replaced: a few of them can stand for gigabytes, or for other files.
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for piece in archive.pieces(opened, info):
        parser.feed(piece)
    parser.close()


class _Events:
    """What the parser tells about one part of the file."""

    elements = 0

    def doctype(self, name: str, public: str, system: str) -> None:
        """Word writes none."""
        raise BadInput("the Word file declares entities, which Word does not; save it anew in Word")

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise Refused(f"the Word file has more than {MOST_ELEMENTS:,} elements; split it")
        self.begin(_local(tag), attributes)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins; `name` is its name without its namespace."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text between tags."""

    def close(self) -> None:
        """Nothing more comes."""


class _Relations(_Events):
    """Which part of the file is what, by the last word of its kind."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take in one part."""
        if name == "Relationship":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.of.setdefault(kind, attributes.get("Target", "").lstrip("/"))


class _Core(_Events):
    """The title that the file states."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self._inside = False

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take in what follows where it is the title."""
        self._inside = name == "title"

    def end(self, tag: str) -> None:
        """Take in no more."""
        self._inside = False

    def data(self, text: str) -> None:
        """A piece of the title, perhaps."""
        if self._inside:
            self.title.append(text)


class _Styles(_Events):
    """The ids of the styles of titles and headings, which go by their names in every language."""

    def __init__(self) -> None:
        self.headings: set[str] = set()
        self._style = ""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Take in a style, or the name of the last one."""
        if name == "style":
            self._style = _attribute(attributes, "styleId")
        elif name == "name":
            called = _attribute(attributes, "val").lower()
            if called == "title" or called.startswith("heading"):
                self.headings.add(self._style)


class _Body(_Events):
    """The text: paragraphs and tables in their order, and the first heading."""

    def __init__(self, headings: set[str]) -> None:
        """`headings` are the ids of their styles."""
        self.parts: list[str] = []
        self.heading = ""
        self._headings = headings
        self._places = [""]  # where in the file it is; "-" where nothing is read
        self._style = ""
        self._words: list[str] = []  # of the paragraph
        self._paragraphs: list[str] = []  # of the cell
        self._cells: list[str] = []  # of the row
        self._rows: list[str] = []  # of the table
        self._characters = self._number = 0

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Go one place deeper."""
        place = _PLACES.get((self._places[-1], name), "-")
        self._places.append(place)
        if place == "style":
            self._style = _attribute(attributes, "val")
        elif place == "break" and _attribute(attributes, "type") in ("", "textWrapping"):
            self._words.append("\n")
        elif place in _CHARACTERS:
            self._words.append(_CHARACTERS[place])
        elif place in ("paragraph", "row"):
            self._number += 1
            if self._number > MOST_PARAGRAPHS:
                raise Refused(
                    f"the Word file has more than {MOST_PARAGRAPHS:,} paragraphs; split it"
                )

    def data(self, text: str) -> None:
        """Text between tags."""
        if self._places[-1] == "text":
            self._characters += len(text)
            admit(self._characters)
            self._words.append(text)

    def end(self, tag: str) -> None:
        """Go back, and put together what the place held."""
        place = self._places.pop()
        if place == "paragraph":
            self._end_paragraph()
        elif place == "cell":
            self._cells.append(" ".join(" ".join(self._paragraphs).split()))
            self._paragraphs = []
        elif place == "row":
            self._rows.append(" | ".join(self._cells))
            self._cells = []
        elif place == "table":
            self.parts.append("\n".join(self._rows))
            self._rows = []

    def _end_paragraph(self) -> None:
        text = "".join(self._words)
        if self._places[-1] == "cell":
            self._paragraphs.append(text)
        else:
            self.parts.append(text)
            if self._style in self._headings and not self.heading.strip():
                self.heading = text
        self._words, self._style = [], ""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attribute(attributes: Mapping[str, str], name: str) -> str:
    """The attribute of that name, whatever its namespace."""
    return next((value for key, value in attributes.items() if _local(key) == name), "")
