"""Noun phrases as names: what to keep of the words around a noun so that other passages say it alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gear_app.extract.words import HONORIFICS, NAME_TAGS, PLACE, PRONOUNS, is_name, is_noun, is_person_noun
from gear_app.types import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

WORDS = 8  # longer phrases are no names
_DROPPED_FIRST = frozenset({"DT", "PDT", "PRP$", "WP$", "CC", "IN", "TO", ",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "POS", "RB", "SYM"})
_DROPPED_LAST = frozenset({"DT", "IN", "TO", "CC", "POS", "PRP$"})
_LEFT = frozenset("compound amod nummod nmod poss case quantmod det punct npadvmod advmod cc conj preconj predet".split())
_BODIES = frozenset(
    "Society Institute Center Centre Association Council Committee Academy Agency Foundation Office Department Ministry Fund Award "
    "Prize Medal Commission Organization Organisation Museum School Party Union Board Campaign Campaign Movement Alliance".split()
)
_BLANK = re.compile(r"\s+")


def extent(token: Token) -> Span:
    """Token indices [start, end) of the phrase headed by `token`.

    Left modifiers stay, so do "of" and what belongs to the same named entity; relative clauses, appositions,
    coordinations and other prepositions go.
    """
    return _of_name(token) if is_name(token) else _of_noun(token)


def wording(token: Token) -> str:
    """The phrase headed by `token` as text, "" if it makes no name of at most eight words."""
    start, end = extent(token)
    text = cleaned(token.doc, start, end)
    if len(text.split()) > WORDS:
        text = cleaned(token.doc, start, token.i + 1)
    if len(text.split()) > WORDS:
        text = token.text
    return text


def cleaned(doc: Doc, start: int, end: int) -> str:
    """The text of tokens [start, end) without determiners and punctuation at its ends."""
    while start < end and (doc[start].tag_ in _DROPPED_FIRST and not is_name(doc[start])):
        start += 1
    while start < end and doc[end - 1].tag_ in _DROPPED_LAST and not is_name(doc[end - 1]):
        end -= 1
    text = _BLANK.sub(" ", doc[start:end].text).strip(" ,;:.\"'“”‘’`*-–—/&")
    if text.endswith(("'s", "’s")):
        text = text[:-2]
    if end > start and doc[end - 1].text.endswith(".") and "." in doc[end - 1].text[:-1]:
        text += "."  # U.S., D.C.
    return text


def descriptor(token: Token) -> Span | None:
    """The common words before a name, as in "Austrian physicist Ernst Mach", as token indices; None if there are none."""
    if not is_name(token):
        return None
    name = _of_name(token).start
    start = _left_edge(token)
    while start < name and token.doc[start].tag_ in _DROPPED_FIRST:
        start += 1
    while start < name and token.doc[name - 1].tag_ in _DROPPED_FIRST:
        name -= 1
    if start == name or (name - start == 1 and token.doc[start].text.lower() in HONORIFICS):
        return None
    return Span(start, name) if any(_is_role(t) for t in token.doc[start:name]) else None


def _is_role(token: Token) -> bool:
    return token.tag_ in ("NN", "NNS") or token.text.lower() in HONORIFICS or is_person_noun(token.text)


def possessor(token: Token) -> Token | None:
    """Whose: the possessive before a noun."""
    return next((child for child in token.lefts if child.dep_ == "poss"), None)


def objects_of(preposition: Token) -> Iterator[Token]:
    """Every conjunct of a preposition's object."""
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield from coordinated(child)


def coordinated(token: Token) -> list[Token]:
    """The noun and those coordinated with it after it; regions after a comma ("Paris, Texas") are not."""
    regions = {region.i for region in nested(token)}
    found = [token]
    for item in found:
        found += [c for c in item.rights if c.i not in regions and c not in found and _joins(item, c)]
    return found


def _joins(item: Token, other: Token) -> bool:
    """Whether `other` continues a list; lists of people without "and" are parsed as appositions."""
    if other.dep_ == "conj":
        return is_noun(other) or other.tag_ == "PRP"
    people = item.ent_type_ == "PERSON" == other.ent_type_ and other.dep_ in ("appos", "npadvmod")
    return people and is_name(item) and is_name(other) and not any(c.tag_ == "DT" for c in other.lefts)


def alternative(token: Token) -> bool:
    """Whether "or" follows: what comes after it is another name of the same thing."""
    return any(child.dep_ == "cc" and child.lower_ == "or" for child in token.rights)


def nested(token: Token) -> list[Token]:
    """The heads of the regions that follow a place: Zimbabwe in "Gwanda District, Zimbabwe"; [] for lists."""
    doc, found = token.doc, []
    position = extent(token).end
    if not is_name(token) or (token.ent_type_ == "PERSON" and " " in wording(token)):
        return []
    while position + 1 < len(doc) and doc[position].text == "," and _starts_place(doc, position + 1):
        end = position + 2
        while end < len(doc) and doc[end].tag_ in NAME_TAGS and doc[end - 1].tag_ in NAME_TAGS:
            end += 1
        found.append(doc[end - 1])
        position = end
    if position < len(doc) and (doc[position].tag_ == "CC" or (doc[position].text == "," and position + 1 < len(doc) and doc[position + 1].tag_ == "CC")):
        return []
    return found if len(found) <= 3 else []


def _starts_place(doc: Doc, position: int) -> bool:
    token = doc[position]
    return token.tag_ in NAME_TAGS and token.ent_type_ in PLACE and token.is_sent_start is not True


def _of_noun(token: Token) -> Span:
    end = token.i + 1
    for child in token.rights:
        if child.dep_ == "prep" and child.text.lower() == "of" and child.i == end:
            for inner in child.children:
                if inner.dep_ == "pobj":
                    end = max(end, extent(inner).end)
        elif child.i == end and (child.tag_ == "CD" or child.dep_ == "compound"):
            end = child.i + 1
        elif child.i == end and child.text == "," and token.ent_type_ == "DATE" and _number_after(child):
            end = child.i + 2
        elif child.i >= end and child.dep_ != "punct":
            break
    return Span(_left_edge(token), max(end, _entity_end(token)))


def _number_after(comma: Token) -> bool:
    return comma.i + 1 < len(comma.doc) and comma.nbor().tag_ == "CD" and comma.nbor().ent_type_ == "DATE"


def _entity_end(token: Token) -> int:
    """Where the named entity around a token ends, if all that follows depends on the token."""
    end = token.i + 1
    while end < len(token.doc) and token.ent_type_ and token.doc[end].ent_iob_ == "I" and token.is_ancestor(token.doc[end]):
        if token.doc[end].dep_ in ("relcl", "appos", "conj", "cc") or token.doc[end].text == ",":
            break
        end += 1
    return end


def _left_edge(token: Token) -> int:
    """The first token of the unbroken run of left modifiers."""
    start = token.i
    for child in reversed(list(token.lefts)):
        if child.dep_ not in _LEFT or child.right_edge.i != start - 1:
            break
        start = child.left_edge.i
    return start


def _of_name(token: Token) -> Span:
    doc, start = token.doc, token.i
    edge = _left_edge(token)
    while start > edge and _belongs(doc[start - 1], doc[start]):
        start -= 1
    while start < token.i and doc[start].tag_ in _DROPPED_FIRST and not is_name(doc[start]):
        start += 1
    start = _after_role(token, start)
    end = _entity_end(token)
    if token.ent_type_ == "DATE" or doc[end - 1].tag_ == "CD":
        end = _of_noun(token).end
    for child in token.rights:
        continues = child.text == "of" or (child.text in ("for", "on") and token.text in _BODIES)
        if child.dep_ == "prep" and continues and child.i in (end, token.i + 1) and not _is_person(token, start):
            inner = next((c for c in child.children if c.dep_ == "pobj"), None)
            if inner is not None and is_name(inner):
                end = max(end, extent(inner).end)
    return Span(start, end)


def _after_role(token: Token, start: int) -> int:
    """Skip capitalised roles before a name of two words or more: "Supreme Leader Kim Jong-il", "King Henry III"."""
    if token.ent_type_ in ("ORG", "FAC", "GPE", "LOC", "WORK_OF_ART") and not is_person_noun(token.doc[start].text):
        honoured = start
        while honoured < token.i and token.doc[honoured].text.lower().strip(".") in HONORIFICS:
            honoured += 1
        return honoured if honoured > start and " " in token.text else start
    for position in range(token.i - 1, start - 1, -1):
        word = token.doc[position].text.lower().strip(".")
        rest = token.doc[position + 1 : token.i + 1].text.split()
        if (word in HONORIFICS or is_person_noun(word)) and len(rest) >= 2:
            return position + 1
    return start


def _belongs(left: Token, right: Token) -> bool:
    """Whether a name goes on to its left."""
    if left.text.lower() in PRONOUNS or left.tag_ in ("POS", "WP", "WDT", ","):
        return left.tag_ == "POS" and right.ent_iob_ == "I" and left.ent_iob_ == "I"
    if is_name(left) or left.tag_ in ("HYPH", "CD") or left.text in ("&", "-", "–", "/", "de", "von", "van", "der", "la", "al", "bin", "ibn"):
        return True
    if left.tag_ in ("NN", "NNS", "DT"):
        return left.text[:1].isupper() and left.i > 0 and left.is_sent_start is not True
    return left.text[:1].isupper() or (left.ent_iob_ in "BI" and right.ent_iob_ == "I" and left.tag_ not in ("JJ", "RB", "VBN"))


def _is_person(token: Token, start: int) -> bool:
    return token.ent_type_ == "PERSON" and token.i - start >= 1
