"""What a verb says something about, found through relative clauses, participles and
coordination.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.extract.lists import alternative, coordinated
from gear_app.extract.words import BE, RELATIVE, WHERE_OR_WHEN, is_name, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Token

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
        return (
            antecedents(_described(verb), depth + 1)
            if verb.tag_ in ("VBN", "VBG", "VB", "VBD")
            else []
        )
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
        return antecedents(
            _person_before(verb.head) if own[0].lower_ == "who" else verb.head, depth + 1
        )
    if len(own) > 1 and (own[-1].tag_ == "PRP" or (is_name(own[-1]) and not is_name(own[0]))):
        own = own[-1:]  # "The son of a miner, he was ..."
    return [
        token
        for subject in own
        for token in ([subject] if alternative(subject) else coordinated(subject))
    ]


def antecedents(noun: Token, depth: int = 0) -> list[Token]:
    """What a clause on a noun is about: for a predicate noun or an apposition, what that noun
    describes.
    """
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
    """What "who" is about: not the place it follows but who is from there ("a butcher from Appleton
    who ...").
    """
    person = noun
    while person.ent_type_ in WHERE_OR_WHEN | {"FAC"} and person.dep_ in ("pobj", "appos", "conj"):
        person = person.head.head if person.head.dep_ == "prep" else person.head
    return person


def _described(verb: Token) -> Token:
    """What a participle is about: not who made the film before "starring", nor the place before a
    comma.
    """
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
