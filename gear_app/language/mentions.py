"""The mentions of a passage: what it names, in a normal form, by sentence and place.

No grammar: runs of capitalised words, ids, numbered things, dates, and words that are not too
common to say anything. A mention is only worth as much as few passages share it, which the index
knows; so it does no harm that most of these link nothing. Names of months and days, contractions
and the words left out are English; all else holds for any language, with pairs of letters for words
where there are no blanks between them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.text import MARKS, normal, normalise_entity, pairs, title_and_section, tokenise
from gear_app.core.types import Passage, Span
from gear_app.language import blocks
from gear_app.language.dates import ENGLISH, MONTH, WEEKDAYS, dates, day_comes_first
from gear_app.language.words import LIGHT_WORDS

VERSION = 11  # of these rules; raise it with every change of what they find

TITLE = 0  # the number of a mention's sentence that stands in the title

_ACRONYM = re.compile(r"[^\w]*[A-Z]{2,}\b")
_STOP = LIGHT_WORDS | frozenset(
    """
    a an the of in on at by for to from with and or but nor so as is are was were be been being am
    do does did done has have had having will would shall should can could may might must not no
    yes that this these those it its he she his him her them they their we us our you your i me my
    mine who whom whose which what when where why how than then there here if while until after
    before during over under about into onto out up down off again once only own same other another
    any some all each every both few more most one two three first last per via vs re dear hi hello
    regards kind please thank thanks
    """.split()
)
_DAYS = WEEKDAYS | frozenset("mon tue tues wed thu thur thurs fri sat sun am pm".split())
_ALSO_WORDS = frozenset(("may", "march"))  # months with a capital only

_LETTERS = rf"[^\W_](?:[^\W_]|[{MARKS}])*"
_SIGNS = r"(?:(?:\+\+?|#)(?![^\W_]))?"  # "C++" and "C#" are two names
_WORD = re.compile(rf"{_LETTERS}(?:[-'’./]{_LETTERS})*{_SIGNS}")
_NAME_WORD = re.compile(rf"[^\W_][\w{MARKS}'’.-]*{_SIGNS}|&")
_JOINTS = frozenset("of the de von van and & la der du".split())
_MOST_JOINTS = 2  # in a row, as in "Duchy of the Moors"
_AFTER_NAME = re.compile(r"(?:['’]s)?[.'’-]*$", re.IGNORECASE)
# "Thrale's", "I'll": what hangs on a word is no part of it. "Don't" is no word at all: before this
# ending stand only auxiliaries, and not all of them whole.
_HANGS_ON = re.compile(r"(?:\b[^\W_]*n['’]t|['’](?:s|ll|re|ve|d|m))\b", re.IGNORECASE)
_PART = re.compile(r"[-./]")
_FIGURES = re.compile(r"[\d.,/’-]+")
_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(  # bounded parts: long runs cost their length
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|\b(?:https?|ftp)://\S{1,500}"
)
_GROUPED = re.compile(  # a number whose thousands are set apart, and its decimals
    r"(?<![\w.,'’])(\d{1,3}(?:(?:([,'’\u00a0\u202f])\d{3}(?:\2\d{3}){0,5})|(?:\.\d{3}){2,6}))"
    r"(?![\d]|[.,]\d{3})(?:[.,]\d{1,2}\b)?"
)
_LONG_NUMBER = re.compile(r"\d{3,}")
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|z)es$")
_ID = re.compile(r"\b([^\W\d_]{1,5})[-–/ .]?(\d{1,6}[a-z]?)\b")
_DIGIT_ID = re.compile(r"(?<![\w.,/–-])\d+(?:[-–/]\d+)+(?![\w/–-]|[.,]\d)")
_FEWEST_DIGITS = 5  # of an id in several parts: "3/4" and "19-21" are other things
_NUMBERED = re.compile(r"\b([^\W\d_]{2,})\.?\s+(\d{1,4})\b(?![:.]\d)")

_SHORTEST = 2  # characters of what is no sentence


class Mention(NamedTuple):
    """One place where a passage names something.

    `name` is the normal form by which passages are linked. `sentence` counts from 1; TITLE: it
    stands in the title, and `span` is a place in that. Else `span` is a place in the passage's
    text. `lower`: it is written there as an ordinary word, beginning in lower case.
    """

    name: str
    sentence: int
    span: Span
    lower: bool


class NamedSpan(NamedTuple):
    """A normal form and its place in a text, and whether it is written there in lower case."""

    name: str
    span: Span
    lower: bool = False


@dataclass(frozen=True, slots=True)
class PassageMentions:
    """A passage's sentences, as places in its text and in order, and its mentions, in order."""

    sentences: tuple[Span, ...]
    mentions: tuple[Mention, ...]


def read(title: str, text: str) -> PassageMentions:
    """The sentences and mentions of a passage. A text without sentences is one sentence."""
    spans = sentences(text)
    names = [Mention(name, TITLE, span, lower) for name, span, lower in of_title(title)]
    day_first = day_comes_first(text)
    for number, sentence in enumerate(spans, start=1):
        for name, span, lower in mentions(text[slice(*sentence)], day_first=day_first):
            place = Span(sentence.start + span.start, sentence.start + span.end)
            names.append(Mention(name, number, place, lower))
    return PassageMentions(tuple(spans), tuple(names))


@lru_cache(maxsize=4096)
def of_title(title: str) -> tuple[NamedSpan, ...]:
    """Mentions of a title: what every text does, and itself without what is in brackets; of a
    document's and a heading's, each of the two.
    """
    spans, start = [*mentions(title)], 0
    for part in title_and_section(title):
        start = title.find(part, start)
        name = normalise_entity(_HANGS_ON.sub("", part.partition("(")[0]))
        if name:
            spans.append(NamedSpan(name, Span(start, start + len(part))))
        start += len(part)
    return tuple(spans)


def sentence_text(title: str, sentence: str) -> str:
    """The words that a sentence's vector is made of: the title says what it is about."""
    return f"{title}: {sentence}" if title else sentence


def written_names(title: str, text: str) -> Iterator[tuple[Span, str]]:
    """The names and ids of a passage as it writes them, each once and whole, with its sentence,
    those of the title with the first. A word that has a capital only where a sentence or the title
    begins is none.
    """
    passage = read(title, text)
    starts = {sentence.start for sentence in passage.sentences}
    written = [
        (mention, _AFTER_NAME.sub("", (text if mention.sentence else title)[slice(*mention.span)]))
        for mention in passage.mentions
    ]
    names = {n for mention, n in written if mention.span.start not in starts and n[:1].isupper()}
    complete: list[str] = []
    for mention, name in written:
        is_name = name in names or (mention.name.startswith("#") and " " not in name)
        if is_name and not any(name in other for other in complete):
            complete.append(name)
            yield passage.sentences[max(0, mention.sentence - 1)], name


def shown(name: str) -> str:
    """A normal form in words, for where nothing is known of how it was written."""
    if name.startswith("@"):
        first, second = (int(number) for number in name[1:].split("-"))
        return f"{ENGLISH[second - 1]} {first}" if first > 12 else f"{second} {ENGLISH[first - 1]}"
    return name[1:].upper() if name.startswith("#") else name


def is_compound(name: str) -> bool:
    """Whether a normal form was put together by rule: a date, an id, or several words."""
    return name[0] in "@#" or " " in name


def sentences(text: str) -> list[Span]:
    """The sentences of the text's blocks; a text without any is one."""
    long = [span for span in blocks.sentences(text) if span.end - span.start > _SHORTEST]
    return long or [Span(0, len(text))]


def mentions(text: str, *, day_first: bool | None = None) -> Iterator[NamedSpan]:
    """Everything that a text mentions, in no particular order.

    A run of capitalised words, with its article and without. Ids without their punctuation, after
    "#". Dates as "@month-day" and "@year-month", every day of a range; `day_first` is the order of
    those in figures that do not state it. "Unit 7" as a whole. Numbers without the marks between
    thousands. Words, and parts of more than two characters of a word in several; of a word in a
    script without blanks between words all pairs of letters. Mail and web addresses are none.
    """
    for name, span in dates(text, day_first=day_first):
        yield NamedSpan(name, span)
    text = _ADDRESS.sub(lambda match: "|" * len(match[0]), text)
    for match in _GROUPED.finditer(text):
        digits = "".join(_DIGITS.findall(match[1]))
        yield NamedSpan(digits, Span(*match.span()))
    text = _GROUPED.sub(lambda match: "|" * len(match[0]), text)
    yield from _ids(text)
    yield from _names(text)
    for match in _WORD.finditer(text):
        word = _HANGS_ON.sub("", match[0]).strip("-./")
        if not word.isascii() and len(cut := list(pairs(word))) > 1:
            for part, place in cut:
                start = match.start() + place
                if len(part) > 1:
                    yield NamedSpan(normal(part), Span(start, start + len(part)), lower=True)
            continue
        parts = [part for part in _PART.split(word) if len(part) > 2 and part != word]
        for part in [word, *parts]:
            if len(part) > 1 and _says_something(part):
                yield NamedSpan(singular(part), Span(*match.span()), lower=word[0].islower())


def places(text: str, name: str) -> tuple[Span, ...]:
    """Places where a text mentions this normal form, each once."""
    return tuple(_places(text).get(name, ()))


@lru_cache(maxsize=4096)  # of a run's linked sentences, which every variant of it shows again
def _places(text: str) -> dict[str, dict[Span, None]]:
    spans: dict[str, dict[Span, None]] = defaultdict(dict)
    for name, span, _ in mentions(text):
        spans[name][span] = None
    return dict(spans)


def written(name: str, *texts: str) -> str:
    """A mention as the first of these texts writes it; in words where none has it."""
    found = (text[span.start : span.end] for text in texts for span in places(text, name))
    return next(found, shown(name))


def figures(text: str) -> frozenset[str]:
    """The numbers, months and days of the week that a text names, each in a normal form. Two names
    that differ in one are near in meaning and not the same.
    """
    numbers = {number.lstrip("0") or "0" for number in _DIGITS.findall(text)}
    for word in _WORD.findall(text):
        folded = word.casefold()
        if word[0].isupper() and folded in MONTH:
            numbers.add(f"@{MONTH[folded]}")
        elif word[0].isupper() and folded in _DAYS:
            numbers.add(f"@{folded[:3]}")
    return frozenset(numbers)


def telling(text: str) -> str:
    """The words of a text that say something, in its order; the text where none does.

    Words with a hyphen between them are one, which says something if any of them does; so do "US"
    and "May".
    """
    informative = [
        word
        for word in text.split()
        if any(token not in _STOP for token in tokenise(word))
        or _ACRONYM.match(word)
        or figures(word)
    ]
    return " ".join(informative) or text


def singular(word: str) -> str:
    """The normal form of one word: case folded, and without the ending of a plural."""
    word = normal(word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and _SIBILANT.search(word):
        return word[:-2]
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word


def _names(text: str) -> Iterator[NamedSpan]:
    """Runs of several words that begin with a capital, with small words like "of" in between."""
    for words in _runs(text):
        # "The Forth Bridge" is the Forth Bridge as well.
        inner = next((n for n, word in enumerate(words) if word[0].casefold() not in _STOP), 0)
        for name in (words, words[inner:] if inner else []):
            if len(name) > 1:
                yield from _name(text, name)


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    run: list[re.Match[str]] = []
    joints: list[re.Match[str]] = []
    for word in _NAME_WORD.finditer(text):
        before = [*run[-1:], *joints[-1:]]
        if before and text[before[-1].end() : word.start()].strip():
            yield run
            run, joints = [], []
        if word[0][0].isupper():
            run += [*joints, word]
            joints = []
        elif run and word[0] in _JOINTS and len(joints) < _MOST_JOINTS:
            joints.append(word)
        elif run:
            yield run
            run, joints = [], []
    if run:
        yield run


def _name(text: str, words: Sequence[re.Match[str]]) -> Iterator[NamedSpan]:
    """A name of several words; one of a single word is a word. "But I" is none."""
    last = _AFTER_NAME.sub("", words[-1][0])
    span = Span(words[0].start(), words[-1].start() + len(last))
    name = normalise_entity(_HANGS_ON.sub("", text[slice(*span)])).split()
    if len(name) > 1 and not ("i" in name and _STOP.issuperset(name)):
        yield NamedSpan(" ".join(name), span)


def _ids(text: str) -> Iterator[NamedSpan]:
    for match in _ID.finditer(text):
        if match[1].isupper() or "-" in match[0]:
            yield NamedSpan(f"#{match[1]}{match[2]}".casefold(), Span(*match.span()))
    for match in _DIGIT_ID.finditer(text):
        parts = _PART.split(match[0].replace("–", "-"))
        if sum(map(len, parts)) >= _FEWEST_DIGITS and not (_is_date(parts) or _is_range(parts)):
            yield NamedSpan("#" + "-".join(parts), Span(*match.span()))
    for match in _NUMBERED.finditer(text):
        word = singular(match[1])
        if not _is_stop(match[1]) and word not in MONTH and word not in _DAYS:
            yield NamedSpan(f"{word} {match[2]}", Span(*match.span()))


def _is_date(parts: Sequence[str]) -> bool:
    """Whether it is a day of a year, with the year first or last."""
    lengths = [len(part) for part in parts]
    if len(parts) != 3 or not (max(lengths[0], lengths[2]) == 4 or lengths == [2, 2, 2]):
        return False
    return lengths[1] < 3 and min(lengths[0], lengths[2]) < 3


def _is_range(parts: Sequence[str]) -> bool:
    """Whether it is from one number to a greater one: "1914-18", "1999/00", "112-118"."""
    if len(parts) != 2 or parts[0].startswith("0"):
        return False
    first, last = parts
    if len(first) == 4 and len(last) == 2:  # of years
        return True
    return len(last) == len(first) and int(last) > int(first)


def _says_something(word: str) -> bool:
    """No bare number below 100 or clock time, no day or month, and none of the stop list."""
    if _FIGURES.fullmatch(word) and not _LONG_NUMBER.fullmatch(word):
        return False
    folded = word.casefold()
    month = folded in MONTH and (folded not in _ALSO_WORDS or word[0].isupper())
    return folded not in _DAYS and not month and not _is_stop(word)


def _is_stop(word: str) -> bool:
    """Whether the word or its singular is in the list: "this" is no plural of "thi"."""
    return word.casefold() in _STOP or singular(word) in _STOP


# What links by mentions rest on

Floats = NDArray[np.float64]

_CUTS = 32  # of a query: every one up to some sixty words
_NAME_WEIGHT, _WORD_WEIGHT = 1.5, 0.7  # how much a name or id, and an ordinary word, count as links
_ALIKE = 65  # weights are as in a collection of 64 passages, whatever the size


def cuts(query: str) -> list[tuple[str, str]]:
    """The query cut in two after every word that says something, where two such words are on
    either side: words that only join ("of the") go with what follows them. Itself twice where
    there is no such place. Of more than _CUTS places so many, evenly.
    """
    words = query.rstrip("?. ").split()
    telling = [not _is_stop((tokenise(word) or ["a"])[0]) for word in words]
    count = np.cumsum(telling)
    places = [
        place
        for place in range(1, len(words))
        if telling[place - 1] and count[place - 1] > 1 and count[-1] - count[place - 1] > 1
    ]
    if len(places) > _CUTS:
        places = [places[n * len(places) // _CUTS] for n in range(_CUTS)]
    halves = [(" ".join(words[:place]), " ".join(words[place:])) for place in places]
    return halves or [(query, query)]


def idf(holders: NDArray[np.int64], size: int) -> Floats:
    """Inverse document frequency of mentions; one that no passage holds counts as half a holder."""
    return np.asarray(np.log((size + 1) / (np.maximum(holders, 0.5) + 0.5)), np.float64)


def link_weights(holders: NDArray[np.int64], named: NDArray[np.bool_]) -> Floats:
    """(M,) how much mentions count as links, by how many passages hold each, and whether it is a
    name, an id or a date and not an ordinary word.
    """
    kind = np.where(named, _NAME_WEIGHT, _WORD_WEIGHT)
    return np.asarray(np.log(_ALIKE / (holders + 0.5)) * kind, np.float64)


def is_name(name: str, common: bool) -> bool:
    """Whether a mention is more than a word that is written in lower case somewhere (`common`)."""
    return not common or any(character.isdigit() for character in name)


def of_document(left: Passage, right: Passage) -> frozenset[str]:
    """The mentions that link no two passages, since both have them from their document: those of
    its title, of its file's name, or of a line of cells that both repeat, as the parts of a table
    that was cut do its head. Of passages that are not of one document there are none.
    """
    if left.document_id is None or left.document_id != right.document_id:
        return frozenset()
    heads = [line for line in _lines(left.text) & _lines(right.text) if "|" in line or "\t" in line]
    return _names_of(left.title) & _names_of(right.title) | frozenset().union(
        *map(_names_of, heads)
    )


@lru_cache(maxsize=4096)  # each part of a document is compared with many
def _lines(text: str) -> frozenset[str]:
    return frozenset(text.splitlines())


def _names_of(line: str) -> frozenset[str]:
    return frozenset(name for name, _, _ in of_title(line))
