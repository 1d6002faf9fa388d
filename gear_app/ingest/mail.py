"""Mails (.eml) and web pages saved in one file (.mhtml) to blocks.

The standard library takes a message apart. What is attached is handed on as files of their own.
"""

from __future__ import annotations

import email
import email.header
import re
from collections.abc import Sequence
from contextlib import suppress
from email.errors import HeaderParseError
from email.message import Message

from gear_app.errors import BadInput, Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode, storable
from gear_app.ingest.html import add_html

MOST_DEEP, MOST_PARTS = 50, 10_000
_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_META = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
# Encodings whose texts may look like others': they are taken at their word.
_SHIFTED = ("iso-2022", "hz", "utf-7", "utf-16", "utf-32")
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature")
_FLOWED = re.compile(r"(?<!\n--) \r?\n(?!>)")  # where a paragraph goes on
_BLANK = re.compile(r"\n\s*\n")
_LONGEST_HEADER = 100_000  # characters; encoded words take the square
_CLOCK = re.compile(r"(?<= )(\d\d:\d\d)(?::\d\d)? [+-]\d{4}(?: \(.{1,9}\))?$")  # to the minute
_UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")


def read_mail(content: bytes) -> ReadDocument:
    """A mail: its subject as title, who wrote it to whom and when, and what it says. Raises
    BadInput for what is none, or encrypted, Refused where it has too many parts.
    """
    return _read(content, "From", "To", "Date")


def read_mhtml(content: bytes) -> ReadDocument:
    """A page that a browser saved, with its title. Raises BadInput, Refused."""
    return _read(content)


def _read(content: bytes, *shown: str) -> ReadDocument:
    """A message, with these of its headers."""
    try:
        message = email.message_from_bytes(content.lstrip())
        if not any(name in message for name in _HEADERS):
            raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
        document = ReadDocument(title=_header(message, "subject"))
        for key in shown:
            document.add_pair(key, _CLOCK.sub(r"\1", _header(message, key)))
        _Parts(document).add(message)
    except RecursionError as error:
        raise _too_many() from error
    return document


def _too_many() -> Refused:
    return Refused("the mail has too many parts, or too deep in each other; save it as PDF")


class _Parts:
    """Adds the parts of a message to a document."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._left = MOST_PARTS

    def add(self, part: Message, depth: int = 0) -> None:
        """Add what a part says, and the parts in it."""
        self._left -= 1
        if depth > MOST_DEEP or self._left < 0:
            raise _too_many()
        kind = part.get_content_type()
        inside = _inside(part)
        if kind in _ENCRYPTED:
            raise BadInput("the mail is encrypted; open it and save it as PDF or text")
        if kind == "message/rfc822" and inside:
            name = f"{_file_name(part) or _header(inside[0], 'subject')}.eml"
            with suppress(LookupError, ValueError, TypeError):  # of headers that cannot be written
                self._document.attached.append((_UNSAFE.sub(" ", name), inside[0].as_bytes()))
        elif kind == "multipart/alternative":
            self._best(inside, depth)
        elif kind == "multipart/related" and inside:
            named = str(part.get_param("start", ""))
            shows = (one for one in inside if named and one["content-id"] == named)
            self._page(inside, next(shows, inside[0]), depth)
        elif inside:
            for one in inside:
                self.add(one, depth + 1)
        else:
            self._leaf(part, kind)

    def _leaf(self, part: Message, kind: str) -> None:
        name = _file_name(part)
        attached = part.get_content_disposition() == "attachment" or name
        if kind.startswith("image/"):
            self._document.left_out["picture"] += 1
        elif attached and kind not in _SIGNATURES:
            self._document.attached.append((name or "attachment", _bytes(part)))
        elif kind == "text/html":
            add_html(self._document, _text(part))
        elif kind == "text/plain":
            flowed = str(part.get_param("format", "")).lower() == "flowed"
            text = _FLOWED.sub(" ", _text(part)) if flowed else _text(part)
            for paragraph in _BLANK.split(text.replace("\r\n", "\n")):
                self._document.add(BlockKind.PARAGRAPH, paragraph)
        elif not kind.startswith("message/") and kind not in _SIGNATURES:
            self._document.left_out["part"] += 1

    def _best(self, versions: Sequence[Message], depth: int) -> None:
        """Add the version with the most layout that says anything."""
        blocks = len(self._document.blocks)
        for version in sorted(versions, key=_rank):
            self.add(version, depth + 1)
            if len(self._document.blocks) > blocks:
                return

    def _page(self, inside: Sequence[Message], start: Message, depth: int) -> None:
        """Add a page; of what is shown in it, other files are attached."""
        self.add(start, depth + 1)
        for part in inside:
            kind = part.get_content_type()
            if part is start:
                continue
            if kind == "text/html":
                self._document.left_out["frame"] += 1
            elif part.is_multipart():
                self.add(part, depth + 1)
            elif kind.startswith("image/") or _file_name(part):
                self._leaf(part, kind)


def _inside(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if part.is_multipart() else []


def _rank(part: Message) -> int:
    kinds = {one.get_content_type() for one in part.walk()}
    return 0 if "text/html" in kinds else 1 if "text/plain" in kinds else 2


def _header(part: Message, name: str) -> str:
    """A header's words, whatever it is encoded in; a raw one may be in UTF-8."""
    raw = next((value for key, value in part.raw_items() if key.lower() == name.lower()), "")
    return _words(str(raw))


def _words(raw: str) -> str:
    try:
        pieces = email.header.decode_header(raw[:_LONGEST_HEADER])
    except (HeaderParseError, ValueError):
        pieces = [(raw, None)]
    texts = [
        piece if isinstance(piece, str) else _decoded(piece, charset or "")
        for piece, charset in pieces
    ]
    text = "".join(texts).encode("utf-8", "surrogateescape")
    return " ".join(_decoded(text, "").split())


def _file_name(part: Message) -> str:
    try:
        return _UNSAFE.sub(" ", _words(part.get_filename() or "")).strip()
    except (LookupError, ValueError, TypeError):
        return ""


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _text(part: Message) -> str:
    content = _bytes(part)
    charset = str(part.get_content_charset() or "")
    if not charset and part.get_content_type() == "text/html":
        stated = _META.search(content, 0, 2048)
        charset = stated[1].decode() if stated else ""
    return _decoded(content, charset)


def _decoded(content: bytes, charset: str) -> str:
    """A text in the encoding it states, where there is such a one; it never fails."""
    if charset.lower().startswith(_SHIFTED):
        with suppress(LookupError, UnicodeError):
            return storable(content.decode(charset))
    try:
        return decode(content, charset)
    except BadInput:
        return storable(content.decode("utf-8", "replace"))
