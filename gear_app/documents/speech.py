"""Transcripts and subtitles (WebVTT, SRT) to blocks: who said what, without times and ids."""

from __future__ import annotations

import re
from html import unescape
from itertools import groupby

from gear_app.documents.blocks import BlockKind, ReadDocument
from gear_app.documents.decode import decode

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"(?m)^\s*{_TIME}\s+-->\s+{_TIME}.*$")
_VOICE = re.compile(r"<v(?:\.[^ <>]{1,80})?\s+([^<>]{1,200})>")
_SPEAKER = re.compile(r"(?s)([A-Z][\w.' -]{0,40}):\s+(.*)")
_TAG = re.compile(r"<[^>]{0,200}>")
_BLANK = re.compile(r"\n\s*\n")


def read_speech(content: bytes) -> ReadDocument:
    """A transcript; cues of one speaker are one paragraph."""
    text, note = decode(content)
    document = ReadDocument(notes=[note] if note else [])
    cues: list[tuple[str, str]] = []
    for part in _CUE.split(text.replace("\r\n", "\n").replace("\r", "\n"))[1:]:
        cue = _BLANK.split(part.strip("\n"))[0]  # after a blank line: the id of the next cue
        voice = _VOICE.search(cue)
        words = " ".join(unescape(_TAG.sub("", cue)).split())
        named = _SPEAKER.fullmatch(words)
        speaker = cues[-1][0] if cues else ""
        if voice:
            speaker = voice[1].strip()
        elif named:
            speaker, words = named.groups()
        cues.append((speaker, words))
    for speaker, group in groupby(cues, key=lambda cue: cue[0]):
        words = " ".join(words for _, words in group).strip()
        document.add(BlockKind.PARAGRAPH, f"{speaker}: {words}" if speaker and words else words)
    return document
