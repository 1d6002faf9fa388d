"""The terms that a page uses, each explained in one plain sentence, with the paper's equation where
it has one.

Where one stands on a page, pointing at it, tapping it or reaching it by Tab shows the explanation
(`markup.term`, frontend/pointing.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gear_app.analysis.rankings import CUTS

_RECALL = (
    "The share of the gold passages that are among the first {} of a ranking, 1.00 for all of them."
)
TERMS: Mapping[str, str] = {
    "gold": (
        "A gold passage holds a fact that the question needs, as people marked it or the "
        "collection says."
    ),
    "gold path": ("A beam whose passages so far are all gold."),
    "hybrid": (
        "Hybrid search ranks passages twice, by shared words (BM25) and by nearness in "
        "meaning (dense), and fuses both (GEAR, Eq. 3)."
    ),
    "weighted hybrid": (
        "Weighted hybrid search adds up the scores of dense search and of BM25, each stretched to "
        "0 to 1, dense counting more (0.6 and 0.4); BM25 is not asked for “the” and its like."
    ),
    "BM25": (
        "BM25 ranks passages by the words they share with the query, rare words counting more."
    ),
    "dense": (
        "Dense search ranks passages by nearness in meaning, measured between vectors of "
        "query and passage."
    ),
    "first search": (
        "The search that a method starts from; in GRIEVER BM25 picks the passages and dense "
        "search orders them."
    ),
    "alone": (
        "What the first search finds by itself, before the method does anything: what the "
        "method has to beat."
    ),
    "base": (
        "The ranking of plain search with the query of that iteration, where the method starts."
    ),
    "beam": (
        "A chain of triples in which each shares an entity with those before it, and of which the "
        "beam search lets only the best grow (GEAR, Algorithm 1)."
    ),
    "beams": (
        "The rank in the list of passages that the beams' triples come from, best beam first."
    ),
    "beam score": (
        "The cosine of beam and query at every step, added up, later extensions of a beam "
        "counting less: (beam so far + cosine) · e^(−min(n, γ) / γ), n from 0 (GEAR, Algorithm 1)."
    ),
    "fused": (
        "Two rankings made one: a passage scores 1 / (constant + rank) in each list that has "
        "it, and the scores are added (GEAR, Eq. 3)."
    ),
    "reciprocal rank": (
        "A passage scores 1 / (constant + rank) in each list that has it, and the scores are added "
        "up (GEAR, Eq. 3); the constant is a setting, and the smaller it is, the more a first "
        "place counts."
    ),
    "so far": (
        "The ranking that the run would end with if it stopped here: those of all iterations until "
        "now and of the gist memory, fused (GEAR, Eq. 9)."
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
        "The facts that the reader has kept from all iterations until now (GEAR, Eq. 5: in a row), "
        "by which it decides whether the question is answered."
    ),
    "proximal triple": (
        "A fact that the reader takes from the passages found because it touches the query, and "
        "from which the search through triples starts (GEAR, Eq. 1 and 2)."
    ),
    "triple": (
        "A fact in three parts, subject, predicate and object, taken from one sentence of a "
        "passage."
    ),
    "recall": (
        "The share of the gold passages that are among the first of a ranking, as the first five, "
        "1.00 for all of them."
    ),
    **{f"recall@{k}": _RECALL.format(k) for k in CUTS},
    "cosine": ("How near two texts are in meaning, from −1 to 1, measured between their vectors."),
    "iteration": (
        "One round of searching, reading and deciding, after which the next one asks for what is "
        "still missing."
    ),
    "diverse": (
        "The first extension of a beam keeps its whole score and each later one e^(−min(n, γ) / γ) "
        "of it, n from 0, so that the best beams come from different places (GEAR, Algorithm 1)."
    ),
    "pool": (
        "All passages that any query found until now, each with the best of its scores (BDTR, "
        "Eq. 3 and 4)."
    ),
    "promoted": (
        "Moved to the top, because the passage supports the chain of facts (BDTR, Eq. 5 and 6)."
    ),
    "walk": (
        "A walk over the facts that starts again and again at the question's entities, so that "
        "passages naming what it visits often rank high (HippoRAG: p = n′ P)."
    ),
    "node specificity": (
        "1 / the number of passages that name an entity (HippoRAG: s = 1 / |P|), since a rare name "
        "says more about where to look."
    ),
    "top 5": (
        "The first five of the ranking so far: what the run would end with if it stopped "
        "after that iteration."
    ),
    "what brought it in": (
        "What put the passage among the first five of the ranking so far, and when, though a "
        "column of one iteration may have had it earlier."
    ),
    "final": ("The rank in the ranking that the run ended with."),
    "round": ("All passages ranked again by the links that were followed until then."),
    "partial triple": (
        "A triple with one side left out, whose remaining words are compared with the query."
    ),
    "relative clause": (
        "A part of a sentence that says more about a noun, as in “the film that used the record”, "
        "and that has to be found first."
    ),
    "local reader": (
        "Rules that pick facts from stored triples and word vectors, asking no language model and "
        "reading English only."
    ),
    "perfect reader": (
        "Plain search (hybrid) asked the question’s known steps with the known answers put in: what"
        " a reader that makes no mistake would have found, no upper limit of a method."
    ),
    "of ceiling": (
        "How much of the way from the baseline’s recall to the perfect reader’s the method goes, "
        "on the questions that both are known of; above it: it finds more than that simple way."
    ),
    "p, Holm": (
        "How often chance alone would make a difference in recall as large, corrected by Holm for "
        "all methods tested: below 0.05 it is called sure."
    ),
    "paired tests": (
        "Each question is compared with itself: p is how often a difference as large would come "
        "about if its two values were swapped at random."
    ),
    "R@k": (
        "Recall: the share of a question’s gold passages among the first k, as a mean over the "
        "questions."
    ),
    "all@k": ("The share of the questions that have all their gold passages among the first k."),
    "MRR": ("The mean over questions of 1 / rank of the first gold passage."),
    "ms p50": (
        "The median of the milliseconds that a method’s runs took without what is kept for the "
        "next method (models, vectors of texts, replies): half of those that did not fail took no "
        "longer."
    ),
    "ms p95": (
        "The 95th percentile of the milliseconds that a method’s runs took, counted as for the "
        "median: 95 % of those that did not fail took no longer."
    ),
    "round trips p50": (
        "The median of how often a method’s runs asked the cluster and waited for its reply."
    ),
    "waited ms p50": (
        "The median of the milliseconds that a method’s runs waited for the cluster."
    ),
    "model calls": (
        "How often a method’s runs asked the language model, replies that were kept from before "
        "included."
    ),
    "model tokens": (
        "The pieces of words that a method’s runs gave to the language model and that it wrote, "
        "those of kept replies included."
    ),
    "model cost": (
        "What these tokens cost by the prices set for the model, those of kept replies left out."
    ),
    "EM": (
        "Exact match: the share of the questions whose answer is a known one, but for case, "
        "articles and punctuation."
    ),
    "F1": (
        "How far the words of an answer are those of a known one, from 0 to 1: the harmonic mean "
        "of the shares of either that are in the other."
    ),
    "NDCG": (
        "How good a ranking is when a gold passage counts less the lower it stands; one with a"
        " higher grade counts more."
    ),
}
_ALSO: Mapping[str, str] = {  # how else a term is written, and which it is
    "beam so far": "beam score",
    "gold passage": "gold",
    "gold passages": "gold",
    "proximal triples": "proximal triple",
    "partial triples": "partial triple",
    "beam search": "beam",
    **{f"R@{k}": f"recall@{k}" for k in CUTS},
    "triples": "triple",
    "promotion": "promoted",
    "Holm’s correction": "p, Holm",
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
