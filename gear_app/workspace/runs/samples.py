"""Runs as JSON lines for RAGAS, which judges answers.

Only what is known is written. A run without an answer has no response, which RAGAS tells from an
empty one; one without gold passages has no reference contexts. Gold that is missing from the
collection is an id without a context. A passage is given as it is searched: its title and its text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.core.types import Passage
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.evidence import last_answer
from gear_app.trace.metrics import retrieved_answer, stands_for


@dataclass(frozen=True, slots=True)
class AnswerSample:
    """A run to be judged: its response, "" where it has none, the first passages that it found,
    and the gold passages.
    """

    run: RunInfo
    response: str
    retrieved: tuple[Passage, ...]
    gold: tuple[Passage, ...]


def response_of(events: Sequence[Event]) -> str:
    """The answer that was written from what was retrieved, else the last that the reader concluded
    on its way; "" where there is none.
    """
    written = retrieved_answer(events, ())
    return written.answer if written else last_answer(events)


def ragas_line(sample: AnswerSample) -> str:
    """A line for RAGAS: a SingleTurnSample, with the run's id and method. Unknown fields are left
    out.
    """
    run, keys = sample.run, [passage.key for passage in sample.gold]
    missing = [gold for gold in run.gold if not any(stands_for(key, gold) for key in keys)]
    fields = {
        "user_input": run.question,
        "retrieved_contexts": [passage.indexed for passage in sample.retrieved],
        "retrieved_context_ids": [passage.key for passage in sample.retrieved],
        "response": sample.response,
        "reference": run.answers[0] if run.answers else "",
        "reference_contexts": [passage.indexed for passage in sample.gold],
        "reference_context_ids": [*keys, *missing],
        "run": run.id,
        "method": run.method,
    }
    return json.dumps({k: v for k, v in fields.items() if v}, ensure_ascii=False) + "\n"
