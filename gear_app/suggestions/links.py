"""Questions of two hops over forms, tables and lists: a passage leads to a thing without saying
what the question is after, and an entry about that thing elsewhere says it.

"Who is the customer of the job named in “Shelf check”?" Nothing of the text's grammar is needed;
see `refusal` for what a person would not accept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.english.words import FUNCTION_WORDS, PREPOSITIONS, word_set
from gear_app.mentions.find import singular
from gear_app.suggestions import wording
from gear_app.suggestions.entries import NUMBERED, EntryValue, entries
from gear_app.suggestions.identity import Identities, ids, is_id, is_name, prefix
from gear_app.suggestions.suggestion import Suggestion
from gear_app.suggestions.told import QuestionTarget, Told, name_of
from gear_app.text import tokenise
from gear_app.types import Passage, Span, Triple

RARE = 5  # passages at most that name the thing in the middle
LONGEST = 25  # words of a question
SEVERAL = 3  # words of an answer, of which a passage may have the most
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


def entry_questions(passages: Sequence[Passage]) -> list[Suggestion]:
    """All questions that the entries of these English passages make."""
    found = entries(passages)
    written = [value.text for entry in found for value in entry.values]
    identities = Identities(passages, [*written, *(entry.name for entry in found)])
    told = Told(found, identities, passages)
    leads = defaultdict(list)
    for identity, lead in [*_from_values(told), *_from_mentions(passages, told)]:
        leads[identity].append(lead)
    made: list[Suggestion] = []
    for identity, ways in leads.items():
        if len(identities.passages(identity)) > RARE:
            continue
        targets = told.targets(identity)
        made += [
            _suggestion(lead, target, told)
            for lead in ways
            for target in targets
            if not refusal(lead, target, identity, told)
        ]
    return made


def _from_values(told: Told) -> Iterator[tuple[str, Lead]]:
    """What entries have as values: "the customer of job J-301"."""
    for identity, said in told.beside.items():
        for entry, value in said:
            name = name_of(value)
            noun = told.noun(identity, name)
            recurs = told.recurs(value.key)
            phrase = wording.standing_for(entry, value, noun, recurs=recurs)
            if not phrase or not told.single(entry, value):
                continue
            if not entry.titled or told.only(entry.passage):
                score = 0.0 if "“" in phrase else 0.5
                yield (
                    identity,
                    Lead(entry.passage, phrase, entry.name, value.key, name, value.span, score),
                )


def _from_mentions(passages: Sequence[Passage], told: Told) -> Iterator[tuple[str, Lead]]:
    """What texts name, each the only one of its kind there: "the ticket named in “Notes”"."""
    valued = {
        (identity, entry.passage.id) for identity, said in told.beside.items() for entry, _ in said
    }
    own: dict[int, set[str]] = defaultdict(set)
    for entry in told.entries:
        if not entry.tabular:
            own[entry.passage.id].add(told.named(entry))
    called = _called(told)
    for passage in passages:
        if not told.only(passage):
            continue
        own[passage.id].update(map(told.identities.of, ids(passage.title)))
        for things in _named(passage, told, called).values():
            others = [identity for identity in things if identity not in own[passage.id]]
            if len(others) != 1 or (others[0], passage.id) in valued:
                continue
            name, noun = things[others[0]]
            other = f"other {noun}" if len(things) > 1 else noun
            phrase = wording.named_in(passage.title, other) if noun else ""
            if phrase:
                yield others[0], Lead(passage, phrase, passage.title, "names", name, None, 0.3)


def _called(told: Told) -> dict[int, list[tuple[str, str]]]:
    """By passage, the rare things without an id that its words name, each with what it is."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for identity in told.about:
        noun = told.families.get(identity) or told.of_noun(identity)
        if not noun or identity.startswith("#"):
            continue
        for id_ in told.identities.passages(identity):
            if told.identities.names(id_, identity):
                found[id_].append((noun, identity))
    return found


def _named(
    passage: Passage, told: Told, called: Mapping[int, Sequence[tuple[str, str]]]
) -> dict[str, dict[str, tuple[str, str]]]:
    """What a passage names, by kind: the name and noun of each thing. Ids are of one kind where
    they begin alike, whatever is known of each, and so are numbered things: "unit 7".
    """
    found: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for id_ in ids(passage.indexed):
        identity = told.identities.of(id_)
        noun = told.noun(identity, id_)
        found[f"#{prefix(id_)}"][identity] = id_, noun
    for noun, number in NUMBERED.findall(passage.text):
        identity = f"{singular(noun)} {number}"
        if identity in told.about or identity in told.beside:
            found[f"{singular(noun)} "][identity] = identity, singular(noun)
    for noun, identity in called.get(passage.id, ()):
        found[noun][identity] = identity, noun
    return found


def refusal(lead: Lead, target: QuestionTarget, identity: str, told: Told) -> str:
    """Why a person would not accept the question; "" where nothing speaks against it."""
    first, second = lead.passage, target.entry.passage
    identities, value = told.identities, target.value
    if _same_document(first, second):
        return "both passages are of one document"
    if (target.beside or not value.key) and not told.only(second):
        return "the second passage shares its title"
    question = wording.asking(target.entry, value, lead.phrase, beside=target.beside)
    words = tokenise(question)
    key = set(tokenise(target.value.key))
    if key & {*tokenise(lead.key), *tokenise(lead.phrase)} - PREPOSITIONS - FUNCTION_WORDS:
        return "both say the same"
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
    if _says(first, value.text, identities):
        return "the first passage says the answer"
    return ""


def _says(passage: Passage, answer: str, identities: Identities) -> bool:
    """Whether a passage has an answer: as it is, a name in another form, or the most of it."""
    identity = identities.of(answer)
    if identities.names(passage.id, answer):
        return True
    if identity:
        return passage.id in identities.passages(identity)
    words = set(tokenise(answer)) - FUNCTION_WORDS - PREPOSITIONS
    return len(words) >= SEVERAL and 2 * len(words & set(tokenise(passage.indexed))) > len(words)


def _same_document(first: Passage, second: Passage) -> bool:
    if first.id == second.id or first.title == second.title:
        return True
    return first.document_id is not None and first.document_id == second.document_id


def _stands_in(name: str, words: Sequence[str]) -> bool:
    """Whether a word that tells the name from others stands among the words."""
    own = tokenise(name)
    if any(any(map(str.isdigit, word)) for word in own) and len(own) < 3:
        return f" {' '.join(own)} " in f" {' '.join(words)} "
    telling = {word for word in own if len(word) > 2} - FUNCTION_WORDS - PREPOSITIONS
    return bool(telling & set(words))


def _specific(value: EntryValue) -> bool:
    words = [word for word in tokenise(value.text) if len(word) > 1 or word.isdigit()]
    return bool(words) and not set(words) <= _EMPTY and words[0] not in ("see", "no", "not", "none")


def _suggestion(lead: Lead, target: QuestionTarget, told: Told) -> Suggestion:
    question = wording.asking(target.entry, target.value, lead.phrase, beside=target.beside)
    value, entry = target.value, target.entry
    answer = value.text
    first = Triple(0, lead.passage.id, lead.subject, lead.key, lead.name, lead.span)
    subject = entry.name if not target.beside else lead.name
    second = Triple(0, entry.passage.id, subject, value.key or "says", answer, value.span)
    score = 1.0 + lead.score - 0.05 * abs(len(tokenise(question)) - 12)
    score += 0.4 * (is_name(answer) or wording.is_day(answer) or is_id(answer))
    score -= 0.5 * (target.beside or not value.key) + 0.5 * (not any(map(str.isalpha, answer)))
    score -= 0.3 * (told.repeated(value) > 1) + 0.2 * ("under “" in question)
    keys = (lead.passage.key, entry.passage.key)
    return Suggestion(question, answer, lead.name, (first, second), keys, round(score, 3))
