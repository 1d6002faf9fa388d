"""Names behind common nouns: "its population", "Jackson's first film", "the capital of France".

Where a subject is a common noun that belongs to something named, the owner becomes the subject of
the triple and the noun joins the predicate, because only names link passages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import (
    noun_words,
    objects_of,
    phrase_text,
    possessor,
    trimmed_text,
)
from gear_app.models.extractor.triple_filter import proper
from gear_app.models.extractor.words import (
    BE,
    PARTS,
    begins_sentence,
    is_demonym,
    is_name,
    is_noun,
    is_owning,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

_NEAR = 6  # tokens between a noun and its name in apposition
_NO_OWNERS = frozenset({"NORP", "DATE", "LANGUAGE"})


class Holder(NamedTuple):
    """The subject of a clause: a name, and the predicate's words from the noun that it owns."""

    name: str
    noun: str = ""


def join_words(*parts: str) -> str:
    """The parts that are not empty, with blanks between."""
    return " ".join(part for part in parts if part)


def holders(token: Token, resolver: Resolver) -> list[Holder]:
    """The names behind a subject, or else the noun itself; [] for an unresolved pronoun."""
    if _is_direct(token, resolver):
        return _direct(token, resolver)
    named = [c for c in token.rights if c.dep_ == "appos" and is_name(c) and c.i - token.i <= _NEAR]
    if named:
        return [holder for c in named for holder in _direct(c, resolver)]
    owners = named_owners(token, resolver)
    if not owners:
        owners = _definite(token, resolver)
    if owners or any(is_owning(c) for c in token.lefts):
        return owners
    text = phrase_text(token)
    if resolver.titled and not proper(text) and _is_predicate(token):
        return [Holder(resolver.title.name, noun_words(token))]
    return [Holder(text)] if text else []


def named_owners(token: Token, resolver: Resolver) -> list[Holder]:
    """(owner, noun) of "X's noun", "the noun of X" and "the X noun"."""
    owner = possessor(token)
    if owner is not None:
        return _possessed(owner, token, resolver)
    owners = [Holder(name, noun) for name, noun in compound_owners(token, resolver)]
    for child in token.rights:
        if child.dep_ == "prep" and child.lower_ == "of":
            holders = [t for t in objects_of(child) if is_name(t) or resolver.is_title(t)]
            names = [resolver.entity(t) for t in holders]
            owners += [Holder(name, noun_words(token)) for name in names if name]
    return owners


def owner_of(token: Token, resolver: Resolver) -> Token | None:
    """A possessor that is a name, a pronoun or the title; "women" in "women's studies" is none."""
    owner = possessor(token)
    if owner is None or not (is_name(owner) or is_owning(owner) or resolver.is_title(owner)):
        return None
    return owner


def compound_owners(token: Token, resolver: Resolver) -> list[tuple[str, str]]:
    """(name, noun) where a name stands before a common noun: "the Parramatta River catchment"."""
    if is_name(token):
        return []
    names = [c for c in token.lefts if c.dep_ in ("compound", "nmod", "poss") and is_name(c)]
    if not names or names[-1].dep_ == "poss" or names[-1].ent_type_ in _NO_OWNERS:
        return []
    if begins_sentence(names[-1]) and not resolver.is_title(names[-1]):
        return []  # "Head office" is an office, and nobody's
    text = phrase_text(names[-1])
    usable = text and not text.isupper() and (" " in text or not is_demonym(text))
    return [(text, trimmed_text(token.doc, names[-1].i + 1, token.i + 1))] if usable else []


def _is_predicate(token: Token) -> bool:
    """Whether a noun is of what something is: films in "is a series of films"."""
    while token.dep_ == "pobj" and token.head.lower_ == "of":
        token = token.head.head
    return token.dep_ == "attr" and token.head.lower_ in BE


def _is_direct(token: Token, resolver: Resolver) -> bool:
    """Whether a token is a name, a pronoun or the title, and not a common noun."""
    return is_name(token) or not is_noun(token) or resolver.is_title(token)


def _direct(token: Token, resolver: Resolver) -> list[Holder]:
    name = resolver.entity(token)
    return [Holder(name)] if name else []


def _possessed(owner: Token, token: Token, resolver: Resolver) -> list[Holder]:
    if is_name(owner) or is_owning(owner) or resolver.is_title(owner):
        name = resolver.entity(owner)
        return [Holder(name, noun_words(token))] if name else []
    return []


def _definite(token: Token, resolver: Resolver) -> list[Holder]:
    """The title as owner of "the noun", if nothing restricts it, and of a film's music."""
    if not resolver.titled:
        return []
    part = token.lower_ in PARTS and not resolver.person
    restricted = any(
        c.dep_ in ("prep", "relcl", "acl") and c.nbor(-1).text != "," for c in token.rights
    )
    definite = any(c.lower_ == "the" for c in token.lefts)
    return (
        [Holder(resolver.title.name, noun_words(token))]
        if part or (definite and not restricted)
        else []
    )
