"""What the screen calls methods and readers: `ircot:hipporag` is "IRCoT over HippoRAG"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.llm.server import Spec

if TYPE_CHECKING:
    from gear_app.workspace import RunInfo

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


LLM = "llm"  # the reader that asks a language model
READER_NAMES = {"local": "local reader", LLM: "language model"}


def reader_name(reader: str, model: str = "") -> str:
    """What the screen calls a reader; one that asks a language model goes by the model's name."""
    return model if model and reader == LLM else READER_NAMES.get(reader, reader)


def reader_note(reader: str, model: str = "") -> str:
    """What the reader is, said wherever its output appears."""
    if reader == LLM:
        return f"by {model}, a language model" if model else "by a language model"
    if reader_name(reader) == READER_NAMES["local"]:
        return "by the local reader: rules, not a language model; English only"
    return f"by {reader}" if reader else ""


def made_by(run: RunInfo) -> str:
    """A run's method, and the language model that read for it, where one did."""
    model = model_of(run)
    return method_name(run.method) + (f", read by {model}" if model and run.reader == LLM else "")


def model_of(run: RunInfo) -> str:
    """The language model that a run asks, as its server calls it; "" where none is asked."""
    if run.model:
        return Spec.from_json(run.model).model
    return run.versions.get("reader", "") if run.reader == LLM else ""
