"""What the passages of a collection say, as facts that questions are made of: the triples of
sentences, and the fields of forms, tables and lists, which need no triples.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.extract.records import statements
from gear_app.extract.title import subject_of, title_of
from gear_app.language.answer_types import is_date
from gear_app.language.blocks import blocks
from gear_app.language.dates import MONTH, WEEKDAYS
from gear_app.language.mentions import singular
from gear_app.language.verbs import past_of
from gear_app.language.words import FUNCTION_WORDS, PREPOSITIONS, word_set
from gear_app.suggestions.wording import PredicateClause, clause, doing, is_noun, role
from gear_app.text import normalise_entity, title_and_section, tokenise, told_of
from gear_app.types import Passage, Span, Triple

VALUE_WORDS, KEY_WORDS = 8, 3
_NO_KEYS = word_set(
    "note notes remark remarks comment comments re subject todo ps action present apologies summary"
    " weather attending about number no nr id name title the else why so but and cc step steps"
)
_EMPTY = word_set(
    "yes no none unknown open closed done ok a tbc tbd normal low high medium nothing nobody other"
    " various same see above below pending new old all any na nil waiting due out overdue full one"
)
_ID = re.compile(r"(?<![\w-])(?:([^\W\d_]{1,8})[-–/]?\d[\w/]*(?:-\d+)*|\d{4}-\d{3,})(?![\w-]|\.\d)")
_PERSON = re.compile(r"(?<![\w.'’-])([^\W\d_a-z](?:\.|[\w’-]+)) ?([^\W\d_a-z][\w-]+)")
_TITLES = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? ")
_NOBODY = word_set("dear hi hello hey morning evening mr mrs ms dr the")
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_EDGES = ' .,;*|"“”'
_BY = re.compile(r"(?:.*\W)?by\s+(.+)")
_SENTENCE = re.compile(
    r"(?<![^\W\d_a-z])(?<!\bM[rs])(?<!\b[DS][rt])(?<!\bMrs)[.]\s+\S|[?!…]|\.\.\."
)


class StatedFact(NamedTuple):
    """A triple or a field, as a question puts it into words: "is capital of" is the field "capital"
    of its object. `clause` is a triple's predicate as grammar, None of a field. `worth`: how well
    it reads, 0 to 1.
    """

    passage: Passage
    subject: str
    key: str
    object: str
    triple: Triple
    clause: PredicateClause | None
    worth: float


def ids(text: str) -> list[tuple[str, Span]]:
    """The ids in a text, in order: letters and figures, or two long numbers, as "#gt229"."""
    return [
        ("#" + "".join(tokenise(match[0])), Span(*match.span()))
        for match in _ID.finditer(text)
        if match[1] is None or match[1].isupper() or "-" in match[0]
    ]


class KnownNames:
    """What names and ids stand for in a collection, and which passages have them: "J. Tamsett" is
    Jory Tamsett where no other Tamsett has this initial, "gt 229" is GT-229.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        texts = {passage.id: passage.indexed for passage in passages}
        whole = "\n".join(texts.values())
        self._known: dict[str, str] = {}
        self._common = {word.casefold() for word in re.findall(r"\b[^\W\d_A-Z]\w+", whole)}
        self._firsts: dict[str, set[str]] = defaultdict(set)  # names and initials, by last name
        for first, last in _PERSON.findall(whole):
            if not {first.casefold(), last.casefold()} & (self._common | _NOBODY):
                self._firsts[last.casefold()].add(first.casefold())
        self._texts = {id_: self._searched(text) for id_, text in texts.items()}
        self._having: dict[str, set[int]] = defaultdict(set)  # passages, by each of their words
        for id_, text in self._texts.items():
            for word in text.split():
                self._having[word].add(id_)
        self._numbers: dict[str, int] = {}  # of passages, by what they have

    def _searched(self, text: str) -> str:
        names = [" ".join(pair) for pair in _PERSON.findall(text)]
        names += [word for word in re.findall(r"\w+", text) if word.casefold() in self._firsts]
        names += [text[slice(*span)] for _, span in ids(text)]
        return f" {' '.join([normalise_entity(text), '|', *map(self.of, names)])} "

    def of(self, words: str) -> str:
        """What a name stands for: an id as "#gt229", a person's full name, or its own words."""
        if words not in self._known:
            self._known[words] = self._of(words)
        return self._known[words]

    def _of(self, words: str) -> str:
        found = ids(words)
        *before, last = _TITLES.sub("", words).casefold().split() or [""]
        firsts = self._firsts.get(last, set())
        if len(found) == 1 and (len(before) < 5 or found[0][1].start == 0):
            return found[0][0]
        if len(before) == 1 and before[0].endswith("."):
            firsts = {first for first in firsts if first[0] == before[0][0]}
        full = {first for first in firsts if not first.endswith(".")}
        one = len({first[0] for first in firsts}) == 1 and len(full) < 2
        if one and (not before or (len(before) == 1 and before[0].endswith("."))):
            return normalise_entity(f"{next(iter(full or firsts))} {last}")
        return normalise_entity(words)

    def specific(self, words: str) -> bool:
        """Whether words are a name: an id, or capitals throughout and no ordinary word alone."""
        if self.of(words).startswith("#"):
            return len(words.split()) < 3
        small = PREPOSITIONS | FUNCTION_WORDS | {"&"}
        parts = [part for part in words.split() if part not in small]
        if not 0 < len(parts) < 6 or is_date(words) or not any(map(str.isalpha, words)):
            return False
        if not all(part[0].isupper() or any(map(str.isdigit, part)) for part in parts):
            return False
        return len(parts) > 1 or not {words.casefold(), singular(words)} & self._common

    def is_person(self, name: str) -> bool:
        """Whether a name is like somebody's: two or three words none of which is an ordinary one,
        or one with a title.
        """
        parts = _TITLES.sub("", name).split()
        if not self.specific(name) or any(map(str.isdigit, name)) or "&" in parts:
            return False
        usual = {form for part in parts for form in (part.casefold(), singular(part))}
        return not usual & self._common and len(name.split()) in (2, 3)

    def holds(self, passage: Passage, name: str) -> bool:
        """Whether a passage has a name, or what it stands for."""
        wanted = {normalise_entity(name), self.of(name)} - {""}
        return any(f" {one} " in self._texts[passage.id] for one in wanted)

    def tells(self, passage: Passage, answer: str) -> bool:
        """Whether a passage has an answer, in any form, or half of the words that tell it."""
        words = telling(answer)
        there = sum(f" {word} " in self._texts[passage.id] for word in words)
        return self.holds(passage, answer) or (there * 2 >= len(words) > 1)

    def number(self, identity: str) -> int:
        """How many passages have it."""
        if identity not in self._numbers:
            some = self._having.get(identity.rpartition(" ")[2], ())
            self._numbers[identity] = sum(f" {identity} " in self._texts[id_] for id_ in some)
        return self._numbers[identity]


def telling(name: str) -> set[str]:
    """The words of a name that tell it from others; the name where none does."""
    words = {word for word in tokenise(name) if len(word) > 2 or word.isdigit()}
    return words - FUNCTION_WORDS - PREPOSITIONS or {name}


# Fields


def fields(passage: Passage) -> Iterator[StatedFact]:
    """The fields of a passage's forms, tables and lists."""
    title = title_of(passage.title, passage.text)
    _, section = title_and_section(passage.title)
    label = subject_of(told_of(passage.title, passage.text), title)
    parts = blocks(passage.text)
    headings = {passage.text[slice(*block.heading)] for block in parts if block.heading}
    said: dict[tuple[str, str, str], Span] = {}
    for subject, key, value, span in statements(passage.text, parts, title, label, section):
        written, colon, rest = passage.text[slice(*span)].partition(":")
        if colon and key.startswith(written):  # the whole value, not the names in it
            key, value = written, " ".join(_BRACKETS.sub("", rest).split()).strip(_EDGES)
        by = _BY.fullmatch(value)
        if by and by[1][0].isupper() and " " not in key:
            key, value = f"{key} by", by[1]
        key = {"From": "Sender", "To": "Recipient"}.get(key, key)
        more = passage.text[span.end :].partition("\n")[0].strip(_EDGES)  # it is told in sentences
        if _is_key(key) and key not in headings and _is_value(value) and not more:
            said.setdefault((passage.title if subject == title.name else subject, key, value), span)
    yield from (_field(passage, words, span) for words, span in said.items())


def _field(passage: Passage, said: tuple[str, str, str], span: Span) -> StatedFact:
    worth = 0.8 if doing(said[1]) or is_noun(said[1]) else 0.3
    return StatedFact(passage, *said, Triple(0, passage.id, *said, span), None, worth)


def _is_key(key: str) -> bool:
    words = key.lower().split()
    plain = 0 < len(words) <= KEY_WORDS and all(map(str.isalpha, words))
    no_key = _NO_KEYS | FUNCTION_WORDS | WEEKDAYS | MONTH.keys()
    return plain and words[0] not in no_key


def _is_value(value: str) -> bool:
    """Whether a value can be an answer: short, no sentence, and more than "yes"."""
    words = [word for word in tokenise(value) if len(word) > 1 or word.isdigit()]
    if not words or len(value.split()) > VALUE_WORDS or _SENTENCE.search(value):
        return False
    return not set(words) <= _EMPTY and words[0] not in ("see", "no", "not", "none")


# Triples of sentences


def clauses(triples: Sequence[Triple], passages: Mapping[int, Passage]) -> Iterator[StatedFact]:
    """The triples whose predicates make a clause or name a relative or a role, and whose sentences
    say that.
    """
    for triple in triples:
        of, passage = clause(triple.predicate), passages[triple.passage_id]
        noun = role(triple.predicate)
        worth = _literal(triple, passage) if of or noun else 0.0
        words = triple.subject, triple.predicate, triple.object
        if noun and " " in triple.predicate:  # "Ada is mother of Ben"; "Ben | mother | Ada" else
            words = triple.object, noun, triple.subject
        if worth:
            yield StatedFact(passage, *words, triple, None if noun else of, worth)
        if worth and of and of.kind == "passive":  # what was made by her, she made
            act = PredicateClause("action", past_of(of.verb))
            turned = triple.object, triple.predicate, triple.subject
            yield StatedFact(passage, *turned, triple, act, worth)


def _literal(triple: Triple, passage: Passage) -> float:
    """How closely the sentence says what the triple says: 1 word for word, less with a pronoun or
    without its "was"; 0 where a name is cut out of a longer one, or the verb is another subject's.
    """
    if triple.span is None:
        return 0.5
    sentence = passage.text[triple.span.start : triple.span.end]
    predicate = re.sub(r"^(is|was|are|were) ", "", triple.predicate)
    be = r"(?:(?:is|was|are|were|and) )?" if predicate != triple.predicate else ""
    said = re.search(
        rf"(?<!\w){be}{re.escape(predicate)}[\s:]+(?:(?:[\w-]+ )?[a-z][\w-]* )?"
        rf"{re.escape(triple.object)}(?![-–'’]?\w| [A-Z\d]\w)",
        sentence,
    )
    if said is None:
        whole = re.search(rf"(?<!\w){re.escape(triple.object)}(?![-–'’]?\w| [A-Z\d]\w)", sentence)
        return 0.2 if be and whole else 0.0
    before = re.sub(r"(?: \([^)]*\)|,| \w+ly)*$", "", sentence[: said.start()].rstrip())
    if before.endswith(triple.subject):
        lead = before.removesuffix(triple.subject).split()
        longer = before.removesuffix(triple.subject)[-1:].isalnum() or (
            lead and lead[-1][0].isupper() and lead[-1] != "The"
        )
        return 0.0 if longer or PREPOSITIONS & set(map(str.lower, lead[-2:])) else 1.0
    pronoun = before.split()[-1:] and before.split()[-1].lower() in ("he", "she", "it", "who")
    loose = bool(be) or predicate.endswith(" by") or " " not in predicate
    begun = sentence.startswith((triple.subject, f"The {triple.subject}"))
    return 0.7 if pronoun else 0.6 if loose and begun else 0.4 * loose
