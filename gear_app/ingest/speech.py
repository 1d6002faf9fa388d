"""Transcripts and subtitles (WebVTT, SRT) to blocks: who said what, without times and ids."""

from __future__ import annotations

import re
from html import unescape

from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode

_TIME = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE = re.compile(rf"^\s*{_TIME}\s+-->\s+{_TIME}.*$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^ <>]{1,80})?\s+([^<>]{1,200})>")
_SPEAKER = re.compile(r"([A-Z][\w.' -]{0,40}):\s+(.*)", re.DOTALL)
_TAG = re.compile(r"<[^>]{0,200}>")
_BLANK = re.compile(r"\n\s*\n")
_LONGEST = 600  # characters after which a paragraph of one speaker ends with a sentence


def read_speech(content: bytes) -> ReadDocument:
    """A transcript; cues of one speaker are one paragraph."""
    text, note = decode(content)
    document = ReadDocument(notes=[note] if note else [])
    parts = _CUE.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    speaker, words = "", ""
    for number, part in enumerate(parts[1:], start=2):
        # The line above the times of the next cue is its id.
        cue = _BLANK.split(part.strip("\n"))[0] if number < len(parts) + 1 else part
        voice = _VOICE.search(cue)
        words_of_cue = " ".join(unescape(_TAG.sub("", cue)).split())
        named = _SPEAKER.fullmatch(words_of_cue)
        name = voice[1].strip() if voice else named[1] if named else speaker
        if not voice and named:
            words_of_cue = named[2]
        full = len(words) > _LONGEST and words[-1:] in ".?!"
        if name != speaker or full:
            _add(document, speaker, words)
            speaker, words = name, ""
        words = f"{words} {words_of_cue}".strip()
    _add(document, speaker, words)
    return document


def _add(document: ReadDocument, speaker: str, words: str) -> None:
    document.add(BlockKind.PARAGRAPH, f"{speaker}: {words}" if speaker and words else words)
