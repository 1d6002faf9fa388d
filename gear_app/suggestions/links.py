"""Questions of two hops over forms, tables and lists: a passage leads to a thing without saying
what the question is after, and an entry about that thing elsewhere says it.

"Who is the customer of the job named in “Shelf check”?" Nothing of the text's grammar is needed;
see `refusal` for what a person would not accept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.english.answer_types import is_date
from gear_app.english.words import word_set
from gear_app.suggestions import wording
from gear_app.suggestions.entries import Entry, Value, entries
from gear_app.suggestions.identity import Identities, ids, is_id, prefix
from gear_app.suggestions.names import is_name
from gear_app.suggestions.suggestion import Suggestion
from gear_app.text import normalise_entity, tokenise
from gear_app.types import Passage, Span, Triple

RARE = 5  # passages at most that name the thing in the middle
LONGEST = 25  # words of a question
_EMPTY = word_set(
    "yes no none unknown open closed done ok n a tbc tbd normal low high medium nothing nobody"
    " various same see above below pending new old all any na nil waiting due out overdue full"
)


class Lead(NamedTuple):
    """How a passage leads to a thing: the phrase for it, and what it is said of."""

    passage: Passage
    phrase: str
    subject: str
    key: str
    name: str
    span: Span | None
    score: float


class Target(NamedTuple):
    """An entry about a thing, or one that has it as a value (`beside`), and a value to ask for."""

    entry: Entry
    value: Value
    beside: bool


def links(passages: Sequence[Passage]) -> list[Suggestion]:
    """All questions that passages' entries make."""
    found = entries(passages)
    written = [value.text for entry in found for value in entry.values]
    identities = Identities(passages, [*written, *(entry.name for entry in found)])
    told = _Told(found, identities)
    leads = defaultdict(list)
    for identity, lead in [*_from_values(told), *_from_mentions(passages, told)]:
        leads[identity].append(lead)
    made: list[Suggestion] = []
    for identity, ways in leads.items():
        if not 2 <= len(identities.passages(identity)) <= RARE:
            continue
        targets = told.targets(identity)
        made += [
            _link(lead, target, told)
            for lead in ways
            for target in targets
            if not refusal(lead, target, identity, told)
        ]
    return made


class _Told:
    """What entries say of things, by what their names stand for."""

    def __init__(self, found: Sequence[Entry], identities: Identities) -> None:
        self.entries, self.identities = found, identities
        self.about: dict[str, list[Entry]] = defaultdict(list)
        self.beside: dict[str, list[tuple[Entry, Value]]] = defaultdict(list)
        self.nouns: dict[str, str] = {}
        for entry in found:
            identity = "" if entry.titled else identities.of(entry.name)
            if not identity:
                continue
            self.about[identity].append(entry)
            if entry.noun and wording.noun_key(entry.noun):
                self.nouns.setdefault(identity, entry.noun)
        for entry in found:
            for value in entry.values:
                if identity := identities.of(name_of(value)):
                    self.beside[identity].append((entry, value))
        self._answers: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._same: dict[tuple[str, str], int] = defaultdict(int)
        for entry in found:
            for value in entry.values:
                key, text = value.key.lower(), normalise_entity(value.text)
                self._answers[self.named(entry), key].add(text)
                self._same[key, text] += 1

    def named(self, entry: Entry) -> str:
        """What an entry's name stands for, else the name."""
        identity = "" if entry.titled else self.identities.of(entry.name)
        return identity or normalise_entity(entry.name)

    def single(self, entry: Entry, value: Value) -> bool:
        """Whether a thing has one value under a key, wherever it is told of."""
        return len(self._answers[self.named(entry), value.key.lower()]) == 1

    def repeated(self, value: Value) -> int:
        """How many entries say the same under the same key."""
        return self._same[value.key.lower(), normalise_entity(value.text)]

    def targets(self, identity: str) -> list[Target]:
        """What may be asked of a thing."""
        own = [
            Target(entry, value, beside=False)
            for entry in self.about[identity]
            for value in entry.values
        ]
        rows = [(entry, value) for entry, value in self.beside[identity] if entry.tabular]
        if own or len(rows) != 1:
            return own
        entry, here = rows[0]
        return [Target(entry, value, beside=True) for value in entry.values if value is not here]


def name_of(value: Value) -> str:
    """The name in a value, without what says more of it: "Ida Marsh" of "Ida Marsh, desk"."""
    first, _, rest = value.text.partition(",")
    return first if rest.strip()[:1].islower() else value.text


def _from_values(told: _Told) -> Iterator[tuple[str, Lead]]:
    for identity, said in told.beside.items():
        for entry, value in said:
            noun = wording.kind(name_of(value), told.nouns.get(identity, ""))
            phrase = wording.standing_for(entry, value, noun)
            if phrase and told.single(entry, value):
                score = 0.0 if "“" in phrase else 0.5
                label = wording.called(entry)
                subject = entry.name
                lead = Lead(entry.passage, phrase, subject, value.key, name_of(value), value.span, score)
                if label:
                    yield identity, lead


def _from_mentions(passages: Sequence[Passage], told: _Told) -> Iterator[tuple[str, Lead]]:
    """The ids in running text, each the only one of its kind in its passage."""
    named: dict[str, dict[str, str]] = defaultdict(dict)  # of a noun: names by their last word
    for identity, noun in told.nouns.items():
        if not identity.startswith("#"):
            named[noun][identity] = noun
    for passage in passages:
        own = set(map(told.identities.of, ids(passage.title)))
        kinds: dict[str, set[str]] = defaultdict(set)
        written: dict[str, str] = {}
        for id_ in ids(passage.text):
            kinds[prefix(id_)].add(told.identities.of(id_))
            written[told.identities.of(id_)] = id_
        for noun, things in named.items():
            for identity in things:
                if told.identities.names(passage.id, identity):
                    kinds[noun].add(identity)
                    written[identity] = identity
        for found in kinds.values():
            others = found - own
            if len(others) != 1 or others & set(map(told.identities.of, ids(passage.title))):
                continue
            (identity,) = others
            noun = wording.kind(written[identity], told.nouns.get(identity, ""))
            other = f"other {noun}" if len(found) > 1 else noun
            phrase = wording.named_in(passage.title, other if noun else "")
            if phrase:
                yield (
                    identity,
                    Lead(passage, phrase, passage.title, "names", written[identity], None, 0.3),
                )


def refusal(lead: Lead, target: Target, identity: str, told: _Told) -> str:
    """Why a person would not accept the question; "" where nothing speaks against it."""
    first, second = lead.passage, target.entry.passage
    identities, value = told.identities, target.value
    if _same_document(first, second):
        return "both passages are of one document"
    question = wording.asking(target.entry, value, lead.phrase, beside=target.beside)
    words = tokenise(question)
    if not 0 < len(words) <= LONGEST:
        return "no form fits, or it is too long"
    if _stands_in(value.text, words):
        return "the answer stands in the question"
    if _stands_in(lead.name, words) or _stands_in(identity.lstrip("#"), words):
        return "the thing in the middle stands in the question"
    if not _specific(value) or told.repeated(value) > RARE:
        return "the answer is not specific"
    if not told.single(target.entry, value):
        return "there is more than one answer"
    if identities.names(second.id, lead.subject):
        return "the second passage names what the question begins with"
    if identities.names(first.id, value.text):
        return "the first passage says the answer"
    return ""


def _same_document(first: Passage, second: Passage) -> bool:
    if first.id == second.id or first.title == second.title:
        return True
    return first.document_id is not None and first.document_id == second.document_id


def _stands_in(name: str, words: Sequence[str]) -> bool:
    """Whether a word that tells the name from others stands among the words."""
    own = tokenise(name)
    if any(any(map(str.isdigit, word)) for word in own) and len(own) < 3:
        return f" {' '.join(own)} " in f" {' '.join(words)} "
    return bool({word for word in own if len(word) > 2} & set(words))


def _specific(value: Value) -> bool:
    words = [word for word in tokenise(value.text) if len(word) > 1 or word.isdigit()]
    return bool(words) and not set(words) <= _EMPTY and words[0] not in ("see", "no", "not", "none")


def _link(lead: Lead, target: Target, told: _Told) -> Suggestion:
    question = wording.asking(target.entry, target.value, lead.phrase, beside=target.beside)
    value, entry = target.value, target.entry
    answer = value.text
    first = Triple(0, lead.passage.id, lead.subject, lead.key, lead.name, lead.span)
    subject = entry.name if not target.beside else lead.name
    second = Triple(0, entry.passage.id, subject, value.key or "says", answer, value.span)
    score = 1.0 + lead.score - 0.05 * abs(len(tokenise(question)) - 12)
    score += 0.4 * (is_name(answer) or is_date(answer) or is_id(answer))
    score -= 0.5 * (target.beside or not value.key) + 0.5 * answer.isdigit()
    score -= 0.3 * (told.repeated(value) > 1) + 0.2 * ("under “" in question)
    keys = (lead.passage.key, entry.passage.key)
    return Suggestion(question, answer, lead.name, (first, second), keys, round(score, 3))
