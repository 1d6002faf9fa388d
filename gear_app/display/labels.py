"""What the screen calls methods, readers, steps, times and costs: `ircot:hipporag` is "IRCoT over
HippoRAG".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gear_app.models.server import Spec
from gear_app.trace.timeline import Step

if TYPE_CHECKING:
    from gear_app.methods.method import Method
    from gear_app.store.rows import RunInfo


def _method(name: str) -> type[Method] | None:
    from gear_app.methods import METHODS  # loaded late: it is large

    return METHODS.get(name)


def method_name(method: str) -> str:
    """`gear:dense` as "GEAR over dense"; an unknown method keeps its own name."""
    first, *bases = method.split(":")
    spec = _method(first)
    return " over ".join([spec.label if spec else first, *map(base_name, bases)])


def base_name(base: str) -> str:
    """A base retriever or a single-step method within a sentence: "hybrid", "BM25", "HippoRAG"."""
    method = _method(base)
    return (method.inline or method.label) if method else base


def capital(words: str) -> str:
    """The words as the beginning of a sentence; the rest of them stays as it is."""
    return words[:1].upper() + words[1:]


LLM = "llm"  # the reader that asks a language model
READER_NAMES = {"local": "local reader", LLM: "language model"}


def reader_name(reader: str, model: str = "") -> str:
    """Name of a reader on the screen; the name of its language model where it has one."""
    return model if model and reader == LLM else READER_NAMES.get(reader, reader)


def reader_note(reader: str, model: str = "") -> str:
    """Description of the reader, shown wherever its output appears."""
    name = reader_name(reader, model)
    if name == READER_NAMES["local"]:
        return f"by the {name}: rules, not a language model; English only"
    return f"by {name}" if name else ""


PAPER = "as in the paper"  # settings that are all those of a method's paper


def method_words(method: str, config: Mapping[str, Any]) -> str:
    """A method as `eval` takes it, with `as-paper` behind it where its settings are its paper's."""
    from gear_app.methods import AS_PAPER, is_as_paper

    return f"{method} {AS_PAPER}" if is_as_paper(method, config) else method


def method_and_model(run: RunInfo) -> str:
    """A run's method, whether it is as in its paper, and the language model that read for it, where
    one did.
    """
    from gear_app.methods import is_as_paper

    model = model_of(run)
    paper = f", {PAPER}" if is_as_paper(run.method, run.config) else ""
    read = f", read by {model}" if model and run.reader == LLM else ""
    return method_name(run.method) + paper + read


def model_of(run: RunInfo) -> str:
    """The language model that a run asks, as its server calls it; "" where none is asked."""
    if run.model:
        return Spec.from_json(run.model).model
    return run.versions.get("reader", "") if run.reader == LLM else ""


def step_label(step: Step) -> str:
    """A step's name where all steps are listed: "iteration 2, fast, retrieve"."""
    iteration = f"iteration {step.iteration}" if step.iteration and step.iterates else ""
    return ", ".join(filter(None, [iteration, step.search, step_name(step)]))


def step_name(step: Step) -> str:
    """A step's verb, with the round of links where there are several: "follow, round 2"."""
    return f"{step.verb}, round {step.round}" if step.round else step.verb


def duration(ms: float | None) -> str:
    """Milliseconds for the screen: "840 ms", "4.2 s", "3 min 20 s"; empty when not known."""
    if ms is None:
        return ""
    if round(ms) < 1000:
        return f"{ms:.0f} ms"
    if round(ms, -2) < 60_000:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes} min {seconds} s"


def run_time(ms: float | None, loading_ms: float | None) -> str:
    """A run's time, with that of loading models and encoding texts."""
    return "" if ms is None else duration(ms + (loading_ms or 0.0))


def byte_words(size: int | None) -> str:
    """Bytes for the screen: "840 kB", "15.3 MB", "2.1 GB"; empty when not known."""
    if size is None:
        return ""
    if round(size, -3) < 1e6:
        return f"{size / 1e3:,.0f} kB"
    return f"{size / 1e6:,.1f} MB" if round(size, -5) < 1e9 else f"{size / 1e9:,.1f} GB"


def readable_time(time: str) -> str:
    """A stored time, "2026-11-22T01:14:30Z", for people: "22 Nov 2026, 01:14 UTC".

    Other words stay as they are.
    """
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def gave_up(step: str) -> str:
    """Sentence for a step of a run that could not go on."""
    return f"The step “{step}” gave up"


def absent_from(ranking: Sequence[object]) -> str:
    """Words for a passage outside a ranking, with how far it is known: a search ranks more than
    its run tells, so that elsewhere the passage may have a rank.
    """
    return f"not among the first {len(ranking)}" if ranking else "not found"


def as_sentence(words: str) -> str:
    """The words with a full stop, unless they end in one already."""
    return words if not words or words[-1] in ".!?…" else words + "."


def dollars(cost: float | None) -> str:
    """A cost for the screen; one that is not known says so."""
    if cost is None:
        return "price not known"
    if cost >= 1 or not cost:
        return f"${cost:,.2f}"
    return f"${cost:.4f}" if cost >= 0.0001 else "under $0.0001"


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def run_state(run: RunInfo) -> str:
    """A run's state in a word or two, and whether it saw other passages or triples than there are
    now.
    """
    return f"{run.state}, out of date" if run.stale and run.state == "done" else run.state


def literal(words: str) -> str:
    """Somebody's words as Markdown that shows them as they are: for labels of buttons and options,
    which Streamlit would else format, and fetch what they link to.
    """
    return _PUNCTUATION.sub(r"\\\1", " ".join(words.split()))


USUAL = 4  # what a table shows of a number by itself
STORED = 6  # those of a term
MOST = 9  # those of a factor; a number with more was not rounded, and is no part of a sum


def columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The decimals of each column, by name, whose numbers have more than a table shows by itself.
    Numbers that were never rounded ask for none.
    """
    places_of: dict[str, int] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, float) and USUAL < (places := _decimals(value)) <= MOST:
                places_of[name] = max(places_of.get(name, 0), places)
    return places_of


def _decimals(value: float) -> int:
    exponent = Decimal(repr(value)).as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def number(value: float, places: int = 3) -> str:
    """A score with so many decimals, a real minus sign, and none before zero."""
    return f"{value:z.{places}f}".replace("-", "−")


def exact(value: float) -> str:
    """A term of a sum: the six decimals that are stored, so that the terms add up."""
    return number(value, STORED)


def fine(value: float) -> str:
    """A factor: so many decimals that what it is multiplied with comes out as printed."""
    more = f"{value:.{MOST}f}"
    return more if more[STORED - MOST :].strip("0") else exact(value)
