"""Walks over the dependency tree: the words of a noun phrase, what stands beside a noun, and what a
verb says something about.

Through coordination, relative clauses and participles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from gear_app.core.types import Span
from gear_app.language.relations import is_country
from gear_app.models.extractor.words import (
    BE,
    PLACE,
    PRONOUNS,
    RELATIVE,
    is_name,
    is_noun,
    is_verb,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def possessor(token: Token) -> Token | None:
    """Possessive before a noun."""
    return next((child for child in token.lefts if child.dep_ == "poss"), None)


def objects_of(preposition: Token) -> Iterator[Token]:
    """Every conjunct of a preposition's object; Macao too of "in Atwater, Ohio, and Macao"."""
    for child in preposition.children:
        if child.dep_ == "pobj":
            around = regions(child)
            items = {item: 0 for place in (child, *around) for item in coordinated(place)}
            yield from (item for item in items if item not in around)


def regions(place: Token) -> list[Token]:
    """The places that a place lies in: Ohio, then United States after "Atwater, Ohio, United
    States"; a place after "and" is another one, and so are those of a list ("Boston, Denver").
    """
    chain = [phrase_text(item) for item in coordinated(place)[:4]]
    ends = len(chain) in (2, 3) and is_country(chain[-1]) and not is_country(chain[0])
    places = [place] if place.ent_type_ in PLACE or (ends and is_name(place)) else []
    for item in places:  # grows while it is gone through
        apart = (item == place and not ends) or any(c.dep_ == "cc" for c in item.rights)
        places += [
            c
            for c in item.rights
            if c.ent_type_ in PLACE and c.dep_ in _BESIDE and not (apart and c.dep_ == "conj")
        ]
    return places[1:]


def coordinated(token: Token) -> list[Token]:
    """The noun and those coordinated with it after it."""
    members = [token]
    for item in members:  # grows while it is gone through
        members += [c for c in item.rights if c.dep_ == "conj" and (is_noun(c) or c.tag_ == "PRP")]
    return members


_BESIDE = ("appos", "npadvmod", "conj")
_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_LINKS = RELATIVE | {"both", "all", "each"}
_DEEPEST = 6  # steps from a verb to its subject


def subjects(verb: Token, depth: int = 0) -> list[Token]:
    """The tokens `verb` says something about, in the order of the text; [] where it has none."""
    if depth > _DEEPEST:
        return []
    grammatical = [child for child in verb.children if child.dep_ in _SUBJECTS]
    if grammatical:
        return _grammatical(verb, grammatical, depth)
    if verb.dep_ == "ROOT":  # "Musa, released as …, is a film"
        clauses = [child for child in verb.lefts if child.dep_ == "advcl"]
        before = [token for clause in clauses for token in clause.lefts]
        led = any(token.dep_ in ("mark", "advmod") for token in before)  # "If Ann wins, call Bo"
        return [] if led else [token for token in before if token.dep_ in _SUBJECTS]
    if verb.dep_ == "acl" or (verb.dep_ == "relcl" and verb.tag_ == "VB"):
        participle = verb.tag_ in ("VBN", "VBG", "VB", "VBD")
        agent = verb.head.head  # "by" in "a film made by Ann Lee, starring Jo Day"
        if agent.dep_ == "agent" and verb.nbor(-1).text == ",":
            return subjects(agent.head, depth + 1)
        return antecedents(verb.head, depth + 1) if participle else []
    head = verb.head.head if verb.head.dep_ == "acomp" else verb.head  # "was able to win"
    if verb.dep_ in ("conj", "xcomp", "ccomp") and is_verb(head):
        return subjects(head, depth + 1)
    if verb.dep_ == "advcl" and verb.tag_ in ("VBN", "VBG", "VB") and is_verb(verb.head):
        return subjects(verb.head, depth + 1)
    if verb.dep_ == "pcomp" and is_verb(verb.head.head):
        return subjects(verb.head.head, depth + 1)
    return []


def _grammatical(verb: Token, subjects: list[Token], depth: int) -> list[Token]:
    """A verb's grammatical subjects, a relative pronoun as what it stands for."""
    if verb.dep_ in ("relcl", "acl") and subjects[0].lower_ in _LINKS:
        return antecedents(verb.head, depth + 1)
    if len(subjects) > 1 and (
        subjects[-1].tag_ == "PRP" or (is_name(subjects[-1]) and not is_name(subjects[0]))
    ):
        subjects = subjects[-1:]  # "The son of a miner, he was ..."
    return [token for subject in subjects for token in coordinated(subject)]


def antecedents(noun: Token, depth: int = 0) -> list[Token]:
    """Subjects of a clause on a noun: the noun, or what that noun describes."""
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


# Noun phrases as names: the words around a noun that other passages would use too

WORDS = 8  # longer phrases are no names
_LONGEST_ENTITY = 25  # tokens after its head
DEEPEST = 3  # "of" inside "of"
_DROPPED_FIRST = frozenset(
    "DT PDT PRP$ WP$ CC IN TO , . : `` '' -LRB- -RRB- HYPH POS RB SYM".split()
)
_DROPPED_LAST = frozenset("DT IN TO CC POS PRP$".split())
_UNSAID = frozenset("DT PRP$ WP$ POS , CD RB :".split())
_LEFT = frozenset(
    (
        "compound amod nummod nmod poss case quantmod det punct npadvmod advmod cc conj preconj"
        " predet"
    ).split()
)
_OTHER_PHRASE = frozenset({"relcl", "appos", "conj", "cc"})
_PARTICLES = frozenset("& - – / de von van der la al bin ibn".split())
_BLANK = re.compile(r"[\s\"“”]+")
_EDGES = " ,;:.\"'“”‘’`*-–—/&"


def extent(token: Token, depth: int = 0) -> Span:
    """Token indices [start, end) of the phrase headed by `token`.

    Left modifiers stay, so do "of" and what belongs to the same named entity; relative clauses,
    appositions, coordinations and other prepositions go. Of "Austrian physicist Ernst Mach" only
    the name is kept.
    """
    memory, key = _memory(token), ("extent", token.i, depth)
    if key not in memory:
        memory[key] = _of_name(token, depth) if is_name(token) else _of_noun(token, depth)
    extent_: Span = memory[key]
    return extent_


def phrase_text(token: Token) -> str:
    """The phrase headed by `token`, shortened where it has more than eight words."""
    memory, key = _memory(token), ("phrase_text", token.i)
    if key not in memory:
        start, end = extent(token)
        texts = [
            trimmed_text(token.doc, start, end),
            trimmed_text(token.doc, start, token.i + 1),
            str(token.text),
        ]
        memory[key] = next((text for text in texts if len(text.split()) <= WORDS), texts[-1])
    text: str = memory[key]
    return text


def _memory(token: Token) -> dict[object, Any]:
    """Results for this document, by function and arguments."""
    return cast("dict[object, Any]", token.doc.user_data)


def trimmed_text(doc: Doc, start: int, end: int) -> str:
    """Tokens [start, end) as text, without determiners, prepositions and punctuation around."""
    while start < end and doc[start].tag_ in _DROPPED_FIRST and not is_name(doc[start]):
        start += 1
    while start < end and doc[end - 1].tag_ in _DROPPED_LAST and not is_name(doc[end - 1]):
        end -= 1
    text = _BLANK.sub(" ", doc[start:end].text).strip(_EDGES)
    if text.endswith(("'s", "’s")):
        text = text[:-2]
    abbreviated = end > start and doc[end - 1].text.endswith(".") and "." in doc[end - 1].text[:-1]
    return text + "." if abbreviated else text  # U.S., D.C.


def noun_words(token: Token) -> str:
    """A noun and its modifiers, without owner, article, number and "of": "first studio album"."""
    start, _ = extent(token)
    owner = [child.right_edge.i + 1 for child in token.lefts if child.dep_ == "poss"]
    unsaid = [t.i + 1 for t in token.doc[start : token.i] if t.tag_ in _UNSAID]
    return trimmed_text(token.doc, max([start, token.i - 4, *owner, *unsaid]), token.i + 1)


def _of_noun(token: Token, depth: int) -> Span:
    end = token.i + 1
    for child in token.rights:
        if child.dep_ == "prep" and child.lower_ == "of" and child.i == end and depth < DEEPEST:
            end = max(
                [
                    end,
                    *(
                        extent(inner, depth + 1).end
                        for inner in child.children
                        if inner.dep_ == "pobj"
                    ),
                ]
            )
        elif child.i == end and (child.tag_ == "CD" or child.dep_ == "compound"):
            end = child.i + 1
        elif child.i >= end and child.dep_ != "punct":
            break
    return Span(left_edge(token), max(end, _entity_end(token)))


def _entity_end(token: Token) -> int:
    """End of the named entity around a token, as far as what follows depends on the token."""
    end, doc = token.i + 1, token.doc
    while (
        end < len(doc)
        and token.ent_type_
        and doc[end].ent_iob_ == "I"
        and token.is_ancestor(doc[end])
        and end < token.i + _LONGEST_ENTITY
    ):
        if doc[end].dep_ in _OTHER_PHRASE or (doc[end].text == "," and token.ent_type_ != "DATE"):
            break
        end += 1
    return end


def left_edge(token: Token) -> int:
    """The first token of the unbroken run of left modifiers."""
    start = token.i
    for child in reversed(list(token.lefts)):
        if child.dep_ not in _LEFT or child.right_edge.i != start - 1:
            break
        start = child.left_edge.i
    return int(start)


def _of_name(token: Token, depth: int) -> Span:
    doc, start, edge = token.doc, token.i, left_edge(token)
    while start > edge and _belongs(doc[start - 1], doc[start]):
        start -= 1
    while start < token.i and doc[start].tag_ in _DROPPED_FIRST and not is_name(doc[start]):
        start += 1
    end = _entity_end(token)
    if token.ent_type_ == "DATE" or doc[end - 1].tag_ == "CD":
        end = _of_noun(token, depth).end
    elif end < len(doc) and doc[end].tag_ == "CD" and doc[end].head == token:
        end += 1  # Route 52
    return Span(start, end)


def _belongs(left: Token, right: Token) -> bool:
    """Whether a name goes on to its left."""
    if left.lower_ in PRONOUNS or left.tag_ in ("POS", "WP", "WDT", ","):
        return left.tag_ == "POS" and right.ent_iob_ == left.ent_iob_ == "I"
    if is_name(left) or left.tag_ in ("HYPH", "CD") or left.text in _PARTICLES:
        return True
    if left.tag_ in ("NN", "NNS", "DT"):
        return left.text[:1].isupper() and left.i > 0 and left.is_sent_start is not True
    inside = right.ent_iob_ == "I" and left.tag_ not in ("JJ", "RB", "VBN")
    return left.text[:1].isupper() or inside
