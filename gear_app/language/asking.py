"""What a question asks for: the kind of its answer, by its asking phrase, and what of a sentence is
of that kind.

"On which day is the bakery shut that makes the cake?" asks for a day, says "bakery shut" of it and
describes the bakery by "makes the cake". A sentence offers all spans that are of the kind; it is
for others to say whether it tells what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from gear_app.language.answer_types import LARGER, SMALLER, is_date, is_value
from gear_app.language.dates import ENGLISH, WEEKDAYS
from gear_app.language.mentions import singular
from gear_app.language.verbs import is_infinitive, root, roots
from gear_app.language.words import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    MODALS,
    PREPOSITIONS,
    RELATIVE,
    word_set,
    words,
)

AskedKind = Literal["day", "time", "price", "number", "person", "place", "named", "thing"]

_ASKING = re.compile(
    r"\W*(?:(?P<before>on|in|at|from|to|for|by|with|of|until|till|since|into|under) )?"
    r"(?:(?P<many>how many)|(?P<much>how much)|(?P<who>whom?)|(?P<where>where)|(?P<when>when)"
    r"|(?:which|what)) (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_NOUN = re.compile(
    rf"((?!(?:{'|'.join(sorted(AUXILIARIES | MODALS | DETERMINERS | {'of'}))})\b)[a-z-]+) (.+)",
    re.IGNORECASE | re.DOTALL,
)
_NAME_OF = re.compile(r"(?:is|was|are|were) the names? of (?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_COSTS = word_set("cost costs charge charged charges pay paid")
_DAYS = word_set("day days date dates weekday weekdays")
_PRICES = word_set("price fee rent cost charge sum amount")
_SUPPORT = word_set("do does did can could will would shall should may might must")
_SAYS_NOTHING = (
    FUNCTION_WORDS
    | AUXILIARIES
    | MODALS
    | PREPOSITIONS
    | word_set("man woman person people someone thing one name names place firm company")
)
_SEVERAL = word_set("days dates times")
_TELLING = word_set("from since until till")  # prepositions that an answer's sentence has as well
_KINDS: dict[str, AskedKind] = {"who": "person", "where": "place", "when": "day", "much": "price"}
_COMPARED = LARGER | SMALLER | word_set("or earlier later older younger first same than")

_MONTHS = "|".join(f"{name}|{name[:3]}" for name in ENGLISH)
_DAY = re.compile(
    rf"\b(?:{'|'.join(sorted(WEEKDAYS))})s?\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTHS})\b(?: \d{{4}})?"
    rf"|\b(?:{_MONTHS}) \d{{1,2}}\b(?!:)|\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2}"
_TIME = re.compile(
    rf"\b(?:half past|quarter past|quarter to) (?:{_HOURS})\b|\bnoon\b|\bmidnight\b"
    r"|\b\d{1,2}[.:]\d\d(?: ?[ap]\.?m\b\.?)?|\b\d{1,2} ?(?:[ap]\.?m\b\.?|o['’]clock)",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"(?<![\w.,/-])(?<!\d )[£$€]?\d+(?:,\d{3})*(?:\.\d\d?)?"
    r"(?: ?(?:pounds|euros|dollars|francs|pence|p|EUR|€))?(?![\w/-]|[.,:]\d| \d)"
)
_ASIDE = re.compile(r"(?: \w+)?\s+(?:more|extra|each|deposit)\b")
_NAME = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? )?(?<![\w.])[^\W\d_a-z][\w’'-]*"
    r"(?:(?: (?:&|and Sons|de|van|von|of the|of)(?= [A-Z]))? [^\W\d_a-z][\w’'-]*)*"
)
_ID = re.compile(r"[A-Z]*\d[\w/-]*")
_WHERE = re.compile(
    r"\b(?P<by>from|in|at|on|behind|under|near|beside|above|below|inside|opposite) "
    r"(?P<place>(?:(?:the|a|an|his|her|its|their|our) )?[\w’'-]+(?: (?:of |the )*[\w’'-]+){0,3}?)"
    r"(?=$|[.,;:()!?]"
    r"| (?:and|in|at|on|from|to|for|with|by|until|since|when|where|who|which|is|was)\b)"
)
_STATED = re.compile(r"\W{0,4}([^\W\d_][\w’'&-]*(?: [\w’'&-]+){0,3})\W{0,2}: +(\S[^\n]*)")
_OBJECT_ENDS = re.compile(
    r"[.,;:()!?]|\b(?:on|in|at|for|to|with|by|from|until|because|but|when|which|who|that|so|as"
    r"|while|after|before|every|if|since)\b"
)
_DENIES = re.compile(r"\b(?:not|never|no|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:called|named)\s+")
_MORE_NAMES = re.compile(r"\s*(?:[,;]|and\b|&)\s+(?:(?:and|in \w+[;,]) )?[A-Z]")
_NOUN_AND_VERB = 2
_TOO_LONG = 7  # words of what is done or had


class AskedAnswer(NamedTuple):
    """What a question asks for: the kind and the noun of the answer, the words behind the asking
    phrase up to what describes one of them, and that description, "" where there is none. `heads`
    are the words one of which has to be told: the verb, or the noun that somebody is. `before` is
    the preposition of the asking phrase.
    """

    kind: AskedKind
    noun: str
    main: str
    described: str
    heads: tuple[str, ...]
    before: str = ""


def asked_answer(question: str) -> AskedAnswer | None:
    """What a question asks for; None where no sentence could say it in a few words: of reasons and
    comparisons, and of what begins with another word.
    """
    match = _ASKING.match(question)
    if match is None or _COMPARED & {word.text for word in words(question)}:
        return None
    rest, noun = match["rest"].rstrip(" ?.!"), ""
    kind: AskedKind = "thing"
    if not any(match[name] for name in ("who", "where", "when")):
        named = None if match["many"] or match["much"] else _NAME_OF.match(rest)
        after = None if named else _NOUN.match(rest)
        if named:
            kind, rest = "named", named["rest"]
        elif after:
            noun, rest = after[1].casefold(), after[2]
            kind = "number" if match["many"] else _kind_of(noun)
    for name, known in _KINDS.items():
        kind = known if match[name] else kind
    main, described = _parts(rest)
    if kind == "thing" and not noun and _COSTS & {word.text for word in words(main)}:
        kind = "price"
    before = (match["before"] or "").casefold()
    if kind == "place" and re.search(r"\bfrom\b", main):
        before = "from"
    heads = [noun] if noun and kind in ("named", "price", "number") else []
    heads += [before] if before in _TELLING else []
    heads += _heads(kind, main)
    if not heads or noun in _SEVERAL:
        return None
    return AskedAnswer(kind, noun, main, described, tuple(heads), before)


def _heads(kind: AskedKind, main: str) -> tuple[str, ...]:
    """The verb or the noun that has to be told; none where what is asked stands behind what
    describes: "What did the aunt of the referee | who stopped the game | leave?".
    """
    spoken = [word.text for word in words(main)]
    said = [word for word in spoken if word not in _SAYS_NOTHING]
    if not said:
        return ()
    if spoken[0] in _SUPPORT:
        behind = (word for last, word in pairwise(spoken[1:]) if last not in DETERMINERS)
        return tuple(word for word in behind if is_infinitive(word) or word in _COSTS)[:1]
    if spoken[0] not in AUXILIARIES or kind == "person":  # "who founded", "who is the landlady of"
        return (said[0],)
    if kind in ("thing", "named"):
        return (said[-1],) if spoken[-1] in PREPOSITIONS or kind == "named" else ()
    verbless = len([word for word in spoken if word not in FUNCTION_WORDS]) < _NOUN_AND_VERB
    return () if verbless else (said[0], said[-1])


def _kind_of(noun: str) -> AskedKind:
    if noun in _DAYS:
        return "day"
    if noun in ("time", "hour"):
        return "time"
    return "price" if noun in _PRICES else "named"


def _parts(rest: str) -> tuple[str, str]:
    """What is said before the first clause that describes, and that clause."""
    spoken = words(rest)
    for i, word in enumerate(spoken):
        if i > 1 and word.text in RELATIVE:
            before = spoken[i - 1]
            by = before.text in PREPOSITIONS and word.text in ("which", "whom")  # "at which"
            cut = before.start if by else word.start
            return rest[:cut].strip(), rest[cut:]
    return rest, ""


def denies(text: str, span: str = "") -> bool:
    """Whether a text denies something; with a span, whether the clause with the span does."""
    clauses = re.split(r"[,;:.] ", text)
    return any(_DENIES.search(clause) for clause in clauses if span in clause)


def stated(sentence: str) -> tuple[str, str]:
    """The key and the value of a line "key: value"; ("", sentence) of any other."""
    match = _STATED.fullmatch(sentence)
    return (match[1], match[2].rstrip(" .")) if match else ("", sentence)


def answer_spans(asked: AskedAnswer, sentence: str, head: str) -> Iterator[str]:
    """What of a sentence is of the kind asked for, in its words. `head` is the word of it that
    tells what is asked, "" where none does.
    """
    key, value = stated(sentence)
    if sentence.rstrip().endswith("?"):
        return
    if key and _is_key(asked, key):
        yield from _of_value(asked, value)
        return
    if asked.kind == "day":
        yield from (match[0] for match in _DAY.finditer(sentence))
    elif asked.kind == "time":
        yield from (match[0].rstrip(".") for match in _TIME.finditer(sentence))
    elif asked.kind == "price":
        yield from _prices(value, head)
    elif asked.kind == "number":
        counted = re.escape(singular(asked.noun))
        yield from (
            m[1] for m in re.finditer(rf"\b(\w+) (?:\w+ )?{counted}", sentence) if is_value(m[1])
        )
    elif asked.kind == "person":
        yield from _names(value if key else sentence, head)
    elif asked.kind == "place":
        yield from _places(asked, sentence)
    elif asked.kind == "named":
        yield from _called(asked, sentence)
    elif head:
        yield from _object(sentence, head)


def _is_key(asked: AskedAnswer, key: str) -> bool:
    """Whether a key says what is asked: "box" of "In which box …", "coming from" of "come from"."""
    told = roots(key) or frozenset(root(word.text) for word in words(key))
    if asked.noun and asked.kind in ("named", "price") and root(asked.noun) in told:
        return True
    if asked.kind == "named" and asked.before not in key.casefold().split():
        return False
    known = {root(word.text) for word in words(asked.main)} | {asked.before}
    return told <= known and bool(told & set(map(root, asked.heads)))


def _of_value(asked: AskedAnswer, value: str) -> Iterator[str]:
    patterns = {"day": _DAY, "time": _TIME}
    if asked.kind in patterns:
        yield from (match[0] for match in patterns[asked.kind].finditer(value))
    elif asked.kind == "price":
        yield from _prices(value)
    elif asked.kind == "person":
        yield from (match[0] for match in [_NAME.fullmatch(value)] if match)
    elif not (asked.kind == "place" and is_value(value)) and len(value.split()) <= _TOO_LONG:
        yield value


def _prices(sentence: str, head: str = "") -> Iterator[str]:
    dated = [match.span() for pattern in (_DAY, _TIME) for match in pattern.finditer(sentence)]
    for match in _PRICE.finditer(sentence):
        after = sentence[match.end() :]
        inside = any(start <= match.start() < end for start, end in dated)
        counts = re.match(
            r" (?!pounds|euros|for|and|to|in|on|of|a|an|per|with|if|from|by)[a-z]", after
        )
        apart = head and not re.search(
            rf"\b{re.escape(head)}\b[^,;:.]*$", sentence[: match.start()]
        )
        if not (inside or apart or counts or _ASIDE.match(after)):
            yield match[0]


def _names(sentence: str, head: str) -> Iterator[str]:
    """Who did it, or is it: the name right before or behind the head, or behind "by"."""
    verb = re.escape(head)
    by = re.search(rf"\b{verb}\b[^.;?!]{{0,30}}?\bby (?={_NAME.pattern})", sentence)
    found = [_NAME.match(sentence, by.end())] if by else list(_NAME.finditer(sentence))
    for match in found:
        if match is None or is_date(match[0]) or match[0].endswith(("'s", "’s")):
            continue
        before, after = sentence[: match.start()], sentence[match.end() :]
        near = re.match(
            rf"(?: (?:is|was|has|had) (?:the|our|a)?)?(?:, (?:the|our|a))?\s*{verb}\b", after
        )
        near = near or re.search(rf"\b{verb}(?: (?:is|was)(?: called)?|:|,)?\s$", before)
        begins = not before.strip(" -*") and " " not in match[0]  # it may be no name at all
        several = _MORE_NAMES.match(after) or before.endswith((" and ", ", ", "& "))
        if (by or near) and not begins and not several:
            yield match[0]


def _places(asked: AskedAnswer, sentence: str) -> Iterator[str]:
    origin = asked.before == "from"
    for match in _WHERE.finditer(sentence):
        place = match["place"]
        if (match["by"] == "from") == origin and not is_date(place) and not is_value(place):
            yield place if place[:1].isupper() or origin else f"{match['by']} {place}"


def _called(asked: AskedAnswer, sentence: str) -> Iterator[str]:
    """What is called by a noun, "the fifth century", "the Swan hotel", "room 12"; or the name that
    something has.
    """
    if not asked.noun:
        for match in _CALLED.finditer(sentence):
            name = _NAME.match(sentence, match.end())
            if name:
                yield name[0]
        return
    noun = re.escape(asked.noun)
    before = r"(?:(?<=\w )[A-Z][\w’'-]*|[a-z]+(?:st|nd|rd|th)|\d+(?:st|nd|rd|th))"
    for match in re.finditer(rf"\b((?:{before} )+{noun})\b", sentence):
        yield match[1]
    for match in re.finditer(rf"\b(?i:{noun}) ({_ID.pattern})", sentence):
        yield match[1]


def _object(sentence: str, head: str) -> Iterator[str]:
    """What is done or had: the words behind the head, up to where they end."""
    for match in re.finditer(rf"\b{re.escape(head)}\b(?: of\b)?\s+", sentence):
        before = sentence[: match.start()].split()[-1:]
        done = _OBJECT_ENDS.split(sentence[match.end() :], maxsplit=1)[0].strip()
        passive = before and before[0].casefold() in ("was", "were", "been", "being")
        first = done.split(" ")[0].casefold()
        passive = passive or first in AUXILIARIES | PREPOSITIONS
        if done and not passive and len(done.split()) <= _TOO_LONG:
            yield done
