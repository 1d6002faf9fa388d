"""What a sentence mentions, as facts of its passage's title.

Grammar finds little in notes and fragments; what stands under a title belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gear_app.language.verbs import is_infinitive
from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import extent, phrase_text
from gear_app.models.extractor.records import is_id, is_named
from gear_app.models.extractor.topic import SUBJECTS
from gear_app.models.extractor.triple_filter import Relation, linkable
from gear_app.models.extractor.words import begins_sentence, folded, is_name, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Span as Part
    from spacy.tokens import Token

MENTIONS = "mentions"
MOST_THINGS = 4  # of a sentence
FARTHEST = 12  # words between a verb and a mention
_PREDICATE_WORDS = 6
_THING_WORDS = 4
_ROLES = frozenset("nsubj nsubjpass dobj pobj attr ROOT appos conj".split())


class Named(NamedTuple):
    """A name or a thing, and its tokens [start, end)."""

    name: str
    start: int
    end: int


def title_mentions(sentence: Part, resolver: Resolver, subject: str) -> Iterator[Relation]:
    """What a sentence mentions, as relations of the passage's `subject`: the names, and some of
    the things, longer phrases first. The predicate is the verb before a mention, if it lacks a
    subject.
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
            verb = _verb_between(sentence, edge, mention.start)
            yield Relation(subject, verb or MENTIONS, mention.name, mention.start)
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
    if not is_name(token) or token.ent_type_ in ("NORP", "LANGUAGE") or _begins(token, resolver):
        return None
    head = token
    while head.dep_ in ("compound", "nmod") and is_name(head.head) and head.head.i > head.i:
        head = head.head
    name = resolver.entity(head)
    start, end = extent(head)
    return Named(name, max(start, token.i), max(end, head.i + 1)) if name else None


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


def _thing(token: Token) -> Named | None:
    """The phrase of a common noun with a role in its sentence."""
    if token.tag_ not in ("NN", "NNS") or token.dep_ not in _ROLES or " " in token.text:
        return None
    name, (start, end) = phrase_text(token), extent(token)
    if not linkable(name) or len(name.split()) > _THING_WORDS:
        return None
    return Named(name, start, end)


def _verb_between(sentence: Part, start: int, end: int) -> str:
    """The words from the first verb between two places up to the second; "" without a verb, and
    where it has a subject of its own: only what a note leaves out is a fact of its title.
    """
    tokens = sentence.doc[start:end]
    verbs = [token for token in tokens if is_verb(token)]
    with_subject = any(child.dep_ in SUBJECTS for verb in verbs for child in verb.children)
    first = verbs[0].i if verbs and not with_subject else None
    if first is None or end - first > FARTHEST:
        return ""
    words = [t.text for t in sentence.doc[first:end] if not t.is_punct and t.tag_ != "DT"]
    return " ".join(words[:_PREDICATE_WORDS])
