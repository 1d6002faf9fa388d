"""Relations of noun phrases: appositions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import (
    extent,
    noun_words,
    phrase_text,
)
from gear_app.models.extractor.owners import named_owners, owner_of
from gear_app.models.extractor.triple_filter import Relation
from gear_app.models.extractor.verb_relations import through
from gear_app.models.extractor.words import (
    begins_sentence,
    is_name,
    is_noun,
    is_owning,
    is_verb,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MENTIONS = "mentions"
_UPWARDS = ("pobj", "prep", "appos", "conj", "npadvmod")


def noun_relations(doc: Doc, resolver: Resolver) -> Iterator[Relation]:
    """Relations that noun phrases express, in the order of the text."""
    for token in doc:
        if token.dep_ == "appos" and is_noun(token):
            yield from _apposition(token, resolver)


def title_mentions(doc: Doc, resolver: Resolver, subject: str) -> Iterator[Relation]:
    """The names of a text that grammar says little of, such as notes, as facts of its subject."""
    for token in doc:
        is_part = token.dep_ in ("compound", "nmod") and is_name(token.head)
        if is_name(token) and not is_part and not begins_sentence(token):
            yield Relation(subject, MENTIONS, resolver.entity(token) or "", token.i)


def _apposition(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """As in "her husband, Pierre Curie" and "Pierre Curie, a French physicist"."""
    if not any(is_verb(other) for other in token.sent):
        return  # a fragment: what a comma parts there are entries of a list
    head = _whole(token.head)
    if is_name(token) and not is_name(head):
        name, owners = resolver.entity(token), named_owners(head, resolver)
        if name and not owners and not any(is_owning(c) for c in head.lefts):
            yield Relation(name, "is", phrase_text(head), token.i)
        yield from (Relation(holder.name, holder.noun, name, token.i) for holder in owners if name)
    elif (
        (is_name(head) or head.tag_ == "PRP")
        and not is_name(token)
        and token.ent_type_ not in ("DATE", "CARDINAL")
    ):
        name = resolver.entity(head)
        if name:
            yield from _is(name, token, resolver)


def _whole(head: Token) -> Token:
    """The name an apposition is about: Elisabeth in "Elisabeth of Bavaria, wife of Albert"."""
    if head.dep_ == "pobj" and head.head.text == "of":
        outer = head.head.head
        if is_name(outer) and extent(outer).end > head.i:
            return outer
    return head


def _is(name: str, noun: Token, resolver: Resolver) -> Iterator[Relation]:
    """A common noun of a name: the phrase itself, its owner, and what its prepositions name."""
    owner = owner_of(noun, resolver)
    if owner is not None:
        owner_name = resolver.entity(owner)
        if owner_name:
            yield Relation(owner_name, noun_words(noun), name, noun.i)
        return
    inner = [
        Relation(name, f"is {target.path}", target.name, noun.i)
        for child in noun.rights
        if child.dep_ == "prep"
        for target in through(f"{noun_words(noun)} {child.lower_}", child, resolver, 1)
    ]
    if not inner or len(phrase_text(noun).split()) > 1:
        yield Relation(name, "is", phrase_text(noun), noun.i)
    yield from inner
