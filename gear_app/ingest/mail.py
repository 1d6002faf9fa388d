"""Mails (.eml) and web pages saved in one file (.mhtml) to blocks. Attachments are handed on as
files of their own.
"""

from __future__ import annotations

import email
import email.policy
import re
from contextlib import suppress
from email.message import EmailMessage
from typing import Any

from gear_app.errors import BadInput, Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode, storable
from gear_app.ingest.html import add_html, page_text

MOST_DEEP = 50
_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_SHIFTED = ("iso-2022", "hz", "utf-7", "utf-16", "utf-32")  # their texts look like others'
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature")
_FLOWED = re.compile(r"(?<!\n--) \r?\n(?!>)")  # where a paragraph goes on
_BLANK = re.compile(r"\n\s*\n")
_CLOCK = re.compile(r"(?<= )(\d\d:\d\d)(?::\d\d)? [+-]\d{4}(?: \(.{1,9}\))?$")  # to the minute
_UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")
_ERRORS = (LookupError, ValueError, TypeError, AttributeError, IndexError)


def read_mail(content: bytes) -> ReadDocument:
    """A mail: its subject as title, from whom to whom and when, and its text. Raises BadInput for
    what is none, or encrypted.
    """
    return _read(content, "From", "To", "Date")


def read_mhtml(content: bytes) -> ReadDocument:
    """A page that a browser saved. Raises BadInput, Refused."""
    return _read(content)


def _read(content: bytes, *shown: str) -> ReadDocument:
    policy = email.policy.default
    try:
        message = email.message_from_bytes(content.lstrip(), policy=policy)
        if not any(name in message for name in _HEADERS):
            raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
        document = ReadDocument(title=_header(message, "subject"))
        for key in shown:
            document.add_pair(key, _CLOCK.sub(r"\1", _header(message, key)))
        _add(document, message)
    except RecursionError as error:
        raise Refused("the mail's parts lie too deep in each other; save it as PDF") from error
    return document


def _add(document: ReadDocument, part: Any, depth: int = 0) -> None:  # noqa: ANN401
    """Add the text of a part, and the parts in it."""
    if depth > MOST_DEEP:
        raise RecursionError
    kind = part.get_content_type()
    inside = part.get_payload() if part.is_multipart() else []
    if kind in _ENCRYPTED:
        raise BadInput("the mail is encrypted; open it and save it as PDF or text")
    if kind == "message/rfc822" and inside:
        with suppress(*_ERRORS):  # of headers that cannot be written
            name = f"{_file_name(part) or _header(inside[0], 'subject')}.eml"
            document.attached.append((_UNSAFE.sub(" ", name), inside[0].as_bytes()))
    elif kind == "multipart/alternative":
        blocks = len(document.blocks)
        for version in sorted(inside, key=_rank):
            if len(document.blocks) == blocks:
                _add(document, version, depth + 1)
    elif inside:
        start = str(part.get_param("start", ""))
        named = next((one for one in inside if start and one["content-id"] == start), inside[0])
        root = named if kind == "multipart/related" else None
        for inner in inside:
            # Frames and pictures of a page are parts of it.
            if root is None or inner is root or inner.get_content_type() != "text/html":
                _add(document, inner, depth + 1)
    else:
        _add_leaf(document, part, kind)


def _add_leaf(document: ReadDocument, part: Any, kind: str) -> None:  # noqa: ANN401
    name = _file_name(part)
    attached = part.get_content_disposition() == "attachment" or name
    if kind.startswith("image/"):
        document.left_out["picture"] += 1
    elif attached and kind not in _SIGNATURES:
        document.attached.append((name or "attachment", part.get_payload(decode=True) or b""))
    elif kind == "text/html":
        add_html(document, _text(part, page=True))
    elif kind == "text/plain":
        text = _text(part)
        if str(part.get_param("format", "")).lower() == "flowed":
            text = _FLOWED.sub(" ", text)
        for paragraph in _BLANK.split(text.replace("\r\n", "\n")):
            document.add(BlockKind.PARAGRAPH, paragraph)
    elif not kind.startswith("message/") and kind not in _SIGNATURES:
        document.left_out["part"] += 1


def _rank(part: EmailMessage) -> int:
    kinds = {inner.get_content_type() for inner in part.walk()}
    return 0 if "text/html" in kinds else 1 if "text/plain" in kinds else 2


def _header(part: Any, name: str) -> str:  # noqa: ANN401
    """Words of a header; a raw one may be in UTF-8."""
    try:
        text = str(part.get(name, ""))
    except _ERRORS:
        return ""
    raw = text.encode("utf-8", "surrogateescape")
    return " ".join(storable(raw.decode("utf-8", "replace")).split())


def _file_name(part: Any) -> str:  # noqa: ANN401
    with suppress(*_ERRORS):
        return storable(_UNSAFE.sub(" ", part.get_filename() or "")).strip()
    return ""


def _text(part: Any, *, page: bool = False) -> str:  # noqa: ANN401
    """Text of a part in the encoding it states; it never fails."""
    content: bytes = part.get_payload(decode=True) or b""
    charset = str(part.get_content_charset() or "")
    with suppress(LookupError, UnicodeError, BadInput):
        if charset.lower().startswith(_SHIFTED):
            return storable(content.decode(charset))
        return page_text(content)[0] if page and not charset else decode(content, charset)[0]
    return storable(content.decode("utf-8", "replace"))
