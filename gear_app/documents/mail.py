"""Mails (.eml) and web pages saved in one file (.mhtml) to blocks."""

from __future__ import annotations

import email
import email.policy
import re

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, ReadDocument
from gear_app.documents.decode import storable
from gear_app.documents.html import add_html

_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_BLANK = re.compile(r"\n\s*\n")


def read_mail(content: bytes) -> ReadDocument:
    """A mail: its subject as title, from whom to whom and when, and its text; attachments are
    counted. Raises BadInput for what is none.
    """
    return _read(content, "From", "To", "Date")


def read_mhtml(content: bytes) -> ReadDocument:
    """A page that a browser saved."""
    return _read(content)


def _read(content: bytes, *headers: str) -> ReadDocument:
    message = email.message_from_bytes(content.lstrip(), policy=email.policy.default)
    if not any(name in message for name in _HEADERS):
        raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
    document = ReadDocument(title=str(message.get("subject", "")))
    for key in headers:
        document.add_pair(key, str(message.get(key, "")))
    body = message.get_body(("html", "plain"))
    payload = body.get_payload(decode=True) if body is not None else b""
    assert isinstance(payload, bytes)
    if body is not None and body.get_content_subtype() == "html":
        add_html(document, payload)
    elif body is not None:
        text = payload.decode(body.get_content_charset() or "utf-8", "replace")
        for paragraph in _BLANK.split(storable(text)):
            document.add(BlockKind.PARAGRAPH, paragraph)
    if message.is_multipart():
        document.left_out["attachment"] = len(list(message.iter_attachments()))
    return document
