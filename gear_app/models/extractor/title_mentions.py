"""What a sentence mentions, as facts of its passage's title.

Grammar finds little in notes and fragments; what stands under a title belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import extent, phrase_text
from gear_app.models.extractor.records import is_id, is_named
from gear_app.models.extractor.triple_filter import Relation, linkable
from gear_app.models.extractor.words import begins_sentence, folded, is_name

if TYPE_CHECKING:
    from spacy.tokens import Span as Part
    from spacy.tokens import Token

MENTIONS = "mentions"
MOST_THINGS = 4  # of a sentence
_THING_WORDS = 4
_ROLES = frozenset("nsubj nsubjpass dobj pobj attr ROOT appos conj".split())


class Named(NamedTuple):
    """A name or a thing, and its tokens [start, end)."""

    name: str
    start: int
    end: int


def title_mentions(sentence: Part, resolver: Resolver, subject: str) -> Iterator[Relation]:
    """What a sentence mentions, as relations of the passage's `subject`: the names, and some of
    the things, longer phrases first.
    """
    named = _names(sentence, resolver)
    named_places = {place for mention in named for place in range(mention.start, mention.end)}
    things = [thing for thing in map(_thing, sentence) if thing is not None]
    free = [thing for thing in things if not named_places & set(range(thing.start, thing.end))]
    free.sort(key=lambda thing: thing.start - thing.end)
    edge = sentence.start
    for mention in sorted([*named, *free[:MOST_THINGS]], key=lambda mention: mention.start):
        is_subject = is_named(subject) and set(folded(mention.name)) <= set(folded(subject))
        if mention.start >= edge and not is_subject:
            yield Relation(subject, MENTIONS, mention.name, mention.start)
            edge = mention.end


def _names(sentence: Part, resolver: Resolver) -> list[Named]:
    """The names and ids of a sentence, in order."""
    mentions: list[Named] = []
    end = sentence.start
    for token in sentence:
        mention = _name(token, resolver) if token.i >= end else None
        if mention is not None:
            mentions.append(mention)
            end = max(mention.end, token.i + 1)
    return mentions


def _name(token: Token, resolver: Resolver) -> Named | None:
    if is_id(token.text):
        return Named(token.text, token.i, token.i + 1)
    if not is_name(token) or token.ent_type_ in ("NORP", "LANGUAGE"):
        return None
    if begins_sentence(token) and not resolver.is_title(token):
        return None  # "Head" of "Head office"
    head = token
    while head.dep_ in ("compound", "nmod") and is_name(head.head) and head.head.i > head.i:
        head = head.head
    name = resolver.entity(head)
    start, end = extent(head)
    return Named(name, max(start, token.i), max(end, head.i + 1)) if name else None


def _thing(token: Token) -> Named | None:
    """The phrase of a common noun with a role in its sentence."""
    if token.tag_ not in ("NN", "NNS") or token.dep_ not in _ROLES or " " in token.text:
        return None
    name, (start, end) = phrase_text(token), extent(token)
    if not linkable(name) or len(name.split()) > _THING_WORDS:
        return None
    return Named(name, start, end)
