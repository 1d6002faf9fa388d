"""Transcripts and subtitles (WebVTT, SRT) to blocks: who said what, without times and ids."""

from __future__ import annotations

import re
from html import unescape

from gear_app.documents.blocks import BlockKind, ReadDocument
from gear_app.documents.decode import decode

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?m)^\s*{_TIME}\s+-->\s+{_TIME}.*$")
_SPEAKER = re.compile(r"<v(?:\.[^ <>]{1,80})?\s+([^<>]{1,200})>|([A-Z][\w.' -]{0,40}):\s+")
_TAG = re.compile(r"<[^>]{0,200}>")
_BLANK = re.compile(r"\n\s*\n")


def read_speech(content: bytes) -> ReadDocument:
    """A transcript; cues of one speaker are one paragraph."""
    text, note = decode(content)
    document = ReadDocument(notes=[note] if note else [])
    said: list[str] = []
    for part in _CUE.split("\n".join(text.splitlines()))[1:]:
        cue = _BLANK.split(part.strip("\n"))[0]  # after a blank line: the id of the next cue
        speaker = _SPEAKER.match(cue)
        words = unescape(_TAG.sub("", cue[speaker.end() :] if speaker else cue))
        name = f"{(speaker[1] or speaker[2]).strip()}: " if speaker else ""
        if said and (not name or said[-1].startswith(name)):
            said[-1] += f" {words}"
        else:
            said.append(f"{name}{words}")
    for paragraph in said:
        document.add(BlockKind.PARAGRAPH, " ".join(paragraph.split()))
    return document
