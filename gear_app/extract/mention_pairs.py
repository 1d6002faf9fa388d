"""Two names in one sentence that no relation joins, with the words between them as the predicate.

What grammar makes of notes, fragments and loose talk is often nothing; but who is named together
belongs together. A few pairs a sentence, the most specific first, so that beams do not drown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gear_app.extract.coreference import Resolver
from gear_app.extract.dependencies import extent, phrase_text, trimmed_text
from gear_app.extract.records import is_id, is_named
from gear_app.extract.topic import SUBJECTS
from gear_app.extract.triple_filter import Relation, linkable
from gear_app.extract.words import begins_sentence, folded, is_name, is_verb
from gear_app.language.verbs import is_infinitive
from gear_app.text import normalise_entity

if TYPE_CHECKING:
    from spacy.tokens import Span as Part
    from spacy.tokens import Token

MOST = 2  # of a sentence
FARTHEST = 12  # words between two mentions
_SHOWN = 6  # of them in the predicate
MENTIONS = "mentions"
MOST_THINGS = 4  # of a sentence
_THING_WORDS = 4
_TELLING = frozenset({"VB", "NN", "JJ"})  # the beginnings of tags
_NUMBER_ROLES = frozenset("pobj npadvmod tmod appos attr dobj ROOT nsubj conj dep".split())
_ROLES = frozenset("nsubj nsubjpass dobj pobj attr ROOT appos conj".split())
_NUMBERS = frozenset("DATE MONEY CARDINAL QUANTITY TIME PERCENT ORDINAL".split())


class SpecificMention(NamedTuple):
    """A name in a sentence: the tokens [start, end), and how specific it is, 1 to 3."""

    name: str
    start: int
    end: int
    weight: int


def mention_pairs(
    sentence: Part, resolver: Resolver, joined: Sequence[Relation], context: str
) -> Iterator[Relation]:
    """Relations between mentions of a sentence that `joined` leaves apart. `context` is the
    predicate where nothing stands between the two; such pairs are left out where it is "".
    """
    mentions = _mentions(sentence, resolver)
    keys = [normalise_entity(mention.name) for mention in mentions]
    group = {key: key for key in keys}

    def root(key: str) -> str:
        while group.setdefault(key, key) != key:
            key = group[key]
        return key

    for relation in joined:
        sides = [normalise_entity(side) for side in (relation.subject, relation.object)]
        group[root(sides[0])] = root(sides[1])
        for key in keys:
            if any(f" {key} " in f" {side} " for side in sides):  # "1951" of "film of 1951"
                group[root(key)] = root(sides[1])
    pairs = [(a, b) for a, b in pairwise(mentions) if _fit(a, b)]
    made = 0
    for first, second in sorted(pairs, key=lambda p: (-p[0].weight - p[1].weight, p[1].start)):
        one, other = root(normalise_entity(first.name)), root(normalise_entity(second.name))
        words = _between(sentence, first, second, context)
        if one != other and made < MOST and words:
            group[one] = other
            made += 1
            yield Relation(first.name, words, second.name, first.start)


def _fit(first: SpecificMention, second: SpecificMention) -> bool:
    return first.weight > 1 and 0 <= second.start - first.end <= FARTHEST


def _between(sentence: Part, first: SpecificMention, second: SpecificMention, context: str) -> str:
    """The words between two mentions, `context` where there are none; "" where they say nothing."""
    words = [token for token in sentence.doc[first.end : second.start] if not token.is_punct]
    if not words:
        of_itself = normalise_entity(first.name) == normalise_entity(context)
        return "is" if of_itself else context
    telling = any(
        t.tag_[:2] in _TELLING or (t.tag_ in ("IN", "TO", "RP") and t.dep_ != "mark") for t in words
    )
    return " ".join(token.text for token in words[-_SHOWN:]) if telling else ""


def _mentions(sentence: Part, resolver: Resolver) -> list[SpecificMention]:
    found: list[SpecificMention] = []
    end = sentence.start
    for token in sentence:
        if token.i < end:
            continue
        mention = _named(token, resolver) or _numbered(token)
        if mention is not None and mention.start >= end and linkable(mention.name):
            found.append(mention)
            end = max(mention.end, token.i + 1)
    return found


def _named(token: Token, resolver: Resolver) -> SpecificMention | None:
    if is_id(token.text):
        return SpecificMention(token.text, token.i, token.i + 1, 3)
    if not is_name(token) or token.ent_type_ in ("NORP", "LANGUAGE") or _begins(token, resolver):
        return None
    head = token
    while head.dep_ in ("compound", "nmod") and is_name(head.head) and head.head.i > head.i:
        head = head.head
    name = resolver.entity(head)
    if not name:
        return None
    start, end = extent(head)
    start, end = max(start, token.i), max(end, head.i + 1)
    return SpecificMention(name, start, end, 3 if " " in name else 2)


def _begins(token: Token, resolver: Resolver) -> bool:
    """Whether a word has its capital from its sentence alone, though the parser takes it for a
    name: "Tell" before a name, "Restart" before "the server", "Head" of "Head office".
    """
    if not begins_sentence(token) or resolver.is_title(token):
        return False
    head = token.head
    noun = token.dep_ == "compound" and head.i == token.i + 1 and head.tag_ in ("NN", "NNS")
    before_article = token.i + 1 < len(token.doc) and token.nbor().tag_ in ("DT", "PRP$")
    do_it = before_article or is_infinitive(token.lower_)
    return noun or (do_it and token.dep_ not in SUBJECTS)


def _numbered(token: Token) -> SpecificMention | None:
    if token.ent_type_ not in _NUMBERS or token.ent_iob_ != "B":
        return None
    end = token.i + 1
    while end < len(token.doc) and token.doc[end].ent_iob_ == "I":
        end += 1
    name = trimmed_text(token.doc, token.i, end)
    alone = token.doc[token.i : end].root.dep_ in _NUMBER_ROLES  # "1956" of "1956 film" is not
    return (
        SpecificMention(name, token.i, end, 1) if alone and any(c.isdigit() for c in name) else None
    )


def title_mentions(sentence: Part, resolver: Resolver, subject: str) -> Iterator[Relation]:
    """What a sentence mentions, as relations of the passage's `subject`: the names, and some of
    the things, longer phrases first. The predicate is the verb before a mention, if it lacks a
    subject.
    """
    named = [mention for mention in _mentions(sentence, resolver) if mention.weight > 1]
    taken = {place for mention in named for place in range(mention.start, mention.end)}
    things = [thing for thing in map(_thing, sentence) if thing is not None]
    free = [thing for thing in things if not taken & set(range(thing.start, thing.end))]
    free.sort(key=lambda thing: thing.start - thing.end)
    edge = sentence.start
    for mention in sorted([*named, *free[:MOST_THINGS]], key=lambda mention: mention.start):
        own = is_named(subject) and set(folded(mention.name)) <= set(folded(subject))
        if mention.start >= edge and not own:
            verb = _verb_between(sentence, edge, mention.start)
            yield Relation(subject, verb or MENTIONS, mention.name, mention.start)
            edge = mention.end


def _thing(token: Token) -> SpecificMention | None:
    """The phrase of a common noun with a role in its sentence."""
    if token.tag_ not in ("NN", "NNS") or token.dep_ not in _ROLES or " " in token.text:
        return None
    name, (start, end) = phrase_text(token), extent(token)
    if not linkable(name) or len(name.split()) > _THING_WORDS:
        return None
    return SpecificMention(name, start, end, 1)


def _verb_between(sentence: Part, start: int, end: int) -> str:
    """The words from the first verb between two places up to the second; "" without a verb, and
    where it has a subject of its own: only what a note leaves out is what its title says.
    """
    tokens = sentence.doc[start:end]
    verbs = [token for token in tokens if is_verb(token)]
    said_of = any(child.dep_ in SUBJECTS for verb in verbs for child in verb.children)
    first = verbs[0].i if verbs and not said_of else None
    if first is None or end - first > FARTHEST:
        return ""
    words = [t.text for t in sentence.doc[first:end] if not t.is_punct and t.tag_ != "DT"]
    return " ".join(words[:_SHOWN])
