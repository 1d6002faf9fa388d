"""The mentions of a passage: what it names, in a normal form, by sentence and place.

No grammar: runs of capitalised words, ids, numbered things, dates, and words that are not too
common to say anything. A mention is only worth as much as few passages share it, which the index
knows; so it does no harm that most of these link nothing. Names of months and days, contractions
and the words left out are English; all else holds for any language, with pairs of letters for words
where there are no blanks between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gear_app.language import amounts, blocks
from gear_app.language.amounts import addresses
from gear_app.language.blocks import HeadedSentence, headed_sentences
from gear_app.language.dates import ENGLISH, MONTH, WEEKDAYS, dates, day_comes_first, foreign_days
from gear_app.language.firms import firms
from gear_app.language.short_forms import explanations, people, short_forms
from gear_app.language.words import LIGHT_WORDS, TOLD
from gear_app.text import MARKS, normal, pairs, title_and_section, tokenise
from gear_app.types import Span

VERSION = 8  # of these rules; raise it with every change of what they find

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
_WORD = re.compile(rf"{_LETTERS}(?:[-'’./]{_LETTERS})*")
_NAME_WORD = re.compile(rf"[^\W_][\w{MARKS}'’.-]*|&")
_JOINTS = frozenset("of the de von van and & la der du".split())
_MOST_JOINTS = 2  # in a row, as in "Duchy of the Moors"
_AND = re.compile(r"\band\b")
_AFTER_NAME = re.compile(r"(?:['’]s)?[.'’-]*$", re.IGNORECASE)
# "Thrale's", "I'll": what hangs on a word is no part of it. "Don't" is no word at all: before this
# ending stand only auxiliaries, and not all of them whole.
_HANGS_ON = re.compile(r"(?:\b[^\W_]*n['’]t|['’](?:s|ll|re|ve|d|m))\b", re.IGNORECASE)
_PART = re.compile(r"[-./]")
_FIGURES = re.compile(r"[\d.,/’-]+")
_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(r"[@.]")
_LONG_NUMBER = re.compile(r"\d{3,}")
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|z)es$")
_ID = re.compile(r"\b([^\W\d_]{1,5})[-–/ .]?(\d{1,6}[a-z]?)\b")
_DIGIT_ID = re.compile(r"(?<![\w.,/–-])\d+(?:[-–/]\d+)+(?![\w/–-]|[.,]\d)")
_FEWEST_DIGITS = 5  # of an id in several parts: "3/4" and "19-21" are other things
_NUMBERED = re.compile(r"\b([^\W\d_]{2,})\.?\s+(\d{1,4})\b(?![:.]\d)")

_MOST_INHERITED = 6  # of a sentence, from what stands above it
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
    """The sentences and mentions of a passage. A text without sentences is one sentence.

    What a heading, the head of a column or an author's line names is a mention of every sentence
    under it as well, with its place there; a heading that has such sentences leaves its names to
    them.
    """
    sentences = _sentences(text)
    found = [Mention(name, TITLE, span, lower) for name, span, lower in of_title(title)]
    day_first, known = day_comes_first(text), people(f"{title}\n{text}")
    for number, one in enumerate(sentences, start=1):
        words = text[one.span.start : one.span.end]
        named = [*mentions(words, day_first=day_first)]
        named += [NamedSpan(name, span) for name, span in short_forms(words, known)]
        own = {name for name, _, _ in named}
        if one.heads:
            left = {name for name, _ in _said(text, one.span, author=False)}
            named = [mention for mention in named if mention.name not in left]
        for name, span, lower in named:
            place = Span(one.span.start + span.start, one.span.start + span.end)
            found.append(Mention(name, number, place, lower))
        for name, place in _inherited(text, one):
            if name not in own:
                found.append(Mention(name, number, place, lower=False))
    return PassageMentions(tuple(one.span for one in sentences), tuple(found))


def _inherited(text: str, one: HeadedSentence) -> Iterator[tuple[str, Span]]:
    """What stands above a sentence and is said of it, each name once."""
    found: dict[str, Span] = {}
    for span in one.above:
        for name, place in _said(text, span, author=False):
            found.setdefault(name, place)
    if one.author is not None:
        for name, place in _said(text, one.author, author=True):
            found.setdefault(name, place)
    yield from list(found.items())[:_MOST_INHERITED]


def _said(text: str, span: Span, *, author: bool) -> list[tuple[str, Span]]:
    """The names, ids and days of a heading or an author's line, with their places in the text; a
    single word only of an author, or where it is all of the heading.
    """
    words = text[span.start : span.end]
    return [
        (name, Span(span.start + place.start, span.start + place.end))
        for name, place, lower in _mentions_of_line(words)
        if is_compound(name) or (not lower and (author or len(words.split()) == 1))
    ]


@lru_cache(maxsize=4096)  # of a heading, which all sentences under it ask for
def _mentions_of_line(line: str) -> tuple[NamedSpan, ...]:
    return tuple(mentions(line))


@lru_cache(maxsize=4096)
def of_title(title: str) -> tuple[NamedSpan, ...]:
    """What a title mentions: what every text does, and itself without what is in brackets; of a
    document's and a heading's, each of the two.
    """
    found, start = [*mentions(title)], 0
    for part in title_and_section(title):
        start = title.find(part, start)
        whole = " ".join(tokenise(_HANGS_ON.sub("", part.partition("(")[0])))
        if whole:
            found.append(NamedSpan(whole, Span(start, start + len(part))))
        start += len(part)
    return tuple(found)


def sentence_text(title: str, sentence: str) -> str:
    """The words that a sentence's vector is made of: the title says what it is about."""
    return f"{title}: {sentence}" if title else sentence


def shown(name: str) -> str:
    """A normal form in words, for where nothing is known of how it was written."""
    if name.startswith("@"):
        first, second = (int(number) for number in name[1:].split("-"))
        return f"{ENGLISH[second - 1]} {first}" if first > 12 else f"{second} {ENGLISH[first - 1]}"
    if not name.startswith("#"):
        short, explained, long = name.partition("=")
        return f"{short.upper()} ({long})" if explained else name
    id_ = name[1:]
    return amounts.shown(name) or (id_ if _ADDRESS.search(id_) else id_.upper())


def is_compound(name: str) -> bool:
    """Whether a normal form was put together by rule: a date, an id, or several words."""
    return name[0] in "@#" or " " in name


def sentences(text: str) -> list[Span]:
    """The sentences of the text's blocks; a text without any is one."""
    return [one.span for one in _sentences(text)]


def _sentences(text: str) -> list[HeadedSentence]:
    found = headed_sentences(text, blocks.blocks(text))
    long = [one for one in found if one.span.end - one.span.start > _SHORTEST]
    return long or [HeadedSentence(Span(0, len(text)), (), None, heads=False)]


def mentions(text: str, *, day_first: bool | None = None) -> Iterator[NamedSpan]:
    """Everything that a text mentions, in no particular order.

    A run of capitalised words, with its article and without. Ids without their punctuation, amounts
    of money, e-mail addresses, hosts, IP addresses and versions, after "#". Dates as "@month-day"
    and "@year-month", every day of a range; `day_first` is the order of those in figures that do
    not tell it. "Unit 7" as a whole. Words, and parts of more than two characters of a word in
    several; of a word in a script without blanks between words all pairs of letters. What is part
    of an amount or an address is nothing else.
    """
    for name, span in dates(text, day_first=day_first):
        yield NamedSpan(name, span)
    for find in (addresses, amounts.amounts, amounts.numbers):
        found = [NamedSpan(name, span) for name, span in find(text)]
        yield from found
        text = _without(text, [one.span for one in found])
    text = _without(text, foreign_days(text))
    for short, long, span in explanations(text):
        yield NamedSpan(f"{singular(short)}={' '.join(map(singular, long))}", span)
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


def _without(text: str, spans: Iterable[Span]) -> str:
    """The text with a mark in the place of every character there: no word, and no name goes on."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start >= done:
            parts += (text[done:start], "|" * (end - start))
            done = end
    return "".join((*parts, text[done:]))


@lru_cache(maxsize=16_384)  # of a run's linked sentences, which every variant of it shows again
def places(text: str, name: str) -> tuple[Span, ...]:
    """Where a text mentions what has this normal form, each place once."""
    return tuple(dict.fromkeys(span for mention, span, _ in mentions(text) if mention == name))


class NamedAt(NamedTuple):
    """Where a sentence mentions something: its own places, from its beginning; or, where it has
    none, the words of the line above it that is a mention of it, "" where there is none.
    """

    places: tuple[Span, ...]
    above: str


def named_at(title: str, text: str, sentence: Span, name: str) -> NamedAt:
    """Where one sentence of a passage mentions what has this normal form."""
    found = places(text[sentence.start : sentence.end], name)
    if found:
        return NamedAt(found, "")
    passage = _read_again(title, text)
    number = passage.sentences.index(sentence) + 1 if sentence in passage.sentences else None
    spans = [one.span for one in passage.mentions if (one.name, one.sentence) == (name, number)]
    for span in spans:
        if span.start < sentence.start or span.end > sentence.end:
            begin = text.rfind("\n", 0, span.start) + 1
            return NamedAt((), text[begin:].partition("\n")[0].strip(" #*|-=_"))
    start = sentence.start
    return NamedAt(tuple(Span(span.start - start, span.end - start) for span in spans), "")


@lru_cache(maxsize=1024)
def _read_again(title: str, text: str) -> PassageMentions:
    """What was stored of a passage, for the few that are shown."""
    return read(title, text)


def figures(text: str) -> frozenset[str]:
    """The numbers, months and days of the week that a text names, each in a normal form. Two names
    that differ in one are near in meaning and not the same.
    """
    found = {number.lstrip("0") or "0" for number in _DIGITS.findall(text)}
    for word in _WORD.findall(text):
        folded = word.casefold()
        if word[0].isupper() and folded in MONTH:
            found.add(f"@{MONTH[folded]}")
        elif word[0].isupper() and folded in _DAYS:
            found.add(f"@{folded[:3]}")
    return frozenset(found)


def content_words(words: Sequence[str]) -> list[bool]:
    """For each word whether it says something."""
    return [not _is_stop(token) for word in words for token in (tokenise(word) or ["a"])[:1]]


def telling(text: str) -> str:
    """The words of a text that say something, in its order; the text where none does.

    Words with a hyphen between them are one, which says something if any of them does; so do "US"
    and "May".
    """
    said = [
        word
        for word in text.split()
        if any(token not in _STOP for token in tokenise(word))
        or _ACRONYM.match(word)
        or figures(word)
    ]
    return " ".join(said) or text


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
    text = _with_firms(text)
    for words in _capitalised(text):
        end = words[-1].end() - _after(words[-1][0])
        if words[0].start() == 0 and words[0][0].casefold() in TOLD and words[1][0][0].isupper():
            words = words[1:]  # "Call Priya Raman" is nobody's name
        yield from _name(text, words[0].start(), end)
        # "The Forth Bridge" is the Forth Bridge as well.
        inner = next((n for n, word in enumerate(words) if word[0].casefold() not in _STOP), 0)
        if 0 < inner < len(words) - 1:
            yield from _name(text, words[inner].start(), end)


def _with_firms(text: str) -> str:
    """The text, as long as it was, with names of firms written so that each is one run:
    "Marlowe and Sons" as "Marlowe &   Sons", without commas.
    """
    parts: list[str] = []
    done = 0
    for start, end in firms(text):
        name = text[start:end].replace(",", " ")
        parts += (text[done:start], _AND.sub("&  ", name))
        done = end
    return "".join((*parts, text[done:]))


def _capitalised(text: str) -> Iterator[list[re.Match[str]]]:
    """Runs of several words that begin with a capital, with small words like "of" in between."""
    return (run for run in _runs(text) if len(run) > 1)


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


def _name(text: str, start: int, end: int) -> Iterator[NamedSpan]:
    """A name of several words; one of a single word is a word. "But I" is none."""
    words = tokenise(_HANGS_ON.sub("", text[start:end]))
    if len(words) > 1 and not ("i" in words and _STOP.issuperset(words)):
        yield NamedSpan(" ".join(words), Span(start, end))


def _after(name: str) -> int:
    """How many marks at the end of a name are not part of it."""
    found = _AFTER_NAME.search(name)
    return len(found[0]) if found else 0


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
