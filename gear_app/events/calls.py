"""The events of a model call, of triples made on the way, and of answers."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events.base import Event
from gear_app.events.parts import RankedPassage, ShownTriple
from gear_app.types import Source


@dataclass(frozen=True, slots=True)
class Called(Event):
    """A language model was asked. It replied, usably or not, or `failed` says why no reply came.

    `role` is what it was asked to do, `prompt_hash` names the prompt's file as it was then. Tokens
    are the server's count, or `estimated`. `cost` is in dollars, None where the price is unknown.
    `cached`: the reply came from the workspace; the tokens and milliseconds are those it once took,
    and the cost is 0. `cut`: it ended at the limit of tokens. `attempts` counts the calls it took,
    those that the server refused included. Without a reply nothing is counted: tokens, milliseconds
    and cost are 0.
    """

    role: str
    model: str
    prompt_hash: str
    prompt: str
    reply: str
    input_tokens: int
    output_tokens: int
    ms: float
    cost: float | None = None
    estimated: bool = False
    cached: bool = False
    cut: bool = False
    attempts: int = 1
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Extracted(Event):
    """Triples were made while a question was asked, from passages that had none in the run's set
    (lazy extraction).

    `passages` are those that were read (their scores are 0). `failed` are the ids of those of which
    nothing could be used, `meanwhile` those that a job or another run read since this one began:
    they were not asked about again. The collection went from revision `before` to `revision`; a
    replay goes the same way.
    """

    extractor: str
    passages: tuple[RankedPassage, ...]
    triples: tuple[ShownTriple, ...]
    failed: tuple[int, ...]
    before: int
    revision: int
    meanwhile: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """An answer was written (GEAR App. K.3): from the first retrieved passages, or as a bound from
    the gold passages or from nothing (its Table 3). `passages` are those that the reader was given,
    with their scores in the final ranking, 0 where they are not in it. "" where the reader has no
    answer.
    """

    source: Source
    answer: str
    passages: tuple[RankedPassage, ...]
