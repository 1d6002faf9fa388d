"""Small corpora, and GRIEVER asked over them."""

from __future__ import annotations

from gear_app.core.protocols import Embedder
from gear_app.core.types import Passage, Ranking, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.methods.griever import Griever, GrieverConfig
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event
from tests.small import index_with_synonyms, parts_over, retrieved

EMBEDDER = HashingEmbedder(512)
Row = tuple[str, str, list[tuple[str, str, str]]]  # title, text, triples
Names = dict[tuple[str, str], float]  # pairs of names that are near, with their cosines
DOUGLASS: list[Row] = [
    (
        "The North Star (anti-slavery newspaper)",
        (
            "The abolitionist newspaper The North Star appeared in Rochester. Its publisher was"
            " Frederick Douglass."
        ),
        [
            ("The North Star", "published by", "Frederick Douglass"),
            ("The North Star", "appeared in", "Rochester"),
        ],
    ),
    (
        "Helen Pitts Douglass",
        "Helen Pitts taught school before she became the second wife of Frederick Douglass.",
        [
            ("Frederick Douglass", "spouse", "Helen Pitts Douglass"),
            ("Helen Pitts Douglass", "taught", "school"),
        ],
    ),
    (
        "North Star (ferry)",
        "The North Star is a ferry that crosses the sound.",
        [("North Star ferry", "crosses", "sound")],
    ),
    (
        "Polaris",
        "Polaris is the star that sailors call the north star.",
        [("Polaris", "called", "pole star")],
    ),
    ("Abolitionist", "An abolitionist newspaper wants slavery to end.", []),
    ("Publisher", "A publisher pays for a book.", []),
    ("Rochester", "Rochester lies on the Genesee.", [("Rochester", "lies on", "Genesee")]),
]
NORTH_STAR = "Who married the publisher of abolitionist newspaper The North Star?"


def index_of(
    rows: list[Row], near: Names | None = None, embedder: Embedder = EMBEDDER
) -> EmbeddedIndex:
    """Passages and triples with ids from 1 in the order given; `near` are the synonyms."""
    passages = [
        Passage(n, f"p{n}", title, text) for n, (title, text, _) in enumerate(rows, start=1)
    ]
    facts = [(n, *fact) for n, (_, _, found) in enumerate(rows, start=1) for fact in found]
    triples = [Triple(n, *fact) for n, fact in enumerate(facts, start=1)]

    return index_with_synonyms(passages, triples, near or {}, embedder)


def run(
    index: EmbeddedIndex,
    question: str,
    k: int = 5,
    embedder: Embedder = EMBEDDER,
    **settings: object,
) -> tuple[Ranking, list[Event]]:
    config = GrieverConfig(**settings)  # type: ignore[arg-type]
    return retrieved(Griever(parts_over(index, embedder), config), question, k)


WIVES: list[Row] = [
    DOUGLASS[0],
    (
        "Helen Pitts",
        "She was the second wife of F. Douglass.",
        [("F. Douglass", "spouse", "Helen Pitts")],
    ),
    (
        "Anna Murray",
        "She was the first wife of Fred Douglas.",
        [("Fred Douglas", "spouse", "Anna Murray")],
    ),
    ("Frederick Douglass", "He spoke.", [("Frederick Douglass", "spoke at", "Rochester Hall")]),
]
ALIASES = {
    ("Frederick Douglass", "F. Douglass"): 0.95,
    ("Frederick Douglass", "Fred Douglas"): 0.949999,
}
