"""What the screen calls methods: `ircot:hipporag` is "IRCoT over HippoRAG"."""

from __future__ import annotations

from gear_app.text import count as count

METHOD_NAMES = {
    "bm25": "BM25",
    "dense": "Dense",
    "hybrid": "Hybrid",
    "naive_ge": "NaiveGE",
    "sync_ge": "SyncGE",
    "gear": "GEAR",
    "hipporag": "HippoRAG",
    "griever": "GRIEVER",
    "ircot": "IRCoT",
    "bdtr": "BDTR",
    "dtr": "DTR",
    "bgec": "BGEC",
    "gcot": "GCoT",
    "tog": "ToG",
    "irgs": "IRGS",
}
_COMMON = ("dense", "hybrid")  # words of their own; within a sentence they are written small


def method_name(method: str) -> str:
    """`gear:dense` as "GEAR over dense"; a method unknown here keeps its own name."""
    first, *bases = method.split(":")
    return " over ".join([METHOD_NAMES.get(first, first), *map(base_name, bases)])


def base_name(base: str) -> str:
    """A base retriever or a single-step method within a sentence: "hybrid", "BM25", "HippoRAG"."""
    return base if base in _COMMON else METHOD_NAMES.get(base, base)


def capital(base: str) -> str:
    """The same at the beginning of a sentence."""
    name = base_name(base)
    return name[:1].upper() + name[1:]
