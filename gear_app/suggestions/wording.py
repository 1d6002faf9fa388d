"""The fixed forms of questions about entries. They need no grammar of the text: a key that reads as
a noun becomes one ("the owner of CHG-7"), any other is quoted ("given under “valid to”").
"""

from __future__ import annotations

import re

from gear_app.english.answer_types import is_date
from gear_app.english.verbs import is_past, is_present, past_of
from gear_app.english.words import FUNCTION_WORDS, PREPOSITIONS, participle, word_set
from gear_app.suggestions.entries import DocumentEntry, EntryValue
from gear_app.suggestions.identity import is_id, is_name

TITLE_WORDS, YEAR = 8, 4
_NO_NOUNS = word_set(
    "due out valid other new old open lost last next what where when who whom how why which done in"
    " needed possible approx about until since from to for with paid said went"
)
_WHO = word_set(
    "owner contact chair sponsor customer client author lead tenant holder guide captain host"
    " deputy treasurer secretary keeper supplier requester implementer reviewer operator technician"
    " member teacher driver manager editor landlord vendor carrier donor repairer engineer"
)
_MAIL = {"from": "sender", "to": "recipient"}
# What is asked with a word of its own, and not by what it is called.
_ASKED = {
    **dict.fromkeys(("place", "location", "whereabouts"), "Where is {}?"),
    **dict.fromkeys(("cost", "price"), "What does {} cost?"),
    "age": "How old is {}?",
}
_LABELS = word_set("tag code label number no nr id ref")  # ways to call a thing, and no things


def quoted(title: str) -> str:
    """A title in quotation marks; "" for one that is too long for a question."""
    words = re.sub(r"\s*\([^)]*\)$|[“”\"]", "", title).strip(" .:")
    return f"“{words}”" if 0 < len(words.split()) <= TITLE_WORDS else ""


def called(entry: DocumentEntry) -> str:
    """What a question calls an entry: "job J-304", "Kingfisher", "“Regatta entry form”"; "" where
    nothing is specific.
    """
    if entry.titled:
        return quoted(entry.name)
    if is_id(entry.name):
        return f"{entry.noun} {entry.name}" if noun_key(entry.noun) else entry.name
    return entry.name if is_name(entry.name) else ""


def standing_for(entry: DocumentEntry, value: EntryValue, noun: str, *, recurs: bool) -> str:
    """A phrase for what an entry says under a key; `noun`: what it is, "" where nobody knows.
    `recurs`: others have the key, so that it is no part that somebody plays.
    """
    label, key = called(entry), value.key.lower()
    if not label or not key:
        return ""
    if does := _does(value):
        return f"the person who {does} {label}"
    if mail := _MAIL.get(key):
        other = any(one.key.lower() in _MAIL and one.key.lower() != key for one in entry.values)
        return f"the {mail} of {label}" if entry.titled and other else ""
    agent = key.split()[-1] in _WHO
    if noun_key(key) and (recurs or agent):
        of = entry.tabular or (agent and not entry.titled)
        return f"the {shown(value.key)} {'of' if of else 'named in'} {label}"
    return (
        f"the {noun or 'one'} named under “{value.key}” {'for' if entry.tabular else 'in'} {label}"
    )


def named_in(title: str, noun: str) -> str:
    """A phrase for the only thing of its kind that a passage names."""
    shown = quoted(title)
    return f"the {noun} named in {shown}" if shown and noun else ""


def asking(entry: DocumentEntry, value: EntryValue, phrase: str, *, beside: bool) -> str:
    """The question for a value of the thing that `phrase` stands for. `beside`: the thing is itself
    only a value of the entry.
    """
    key = value.key.lower()
    if not key or beside:
        title = quoted(entry.passage.title)
        if not title:
            return ""
        if not key:
            return f"What does {title} say of {phrase}?"
        return f"What does {title} give under “{value.key}” for {phrase}?"
    if does := _does(value):
        return f"Who {does} {phrase}?" if is_name(value.text) else ""
    if key in _MAIL and is_name(value.text):
        return f"To whom is {phrase} addressed?" if key == "to" else f"From whom is {phrase}?"
    thing = phrase.split()[1] not in _LABELS
    if thing and key in _ASKED:
        return _ASKED[key].format(phrase)
    if noun_key(key) and thing:
        who = key.split()[-1] in _WHO and is_name(value.text)
        verb = "are" if re.search(r"[^su'i]s$", key) else "is"
        return f"{'Who' if who else 'What'} {verb} the {shown(value.key)} of {phrase}?"
    if is_day(value.text):
        return f"Which date is given under “{value.key}” for {phrase}?"
    return f"What is given under “{value.key}” for {phrase}?"


def shown(key: str) -> str:
    """A key inside a sentence: "Owner" in small letters, "RTO" as it is."""
    return " ".join(word if word.isupper() else word.lower() for word in key.split())


def is_day(words: str) -> bool:
    """Whether the words are a date alone: "24 April", "2019", and not "41.50"."""
    figures = words.replace(".", "").isdigit()
    return is_date(words) and "," not in words and (not figures or len(words) == YEAR)


def _does(value: EntryValue) -> str:
    """The verb of "the person who raised", for a participle with "by" behind; else ""."""
    words = value.key.lower().split()
    if words[-1:] == ["by"] and len(words) > 1:
        words = words[:-1]
    elif not value.agent:
        return ""
    return past_of(words[0]) if len(words) == 1 and participle(words[0]) else ""


def noun_key(key: str) -> bool:
    """Whether a key reads as a noun: "owner", "place", and not "raised" or "valid to"."""
    words = key.lower().split()
    if not 0 < len(words) < 3 or not all(word.isalpha() for word in words):
        return False
    if any(word in FUNCTION_WORDS | PREPOSITIONS | _NO_NOUNS for word in words):
        return False
    head = words[-1]
    return not (participle(head) or is_past(head) or is_present(words[0]))
