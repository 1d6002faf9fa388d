"""How much of a query a fact covers: which noun phrase around the known name it answers, or all.

The phrases around a name are climbed from the inside (language/noun_phrases.py), as long as the
fact's words tell what each of them says. What is reached gives way to what the fact leads to; a
fact that covers the whole query answers it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from gear_app.core.types import ProximalTriple
from gear_app.language.answer_types import is_date
from gear_app.language.noun_phrases import AskedRelation, NounPhrase, asked_relation, levels
from gear_app.language.query import Anchor, Query, text_of
from gear_app.language.questions import DETERMINERS, asked_noun, compared_names
from gear_app.language.relations import LYING, direction, is_alias, names_agent, tells_where
from gear_app.language.verbs import (
    ADVERBS,
    base_of_present,
    is_infinitive,
    is_past,
    is_verb,
    root,
    roots,
)
from gear_app.language.words import (
    AUXILIARIES,
    FUNCTION_WORDS,
    PREPOSITIONS,
    content,
    word_set,
    words,
)
from gear_app.models.reader.kinds import is_quality, kind_of_noun

Fits = Callable[[AskedRelation, str, str], bool]
"""Whether a predicate and a new entity answer what is asked about a name."""

_QUESTION_BEGINS = re.compile(r"[.?!]\W*\s(?:Who|Whom|Whose|What|Which|Where|When|Why|How)\b")
_WHERE = word_set("in on at")
_LIES = frozenset(map(root, LYING))
_HAVING = word_set("has have had")
_NOBODY = word_set("what how why when where")  # they ask for no person
ENOUGH = 0.5  # share of a phrase's words that a fact has to tell
_EMPTY = FUNCTION_WORDS | PREPOSITIONS
# they say nothing that a fact would have to tell
_LIGHT = ADVERBS | word_set("name names man woman person people someone one thing")


class Covered(NamedTuple):
    """The outermost noun phrase that a fact answers, None for the name alone; `whole`: the query
    itself is answered.
    """

    phrase: NounPhrase | None
    whole: bool


def covered(query: Query, anchor: Anchor, triple: ProximalTriple, new: str, fits: Fits) -> Covered:
    """What a fact that leads from the name at the anchor to `new` answers of a query."""
    predicate, forward = triple.predicate, new == triple.object
    known_side = triple.subject if forward else triple.object
    fact_roots = roots(predicate) | _common(new) | roots(known_side)
    around = levels(query, anchor)
    reached = 0 if around and around[0].compound else -1
    first = reached + 1
    relation = asked_relation(query, anchor)
    asked_words = covered_words = 0
    if is_alias(predicate):
        return Covered(around[reached] if reached >= 0 else None, False)
    for i in range(first, len(around)):
        phrase_roots, head = list(_own(query, around, i)), around[i].head
        if i == first and direction(head, predicate, forward) < 0:
            break
        agent = names_agent(head) and reached == i - 1 >= first and not names_agent(relation.head)
        if reached < first and head and root(head.casefold().split()[-1]) in roots(new):
            # It is that river, and so not what else is said to lie on it. Where a phrase further in
            # is answered already, the noun is only in the name: Virgin Records are no record.
            return Covered(around[i], not open_words(query, around[i]))
        if (i == first and fits(relation, predicate, new)) or (
            agent
            and phrase_roots == [root(head.casefold())]
            and predicate.endswith(" by")
            and forward
        ):
            reached, asked_words, covered_words = (
                i,
                asked_words + len(phrase_roots),
                covered_words + len(phrase_roots),
            )
            continue
        if i == first and names_agent(head) and direction(head, predicate, forward) > 0:
            # whoever made it: good enough to go on with, not to answer
            return Covered(around[i], False)
        lies = _lies(head, phrase_roots, predicate, forward)
        known_words = sum(lies or word in fact_roots for word in phrase_roots)
        asked_words, covered_words = asked_words + len(phrase_roots), covered_words + known_words
        if known_words and covered_words >= ENOUGH * asked_words:
            reached = i
        elif i > reached + 1 or (not phrase_roots and i > first):
            break
    phrase = around[reached] if reached >= 0 else None
    if reached < len(around) - 1:
        return Covered(phrase, False)
    if reached < first:  # nothing is asked about the name but what the whole query asks
        return Covered(
            phrase, fits(relation, predicate, new) or _tells_rest(query, anchor, fact_roots)
        )
    closes = _closes(query, phrase, fact_roots) and _names_the_same(query, phrase)
    return Covered(phrase, closes and not _is_owners(query, predicate))


def _lies(head: str, phrase_roots: Collection[str], predicate: str, forward: bool) -> bool:
    """Whether a fact tells where something lies, and that is all that a phrase says of it: "is a
    village in" of "the country where it is located".
    """
    in_place = forward and tells_where(predicate) and direction(head, predicate, forward) > 0
    return in_place and _LIES.issuperset(phrase_roots)


def gives_way(
    query: Query, anchor: Anchor, phrase: NounPhrase | None, triple: ProximalTriple
) -> tuple[int, int]:
    """The words, first and last, that a fact about the name at the anchor replaces: the name and
    the phrase around it, if any.

    A name behind "in", "on" or "at" that ends the question stays where the fact does not tell it
    and it may belong to the question's verb, none being nearer: "Who played the singer of Nixe |
    in Harbour Lights?".
    """
    if not phrase:
        return anchor.first, anchor.last
    first, last = min(anchor.first, phrase.first), max(anchor.last, phrase.last)
    other = query.anchors[-1]
    span = query.words[other.first : other.last + 1]
    if not anchor.last < other.first <= other.last == last == len(query.words) - 1:
        return first, last
    if not query.proper(other) or is_date(text_of(query, other.first, other.last)):
        return first, last
    if {word.text for word in content(triple.text)} & {word.text for word in span}:
        return first, last
    before = other.first - 1
    while query.words[before].text in DETERMINERS:
        before -= 1
    named = {i for mention in query.anchors for i in range(mention.first, mention.last + 1)}
    outside = {word.text for i, word in enumerate(query.words[:first]) if i not in named}
    outside -= set(asked_noun(query).casefold().split())
    between = [word.text for word in query.words[anchor.last + 1 : before]]
    apart = query.words[before].text in _WHERE and any(map(_is_verb, outside))
    return first, before - 1 if apart and not any(map(_is_verb, between)) else last


def _is_verb(word: str) -> bool:
    return word not in AUXILIARIES and (is_verb(word) or is_infinitive(base_of_present(word)))


def around_asked(query: Query, anchor: Anchor) -> str:
    """What the query says next around the phrase that asks about a name; "" where nothing."""
    around = levels(query, anchor)
    first = 1 if around and around[0].compound else 0
    if len(around) <= first:
        return ""
    if len(around) > first + 1:
        level = around[first + 1]
        next_words = [
            text_of(query, i, i) for i in level.words if query.words[i].text not in _EMPTY
        ]
        if not next_words and around[first].owner:
            next_words = [around[first].head]
        return " ".join(next_words) or level.head
    level = around[first]
    noun = set(asked_noun(query).casefold().split())
    return " ".join(
        text_of(query, i, i)
        for i, word in enumerate(query.words)
        if not level.first <= i <= level.last and word.text not in _EMPTY and word.text not in noun
    )


def innermost(query: Query) -> NounPhrase | None:
    """The innermost noun phrase that asks something about one of the query's names.

    A pronoun is no name for all its capital ("the file. Who do I phone?"), a verb that has the
    name as its object is no noun ("kept paging Ada Quill about it"), and no phrase goes on in the
    question that follows a statement.
    """
    phrases = [
        level
        for anchor in query.anchors
        if query.proper(anchor) and not _is_pronoun(query, anchor)
        for level in levels(query, anchor)
        if not level.compound
        and not _is_gerund(query, level, anchor)
        and not _QUESTION_BEGINS.search(text_of(query, level.first, level.last))
    ]
    return min(phrases, key=lambda level: level.last - level.first, default=None)


def _is_pronoun(query: Query, anchor: Anchor) -> bool:
    return anchor.first == anchor.last and query.words[anchor.first].text in FUNCTION_WORDS


def _is_gerund(query: Query, phrase: NounPhrase, anchor: Anchor) -> bool:
    directly = phrase.first == anchor.first - 1
    return directly and query.words[phrase.first].text.endswith("ing")


def stands_alone(query: Query) -> bool:
    """Whether nothing has to be found first: no name lies in a noun phrase that asks about it."""
    return bool(query.anchors) and innermost(query) is None


def stands_beside(query: Query, anchor: Anchor) -> bool:
    """Whether something has to be found first, and not about the name at the anchor: "When did the
    country of the singer of X invade Y?" asks nothing about Y yet.
    """
    if compared_names(query) or innermost(query) is None:
        return False
    return all(level.compound for level in levels(query, anchor))


def asks_one_fact(query: Query) -> bool:
    """Whether a fact about a name of the query would answer it: nothing has to be found first, or
    nothing is asked besides the innermost phrase around a name ("Which is the airport in Turin?").
    A comparison asks for more.
    """
    phrase = innermost(query)
    if not query.anchors or compared_names(query):
        return False
    return phrase is None or (not open_words(query, phrase) and _names_the_same(query, phrase))


def open_words(query: Query, phrase: NounPhrase | None, anchor: Anchor | None = None) -> list[str]:
    """The content words outside a phrase, those of the asking words left out, as roots."""
    inside = set(range(phrase.first, phrase.last + 1)) if phrase else set()
    if anchor:
        inside |= set(range(anchor.first, anchor.last + 1))
    noun = set(asked_noun(query).casefold().split())
    return [
        root(word.text)
        for i, word in enumerate(query.words)
        if i not in inside and _tells(word.text) and word.text not in noun
    ]


def _names_the_same(query: Query, phrase: NounPhrase | None) -> bool:
    """Whether the noun that is asked by can be what the phrase is, not a property of it.

    "Which king was the father of X" asks who he was; "what nationality is the father of X" does
    not, and no "what" asks who "the father of X" is.
    """
    noun = asked_noun(query)
    if phrase is None or open_words(query, phrase):
        return True
    head = kind_of_noun(phrase.head)
    if not noun:
        return head != "person" or query.words[0].text not in _NOBODY
    if head is None:
        return not is_quality(noun)
    return kind_of_noun(noun) == head


def _is_owners(query: Query, predicate: str) -> bool:
    """Whether a query asks what somebody has, or who has something, and a fact does not tell that:
    "Which allergy has the cook of Nixe?" is not answered by who the cook is.
    """
    noun, predicate_words = asked_noun(query), {word.text for word in words(predicate)}
    after = 1 + len(words(noun))
    has = noun and [word.text for word in query.words[after : after + 1]]
    return bool(has) and has[0] in _HAVING and not predicate_words & _HAVING


def _tells_rest(query: Query, anchor: Anchor, fact_roots: frozenset[str]) -> bool:
    outside = open_words(query, None, anchor)
    return bool(outside) and sum(word in fact_roots for word in outside) >= ENOUGH * len(outside)


def _closes(query: Query, phrase: NounPhrase | None, fact_roots: frozenset[str]) -> bool:
    """Whether a fact also tells what the query says outside the phrase.

    Where it tells the verb, what stands behind a preposition may be missing: "in pure culture".
    """
    outside = open_words(query, phrase)
    covered_words = [word for word in outside if word in fact_roots]
    verbs = {root(word.text) for word in query.words if is_past(word.text)}
    if verbs & set(covered_words):
        outside = [word for word in outside if word in fact_roots or word not in _beside(query)]
    return len(covered_words) >= ENOUGH * len(outside)


def _beside(query: Query) -> set[str]:
    """The roots of the words between a preposition without an article and the next of either."""
    complement, inside = set(), False
    for word in query.words:
        if word.text in FUNCTION_WORDS or word.text in PREPOSITIONS:
            inside = word.text in ("in", "at", "on", "with", "during")
        elif inside:
            complement.add(root(word.text))
    return complement


def _common(name: str) -> frozenset[str]:
    """The roots of a name's words without capitals: "ambassador of Turkey" tells who he was."""
    return frozenset(
        root(word.text)
        for word in words(name)
        if not word.capital and not word.digit and word.text not in FUNCTION_WORDS
    )


def _own(query: Query, around: list[NounPhrase], i: int) -> Iterable[str]:
    """The roots of what a phrase says about the one in it."""
    level = around[i]
    texts = [query.words[j].text for j in level.words]
    informative = [text for text in texts if _tells(text)]
    if not informative and i and around[i - 1].owner:
        informative = around[i - 1].head.casefold().split()  # the singer | whose band was formed by
    if not informative:
        informative = [word for word in level.head.casefold().split() if _tells(word)][-1:]
    return (root(word) for word in informative if _tells(word))


def _tells(word: str) -> bool:
    return word not in _EMPTY and word not in _LIGHT
