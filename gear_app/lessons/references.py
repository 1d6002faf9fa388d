"""The words with which a lesson's text refers to its runs; docs/lessons.md explains them."""

from __future__ import annotations

from collections.abc import Mapping

RRF = "rrf"  # in place of a step: the final rankings of all the lesson's runs, fused
END = "end"  # in place of a step: the final ranking
BEAM_NUMBERS = ("score", "sum", "cosine", "before", "place", "weight")
LENGTHS = (
    "proximal triples",
    "linked triples",
    "kept beams",
    "candidates",
    "remembered",
    "entities",
    "matches",
    "passages",
)
THINGS = ("place in its beam", "sum", "what is left", "line to pass", "beam")  # of a competition
USAGE: Mapping[str, str] = {
    "name": "name: NAME",
    "term": "term: WORDS",
    "thing": "thing: WORDS",
    "triple": "triple: SUBJECT | PREDICATE | OBJECT",
    "setting": "setting: NAME",
    "rank": "rank: PASSAGE; STEP",
    "score": "score: PASSAGE; STEP",
    "first": "first: STEP",
    "found": "found: K; STEP",
    "gold": "gold:",
    "beam": f"beam: {'|'.join(BEAM_NUMBERS)}; SUBJECT | PREDICATE | OBJECT; STEP",
    "survivor": "survivor: PLACE; STEP",
    "survives": "survives: SUBJECT | PREDICATE | OBJECT; STEP",
    "length": "length: WHAT; STEP",
    "answerable": "answerable: ITERATION",
    "answer": "answer: ITERATION",
    "query": "query: ITERATION",
    "next": "next: ITERATION",
    "iterations": "iterations:",
}
