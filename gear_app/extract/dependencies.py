"""Walks over the dependency tree: what stands beside a noun, and what a verb says something about.

Through coordination, relative clauses and participles; places one inside the other are not a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.extract.noun_phrases import extent, phrase_text
from gear_app.extract.words import (
    BE,
    NAME_TAGS,
    PLACE,
    RELATIVE,
    WHERE_OR_WHEN,
    is_name,
    is_noun,
    is_verb,
)

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
    """The noun and those coordinated with it after it, without regions ("Paris, Texas")."""
    regions = nested(token)
    members = [token]
    for item in members:  # grows while it is gone through
        others = [c for c in item.rights if c not in regions and c not in members]
        members += [other for other in others if _joins(item, other)]
    return members


def _joins(item: Token, other: Token) -> bool:
    """Whether `other` continues a list; lists of people without "and" are parsed as appositions."""
    if other.dep_ == "conj":
        return is_noun(other) or other.tag_ == "PRP"
    if not item.ent_type_ == other.ent_type_ == "PERSON" or other.dep_ not in ("appos", "npadvmod"):
        return False
    described = any(child.tag_ == "DT" for child in other.lefts)
    return is_name(item) and is_name(other) and not described


def alternative(token: Token) -> bool:
    """Whether "or" follows: what comes after it is another name of the same thing."""
    return any(child.dep_ == "cc" and child.lower_ == "or" for child in token.rights)


def nested(token: Token) -> list[Token]:
    """The heads of the regions after a place: "Gwanda District, Zimbabwe"; none for a list."""
    doc = token.doc
    regions: list[Token] = []
    if not is_name(token) or (token.ent_type_ == "PERSON" and " " in phrase_text(token)):
        return []
    position = extent(token).end
    last = len(doc) - 1
    while position < last and doc[position].text == "," and _starts_place(doc, position + 1):
        end = position + 2
        while end < len(doc) and doc[end].tag_ in NAME_TAGS and doc[end - 1].tag_ in NAME_TAGS:
            end += 1
        regions.append(doc[end - 1])
        position = end
    following = doc[position : position + 2]
    if len(following) and following[0].text != ",":
        following = following[:1]
    listed = any(t.tag_ == "CC" for t in following)  # "and" comes next, or after a comma
    return regions if len(regions) <= MOST_REGIONS and not listed else []


def _starts_place(doc: Doc, position: int) -> bool:
    token = doc[position]
    return token.tag_ in NAME_TAGS and token.ent_type_ in PLACE and token.is_sent_start is not True


_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_LINKS = RELATIVE | {"both", "all", "each"}
_DEEPEST = 6  # steps from a verb to its subject
_OF_WORKS = frozenset(
    "starring featuring released distributed published produced written directed composed based"
    " recorded".split()
)


def subjects(verb: Token, depth: int = 0) -> list[Token]:
    """The tokens `verb` says something about, in the order of the text; [] where it has none."""
    if depth > _DEEPEST:
        return []
    own = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if own:
        return _own(verb, own, depth)
    if verb.dep_ == "acl" or (verb.dep_ == "relcl" and verb.tag_ == "VB"):
        participle = verb.tag_ in ("VBN", "VBG", "VB", "VBD")
        return antecedents(_described(verb), depth + 1) if participle else []
    if verb.dep_ in ("conj", "xcomp", "ccomp") and is_verb(verb.head):
        return subjects(verb.head, depth + 1)
    if verb.dep_ == "advcl" and verb.tag_ in ("VBN", "VBG", "VB") and is_verb(verb.head):
        return subjects(verb.head, depth + 1)
    if verb.dep_ == "pcomp" and is_verb(verb.head.head):
        return subjects(verb.head.head, depth + 1)
    return []


def _own(verb: Token, own: list[Token], depth: int) -> list[Token]:
    """A verb's grammatical subjects, a relative pronoun as what it stands for."""
    if verb.dep_ in ("relcl", "acl") and own[0].lower_ in _LINKS:
        noun = _person_before(verb.head) if own[0].lower_ == "who" else verb.head
        return antecedents(noun, depth + 1)
    if len(own) > 1 and (own[-1].tag_ == "PRP" or (is_name(own[-1]) and not is_name(own[0]))):
        own = own[-1:]  # "The son of a miner, he was ..."
    tokens: list[Token] = []
    for subject in own:
        tokens += [subject] if alternative(subject) else coordinated(subject)
    return tokens


def antecedents(noun: Token, depth: int = 0) -> list[Token]:
    """What a clause on a noun is about: the noun, or what that noun describes."""
    if is_verb(noun):  # another participle about the same thing
        return subjects(noun, depth + 1)
    head = noun
    while head.dep_ == "conj" and head.head.i < head.i:
        head = head.head
    descriptive = not is_name(noun) or any(c.tag_ == "DT" for c in noun.lefts)
    if depth > _DEEPEST or not descriptive:
        return [noun]
    if head.dep_ == "attr" and head.head.lower_ in BE:
        return subjects(head.head, depth + 1) or [noun]
    return [head.head] if head.dep_ == "appos" and is_name(head.head) else [noun]


def _person_before(noun: Token) -> Token:
    """What "who" is about: the person, not the place in "a butcher from Appleton who ..."."""
    person = noun
    while person.ent_type_ in WHERE_OR_WHEN | {"FAC"} and person.dep_ in ("pobj", "appos", "conj"):
        person = person.head.head if person.head.dep_ == "prep" else person.head
    return person


def _described(verb: Token) -> Token:
    """What a participle is about: no maker before "starring", no place before a comma."""
    noun = verb.head
    maker = noun.ent_type_ == "PERSON" and noun.head.dep_ == "agent" and is_verb(noun.head.head)
    if verb.lower_ in _OF_WORKS and maker:
        return noun.head.head
    if verb.i and verb.nbor(-1).text == "," and noun.ent_type_ in WHERE_OR_WHEN:
        while noun.dep_ == "prep" or (
            noun.dep_ in ("pobj", "conj", "appos") and noun.ent_type_ in WHERE_OR_WHEN
        ):
            noun = noun.head
    return noun
