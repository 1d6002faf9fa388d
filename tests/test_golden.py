"""Whole traces, compared with the ones reviewed before. `make golden` writes them anew."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gear_app.events import Event, to_row
from gear_app.overrides import overridden, settings
from gear_app.reader.scripted import ScriptedReader
from gear_app.retrievers import METHODS, answer, build, config_for
from gear_app.types import (
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Substitution,
    Thinking,
    Verdict,
    Verification,
)
from gear_app.workspace import answering
from tests.small import QUESTION, SmallWorld

FOLDER = Path(__file__).parent / "golden"
DIRECTED = ProximalTriple(
    "Harbour Lights", "was directed by", "Ada Quill", 2, 0.9, "names the film and its director"
)
BORN = ProximalTriple("Ada Quill", "born in", "Mira")
NAMES = (
    *METHODS,
    "ircot:hipporag",
)  # the iterative ones over hybrid, and one over a walk, whose scores are no ranks


def script(*answers: str) -> ScriptedReader:
    """Two iterations: the director is found, then the birthplace, written in words that must be
    linked.

    The verifier's reply has a number that names nothing, and the second slow thought is empty.
    """
    readings = [(DIRECTED,), (DIRECTED,), (BORN,), (DIRECTED, BORN)]
    return ScriptedReader(
        [
            *(Reading(triples) for triples in readings),
            Verdict(False, "nothing about where Ada Quill was born"),
            Verdict(True, "the chain ends", "Mira"),
            Rewriting(
                "Where was Ada Quill born?",
                (Substitution("Harbour Lights", "Ada Quill", "directed"),),
            ),
            ("Harbour Lights",),
            ("Ada Quill", "the sea"),
            Thinking("Harbour Lights was directed by Ada Quill.", because=(DIRECTED,)),
            Thinking("So the answer is: Mira", final=True, answer="Mira", because=(BORN,)),
            DualThoughts("Who directed Harbour Lights?", "Where was Ada Quill born?", (DIRECTED,)),
            DualThoughts("Where does Port Mira lie?", "", (BORN,)),
            ReasoningChain(("Harbour Lights", "Ada Quill", "born in", "Mira"), (DIRECTED, BORN)),
            Verification((2, 1, 31), ("It says where she was born.", "It names the director.", "")),
            *answers,
        ]
    )


@pytest.mark.parametrize("name", NAMES)
def test_trace_is_the_reviewed_one(name: str, small: SmallWorld) -> None:
    events: list[Event] = []
    config = config_for(name)
    if "max_iterations" in settings(config):  # as many as the script has replies for
        config = overridden(config, {"max_iterations": 2})
    answer(
        build(name, small.index, script(), small.embedder, config),
        small.index,
        QUESTION,
        3,
        events.append,
    )
    _compare(events, f"{name.replace(':', '-')}.jsonl")


def test_the_answers_of_a_run_are_the_reviewed_ones(small: SmallWorld) -> None:
    """After BDTR, whose cut is what is answered from; the reply without passages cannot be used."""
    events: list[Event] = []
    config = overridden(config_for("bdtr"), {"cut_k": 6, "least": 2})
    reader = script("Port Mira", "Lorn")
    answer(
        build("bdtr", small.index, reader, small.embedder, config),
        small.index,
        QUESTION,
        3,
        events.append,
    )
    before = len(events)
    gold = [small.passage("harbour"), small.passage("quill")]
    answering.write(reader, small.index, QUESTION, tuple(events), gold, events.append)
    _compare(events[before:], "answers.jsonl")


def _compare(events: Sequence[Event], name: str) -> None:
    rows = json.loads(json.dumps([to_row(event) for event in events]))
    file = FOLDER / name
    if os.environ.get("GEAR_GOLDEN") == "write":
        file.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
    reviewed = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert rows == _comparable(reviewed), "run `make golden` and review the difference"


def _comparable(value: Any) -> Any:
    """Floats may differ in the last of six digits: another processor adds up in another order."""
    if isinstance(value, float):
        return pytest.approx(value, abs=2e-6)
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return [_comparable(item) for item in value] if isinstance(value, (list, tuple)) else value
