"""The prompts, one text file each: our words, the papers' inputs, outputs and formats.

    extraction                           GEAR App. K.1
    entities, triples                    HippoRAG App. I, its two steps
    read, read_gist, reason, rewrite     GEAR App. K.2
    query_entities                       HippoRAG App. I
    choose_facts                         HippoRAG 2, recognition memory
    report                               GraphRAG, its community reports
    thoughts, verify                     BDTR App. A.6, Fig. 8 and 9
    chain                                BDTR §3.2
    ircot, tog, gcot, irgs               BDTR App. A.6, Fig. 10 to 13
    summarise                            RAPTOR App. D
    search_r1                            Search-R1, Table 1
    search_o1, analyse                   Search-o1, App. A, its two instructions
    answer, answer_alone                 GEAR App. K.3
    suggest                              none: questions suggested from a collection

A `{name}` in a file is a place for a value. Values are put in once and never read as templates
themselves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_PLACE = re.compile(r"\{([a-z_]+)\}")
# Characters that are seen as nothing, or as a space.
_INVISIBLE = r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*+"
_WORDS = "|".join(
    # The wide form of a letter counts as the letter.
    _INVISIBLE.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in word)
    for word in (
        *("document", "passage", "question", "think", "search", "information", "answer"),
        *("begin_search", "end_search"),
    )
)
_MARK = re.compile(
    rf"[<＜﹤](?={_INVISIBLE}[/／|｜]?{_INVISIBLE}(?:{_WORDS})(?![^\W_]))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its values in place; `hash` is that of the file, which traces its wording."""

    name: str
    hash: str
    text: str


def prompt(name: str, **values: str) -> Prompt:
    """The prompt with these values. Raises ValueError where they are not those it takes."""
    template = text(name)
    if set(values) != places(name):
        raise ValueError(f"prompt {name!r} takes {sorted(places(name))}, not {sorted(values)}")
    return Prompt(name, hash_of(name), _PLACE.sub(lambda place: values[place[1]], template))


def places(name: str) -> set[str]:
    """The names of the values a prompt takes."""
    return set(_PLACE.findall(text(name)))


def hash_of(name: str) -> str:
    """The first 12 hex digits of the file's SHA-256."""
    return hashlib.sha256(text(name).encode()).hexdigest()[:12]


def hashes() -> str:
    """The hash of every prompt, as a run keeps them: `name=hash`, one after the other."""
    return " ".join(f"{name}={hash_of(name)}" for name in names())


def names() -> list[str]:
    """All prompts, by name."""
    return sorted(
        file.name.removesuffix(".txt")
        for file in files(__name__).iterdir()
        if file.name.endswith(".txt")
    )


@cache
def text(name: str) -> str:
    """The file as it is."""
    return (files(__name__) / f"{name}.txt").read_text(encoding="utf-8")


def data(value: str) -> str:
    """Text of a document, question or reply that cannot end the marks a prompt puts around it.

    A mark in it loses its bracket to one that looks alike.
    """
    return _MARK.sub("‹", value)


def documents(titles_and_texts: Sequence[tuple[str, str]]) -> str:
    """Titles and texts, each document between marks with its number, from 1."""
    return "\n".join(
        f"<document {number}>\n{data(title)}\n{data(words)}\n</document {number}>"
        for number, (title, words) in enumerate(titles_and_texts, start=1)
    )
