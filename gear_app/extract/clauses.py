"""Dependency patterns around verbs: who did what to whom, by, in, for and with what.

A relation's predicate is made of the words between the two names. Where the grammatical subject is a common noun
that belongs to something named ("its population", "the screenplay", "Jackson's first film"), the owner becomes the
subject and the noun joins the predicate, because only names link passages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from gear_app.extract.phrases import alternative, cleaned, coordinated, extent, nested, objects_of, possessor, wording
from gear_app.extract.resolve import Resolver
from gear_app.extract.words import BE, RELATIVE, is_demonym, is_name, is_noun, is_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_OBJECTS = ("dobj", "attr", "oprd", "dative")
_PREPOSITIONS = ("prep", "agent", "dative")
_UNSAID = frozenset({"DT", "PRP$", "POS", ",", "CD", "RB", "HYPH", ":"})
MOST = 12  # pairs of one clause; beyond, each subject gets the first object and the first subject gets the others
_LINKS = RELATIVE | {"both", "all", "each"}
_FILLERS = frozenset("behalf front favor favour terms addition accordance response charge order course honor honour light".split())
_OF_WORKS = frozenset("starring featuring released distributed published produced written directed composed based recorded".split())
_PARTS = frozenset("music screenplay story script lyrics soundtrack cinematography score cast starcast plot song songs".split())
_DEEPEST = 2


class Found(NamedTuple):
    """A relation and the index of a token of its sentence."""

    subject: str
    predicate: str
    object: str
    at: int


class Holder(NamedTuple):
    """The subject of a clause: a name, and the words of the predicate that come from the noun it owns."""

    name: str
    noun: str = ""


class Target(NamedTuple):
    """The other side of a clause: the words that lead to it, and its name."""

    path: str
    name: str


def clauses(doc: Doc, resolver: Resolver) -> Iterator[Found]:
    """Relations of every verb of the passage, in the order of the text."""
    for verb in doc:
        if is_verb(verb) and verb.dep_ not in ("aux", "auxpass", "amod", "compound"):
            yield from _clause(verb, resolver)


def _clause(verb: Token, resolver: Resolver) -> Iterator[Found]:
    holders = list(dict.fromkeys(h for token in subjects(verb) for h in hold(token, resolver)))
    if not holders:
        return
    words = _verb_words(verb)
    targets = list(dict.fromkeys(_targets(verb, resolver)))
    for number, target in enumerate(targets):
        for holder in holders if number == 0 or len(holders) * len(targets) <= MOST else holders[:1]:
            yield Found(holder.name, _joined(holder.noun, words, target.path), target.name, verb.i)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def subjects(verb: Token, depth: int = 0) -> list[Token]:
    """The tokens a verb says something about, found through relative clauses, participles and coordination."""
    own = [c for c in verb.children if c.dep_ in _SUBJECTS and c.i != verb.i]
    if depth > 6:
        return []
    if own:
        if verb.dep_ in ("relcl", "acl") and own[0].lower_ in _LINKS:
            return antecedents(_person_before(verb.head) if own[0].lower_ == "who" else verb.head, depth + 1)
        if len(own) > 1 and (own[-1].tag_ == "PRP" or (is_name(own[-1]) and not is_name(own[0]))):
            own = own[-1:]  # "The son of a miner, he was ..."
        return [token for subject in own for token in ([subject] if alternative(subject) else coordinated(subject))]
    if verb.dep_ == "acl" or (verb.dep_ == "relcl" and verb.tag_ == "VB"):
        return antecedents(_described(verb), depth + 1) if verb.tag_ in ("VBN", "VBG", "VB", "VBD") else []
    if verb.dep_ in ("conj", "xcomp", "advcl", "ccomp") and is_verb(verb.head):
        return subjects(verb.head, depth + 1) if verb.dep_ != "advcl" or verb.tag_ in ("VBN", "VBG", "VB") else []
    if verb.dep_ == "pcomp" and is_verb(verb.head.head):
        return subjects(verb.head.head, depth + 1)
    return []


def _person_before(noun: Token) -> Token:
    """What "who" is about: not the place it follows but who is from there ("a butcher from Appleton who ...")."""
    person = noun
    while person.ent_type_ in ("GPE", "LOC", "DATE", "FAC") and person.dep_ in ("pobj", "appos", "conj", "prep"):
        person = person.head.head if person.head.dep_ == "prep" else person.head
    return person


def _described(verb: Token) -> Token:
    """The noun a participle is about: after a comma not the place or date before it ("a museum in Rome, designed by")."""
    noun = verb.head
    if verb.lower_ in _OF_WORKS and noun.ent_type_ == "PERSON" and noun.head.dep_ == "agent" and is_verb(noun.head.head):
        return noun.head.head
    if verb.i and verb.nbor(-1).text == "," and noun.ent_type_ in ("GPE", "LOC", "DATE"):
        while noun.dep_ in ("pobj", "conj", "appos", "prep") and (noun.ent_type_ in ("GPE", "LOC", "DATE") or noun.dep_ == "prep"):
            noun = noun.head
    return noun


def antecedents(noun: Token, depth: int = 0) -> list[Token]:
    """What a clause on a noun is about: for a predicate noun or an apposition, what that noun describes."""
    if is_verb(noun):  # another participle about the same thing
        return subjects(noun, depth + 1)
    head = noun
    while head.dep_ == "conj" and head.head.i < head.i:
        head = head.head
    described = not is_name(noun) or any(c.tag_ == "DT" for c in noun.lefts)
    if depth > 6 or not described:
        return [noun]
    if head.dep_ == "attr" and head.head.text.lower() in BE:
        return subjects(head.head, depth + 1) or [noun]
    if head.dep_ == "appos" and is_name(head.head):
        return [head.head]
    return [noun]


def hold(token: Token, resolver: Resolver) -> list[Holder]:
    """The named holders behind a subject."""
    if is_name(token) or not is_noun(token) or resolver.is_title(token):
        name = resolver.entity(token)
        return [Holder(name)] if name else []
    named = [c for c in token.rights if c.dep_ == "appos" and is_name(c) and c.i - token.i <= 6]
    if named:
        return [Holder(name) for c in named for name in [resolver.entity(c)] if name]
    owners = owned(token, resolver)
    if owners:
        return owners
    if resolver.introduces(token):
        return [Holder(resolver.title.name)]
    verb = _governor(token)
    if verb is not None:
        found = [Holder(h.name, noun_words(token)) for s in subjects(verb) for h in hold_named(s, resolver)]
        if found:
            return found
    if any(c.tag_ == "PRP$" for c in token.lefts):
        return []
    text = wording(token)
    return [Holder(text)] if text else []


def _governor(token: Token) -> Token | None:
    """The verb a common noun is the object of, through at most two prepositions."""
    for _ in range(6):
        if token.dep_ not in ("dobj", "pobj", "prep", "agent", "attr", "conj"):
            return None
        token = token.head
        if is_verb(token):
            return token
    return None


def hold_named(token: Token, resolver: Resolver) -> list[Holder]:
    """The holder itself, where it is a name, a pronoun or the title."""
    if is_name(token) or not is_noun(token) or resolver.is_title(token):
        name = resolver.entity(token)
        return [Holder(name)] if name else []
    return []


def owned(token: Token, resolver: Resolver) -> list[Holder]:
    """(owner, noun) of "X's noun", "the noun of X" and, in a text about the title, "the noun"."""
    owner = possessor(token)
    if owner is not None:
        if not (is_name(owner) or owner.tag_ == "PRP$" or resolver.is_title(owner)):
            inner = owned(owner, resolver) if possessor(owner) is not None else []
            return [Holder(h.name, _joined(h.noun, noun_words(token))) for h in inner[:1]]
        name = resolver.entity(owner)
        return [Holder(name, noun_words(token))] if name else []
    found = [Holder(name, noun) for name, noun in compounded(token)]
    for child in token.rights:
        if child.dep_ == "prep" and child.text.lower() == "of":
            for inner_token in objects_of(child):
                if is_name(inner_token) or resolver.is_title(inner_token):
                    name = resolver.entity(inner_token)
                    found += [Holder(name, noun_words(token))] if name else []
    if found:
        return found
    if token.lower_ in _PARTS and resolver.about and not resolver.subject.person and not resolver.is_title(token):
        return [Holder(resolver.title.name, noun_words(token))]
    determiner = next((c for c in token.lefts if c.tag_ == "DT"), None)
    definite = determiner is not None and determiner.text.lower() == "the"
    if definite and resolver.about and not any(c.dep_ in ("prep", "relcl", "acl") for c in token.rights):
        return [Holder(resolver.title.name, noun_words(token))]
    return []


def compounded(token: Token) -> list[tuple[str, str]]:
    """(name, noun) where a name stands before a common noun: "the Parramatta River catchment"."""
    if is_name(token):
        return []
    names = [c for c in token.lefts if c.dep_ in ("compound", "nmod", "poss") and is_name(c) and c.ent_type_ not in ("NORP", "DATE", "LANGUAGE")]
    if not names or names[-1].dep_ == "poss":
        return []
    last = names[-1]
    text = wording(last)
    if " " not in text and is_demonym(text):
        return []
    return [(text, token.doc[last.i + 1 : token.i + 1].text)] if text and not text.isupper() else []


def noun_words(token: Token) -> str:
    """A noun with its modifiers but without owner, article and "of": "first studio album"."""
    start, _ = extent(token)
    owner = possessor(token)
    if owner is not None:
        start = max(start, owner.right_edge.i + 1)
    start = max([start, token.i - 4, *(t.i + 1 for t in token.doc[start : token.i] if t.tag_ in _UNSAID)])
    return cleaned(token.doc, start, token.i + 1)


def _verb_words(verb: Token) -> str:
    """The verb as it reads in a predicate: "was born", "did not win", "refused to sign", "directed"."""
    passive = verb.tag_ == "VBN" and any(c.dep_ in ("auxpass", "nsubjpass") for c in verb.head.children if verb.dep_ == "conj") or any(
        c.dep_ in ("auxpass", "nsubjpass") for c in verb.children
    )
    before = [c.text.lower() for c in verb.lefts if c.dep_ == "neg" or c.tag_ == "MD"]
    after = [c.text.lower() for c in verb.rights if c.dep_ in ("prt", "neg")]
    be = _auxiliary(verb) if passive else ""
    words = _joined(*before, be, verb.text.lower(), *after)
    if verb.dep_ == "xcomp" and is_verb(verb.head) and any(c.tag_ == "TO" for c in verb.lefts):
        return _joined(_verb_words(verb.head), "to", words)
    return words


def _auxiliary(verb: Token) -> str:
    """The form of "be" of a passive: is, are, was, were; "be" after a modal, "was" where another form was used."""
    if any(c.tag_ == "MD" for c in verb.lefts):
        return "be"
    forms = [c.text.lower() for c in verb.lefts if c.dep_ == "auxpass"]
    return forms[0] if forms and forms[0] in ("is", "are", "were") else "was"


def _targets(verb: Token, resolver: Resolver) -> Iterator[Target]:
    """Everything a verb leads to: objects, predicate nouns, and what its prepositions name."""
    direct = ""
    for child in verb.children:
        if child.dep_ in _OBJECTS and is_noun(child):
            for item in coordinated(child):
                yield from _reached("", item, resolver, copula=verb.text.lower() in BE)
            if not direct and child.dep_ == "dobj":
                direct = noun_words(child) if not is_name(child) else wording(child)
        elif child.dep_ == "conj" and is_name(child):  # the end of a long list of objects
            name = resolver.entity(child)
            if name:
                yield Target("", name)
        elif child.dep_ == "dobj" and child.tag_ == "PRP":
            name = resolver.entity(child)
            if name:
                yield Target("", name)
        elif child.dep_ in ("npadvmod", "tmod") and child.ent_type_ == "DATE" and any(c.isdigit() for c in wording(child)):
            yield Target("", wording(child))
        elif child.dep_ in _PREPOSITIONS and child.tag_ in ("IN", "TO", "RP", "VBG"):
            yield from through(_joined(direct, child.text.lower()), child, resolver)
        elif child.dep_ == "acomp":
            for inner in child.children:
                if inner.dep_ == "prep":
                    yield from through(_joined(child.text.lower(), inner.text.lower()), inner, resolver)


def through(path: str, preposition: Token, resolver: Resolver, depth: int = 0) -> Iterator[Target]:
    """What a preposition names, and what prepositions on it name ("son of the mayor of Rome")."""
    for item in objects_of(preposition):
        yield from _reached(path, item, resolver, depth=depth)
    for child in preposition.children:
        if child.dep_ == "prep" and depth < _DEEPEST:
            start = path if child.i == preposition.i + 1 else path.rpartition(" ")[0]
            yield from through(_joined(start, child.text.lower()), child, resolver, depth + 1)


def _reached(path: str, token: Token, resolver: Resolver, *, copula: bool = False, depth: int = 0) -> Iterator[Target]:
    """A phrase as a target, the regions around it, and the names inside it."""
    if token.text.lower() == "one" and depth < _DEEPEST:
        for child in token.rights:
            if child.dep_ == "prep" and child.text == "of":
                for item in objects_of(child):
                    yield from _reached(path, item, resolver, copula=copula, depth=depth)
                return
    if is_name(token) or (not copula and resolver.is_title(token)) or not is_noun(token):
        name = resolver.entity(token)
        if name:
            yield Target(path, name)
        for region in nested(token):
            yield Target(path, wording(region))
        if is_name(token) and depth < _DEEPEST:
            yield from _inside(path, token, resolver, depth) if copula or path == "as" else _places_on(path, token, resolver)
        return
    named = [c for c in token.rights if c.dep_ == "appos" and is_name(c) and 0 < c.i - token.i <= 4]
    for child in (item for first in named for item in coordinated(first)):
        name = resolver.entity(child)
        if name:
            yield Target(_joined(path, noun_words(token)), name)
    inner = list(_inside(path, token, resolver, depth)) if depth < _DEEPEST else []
    text = wording(token)
    if text and not named and not (inner and (copula or text.islower() or token.lower_ in _FILLERS)) and depth == 0:
        yield Target(path, text)
    yield from inner


def _inside(path: str, token: Token, resolver: Resolver, depth: int) -> Iterator[Target]:
    """Names a common noun leads to: its owner and the objects of its prepositions."""
    owner = possessor(token)
    noun = noun_words(token)
    if owner is not None and (is_name(owner) or owner.tag_ == "PRP$"):
        name = resolver.entity(owner)
        if name:
            yield Target(_joined(path, noun, "of"), name)
    for name, rest in compounded(token):
        yield Target(_joined(path, rest, "of"), name)
    for child in token.rights:
        if child.dep_ == "prep":
            for target in through(_joined(path, noun, child.text.lower()), child, resolver, depth + 1):
                yield target


def _places_on(path: str, token: Token, resolver: Resolver) -> Iterator[Target]:
    """What prepositions on a name say of the whole: "tributary of the Limpopo in Zimbabwe", "named by X for Y"."""
    for child in token.rights:
        if child.dep_ == "prep" and child.i >= extent(token).end:
            whole = _joined(path.rpartition(" ")[0], child.text.lower())
            for item in objects_of(child):
                if is_name(item):
                    name = resolver.entity(item)
                    if name:
                        yield Target(whole, name)
                    for region in nested(item):
                        yield Target(whole, wording(region))
