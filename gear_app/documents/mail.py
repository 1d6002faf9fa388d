"""Mails (.eml) and web pages saved in one file (.mhtml) to blocks. Attachments are files of their
own.
"""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage, MIMEPart
from typing import Any

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, ReadDocument
from gear_app.documents.decode import decode, storable
from gear_app.documents.html import add_html, page_text

_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature")
_FLOWED = re.compile(r"(?<!\n--) \r?\n(?!>)")  # where a paragraph goes on
_BLANK = re.compile(r"\n\s*\n")
_CLOCK = re.compile(r"(?<= )(\d\d:\d\d)(?::\d\d)? [+-]\d{4}(?: \(.{1,9}\))?$")  # to the minute
_UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")
# Of headers, encodings and parts that are not as the standard has them.
_ERRORS = (LookupError, ValueError, TypeError, AttributeError, RecursionError)


def read_mail(content: bytes) -> ReadDocument:
    """A mail: its subject as title, from whom to whom and when, and its text. Raises BadInput for
    what is none, or encrypted.
    """
    return _read(content, "From", "To", "Date")


def read_mhtml(content: bytes) -> ReadDocument:
    """A page that a browser saved. Raises BadInput, Refused."""
    return _read(content)


def _read(content: bytes, *headers: str) -> ReadDocument:
    try:
        message = email.message_from_bytes(content.lstrip(), policy=email.policy.default)
        if not any(name in message for name in _HEADERS):
            raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
        if any(part.get_content_type() in _ENCRYPTED for part in message.walk()):
            raise BadInput("the mail is encrypted; open it and save it as PDF or text")
        document = ReadDocument(title=_header(message, "subject"))
        for key in headers:
            document.add_pair(key, _CLOCK.sub(r"\1", _header(message, key)))
        _add(document, message)
    except _ERRORS as error:
        raise BadInput("the mail is broken and cannot be read; save it anew, or as PDF") from error
    return document


def _add(document: ReadDocument, message: EmailMessage) -> None:
    before = len(document.blocks)
    for kind in ("html", "plain"):  # of two versions the page, where it has any words
        body = message.get_body((kind,))
        if body is not None and len(document.blocks) == before:
            _add_text(document, body)
    for part in message.iter_attachments() if message.is_multipart() else ():
        kind, name = part.get_content_type(), _file_name(part.get_filename())
        inside: Any = part.get_payload()
        if part.get_content_maintype() == "image":
            document.left_out["picture"] += 1
        elif kind == "message/rfc822" and isinstance(inside, list):
            name = name or f"{_file_name(_header(inside[0], 'subject'))}.eml"
            document.attached.append((name, inside[0].as_bytes()))
        elif name and kind not in _SIGNATURES:
            document.attached.append((name, _content(part)))
        elif kind == "text/plain":
            _add_text(document, part)
        elif kind not in _SIGNATURES:
            document.left_out["part"] += 1


def _add_text(document: ReadDocument, part: MIMEPart) -> None:
    content = _content(part)
    charset = str(part.get_content_charset() or "")
    page = part.get_content_subtype() == "html"
    try:
        text = storable(content.decode(charset))
    except (LookupError, UnicodeError):
        text = page_text(content)[0] if page and not charset else decode(content, charset)[0]
    if page:
        add_html(document, text)
        return
    if str(part.get_param("format", "")).lower() == "flowed":
        text = _FLOWED.sub(" ", text)
    for paragraph in _BLANK.split(text.replace("\r\n", "\n")):
        document.add(BlockKind.PARAGRAPH, paragraph)


def _header(message: EmailMessage, name: str) -> str:
    """Words of a header; a raw one may be in UTF-8."""
    try:
        raw = str(message.get(name, "")).encode("utf-8", "surrogateescape")
    except _ERRORS:
        return ""
    return " ".join(storable(raw.decode("utf-8", "replace")).split())


def _file_name(name: str | None) -> str:
    return storable(_UNSAFE.sub(" ", name or "")).strip()


def _content(part: MIMEPart) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
