"""Reading without grammar, where no triple is surely a bridge: two facts of two passages that name
the same, and what may stand for a part of the question.

The first is `chain`'s link (steps/chain.py) among the passages at hand: the question cut in two, a
sentence for either part, and a mention that few of the passages hold. The second guesses: a name in
a sentence that tells one part of the question may be what that part means; the other part, with the
name in its place, is a query. A guess is asked, and is remembered only if a link comes of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.config import ChainConfig
from gear_app.language.answer_types import is_value
from gear_app.language.links import cuts, idf, is_name, link_weights, of_document
from gear_app.language.mentions import TITLE, is_compound, mentions, read, sentence_text, shown
from gear_app.language.verbs import root, roots
from gear_app.language.words import FUNCTION_WORDS, words
from gear_app.reader.gist_memory import BY_LINK
from gear_app.reader.next_bridge import UNSURE, PassageTriples, Selection
from gear_app.seams import Embedder, query_vectors
from gear_app.text import cut, normalise_entity
from gear_app.types import Passage, ProximalTriple, ScoreSum, ScoreTerm, Span, Triple

MAY_BE = "may be"  # the predicate of a guess: a part of the question, and what it may mean
GUESSES = 3
_CHAIN = ChainConfig()  # whose weights a link has: a change of these changes the local reader, too
_WEIGHTS = {
    "parts": _CHAIN.parts_weight,
    "link": _CHAIN.link_weight,
    "start": _CHAIN.start_weight,
    "cover": _CHAIN.cover_weight,
}
_EVEN, _SLOPE = 11.0, 1.0  # the sum at which a link is remembered
_WORDS = 300  # characters of a sentence that a fact is made of
_MOST_HOLDERS = 4  # of the passages at hand, usually ten
# of a guess, near those of a conditional logit model on first hops of everyday questions
_GUESS = {
    "covered": 4.0,
    "rare": 0.5,
    "named": 1.5,
    "early": 1.5,
    "new": 3.0,
    "whole": 4.5,
    "short": 4.5,
}
_GUESS_EVEN, _GUESS_SLOPE = 16.0, 1.0
_SHORT = 3  # content words of a short name


class _Sentence(NamedTuple):
    """A sentence of a passage, by the passage's place, and what it and the title name."""

    place: int
    span: Span
    own: frozenset[str]
    with_title: frozenset[str]


class _Link(NamedTuple):
    """Two sentences, the first of which leads to the second by the mention; the terms in order."""

    mention: str
    here: _Sentence
    there: _Sentence
    terms: tuple[float, float, float, float]
    total: float


def linked_facts(given: PassageTriples, question: str, embedder: Embedder) -> tuple[Selection, ...]:
    """A fact from either side of the best link between two of the passages, in the words of its
    sentence: none is stored that says it. Nothing where no link is sure enough.
    """
    best = max(
        _links(given.passages, question, embedder), key=lambda link: link.total, default=None
    )
    if best is None or best.total < _EVEN:
        return ()
    terms = tuple(
        ScoreTerm(name, round(value, 6), weight)
        for value, (name, weight) in zip(best.terms, _WEIGHTS.items(), strict=True)
    )
    sum_ = ScoreSum(terms, _EVEN, _SLOPE)
    score = round(1 / (1 + float(np.exp((_EVEN - best.total) / _SLOPE))), 6)
    facts = []
    for sentence, other in ((best.here, best.there), (best.there, best.here)):
        why = (
            f"“{shown(best.mention)}” {BY_LINK} “{given.passages[other.place].name}”, and the two"
            " sentences together tell the question's two parts."
        )
        passage = given.passages[sentence.place]
        words = cut(" ".join(passage.text[slice(*sentence.span)].split()), _WORDS)
        named = shown(best.mention)
        fact = ProximalTriple(passage.name, words, named, score=score, why=why)
        facts.append(Selection(fact, sum_))
    return tuple(facts)


def guesses(given: PassageTriples, question: str, embedder: Embedder) -> tuple[Selection, ...]:
    """What parts of the question may mean, best first, every name once: as sure as a query has to
    be that costs nothing but itself.
    """
    halves = [half for pair in cuts(question) for half in (pair, pair[::-1])]
    if halves[0][0] == halves[0][1]:
        return ()
    best: dict[str, Selection] = {}
    for guess in sorted(_guesses(given, question, halves, embedder), key=_by_score):
        if (guess.triple.score or 0.0) < UNSURE:
            break
        best.setdefault(normalise_entity(guess.triple.object), guess)
    return tuple(best.values())[:GUESSES]


def _by_score(guess: Selection) -> tuple[float, int]:
    return -(guess.triple.score or 0.0), guess.triple.triple_id or 0


def _links(passages: Sequence[Passage], question: str, embedder: Embedder) -> Iterator[_Link]:
    """Every link between two of the passages by a mention that the question has not."""
    asked = list(dict.fromkeys(name for name, _, _ in mentions(question)))
    sentences, common = _sentences(passages)
    holders: dict[str, set[int]] = defaultdict(set)
    holding: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, sentence in enumerate(sentences):
        for name in sentence.with_title:
            holders[name].add(sentence.place)
        for name in sentence.own:
            holding[sentence.place, name].append(number)
    all_of = defaultdict(list)
    for number, sentence in enumerate(sentences):
        all_of[sentence.place].append(number)
    share = _shares(asked, holders, len(passages))
    near = _nearness(passages, sentences, question, embedder)
    # the letters of an id ("INC-2079") say nothing that the id does not
    prefixes = {name[1:].rstrip("0123456789") for name in holders if name.startswith("#")}
    for name in sorted(holders.keys() - set(asked) - prefixes):
        held = sorted(holders[name])
        if not 2 <= len(held) <= _MOST_HOLDERS:
            continue
        named = np.array([is_name(name, name in common)], np.bool_)
        weight = float(link_weights(np.array([len(held)]), named)[0])
        for one, other in permutations(held, 2):
            if name in of_document(passages[one], passages[other]):
                continue
            ends = (holding.get((place, name)) or all_of[place] for place in (one, other))
            for here, there in product(*ends):
                yield _link(
                    name, sentences[here], sentences[there], share, weight, near[here, there]
                )


def _link(
    name: str,
    here: _Sentence,
    there: _Sentence,
    share: Mapping[str, float],
    weight: float,
    near: float,
) -> _Link:
    start = sum(share[one] for one in share if one in here.with_title)
    cover = sum(share[one] for one in share if one in there.with_title - here.with_title)
    terms = (float(near), weight, start, cover)
    total = sum(one * by for one, by in zip(terms, _WEIGHTS.values(), strict=True))
    return _Link(name, here, there, terms, round(total, 6))


def _sentences(passages: Sequence[Passage]) -> tuple[list[_Sentence], frozenset[str]]:
    """All sentences, and the mentions that are written in lower case somewhere."""
    found: list[_Sentence] = []
    common: set[str] = set()
    for place, passage in enumerate(passages):
        names: dict[int, set[str]] = defaultdict(set)
        known = read(passage.title, passage.text)
        for mention in known.mentions:
            names[mention.sentence].add(mention.name)
            common |= {mention.name} if mention.lower else set()
        for number, span in enumerate(known.sentences, start=1):
            own = frozenset(names[number])
            found.append(_Sentence(place, span, own, own | names[TITLE]))
    return found, frozenset(common)


def _shares(asked: Sequence[str], holders: Mapping[str, set[int]], size: int) -> dict[str, float]:
    """Each asked name's part of the question, by inverse document frequency among the passages."""
    counted = [name for name in asked if not is_compound(name) or holders.get(name)]
    found = idf(np.array([len(holders.get(name, ())) for name in counted], np.int64), size)
    values = np.maximum(found, 0.0)
    total = float(values.sum()) + 1e-9
    return {name: float(value) / total for name, value in zip(counted, values, strict=True)}


def _nearness(
    passages: Sequence[Passage], sentences: Sequence[_Sentence], question: str, embedder: Embedder
) -> NDArray[np.float64]:
    """(S, S) the mean of both cosines, by the best cut of the question: one part with the first
    sentence, the other with the second.
    """
    texts = [_text(passages[sentence.place], sentence.span) for sentence in sentences]
    parts = query_vectors(embedder, [part for pair in cuts(question) for part in pair])
    near = (embedder.embed(texts) @ parts.T).astype(np.float64)
    left, right = near[:, 0::2], near[:, 1::2]
    best = np.full((len(texts), len(texts)), -1.0)
    for one, other in zip(left.T, right.T, strict=True):
        both = np.maximum(np.add.outer(one, other), np.add.outer(other, one)) / 2
        best = np.maximum(best, both)
    return best


def _text(passage: Passage, span: Span) -> str:
    return sentence_text(passage.title, passage.text[span.start : span.end])


def _guesses(
    given: PassageTriples, question: str, halves: Sequence[tuple[str, str]], embedder: Embedder
) -> Iterator[Selection]:
    """A guess for every side of a triple that is no part of the question, dates and numbers left
    out: they name nothing that could be searched for.
    """
    query = given.query(question)
    mass = {root(w.text): query.weight(w.text) for w in query.words if w.text not in FUNCTION_WORDS}
    at = {passage.id: (passage, rank) for rank, passage in enumerate(given.passages, start=1)}
    texts = {triple.id: _told(at[triple.passage_id][0], triple) for triple in given.triples}
    asked = list(dict.fromkeys((question, *(half for half, _ in halves))))
    told = list(dict.fromkeys(texts.values()))
    near = embedder.embed(told) @ query_vectors(embedder, asked).T
    nearness = {
        text: dict(zip(asked, row, strict=True))
        for text, row in zip(told, near.tolist(), strict=True)
    }
    part = {text: _best_part(text, halves, mass, nearness[text]) for text in told}
    for triple in given.triples:
        text = texts[triple.id]
        for name in (triple.subject, triple.object):
            telling = [word.text for word in words(name) if word.text not in FUNCTION_WORDS]
            new = [word for word in telling if root(word) not in mass]
            if not new or is_value(name):
                continue
            values = {
                "covered": part[text][1],
                "rare": sum(map(query.weight, telling)) / len(telling),
                "named": float(any(c.isupper() or c.isdigit() for c in name)),
                "early": 1 / at[triple.passage_id][1],
                "new": len(new) / len(telling),
                "whole": nearness[text][question],
                "short": float(len(telling) <= _SHORT),
            }
            yield _guess(part[text][0], name, triple, values)


def _guess(part: str, name: str, triple: Triple, values: Mapping[str, float]) -> Selection:
    terms = tuple(ScoreTerm(key, round(value, 6), _GUESS[key]) for key, value in values.items())
    total = sum(term.value * term.weight for term in terms)
    score = round(1 / (1 + float(np.exp((_GUESS_EVEN - total) / _GUESS_SLOPE))), 6)
    why = f"A sentence that names {name} tells most of “{part}”."
    fact = ProximalTriple(part, MAY_BE, name, triple.id, score, why)
    return Selection(fact, ScoreSum(terms, _GUESS_EVEN, _GUESS_SLOPE))


def _told(passage: Passage, triple: Triple) -> str:
    """The sentence that a triple came from, with its title; the triple where that is unknown."""
    return _text(passage, triple.span) if triple.span else sentence_text(passage.title, triple.text)


def _best_part(
    text: str,
    halves: Sequence[tuple[str, str]],
    mass: Mapping[str, float],
    nearness: Mapping[str, float],
) -> tuple[str, float]:
    """The part of the question that a sentence tells best and leaves the other open, and the share
    of the whole question that it tells of it.
    """
    told = roots(text)
    whole = sum(mass.values()) or 1.0

    def fit(half: tuple[str, str]) -> float:
        one, other = (roots(part) & mass.keys() for part in half)
        mine, rest = (sum(mass[word] for word in part) or 1.0 for part in (one, other))
        had = sum(mass[word] for word in one & told)
        left = sum(mass[word] for word in other - told)
        return 2 * nearness[half[0]] + had / mine + left / rest / 2 + had / whole

    best = max(halves, key=fit)[0]
    return best, sum(mass[word] for word in roots(best) & mass.keys() & told) / whole
