"""How much of a query a fact covers: which noun phrase around the known name it answers, or all.

The phrases around a name are climbed from the inside (language/noun_phrases.py), as long as the
fact's words tell what each of them says. What is reached gives way to what the fact leads to; a
fact that covers the whole query answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from gear_app.core.types import ProximalTriple
from gear_app.language.noun_phrases import AskedRelation, NounPhrase, asked_relation, levels
from gear_app.language.query import Anchor, Query, asked_noun, compared_names, text_of
from gear_app.language.relations import AGENTS, direction, is_alias
from gear_app.language.words import (
    ADVERBS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    is_past,
    root,
    roots,
    word_set,
    words,
)
from gear_app.models.reader.answers import is_quality, kind_of_noun

Fits = Callable[[AskedRelation, str, str], bool]
"""Whether a predicate and a new entity answer what is asked about a name."""

ENOUGH = 0.5  # share of a phrase's words that a fact has to tell
_EMPTY = FUNCTION_WORDS | PREPOSITIONS
# they say nothing that a fact would have to tell
_NOBODY = word_set("what how why when where")  # they ask for no person
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
        phrase_roots, head = list(_own_roots(query, around, i)), around[i].head
        if i == first and direction(head, predicate, forward) < 0:
            break
        agent = head in AGENTS and reached == i - 1 >= first and relation.head not in AGENTS
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
        if i == first and head in AGENTS and direction(head, predicate, forward) > 0:
            # whoever made it: good enough to go on with, not to answer
            return Covered(around[i], False)
        known_words = sum(word in fact_roots for word in phrase_roots)
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
    return Covered(phrase, closes)


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
    """The innermost noun phrase that asks something about one of the query's names."""
    phrases = [
        level
        for anchor in query.anchors
        if anchor in query.proper
        for level in levels(query, anchor)
        if not level.compound
    ]
    return min(phrases, key=lambda level: level.last - level.first, default=None)


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
        if i not in inside and _is_informative(word.text) and word.text not in noun
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
        outside = [word for word in outside if word in fact_roots or word not in _complement(query)]
    return len(covered_words) >= ENOUGH * len(outside)


def _complement(query: Query) -> set[str]:
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


def _own_roots(query: Query, around: list[NounPhrase], i: int) -> Iterable[str]:
    """The roots of what a phrase says about the one in it."""
    level = around[i]
    texts = [query.words[j].text for j in level.words]
    informative = [text for text in texts if _is_informative(text)]
    if not informative and i and around[i - 1].owner:
        informative = around[i - 1].head.casefold().split()  # the singer | whose band was formed by
    if not informative:
        informative = [word for word in level.head.casefold().split() if _is_informative(word)][-1:]
    return (root(word) for word in informative if _is_informative(word))


def _is_informative(word: str) -> bool:
    return word not in _EMPTY and word not in _LIGHT
