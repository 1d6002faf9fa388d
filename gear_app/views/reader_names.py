"""Who reads for a run, in words: the local reader, or a language model by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.llm.server import Spec
from gear_app.views.method_names import method_name

if TYPE_CHECKING:
    from gear_app.workspace import RunInfo

LLM = "llm"  # the reader that asks a language model
NAMES = {"local": "local reader", LLM: "language model"}


def name(reader: str, model: str = "") -> str:
    """What the screen calls a reader; one that asks a language model goes by the model's name."""
    return model if model and reader == LLM else NAMES.get(reader, reader)


def note(reader: str, model: str = "") -> str:
    """What the reader is, said wherever its output appears."""
    if reader == LLM:
        return f"by {model}, a language model" if model else "by a language model"
    if name(reader) == NAMES["local"]:
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
