"""Two facts as one question: a lead is how one passage leads to a thing without naming it ("the
director of Blade Runner", "the part named in “Bench note”"), a target what another says of it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from gear_app.language.numbers import begins_with_count
from gear_app.language.words import FUNCTION_WORDS, PREPOSITIONS, word_set
from gear_app.suggestions import wording
from gear_app.suggestions.facts import KnownNames, StatedFact, clauses, fields, ids, telling
from gear_app.text import tokenise
from gear_app.types import Passage, Triple

RARE = 10  # passages at most that name the thing in the middle
NEAR = 60  # characters before an id in which the word before it is looked for
LITERAL = 0.5  # how closely its sentence has the triple of a question of one passage
SHORTEST, LONGEST = 4, 25  # words of a question
_LIFE = word_set("born died married studied educated raised buried grew")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question with its answer, and the two triples it is made of, or the one: gold are their
    passages.

    `score` orders suggestions; `bridge` is the thing in the middle, which the question leaves out;
    "" where it is made of one triple. What is read from a form, and not from the triples of a
    collection, has the id 0.
    """

    question: str
    answer: str
    bridge: str
    triples: tuple[Triple, ...]
    keys: tuple[str, ...]
    score: float


class Lead(NamedTuple):
    """A phrase for the thing `name`, and the triple that it puts into words; `start` is the name it
    begins with.
    """

    passage: Passage
    phrase: str
    name: str
    start: str
    triple: Triple
    worth: float


class FactPairs:
    """The facts of a collection, by the things they are about."""

    def __init__(
        self, triples: Sequence[Triple], passages: Sequence[Passage], *, forms: bool = True
    ) -> None:
        """Of these English passages; `forms`: what stands in their forms as well."""
        by_id = {passage.id: passage for passage in passages}
        there = [triple for triple in triples if triple.passage_id in by_id]
        self._passages, self._names = passages, KnownNames(passages)
        stated = [fact for passage in passages if forms for fact in fields(passage)]
        self._fields = [*stated, *self._of_rows(stated)]
        self._clauses = list(clauses(there, by_id))
        self._nouns = self._nouns_of(there)
        self._about: dict[str, list[StatedFact]] = defaultdict(list)
        for fact in [*self._clauses, *self._fields]:
            self._about[self._names.of(fact.subject)].append(fact)
        # what there is on a side (True: as subject), beside a predicate and the other side
        self._fitting: dict[tuple[bool, str, str], set[str]] = defaultdict(set)
        said = [(triple.subject, triple.predicate, triple.object) for triple in there]
        for words in [*said, *(fact[1:4] for fact in [*self._clauses, *self._fields])]:
            subject, object_ = self._names.of(words[0]), self._names.of(words[2])
            self._fitting[True, words[1], object_].add(subject)
            self._fitting[False, words[1], subject].add(object_)

    def _nouns_of(self, triples: Sequence[Triple]) -> dict[str, str]:
        """What names stand for: by "X is an English singer", by what only people do, and of ids by
        the word that stands before most of their kind.
        """
        nouns: dict[str, str] = {}
        texts = {passage.id: passage.text for passage in self._passages}
        for triple in triples:
            words = triple.object.split()
            is_one = triple.predicate in wording.BE and 0 < len(words) < 4 and words[-1].islower()
            said = rf"\b{re.escape(triple.predicate)} (?:an?|the) {re.escape(triple.object)}\b"
            if is_one and re.search(said, texts[triple.passage_id]):
                nouns.setdefault(self._names.of(triple.subject), triple.object)
        for fact in self._clauses:
            if fact.clause and fact.clause.verb in _LIFE:
                nouns.setdefault(self._names.of(fact.subject), "person")
        before: dict[str, Counter[str]] = defaultdict(Counter)
        for passage in self._passages:
            for name, span in ids(passage.indexed):
                before_it = passage.indexed[max(0, span.start - NEAR) : span.start]
                word = before_it.split(" ")[-2:][0]
                titled = span.start < len(passage.title)
                if len(word) > 2 and wording.is_noun(word) and (titled or word.islower()):
                    before[_kind(name)][word.lower()] += 1 + titled
                before[_kind(name)][""] += 1
        for kind, counts in before.items():
            noun = max(counts.keys() - {""}, key=counts.__getitem__, default="")
            if noun and counts[noun] > 1 and 2 * counts[noun] >= counts[""]:
                nouns[kind] = noun
        return nouns

    def _of_rows(self, stated: Sequence[StatedFact]) -> Iterator[StatedFact]:
        """What a row of a table says of the only person in it, where it has no name of its own:
        rows are called as their table is.
        """
        titles = Counter(passage.title for passage in self._passages)
        rows: dict[int, list[StatedFact]] = defaultdict(list)
        for fact in stated:
            if titles[fact.passage.title] > 1 and not self._names.specific(fact.subject):
                rows[fact.passage.id].append(fact)
        for row in rows.values():
            people = [fact for fact in row if self._names.is_person(fact.object)]
            if len(people) == 1:
                who = people[0]
                yield from (fact._replace(subject=who.object) for fact in row if fact != who)

    def _noun(self, name: str) -> str:
        """What a name or an id stands for; "" where nobody knows."""
        identity = self._names.of(name)
        kind = _kind(identity) if identity.startswith("#") else ""
        somebody = wording.SOMEBODY if self._names.is_person(name) else ""
        return self._nouns.get(kind or identity, somebody)

    def questions(self) -> Iterator[Suggestion]:
        """All questions of two facts of different passages."""
        for lead in self._leads():
            identity = self._names.of(lead.name)
            if not 2 <= self._names.number(identity) <= RARE:
                continue
            for fact in self._about[identity]:
                target = self._asked(fact, lead.phrase)
                if target and self._sound(lead, fact, target.question):
                    triples = (lead.triple, fact.triple)
                    keys = (lead.passage.key, fact.passage.key)
                    score = round(lead.worth + target.score, 3)
                    yield replace(target, bridge=lead.name, triples=triples, keys=keys, score=score)

    def single_questions(self) -> Iterator[Suggestion]:
        """All questions that one triple makes, which one passage answers: its sentence says the
        triple of a name, and the answer is a name or a day.
        """
        for fact in self._clauses:
            name, answer = fact.subject, fact.object
            telling_ = self._names.specific(answer) or wording.is_day(answer)
            named = self._names.specific(name) and bool(fact.clause) and telling_
            named = named and (" " in name or bool(ids(name))) and name == fact.triple.subject
            if named and fact.worth > LITERAL and not self._several(fact):
                single = self._asked(fact, _with_article(name, fact.passage))
                if single:
                    yield single

    def _leads(self) -> Iterator[Lead]:
        """What facts describe by their other side: "the director of Blade Runner"."""
        for fact in [*self._clauses, *self._fields]:
            of = fact.clause
            for name, other, subject in (
                (fact.subject, fact.object, True),
                (fact.object, fact.subject, False),
            ):
                if not self._names.specific(name) or self._several(fact, subject=subject):
                    continue
                phrase = ""
                if of and (noun := self._noun(name)):
                    whole = _with_article(other, fact.passage)
                    if self._names.specific(other) or whole != other or begins_with_count(other):
                        phrase = wording.described(of, noun, whole, subject=subject)
                elif not of and subject and self._names.is_person(name):
                    phrase = wording.doer(fact.key, other)
                elif not of and not subject:
                    label = self._label(other)
                    phrase = label and wording.field_described(fact.key, label)
                if phrase:
                    worth = fact.worth + 0.3 * bool(of and of.agent and of.agent in phrase)
                    yield Lead(fact.passage, phrase, name, other, fact.triple, worth)

    def _label(self, name: str) -> str:
        """What a question calls the subject of a field: an id or a name, "" for any other."""
        named = ids(name)
        if len(named) == 1:
            return name[slice(*named[0][1])]
        return name if self._names.specific(name) else ""

    def _several(self, fact: StatedFact, *, subject: bool = False) -> bool:
        """Whether several things fit on one side of a fact, beside the other."""
        other = fact.object if subject else fact.subject
        return len(self._fitting[subject, fact.key, self._names.of(other)]) > 1

    def _asked(self, fact: StatedFact, phrase: str) -> Suggestion | None:
        """A fact's question for its object, `phrase` in its subject's place."""
        key, answer, of = fact.key, fact.object, fact.clause
        question, named = "", self._names.specific(answer)
        if of and (named or wording.is_day(answer) or fact.worth > LITERAL):
            question = wording.asked(of, phrase, self._noun(answer), answer)
        elif not of and key:
            person = named and not any(map(str.isdigit, answer))
            question = wording.field_asked(key, phrase, named=person)
        words = tokenise(question)
        if not SHORTEST <= len(words) <= LONGEST or telling(answer) & set(words):
            return None
        score = round(fact.worth - 0.05 * abs(len(words) - 11) + 0.3 * named, 3)
        return Suggestion(question, answer, "", (fact.triple,), (fact.passage.key,), score)

    def _sound(self, lead: Lead, fact: StatedFact, question: str) -> bool:
        """Whether a person would accept the question: nothing else answers it, both passages are
        needed, and it does not name the thing in the middle.
        """
        first, second, words = lead.passage, fact.passage, tokenise(question)
        of_one = first.document_id is not None and first.document_id == second.document_id
        if first.title == second.title or of_one:
            return False
        id_ = f" {' '.join(tokenise(lead.name))} "
        if id_ in f" {' '.join(words)} " or (not ids(lead.name) and telling(lead.name) & {*words}):
            return False
        both = set(tokenise(lead.triple.predicate)) & set(tokenise(fact.key))
        alone = self._names.holds(second, lead.start)
        alone = alone or self._names.tells(first, fact.object)
        return not (alone or self._several(fact) or both - PREPOSITIONS - FUNCTION_WORDS)


def _kind(id_: str) -> str:
    """What ids of its kind begin with: "#gt"; "#" of figures alone."""
    return "".join(takewhile(lambda character: not character.isdigit(), id_))


def _with_article(name: str, passage: Passage) -> str:
    """The name with "the" or "a" where the passage writes it so: "the Brooklyn Bridge"."""
    there = re.search(rf"\b([Tt]he|an?) {re.escape(name)}\b", passage.text)
    return f"{there[1].lower()} {name}" if there and not name.startswith("The ") else name
