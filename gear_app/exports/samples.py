"""Runs for tools that judge answers: rows of RAGAS and test cases of DeepEval, as JSON lines.

Only what is known is written. A run without an answer has no response, which these tools tell from
an empty one; one without gold passages has no reference contexts. A passage is given as it is
searched: its title and its text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.analysis.evidence import last_answer
from gear_app.analysis.metrics import retrieved_answer
from gear_app.events import Event
from gear_app.store.rows import RunInfo
from gear_app.types import Passage


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
    """A line for RAGAS: a SingleTurnSample, and beside it which run it is, of which method."""
    return _line(
        {
            "user_input": sample.run.question,
            "retrieved_contexts": _texts(sample.retrieved),
            "retrieved_context_ids": [one.key for one in sample.retrieved],
            "response": sample.response,
            "reference": _reference(sample),
            "reference_contexts": _texts(sample.gold),
            "reference_context_ids": [one.key for one in sample.gold],
            "run": sample.run.id,
            "method": sample.run.method,
        }
    )


def deepeval_line(sample: AnswerSample) -> str:
    """A line for DeepEval: an LLMTestCase, whose metadata say which run it is, of which method."""
    return _line(
        {
            "input": sample.run.question,
            "actual_output": sample.response,
            "expected_output": _reference(sample),
            "retrieval_context": _texts(sample.retrieved),
            "context": _texts(sample.gold),
            "metadata": {"run": sample.run.id, "method": sample.run.method},
        }
    )


def _reference(sample: AnswerSample) -> str:
    """The first of the known answers; "" where none is known."""
    return next(iter(sample.run.answers), "")


def _texts(passages: Sequence[Passage]) -> list[str]:
    return [one.indexed for one in passages]


def _line(fields: dict[str, object]) -> str:
    known = {name: value for name, value in fields.items() if value}
    return json.dumps(known, ensure_ascii=False) + "\n"
