"""Questions suggested from a collection: by fixed templates, from its triples and its fields; and
the passages that a language model is asked about for more (reader.roles.SUGGEST).

Two facts of two passages that share an entity make a question of two hops ("Where was the director
of Red Harbour born?") with its answer and its gold; where too few do, one fact makes a question
that one passage answers. All is pure: it takes triples and passages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Span, Triple
from gear_app.language.english import looks_english
from gear_app.language.relations import is_date
from gear_app.language.words import FUNCTION_WORDS, PREPOSITIONS, is_past

MIN_WORDS, MAX_WORDS, BEST_WORDS = 4, 25, 11  # of a question
# Facts about a shared entity, questions with the same predicate, passages that a model is given.
MOST_ABOUT, MOST_ALIKE, MOST_READ = 10, 3, 12
SAMPLE = 100_000  # characters of a collection that decide about the language of its fields
# The infinitive, and who does it, by the form of the verb in a predicate.
VERBS = {
    form: (base, agent)
    for form, base, agent in (
        words.split(":")
        for words in (
            "directed:direct:director written:write:author founded:found:founder studied:study:"
            " designed:design:designer built:build:builder composed:compose:composer died:die:"
            " produced:produce:producer owned:own:owner painted:paint:painter lived:live:"
            " discovered:discover:discoverer invented:invent:inventor edited:edit:editor"
            " led:lead:leader managed:manage:manager published:publish:publisher worked:work:"
            " created:create:creator developed:develop:developer settled:settle: taught:teach:"
            " wrote:write:"
        ).split()
    )
}
# A predicate, as what it stands for the other side without naming it ("" where nothing reads well),
# and how that is asked for. `{name}` is the subject, or the object where a question asks for the
# subject; `{verb}` the word that matched. The last is for fields alone.
TEMPLATES = (
    (
        f"(?:is |was )?({'|'.join(form for form in VERBS if VERBS[form][1])}) by",
        "the {agent} of {name}",
        "Who {past} {name}?",
    ),
    (
        "(?:was )?(born) (?:in|at|on)",
        "the place where {name} was born",
        "{where} was {name} born?",
    ),
    (
        "(died|studied|lived|worked|settled|taught) (?:in|at)",
        "the place where {name} {verb}",
        "{where} did {name} {base}?",
    ),
    ("(?:is |was )?(located|situated|based) in", "the place where {name} is", "Where is {name}?"),
    ("(?:was )?(built|founded|opened|published) in", "", "{where} was {name} {verb}?"),
    (
        "(?:is |was )(?:the )?(mayor|chair|head|president|king|queen|author|director|founder|owner"
        "|mother|father|wife|husband|spouse|son|daughter|brother|sister) of",
        "the {verb} of {name}",
        "Who is the {verb} of {name}?",
    ),
    (
        "(designed|founded|wrote|directed|built|studied|composed|discovered)",
        "",
        "What did {name} {base}?",
    ),
    ("(.+)", "the {verb} of {name}", "What is the {verb} of {name}?"),
)
# A line "Key: value" is about the title of its passage.
FIELD = re.compile(r"^([^\W\d_]+(?: [^\W\d_]+)?): (\S[^\n]{1,60})$", re.MULTILINE)


class Suggestion(NamedTuple):
    """A question with its answer and its gold.

    One made by templates has the triples it is made of, the answer in the last; one of two leaves
    out the topic, the entity that they share. A triple that is read from a field has the id 0.
    """

    question: str
    answer: str
    passages: tuple[Passage, ...]
    triples: tuple[Triple, ...] = ()
    topic: str = ""  # what the last triple is about
    phrase: str = ""  # what stands for the answer in a question of two triples

    @property
    def keys(self) -> tuple[str, ...]:
        """Its gold: the keys of the passages."""
        return tuple(passage.key for passage in self.passages)


def suggest(
    triples: Sequence[Triple], passages: Sequence[Passage], limit: int = 10
) -> list[Suggestion]:
    """Suggest at most `limit` questions, best first, those of two passages before those of one.
    Answers differ, and few have the same predicates. English passages alone.
    """
    english = {passage.id: passage for passage in passages if looks_english(passage.text)}
    if looks_english("\n".join(passage.text for passage in passages)[:SAMPLE]):
        triples = [*triples, *(field for each in english.values() for field in _fields(each))]
    facts = [
        fact
        for triple in triples
        if triple.passage_id in english
        for fact in _facts(triple, english[triple.passage_id])
    ]
    by_answer = {(fact.topic, fact.question, normalise_entity(fact.answer)) for fact in facts}
    answers = Counter((topic, question) for topic, question, _ in by_answer)
    selected: list[Suggestion] = []
    for item in sorted(
        _questions([fact for fact in facts if answers[fact.topic, fact.question] == 1]),
        key=lambda item: (
            -len(item.triples),
            abs(len(item.question.split()) - BEST_WORDS) - 6 * _is_name(item.answer),
            item.question,
        ),
    ):
        predicates = [other.triples[-1].predicate for other in selected]
        if (
            len(selected) < limit
            and predicates.count(item.triples[-1].predicate) < MOST_ALIKE
            and MIN_WORDS <= len(item.question.split()) <= MAX_WORDS
            and not any(_mentions(item.question, name) for name in _hidden(item))
            and not any(_hidden(item) & _hidden(other) for other in selected)
        ):
            selected.append(item)
    return selected


def _hidden(item: Suggestion) -> set[str]:
    # Names that a question must not have: its answer, and the entity that two triples share.
    return {normalise_entity(name) for name in (item.answer, item.topic)[: len(item.triples)]}


def _fields(passage: Passage) -> Iterator[Triple]:
    for match in FIELD.finditer(passage.text):
        key, value = match[1], match[2].strip()
        if (
            (_is_name(value) or is_date(value))
            and not is_past(key.lower())
            and (FUNCTION_WORDS | PREPOSITIONS).isdisjoint(key.lower().split())
        ):
            yield Triple(0, passage.id, passage.title, key, value, Span(*match.span()))


def _facts(triple: Triple, passage: Passage) -> Iterator[Suggestion]:
    """A triple in the words of each template that fits it, `{name}` open for its topic."""
    for pattern, phrase, question in TEMPLATES[:-1] if triple.id else TEMPLATES[-1:]:
        match = re.fullmatch(pattern, triple.predicate)
        if match and (not triple.id or _is_stated(match[1], triple, passage)):
            topic, answer = (
                (triple.object, triple.subject)
                if question.startswith("Who is")
                else (triple.subject, triple.object)
            )
            dated, (base, agent) = is_date(answer), VERBS.get(match[1], ("", ""))
            words = {
                "name": "{name}",
                "verb": match[1] if match[1].isupper() else match[1].lower(),
                "base": base,
                "agent": agent,
                "past": match[1].replace("written", "wrote"),
                "where": "When" if dated else "Where",
            }
            yield Suggestion(
                question.format(**words),
                answer,
                (passage,),
                (triple,),
                topic,
                "" if dated else phrase.format(**words),
            )


def _is_stated(verb: str, triple: Triple, passage: Passage) -> bool:
    """Whether the sentence is about the subject and has the verb shortly before the object, which
    is not cut out of a longer name.
    """
    sentence = passage.text[slice(*triple.span)] if triple.span else passage.text
    stated = (
        rf"(?:(?:The )?{re.escape(triple.subject)}|(?:He|She|It) ).*\b{verb}\b[^.;]{{,40}}"
        rf"(?<!\w){re.escape(triple.object)}(?![-–'’]?\w| [A-Z]\w)"
    )
    return bool(re.match(stated, sentence, re.DOTALL))


def _questions(facts: Sequence[Suggestion]) -> Iterator[Suggestion]:
    """The questions of one fact, and of two that share an entity, the answer of the first, where no
    passage answers alone.
    """
    about = defaultdict[str, list[Suggestion]](list)
    for fact in facts:
        about[normalise_entity(fact.topic)].append(fact)
    for first in (fact for fact in facts if _is_name(fact.topic)):
        passage = first.passages[0]
        article = re.search(rf"\b([Tt]he|an?) {re.escape(first.topic)}\b", passage.text)
        name = f"{article[1].lower()} {first.topic}" if article else first.topic
        if _is_name(first.answer) or is_date(first.answer):
            yield first._replace(question=first.question.format(name=name))
        for last in (
            about[normalise_entity(first.answer)][:MOST_ABOUT]
            if first.phrase and _is_name(first.answer)
            else ()
        ):
            question = last.question.format(name=first.phrase.format(name=name))
            if not (
                passage.title == last.passages[0].title
                or _mentions(passage.indexed, last.answer)  # one passage is enough
                or _mentions(last.passages[0].indexed, first.topic)
                or re.match("Where .*the place where", question)
            ):
                yield last._replace(
                    question=question,
                    passages=first.passages + last.passages,
                    triples=first.triples + last.triples,
                )


def _is_name(text: str) -> bool:
    """Whether every word but prepositions and articles has a capital or a digit; no date."""
    words = [word for word in text.split() if word not in PREPOSITIONS | FUNCTION_WORDS]
    return (
        0 < len(words) < 6
        and all(word[0].isupper() or any(map(str.isdigit, word)) for word in words)
        and not is_date(text)
    )


def _mentions(text: str, name: str) -> bool:
    return f" {normalise_entity(name)} " in f" {normalise_entity(text)} "


def joined(triples: Sequence[Triple], passages: Sequence[Passage]) -> list[Passage]:
    """A dozen passages in any language for a model to ask about: those first in which one has a
    triple about an entity that is the object of a triple of another, the rarest entity first.
    """
    about = defaultdict[str, set[int]](set)  # ids of passages by entity
    for triple in triples:
        about[normalise_entity(triple.subject)].add(triple.passage_id)
    links = [(about[normalise_entity(t.object)], t.passage_id) for t in triples]
    ids = dict[int, None]()  # in order
    for others, own in sorted(links, key=lambda link: len(link[0])):
        if len(ids) < MOST_READ and others - {own}:
            ids |= dict.fromkeys([own, *sorted(others)])
    by_id = {passage.id: passage for passage in passages}
    return [by_id[id_] for id_ in ids | dict.fromkeys(by_id) if id_ in by_id][:MOST_READ]
