"""The terms that a page uses, each explained in at most two plain sentences.

Where one stands on a page, pointing at it, tapping it or reaching it by Tab shows the explanation
(`markup.term`, frontend/pointing.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

TERMS: Mapping[str, str] = {
    "gold": (
        "A gold passage holds a fact that the question needs. People marked it, or it came "
        "with the collection."
    ),
    "gold path": ("A beam whose passages so far are all gold."),
    "hybrid": (
        "Hybrid search ranks passages twice, by shared words (BM25) and by nearness in "
        "meaning (dense), and fuses the two rankings."
    ),
    "BM25": ("BM25 ranks passages by the words they share with the query. Rare words count more."),
    "dense": (
        "Dense search ranks passages by nearness in meaning, measured between vectors of "
        "query and passage."
    ),
    "first search": (
        "The search that a method starts from. In GRIEVER BM25 picks the passages and dense "
        "search orders them."
    ),
    "alone": (
        "What the first search finds by itself, before the method does anything: what the "
        "method has to beat."
    ),
    "base": (
        "The ranking of plain search with the query of that iteration. The method starts from it."
    ),
    "beam": (
        "A chain of triples in which each shares an entity with those before it. The beam "
        "search lets only the best chains grow (GEAR, Algorithm 1)."
    ),
    "beams": (
        "The rank in the list of passages that the beams' triples come from, best beam first."
    ),
    "beam score": (
        "The cosine of beam and query at every step, added up, later extensions of a beam "
        "counting less: (beam so far + cosine) · e^(−min(n, γ) / γ), n from 0 (GEAR, Algorithm 1)."
    ),
    "fused": (
        "Two rankings made one: a passage scores 1 / (60 + rank) in each list that has it, "
        "and the scores are added (GEAR, Eq. 3)."
    ),
    "reciprocal rank": (
        "A passage scores 1 / (60 + rank) in each list that has it, and the scores are added up "
        "(GEAR, Eq. 3)."
    ),
    "so far": (
        "The ranking of all iterations until now and of the gist memory, fused. It is what "
        "the run would end with if it stopped here (GEAR, Eq. 9)."
    ),
    "Eq. 9": (
        "The equation of the GEAR paper that fuses the rankings of all iterations and of the "
        "gist memory's facts into the final one: RRF(C of each fact, C of each iteration)."
    ),
    "no neighbour left": (
        "No triple of the graph continues this beam, so it goes on unchanged, with the same score."
    ),
    "pruned": ("Considered and dropped: other beams scored better."),
    "gist memory": (
        "The facts that the reader has kept from all iterations until now. It decides whether "
        "they answer the question (GEAR, Eq. 5: the facts of all iterations in a row)."
    ),
    "proximal triple": (
        "A fact that the reader takes from the passages found because it touches the query. "
        "It is where the search through triples starts (GEAR, Eq. 1 and 2)."
    ),
    "triple": (
        "A fact in three parts, subject, predicate and object, taken from one sentence of a "
        "passage."
    ),
    "recall@5": (
        "The share of the gold passages that are among the first five of a ranking. 1.00 "
        "means all of them."
    ),
    "cosine": (
        "How near two texts are in meaning, from −1 to 1. It is measured between their vectors."
    ),
    "iteration": (
        "One round of searching, reading and deciding. The next one asks for what is still missing."
    ),
    "diverse": (
        "The first extension of a beam keeps its whole score, each later one a smaller share. "
        "So the best beams come from different places (GEAR, Algorithm 1: e^(−min(n, γ) / γ), "
        "n from 0)."
    ),
    "pool": (
        "All passages that any query found until now. Each keeps the best of its scores "
        "(BDTR, Eq. 3 and 4)."
    ),
    "promoted": (
        "Moved to the top, because the passage supports the chain of facts (BDTR, Eq. 5 and 6)."
    ),
    "walk": (
        "A walk over the facts that starts again and again at the question's entities. "
        "Passages that name what it visits often rank high (HippoRAG: p = n′ P)."
    ),
    "node specificity": (
        "1 / the number of passages that name an entity (HippoRAG: s = 1 / |P|). A rare name says "
        "more about where to look."
    ),
    "top 5": (
        "The first five of the ranking so far: what the run would end with if it stopped "
        "after that iteration."
    ),
    "what brought it in": (
        "What put the passage among the first five of the ranking so far, and when. A column of"
        " one iteration may have had it earlier."
    ),
    "final": ("The rank in the ranking that the run ended with."),
    "round": ("All passages ranked again by the links that were followed until then."),
    "partial triple": (
        "A triple with one side left out. The words that remain are compared with the query."
    ),
    "relative clause": (
        "A part of a sentence that says more about a noun: “the film that used the record”. "
        "What it says has to be found first."
    ),
    "local reader": (
        "Rules that pick facts from stored triples and word vectors. No language model is "
        "asked, and it reads English only."
    ),
    "NDCG": ("How good a ranking is when a gold passage counts less the lower it stands."),
}
_ALSO: Mapping[str, str] = {  # how else a term is written, and which it is
    "beam so far": "beam score",
    "gold passage": "gold",
    "gold passages": "gold",
    "proximal triples": "proximal triple",
    "partial triples": "partial triple",
    "beam search": "beam",
    "recall": "recall@5",
    "triples": "triple",
    "promotion": "promoted",
    "iterations": "iteration",
    "relative clauses": "relative clause",
    "Personalized PageRank": "walk",
}
_KEYS = {words.casefold(): key for words, key in {**{key: key for key in TERMS}, **_ALSO}.items()}
_FOUND = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(re.escape(words) for words in sorted(_KEYS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)


class TermPlace(NamedTuple):
    """Where a term stands in a sentence, and its key in `TERMS`."""

    start: int
    end: int
    key: str


def places(text: str) -> Iterator[TermPlace]:
    """The terms in a sentence of ours, from left to right, each of them once."""
    seen: set[str] = set()
    for found in _FOUND.finditer(text):
        key = _KEYS[found[0].casefold()]
        if key not in seen:
            seen.add(key)
            yield TermPlace(found.start(), found.end(), key)
