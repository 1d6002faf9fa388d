"""What the screen calls settings, and what each means."""

from __future__ import annotations

from collections.abc import Mapping

LABELS: Mapping[str, tuple[str, str]] = {
    "max_iterations": ("Iterations at most", "Counting retrievals"),
    "round_k": ("Passages a round", "What the base retriever finds each iteration"),
    "link_k": ("Passages a gist triple", "So many each triple of the gist memory is linked to"),
    "depth": ("Depth of both lists", "Hybrid fuses so many of BM25's and of dense's"),
    "constant": ("RRF constant", "A rank counts 1 / (constant + rank)"),
    "width": ("Width b", "Beams that go on after each step"),
    "length": ("Length l", "Triples in a beam"),
    "gamma": ("Diversity γ", "A whole number, auto (2 × width) or none"),
    "neighbours": ("Neighbours", "Looked at for each beam"),
    "scoring": ("Scoring", "exact encodes every candidate, as the paper"),
    "screen": ("Candidates encoded", "A step, where scoring is screened"),
    "restart": ("Restart probability", "Of the walk, at each step"),
    "threshold": ("Synonyms from cosine τ", "Two names as near as this count as synonyms"),
    "specificity": ("Node specificity", "Off: every entity of the question weighs the same"),
    "synonymy": ("Synonymy edges", "Off: the walk crosses triples only"),
    "spread": ("Spread", "pagerank walks; seeds and neighbours are the paper's ablations"),
    "ensemble": ("Ensemble", "uncertainty: averaged with dense where an entity is linked unsurely"),
    "certain": ("Sure from cosine θ", "Below it a link is unsure; for the ensemble"),
    "candidates": ("Candidates c", "Dense ranks the k × c passages that BM25 ranks first"),
    "hop_k": ("Passages a later hop", "So many enter the final fusion"),
    "sure": ("Sure from score", "A match below it rewrites nothing"),
    "triples": ("Triples matched", "partial leaves one side out, as the paper; full does not"),
    "shortlist": ("Shortlist", "Off: all triples of the passages found are matched"),
    "composed": ("Composed retrieval", "Off: BM25 and dense are fused by rank instead"),
    "same_as": ("Synonyms of join entities", "Off: only the entity's own name joins"),
    "pool_k": ("Passages a query", "So many of each query's enter the pool"),
    "prompt_k": ("Passages read", "So many of the pool the reader sees"),
    "rounds": ("Rounds R", "After the first retrieval"),
    "thoughts": ("Thoughts a round", "dual: a fast and a slow one; single: one, as IRCoT"),
    "calibrate": ("Calibrate", "Off: no chain, no verifier, no promotion"),
    "verify_k": ("Passages verified", "So many of the pool the verifier sees"),
    "cut_k": ("Scores for the cut", "So many give its mean and deviation"),
    "least": ("Handed on at least", "Passages given to answering in any case"),
}


def named(name: str) -> tuple[str, str]:
    """A setting's label and what it means; one that has none here goes by its own name."""
    last = name.split(".")[-1]
    return LABELS.get(last, (last.replace("_", " ").capitalize(), ""))


def words(name: str, value: object) -> str:
    """A setting, by full name, and its value: "Width b 5"."""
    return f"{named(name)[0]} {shown(value)}"


def shown(value: object) -> str:
    """A value in words."""
    return {"True": "on", "False": "off"}.get(str(value), str(value))
