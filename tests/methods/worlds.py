"""Random tiny collections: a few names, a few predicates, and what can be said with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from gear_app.core.types import Passage, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.models.embedders.local import HashingEmbedder
from tests.small import index_over

NAMES = ("Ada Quill", "Bo Hale", "Port Mira", "Lorn", "Sel", "Winter Lights")
PREDICATES = ("was born in", "was directed by", "lies on")
Fact = tuple[str, str, str]
World = tuple[tuple[Fact, ...], ...]  # the facts of every passage

facts = st.tuples(st.sampled_from(NAMES), st.sampled_from(PREDICATES), st.sampled_from(NAMES))
worlds: st.SearchStrategy[World] = st.lists(
    st.lists(facts, max_size=4, unique=True).map(tuple), min_size=1, max_size=7
).map(tuple)
questions = st.builds(
    "Where was the {} of {} {}?".format,
    st.sampled_from(["director", "birthplace", "river"]),
    st.sampled_from(NAMES),
    st.sampled_from(["born", "directed", "found in 1951"]),
)


def index_of(
    world: Sequence[Sequence[Fact]],
    ids: Callable[[int], int] = lambda n: n,
    said: Callable[[str], str] = str,
) -> EmbeddedIndex:
    """The collection as an index; passages and triples count from 1, in order, and get the ids that
    `ids` makes of it.

    `said` gives every name other words, in triples and in texts.
    """
    passages, triples, embedder = [], [], HashingEmbedder()
    for number, told in enumerate(world, start=1):
        spoken = [(said(s), p, said(o)) for s, p, o in told]
        text = " ".join(f"{s} {p} {o}." for s, p, o in spoken) or f"Nothing is said in {number}."
        passages.append(Passage(ids(number), f"p{number}", spoken[0][0] if spoken else "", text))
        for fact in spoken:
            triples.append(Triple(ids(len(triples) + 1), ids(number), *fact))
    return index_over(passages, triples, embedder)
