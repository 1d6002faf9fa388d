"""Nouns that stand beside each other: coordination, places one inside the other, owners, objects of
prepositions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.extract.phrases import extent, wording
from gear_app.extract.words import NAME_TAGS, PLACE, is_name, is_noun

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_REGIONS = 3  # "Midland, Ontario, Canada, North America"; more are a list


def possessor(token: Token) -> Token | None:
    """Whose: the possessive before a noun."""
    return next((child for child in token.lefts if child.dep_ == "poss"), None)


def objects_of(preposition: Token) -> Iterator[Token]:
    """Every conjunct of a preposition's object."""
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield from coordinated(child)


def coordinated(token: Token) -> list[Token]:
    """The noun and those coordinated with it after it; regions after a comma ("Paris, Texas") are
    not.
    """
    regions = nested(token)
    found = [token]
    for item in found:
        found += [c for c in item.rights if c not in regions and c not in found and _joins(item, c)]
    return found


def _joins(item: Token, other: Token) -> bool:
    """Whether `other` continues a list; lists of people without "and" are parsed as appositions."""
    if other.dep_ == "conj":
        return is_noun(other) or other.tag_ == "PRP"
    people = item.ent_type_ == other.ent_type_ == "PERSON" and other.dep_ in ("appos", "npadvmod")
    return (
        people and is_name(item) and is_name(other) and not any(c.tag_ == "DT" for c in other.lefts)
    )


def alternative(token: Token) -> bool:
    """Whether "or" follows: what comes after it is another name of the same thing."""
    return any(child.dep_ == "cc" and child.lower_ == "or" for child in token.rights)


def nested(token: Token) -> list[Token]:
    """The heads of the regions that follow a place: Zimbabwe in "Gwanda District, Zimbabwe"; none
    for a list.
    """
    doc, found = token.doc, []
    if not is_name(token) or (token.ent_type_ == "PERSON" and " " in wording(token)):
        return []
    position = extent(token).end
    while (
        position + 1 < len(doc) and doc[position].text == "," and _starts_place(doc, position + 1)
    ):
        end = position + 2
        while end < len(doc) and doc[end].tag_ in NAME_TAGS and doc[end - 1].tag_ in NAME_TAGS:
            end += 1
        found.append(doc[end - 1])
        position = end
    listed = any(
        t.tag_ == "CC"
        for t in doc[position : position + 1 + (doc[position : position + 1].text == ",")]
    )
    return found if len(found) <= MOST_REGIONS and not listed else []


def _starts_place(doc: Doc, position: int) -> bool:
    token = doc[position]
    return token.tag_ in NAME_TAGS and token.ent_type_ in PLACE and token.is_sent_start is not True
