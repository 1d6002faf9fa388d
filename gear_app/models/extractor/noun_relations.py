"""Relations of noun phrases: appositions, roles before names, nested regions, casts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import (
    descriptor,
    extent,
    nested,
    noun_words,
    phrase_text,
    subjects,
    trimmed_text,
)
from gear_app.models.extractor.owners import named_owners, owner_of
from gear_app.models.extractor.triple_filter import Relation
from gear_app.models.extractor.verb_relations import through
from gear_app.models.extractor.words import (
    KIN,
    WHERE_OR_WHEN,
    is_demonym,
    is_name,
    is_noun,
    is_owning,
    is_person_noun,
    is_verb,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_UPWARDS = ("pobj", "prep", "appos", "conj", "npadvmod")


def noun_relations(doc: Doc, resolver: Resolver) -> Iterator[Relation]:
    """Relations that noun phrases express, in the order of the text."""
    for token in doc:
        if token.dep_ == "appos" and is_noun(token):
            yield from _apposition(token, resolver)
        if is_name(token) and token.dep_ != "compound":
            yield from _described(token, resolver)
            yield from _regions(token, resolver)
        elif token.dep_ in ("nsubj", "nsubjpass"):
            yield from _fronted(token, resolver)
        elif token.text == "as":
            yield from _played(token, resolver)


def _apposition(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """As in "her husband, Pierre Curie" and "Pierre Curie, a French physicist"."""
    if not any(is_verb(other) for other in token.sent):
        return  # a fragment: what a comma parts there are entries of a list
    head = _kin_of(token) or _whole(token.head)
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


def _kin_of(token: Token) -> Token | None:
    """Of an apposition on a place or date, "born in Rome, the son of John", the person meant."""
    head = token.head
    if head.ent_type_ not in WHERE_OR_WHEN or not (
        is_person_noun(token.text) or token.lower_ in KIN
    ):
        return None
    while head.dep_ in _UPWARDS and not is_verb(head):
        head = head.head
        if is_name(head) and head.ent_type_ not in WHERE_OR_WHEN:
            return head
    return next(iter(subjects(head)), None) if is_verb(head) else None


def _fronted(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """As in "The eldest son of Count Ramon, he was ..."."""
    subjects = [
        c for c in token.head.children if c.dep_ in ("nsubj", "nsubjpass") and c.i > token.i
    ]
    later = [c for c in subjects if c.tag_ == "PRP" or is_name(c)]
    name = resolver.entity(later[0]) if later else None
    if name:
        yield from _is(name, token, resolver)


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


def _described(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """As in "Austrian physicist Ernst Mach", "his wife Mary", "Pearl Jam frontman Eddie Vedder"."""
    span = None if resolver.is_title(token) else descriptor(token)
    name = resolver.entity(token) if span is not None else None
    if span is None or not name:
        return
    words = [
        t
        for t in token.doc[span.start : span.end]
        if t.dep_ != "poss" and t.tag_ not in ("POS", "PRP$", "DT")
    ]
    owners = (owner_of(t, resolver) for t in (token, *words))
    owner = next((owner for owner in owners if owner is not None), None)
    if owner is not None:
        owner_name, role = resolver.entity(owner), " ".join(t.text for t in words if t.i > owner.i)
        if owner_name and role:
            yield Relation(owner_name, role, name, token.i)
    elif words:
        yield Relation(name, "is", trimmed_text(token.doc, span.start, span.end), token.i)
        yield from _affiliated(name, words)


def _affiliated(name: str, words: list[Token]) -> Iterator[Relation]:
    """A name inside the role: "Slipknot frontman Corey Taylor"."""
    names = [t for t in words if is_name(t)]
    common = [t.text for t in words if t.tag_ in ("NN", "NNS")]
    if not names or not common or names[-1] == words[-1]:
        return
    last = names[-1]
    if last.ent_type_ not in ("NORP", "DATE", "LANGUAGE") and not is_demonym(last.text):
        start = max(extent(last).start, words[0].i)
        yield Relation(
            name,
            f"is {' '.join(common)} of",
            trimmed_text(last.doc, start, last.i + 1),
            words[-1].i,
        )


def _regions(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """Each place is located in the one named after it."""
    regions = nested(token)
    name = resolver.entity(token) if regions else None
    for region in regions:
        if name:
            yield Relation(name, "located in", phrase_text(region), token.i)
        name = phrase_text(region)


def _played(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """A cast: "Kim Darby as Mattie Ross"."""
    role = next((t for t in token.children if t.dep_ == "pobj" and is_name(t)), None)
    if role is None or not token.i:
        return
    actor = token.nbor(-1)
    if is_name(actor) and actor.ent_type_ == "PERSON":
        name = resolver.entity(actor)
        if name:
            yield Relation(name, "played", phrase_text(role), token.i)
