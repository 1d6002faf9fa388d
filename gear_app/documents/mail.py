"""Mails (.eml), web pages saved in one file (.mhtml) and transcripts (WebVTT, SRT) to blocks."""

from __future__ import annotations

import email
import email.policy
import re
from html import unescape

from gear_app.core.errors import BadInput
from gear_app.core.text import storable
from gear_app.documents.blocks import ReadDocument
from gear_app.documents.files import decode
from gear_app.documents.html import add_html
from gear_app.language.blocks import Kind

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?m)^\s*{_TIME}\s+-->\s+{_TIME}.*$")
_SPEAKER = re.compile(r"<v(?:\.[^ <>]{1,80})?\s+([^<>]{1,200})>|([A-Z][\w.' -]{0,40}):\s+")
_TAG = re.compile(r"<[^>]{0,200}>")
_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_BLANK = re.compile(r"\n\s*\n")


def read_mail(content: bytes) -> ReadDocument:
    """A mail or saved page: its subject as title, from whom to whom and when, and its text;
    attachments are counted. Raises BadInput for what is none.
    """
    message = email.message_from_bytes(content.lstrip(), policy=email.policy.default)
    if not any(name in message for name in _HEADERS):
        raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
    document = ReadDocument(title=str(message.get("subject", "")))
    for key in ("From", "To", "Date"):
        document.add_pair(key, str(message.get(key, "")))
    body = message.get_body(("html", "plain"))
    payload = body.get_payload(decode=True) if body is not None else b""
    assert isinstance(payload, bytes)
    if body is not None and body.get_content_subtype() == "html":
        add_html(document, payload)
    elif body is not None:
        text = payload.decode(body.get_content_charset() or "utf-8", "replace")
        for paragraph in _BLANK.split(storable(text)):
            document.add(Kind.PROSE, paragraph)
    if message.is_multipart():
        document.left_out["attachment"] = len(list(message.iter_attachments()))
    return document


def read_speech(content: bytes) -> ReadDocument:
    """A transcript; cues of one speaker are one paragraph."""
    text, note = decode(content)
    document = ReadDocument(notes=[note] if note else [])
    paragraphs: list[str] = []
    for part in _CUE.split("\n".join(text.splitlines()))[1:]:
        cue = _BLANK.split(part.strip("\n"))[0]  # after a blank line: the id of the next cue
        speaker = _SPEAKER.match(cue)
        words = unescape(_TAG.sub("", cue[speaker.end() :] if speaker else cue))
        name = f"{(speaker[1] or speaker[2]).strip()}: " if speaker else ""
        if paragraphs and (not name or paragraphs[-1].startswith(name)):
            paragraphs[-1] += f" {words}"
        else:
            paragraphs.append(f"{name}{words}")
    for paragraph in paragraphs:
        document.add(Kind.PROSE, " ".join(paragraph.split()))
    return document
