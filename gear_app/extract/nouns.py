"""Dependency patterns around nouns: appositions, roles before names, owners, nested regions, brackets, casts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.extract.clauses import Found, noun_words, owned, subjects, through
from gear_app.extract.lead import life, made_by, named, names_in
from gear_app.extract.phrases import cleaned, descriptor, extent, nested, objects_of, possessor, wording
from gear_app.extract.prepare import Aside
from gear_app.extract.resolve import Resolver
from gear_app.extract.words import HONORIFICS, KIN, PLACE, folded, is_demonym, is_name, is_noun, is_person_noun, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


_SEATED = frozenset("Museum University College Zoo Port Archdiocese Diocese Cathedral Battle Siege Treaty".split())


def nouns(doc: Doc, resolver: Resolver) -> Iterator[Found]:
    """Relations said by noun phrases, in the order of the text."""
    for token in doc:
        if token.dep_ == "appos" and is_noun(token):
            yield from _apposition(token, resolver)
        if is_name(token) and token.dep_ != "compound":
            yield from _described(token, resolver)
            yield from _regions(token, resolver)
            yield from _placed(token, resolver)
            yield from _owned(token, resolver)
        if token.dep_ in ("nsubj", "nsubjpass") and not is_name(token):
            yield from _fronted(token, resolver)
        if token.text == "as":
            yield from _played(token, resolver)


def _apposition(token: Token, resolver: Resolver) -> Iterator[Found]:
    """"her husband, Pierre Curie"; "Pierre Curie, a French physicist"; "Mary, daughter of John"."""
    head = _kin_of(token) or _whole(token.head)
    if is_name(token) and not is_name(head):
        name = resolver.entity(token)
        for holder in owned(head, resolver):
            if name:
                yield Found(holder.name, holder.noun, name, token.i)
    elif (is_name(head) or head.tag_ == "PRP") and not is_name(token) and token.ent_type_ not in ("DATE", "CARDINAL", "TIME"):
        name = resolver.entity(head)
        if name:
            yield from _is(name, token, resolver)


def _whole(head: Token) -> Token:
    """The name an apposition is about: Elisabeth in "Elisabeth of Bavaria, wife of Albert"."""
    if head.dep_ == "pobj" and head.head.text == "of" and is_name(head.head.head) and extent(head.head.head).end > head.i:
        return head.head.head
    return head


def _kin_of(token: Token) -> Token | None:
    """Of an apposition on a place or date ("born in Rome, the son of John") the subject of the clause."""
    head = token.head
    if head.ent_type_ not in ("GPE", "LOC", "DATE") or not is_person_noun(token.text) and token.text.lower() not in KIN:
        return None
    while head.dep_ in ("pobj", "prep", "appos", "conj", "npadvmod") and not is_verb(head):
        head = head.head
        if is_name(head) and head.ent_type_ not in ("GPE", "LOC", "DATE"):
            return head
    return next(iter(subjects(head)), None) if is_verb(head) else None


def _fronted(token: Token, resolver: Resolver) -> Iterator[Found]:
    """"The eldest son of Count Ramon, he was ..."."""
    later = [c for c in token.head.children if c.dep_ in ("nsubj", "nsubjpass") and c.i > token.i and (c.tag_ == "PRP" or is_name(c))]
    name = resolver.entity(later[0]) if later else None
    if name:
        yield from _is(name, token, resolver)


def _is(name: str, noun: Token, resolver: Resolver) -> Iterator[Found]:
    """What a common noun says of a name: the phrase itself, its owner, and what its prepositions name."""
    owner = _owner(noun, resolver)
    if owner is not None:
        whose = resolver.entity(owner)
        if whose:
            yield Found(whose, noun_words(noun), name, noun.i)
        return
    inner = [
        Found(name, f"is {target.path}", target.name, noun.i)
        for child in noun.rights
        if child.dep_ == "prep"
        for target in through(f"{noun_words(noun)} {child.text.lower()}", child, resolver, 1)
    ]
    if not inner or len(wording(noun).split()) > 1:
        yield Found(name, "is", wording(noun), noun.i)
    yield from inner


def _described(token: Token, resolver: Resolver) -> Iterator[Found]:
    """"Austrian physicist Ernst Mach", "his wife Mary", "Pearl Jam frontman Eddie Vedder"."""
    span = descriptor(token)
    name = resolver.entity(token) if span is not None else None
    if span is None or not name:
        return
    words = [t for t in token.doc[span.start : span.end] if t.dep_ != "poss" and t.tag_ not in ("POS", "PRP$", "DT")]
    owner = _owner(token, resolver) or next((p for t in words for p in [_owner(t, resolver)] if p is not None), None)
    role = " ".join(t.text for t in words if owner is None or t.i > owner.i)
    if owner is not None:
        whose = resolver.entity(owner)
        if whose and role:
            yield Found(whose, role, name, token.i)
    elif role:
        yield Found(name, "is", cleaned(token.doc, span.start, span.end), token.i)
        yield from _affiliated(name, words)


def _owner(token: Token, resolver: Resolver) -> Token | None:
    """A possessor that is a name, a pronoun or the title; "women's" in "women's studies" is none."""
    owner = possessor(token)
    return owner if owner is not None and (is_name(owner) or owner.tag_ == "PRP$" or resolver.is_title(owner)) else None


def _affiliated(name: str, words: list[Token]) -> Iterator[Found]:
    """A name inside the role: "Slipknot frontman Corey Taylor"."""
    names = [t for t in words if is_name(t)]
    common = [t.text for t in words if t.tag_ in ("NN", "NNS")]
    demonym = bool(names) and (names[-1].ent_type_ in ("NORP", "DATE", "LANGUAGE") or is_demonym(names[-1].text))
    if names and common and names[-1].i < words[-1].i and not demonym:
        start = extent(names[-1]).start
        yield Found(name, f"is {' '.join(common)} of", cleaned(names[-1].doc, max(start, words[0].i), names[-1].i + 1), words[-1].i)


def _regions(token: Token, resolver: Resolver) -> Iterator[Found]:
    """Each place is located in the one named after it."""
    regions = nested(token)
    name = resolver.entity(token) if regions else None
    for region in regions:
        if name:
            yield Found(name, "located in", wording(region), token.i)
        name = wording(region)


def _owned(token: Token, resolver: Resolver) -> Iterator[Found]:
    """"Avicenna's The Canon of Medicine": a work and its maker."""
    owner = _owner(token, resolver)
    if owner is None or (owner.tag_ == "PRP$" and " " not in token.text) or descriptor(token) is not None or token.ent_type_ == "PERSON" or owner.ent_type_ == "DATE":
        return
    name, whose = resolver.entity(token), resolver.entity(owner)
    if name and whose and folded(whose) not in (folded(name)[: len(folded(whose))],):
        yield Found(name, "of", whose, token.i)


def _placed(token: Token, resolver: Resolver) -> Iterator[Found]:
    """Places and origins on a name: "the Atbarah River in northeast Africa", "Henry Baring of Cromer Hall"."""
    for child in token.rights:
        word = child.text.lower()
        if child.dep_ != "prep" or word not in ("in", "at", "near", "of", "from", "on") or token.text.lower() in HONORIFICS | KIN:
            continue
        name = resolver.entity(token)
        for item in objects_of(child):
            kind = item.ent_type_ in PLACE or token.text in _SEATED if word == "of" else item.ent_type_ != "DATE"
            if name and is_name(item) and kind and token.ent_type_ != "GPE" and (token.ent_type_ != "PERSON" or item.i >= extent(token).end):
                yield Found(name, word, resolver.entity(item) or "", token.i)


def _played(token: Token, resolver: Resolver) -> Iterator[Found]:
    """"Kim Darby as Mattie Ross": a cast."""
    doc = token.doc
    if not 0 < token.i < len(doc) - 1 or not is_name(doc[token.i - 1]):
        return
    actor = doc[token.i - 1]
    role = next((t for t in token.children if t.dep_ == "pobj"), None)
    if role is None or not is_name(role) or actor.ent_type_ != "PERSON":
        return
    name, part = resolver.entity(actor), wording(role)
    if name and part:
        yield Found(name, "played", part, token.i)


def bracketed(doc: Doc, asides: tuple[Aside, ...], resolver: Resolver) -> Iterator[Found]:
    """What stood in brackets after a name: dates of life, an abbreviation, an actor."""
    for aside in asides:
        token = next((t for t in doc if t.idx < aside.at <= t.idx + len(t.text) + 1), None)
        name = _before(token, resolver) if token is not None else None
        if token is None or not name:
            continue
        living = resolver.subject.person if name == resolver.title.name else token.ent_type_ in ("PERSON", "")
        for fact in [*(life(aside.text) if living else names_in(aside.text)), *made_by(aside.text)]:
            yield Found(name, fact.predicate, fact.object, token.i)
        for other in named(aside.text):
            if len(other.split()) > 1:
                yield Found(name, "played by" if resolver.screened else "of", other, token.i)


def _before(token: Token, resolver: Resolver) -> str | None:
    """The name brackets stand after: the title if they stand in its first mention, else the name that ends there."""
    if resolver.opens_with_title(token):
        return resolver.title.name
    entity = [span for span in token.doc.ents if span.start <= token.i < span.end]
    head = entity[0].root if entity else token
    while not is_name(head) and head.dep_ in ("nummod", "compound") and head.head.i <= token.i + 1:
        head = head.head
    return resolver.entity(head) if is_name(head) or resolver.is_title(head) else None
