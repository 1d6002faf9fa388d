"""Relations of verbs (who did what to whom, by, in, for and with what) and of noun phrases.

A relation's predicate is made of the words between the two names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gear_app.models.extractor.coreference import Resolver
from gear_app.models.extractor.dependencies import (
    coordinated,
    extent,
    left_edge,
    noun_words,
    objects_of,
    phrase_text,
    possessor,
    regions,
    subjects,
    trimmed_text,
)
from gear_app.models.extractor.owners import (
    compound_owners,
    holders,
    join_words,
    named_owners,
    owner_of,
)
from gear_app.models.extractor.triple_filter import Relation
from gear_app.models.extractor.words import (
    BE,
    STAR,
    begins_sentence,
    is_name,
    is_noun,
    is_owning,
    is_verb,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


# pairs of one clause; beyond, each subject gets the first object and the first subject gets the
# others
MOST = 12
_DEEPEST = 2  # prepositions followed inside a phrase, verbs before an infinitive
_NEAR = 4  # tokens between a noun and its name in apposition
_OBJECTS = ("dobj", "attr", "oprd", "dative")
_PREPOSITIONS = ("prep", "agent", "dative")
# verbs that say little without the adjective behind them: "stays shut", "became famous"
_LINKING = BE | frozenset(
    "become becomes became stay stays stayed remain remains remained keep keeps kept get gets got"
    " grow grows grew grown go goes went gone turn turns turned seem seems seemed look looks looked"
    " feel feels felt".split()
)
_FILLERS = frozenset(
    "behalf front favor favour terms addition accordance response charge order course honor honour"
    " light".split()
)

_SUBJECTS = ("nsubj", "nsubjpass")
_DENIABLE = (*_SUBJECTS, "advmod", "dobj", "attr")
_DENYING = frozenset(
    "rarely seldom neither nor nobody none no hardly scarcely almost nearly if whether unless"
    " perhaps maybe possibly probably allegedly reportedly supposedly apparently".split()
)
# the same of a clause inside: "denied that …", "it is not true that …", "without founding …"
_DOUBTING = _DENYING | frozenset(
    "not n't never without deny denies denied doubt doubts doubted dispute disputes disputed refute"
    " refutes refuted possible impossible likely unlikely doubtful unclear uncertain untrue false"
    "".split()
)


class Target(NamedTuple):
    """The other side of a clause: the words that lead to it, and its name."""

    path: str
    name: str


def verb_relations(doc: Doc, resolver: Resolver) -> Iterator[Relation]:
    """Relations of every verb of the passage, in the order of the text."""
    for verb in doc:
        if is_verb(verb) and verb.dep_ not in ("aux", "auxpass", "amod", "compound"):
            yield from () if _is_denied(verb) else _clause(verb, resolver)


def _is_denied(verb: Token) -> bool:
    """Whether a clause is denied or hedged in other words than "not", which its predicate keeps:
    neither … nor, nobody, no longer, almost, if, without; or asked, or inside of what is denied.
    """
    if verb.dep_ == "xcomp" and verb.head.dep_ == "acomp":  # "was able to win"
        return _is_denied(verb.head.head) or any(
            child.lower_ == "too" or child.lower_ in _DENYING for child in verb.head.children
        )
    near = [*verb.children]
    for child in verb.children:
        near += child.children if child.dep_ in _DENIABLE else ()
    around = [verb.head, *verb.head.children] if verb.dep_ in ("ccomp", "csubj", "pcomp") else []
    return (
        any(token.lower_ in _DENYING for token in near)
        or any(token.lower_ in _DOUBTING for token in around if token != verb)
        or _is_inverted(verb)
    )


def _is_doubted(token: Token) -> bool:
    """Whether a phrase, or a clause around it, is denied or hedged."""
    around = [token, *token.ancestors]
    beside = [child for other in around for child in other.children]
    return any(
        child.dep_ == "neg" or child.tag_ == "MD" or child.lower_ in _DOUBTING for child in beside
    ) or any(_is_inverted(other) for other in around if is_verb(other))


def _is_inverted(verb: Token) -> bool:
    """Whether an auxiliary opens the sentence or follows a question's word, before the subject:
    "Did Ann …", "When did Ann …", "Had Ann …".
    """
    subject = next((child.i for child in verb.lefts if child.dep_ in _SUBJECTS), 0)
    return any(
        child.dep_ in ("aux", "auxpass")
        and child.i < subject
        and (child.is_sent_start or child.nbor(-1).tag_ in ("WRB", "WP", "WDT"))
        for child in verb.lefts
    )


def _clause(verb: Token, resolver: Resolver) -> Iterator[Relation]:
    owners = list(dict.fromkeys(h for token in subjects(verb) for h in holders(token, resolver)))
    targets = list(dict.fromkeys(_targets(verb, resolver))) if owners else []
    words = _verb_words(verb)
    few = len(owners) * len(targets) <= MOST
    for number, target in enumerate(targets):
        for owner in owners if few or number == 0 else owners[:1]:
            predicate = join_words(owner.noun, words, target.path)
            yield Relation(owner.name, predicate, target.name, verb.i)


def _verb_words(verb: Token, depth: int = 0) -> str:
    """The verb as it reads in a predicate: "was born", "could not win", "refused to sign"."""
    before = [c.lower_ for c in verb.lefts if c.dep_ == "neg" or c.tag_ == "MD"]
    after = [c.lower_ for c in verb.rights if c.dep_ in ("prt", "neg")]
    forms = {
        "'s": "is",
        "'re": "are",
        "been": "be" if any(c.tag_ == "MD" for c in verb.lefts) else "was",
    }
    words = join_words(*before, _auxiliary(verb), forms.get(verb.lower_, verb.lower_), *after)
    infinitive = verb.dep_ == "xcomp" and any(c.tag_ == "TO" for c in verb.lefts)
    if infinitive and depth < _DEEPEST and is_verb(verb.head):
        return join_words(_verb_words(verb.head, depth + 1), "to", words)
    if infinitive and verb.head.dep_ == "acomp":
        return join_words(_verb_words(verb.head.head), verb.head.lower_, "to", words)
    return words


def _auxiliary(verb: Token) -> str:
    """A passive's "be": is, are, was, were; "be" after a modal, else "was"; "" of an active."""
    clause = [verb, verb.head] if verb.dep_ == "conj" and verb.tag_ == "VBN" else [verb]
    passive = [c for part in clause for c in part.children if c.dep_ in ("auxpass", "nsubjpass")]
    if any(c.tag_ == "MD" for c in verb.lefts):
        return "be" if passive else ""
    forms = (c.lower_ for c in passive if c.lower_ in ("is", "are", "were"))
    return next(forms, "was") if passive else ""


def _targets(verb: Token, resolver: Resolver) -> Iterator[Target]:
    """Everything a verb leads to: objects, predicate nouns, and what its prepositions name."""
    copula, direct = verb.lower_ in BE, ""
    state = next((c for c in verb.children if c.dep_ == "acomp" and verb.lower_ in _LINKING), None)
    for child in verb.children:
        if child.dep_ in _OBJECTS and is_noun(child):
            for item in coordinated(child):
                yield from _reached("", item, resolver, copula=copula)
            if child.dep_ == "dobj":
                direct = direct or (phrase_text(child) if is_name(child) else noun_words(child))
        elif (child.dep_ == "conj" and is_name(child)) or (
            child.dep_ == "dobj" and child.tag_ == "PRP"
        ):
            yield from _named("", child, resolver)  # the end of a long list; a pronoun
        elif child.dep_ in ("npadvmod", "tmod") and child.ent_type_ == "DATE":
            date = phrase_text(child)
            if any(character.isdigit() for character in date):
                yield Target("", date)
        elif child.dep_ in _PREPOSITIONS and child.tag_ in ("IN", "TO", "RP", "VBG"):
            if any(inner.dep_ == "neg" for inner in child.children):
                continue
            # "stays shut in April" is not "stays in April"
            before = state.lower_ if state is not None and state.i < child.i else ""
            yield from through(join_words(direct or before, child.lower_), child, resolver)
        elif child.dep_ == "acomp":
            for inner in child.children:
                if inner.dep_ == "prep":
                    yield from through(join_words(child.lower_, inner.lower_), inner, resolver)


def through(path: str, preposition: Token, resolver: Resolver, depth: int = 0) -> Iterator[Target]:
    """What a preposition names, and what prepositions on it name ("son of the mayor of Rome")."""
    for item in objects_of(preposition):
        yield from _reached(path, item, resolver, depth=depth)
        within, places = path, [item, *regions(item)]
        for place, region in pairwise(places):  # "was born in Macao | China" of "in Macao, China"
            within = join_words(within, phrase_text(place))
            yield from _named(within, region, resolver)
    for child in preposition.children:
        if child.dep_ == "prep" and depth < _DEEPEST:
            start = path if child.i == preposition.i + 1 else path.rpartition(" ")[0]
            yield from through(join_words(start, child.lower_), child, resolver, depth + 1)


def _named(path: str, token: Token, resolver: Resolver) -> Iterator[Target]:
    name = resolver.entity(token)
    if name:
        yield Target(path, name)


def _reached(
    path: str, token: Token, resolver: Resolver, *, copula: bool = False, depth: int = 0
) -> Iterator[Target]:
    """A phrase as a target, and the names inside it."""
    if is_name(token):
        yield from _named(path, token, resolver)
        if depth < _DEEPEST and (copula or path == "as"):
            yield from _inside(path, token, resolver, depth)
    elif not is_noun(token) or (not copula and resolver.is_title(token)):
        yield from _named(path, token, resolver)
    else:
        yield from _described(path, token, resolver, copula=copula, depth=depth)


def _described(
    path: str, token: Token, resolver: Resolver, *, copula: bool, depth: int
) -> Iterator[Target]:
    """A common noun: the name beside it, else the phrase; and the names inside it."""
    names = [child for child in token.rights if child.dep_ == "appos" and is_name(child)]
    near_names = [name for name in names if name.i - token.i <= _NEAR]
    for first in near_names:
        for item in coordinated(first):
            yield from _named(join_words(path, noun_words(token)), item, resolver)
    inner = list(_inside(path, token, resolver, depth)) if depth < _DEEPEST else []
    text = phrase_text(token)
    covered = near_names or (inner and (copula or text.islower() or token.lower_ in _FILLERS))
    if text and not covered and depth == 0:
        yield Target(path, text)
    yield from inner


def _inside(path: str, token: Token, resolver: Resolver, depth: int) -> Iterator[Target]:
    """Names a noun leads to: its owner, a name before it, and the objects of its prepositions."""
    noun = noun_words(token)
    owner = owner_of(token, resolver)
    if owner is not None and not is_name(token):
        yield from _named(join_words(path, noun, "of"), owner, resolver)
    yield from (
        Target(join_words(path, rest, "of"), name)
        for name, rest in compound_owners(token, resolver)
    )
    for child in token.rights:
        if child.dep_ == "prep":
            yield from through(join_words(path, noun, child.lower_), child, resolver, depth + 1)


MENTIONS = "mentions"
_WALKS = 2  # through the relations of a text


def noun_relations(doc: Doc, resolver: Resolver) -> Iterator[Relation]:
    """Relations that noun phrases express, in the order of the text."""
    for token in doc:
        for pair in pairwise((token, *regions(token))):
            if is_name(token) and not _is_doubted(token):
                place, region = (resolver.entity(side) or "" for side in pair)
                yield Relation(place, "located in", region, token.i)
        if token.lower_ == "as" and token.i and any(t.lower_ in STAR for t in token.ancestors):
            yield from () if _is_doubted(token) else _cast(token, resolver)
        if token.dep_ == "appos" and is_noun(token):
            yield from _apposition(token, resolver)
        yield from _title_before(token, resolver) if is_name(token) else ()


def title_mentions(
    doc: Doc, resolver: Resolver, subject: str, relations: Sequence[Relation]
) -> Iterator[Relation]:
    """The names that relations do not join to the subject of a text, as facts of it."""
    joined = {relation.object for relation in relations if relation.subject == subject}
    for relation in [*relations] * _WALKS if resolver.titled else []:
        if not joined.isdisjoint((relation.subject, relation.object)):
            joined |= {relation.subject, relation.object}
    for token in doc:
        is_part = token.dep_ in ("compound", "nmod") and is_name(token.head)
        name = resolver.entity(token) or "" if is_name(token) and not is_part else ""
        if not (begins_sentence(token) or any(name in other for other in joined)):
            yield Relation(subject, MENTIONS, name, token.i)


def _apposition(token: Token, resolver: Resolver) -> Iterator[Relation]:
    """As in "her husband, Pierre Curie" and "Pierre Curie, a French physicist"."""
    if not any(is_verb(other) for other in token.sent):
        return  # a fragment: what a comma parts there are entries of a list
    head = (
        whole  # Mary in "Mary of Teck, the queen of George V"
        if token.head.dep_ == "pobj"
        and token.head.head.text == "of"
        and is_name(whole := token.head.head.head)
        else token.head
    )
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


def _title_before(name: Token, resolver: Resolver) -> Iterator[Relation]:
    """What common nouns before a name say it is: "the news reporter Robin Day"."""
    start, entity = extent(name).start, resolver.entity(name)
    if (
        entity
        and possessor(name) is None
        and any(child.i == start - 1 and child.tag_ in ("NN", "NNS") for child in name.lefts)
    ):
        yield Relation(entity, "is", trimmed_text(name.doc, left_edge(name), start), name.i)


def _cast(preposition: Token, resolver: Resolver) -> Iterator[Relation]:
    """A part in a play: "Christopher Walken as Captain Hook"."""
    before = preposition.nbor(-1)
    actor = resolver.entity(before) if before.ent_type_ == "PERSON" else ""
    parts = [child for child in preposition.rights if is_name(child)]
    yield from (Relation(actor, "played", phrase_text(part), part.i) for part in parts if actor)


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
