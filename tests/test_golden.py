"""Whole traces, compared with the ones reviewed before, and the versions they are of."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from gear_app.core.overrides import overridden, settings
from gear_app.core.types import (
    Action,
    Analysis,
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Substitution,
    Thinking,
    Verdict,
    Verification,
)
from gear_app.methods import METHODS, answer, build, config_for, versions
from gear_app.models.extractor import local as extractor
from gear_app.models.extractor.local import LocalExtractor
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import (
    ANSWER,
    CHAIN,
    DUAL_THOUGHTS,
    ENTITIES,
    READ,
    READ_GIST,
    REASON,
    REWRITE,
    THINK,
    VERIFY,
    ReaderRequest,
)
from gear_app.trace.events import Event, ignore, to_row
from gear_app.workspace.runs.runner import write_answers
from tests import gfm_weights
from tests.scripted import ScriptedReader
from tests.small import QUESTION, SmallWorld

FOLDER = Path(__file__).parent / "golden"
VERSIONS = FOLDER / "versions.json"  # of each trace, when it was last written
WRITES = os.environ.get("GEAR_GOLDEN") == "write"
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
            Action("The film is by somebody. Who directed it?"),
            Action("I search for the director.", "who directed Harbour Lights"),
            Analysis("Harbour Lights was directed by Ada Quill."),
            Action("Ada Quill directed it.", "Where was Ada Quill born"),
            Analysis("Winter Lights was directed by Bo Hale. Nothing is said of a birthplace."),
            Action("So it was Mira.", answer="Mira"),
            *(answers or ["Two towns on a river."] * 3),  # else reports on communities
        ]
    )


@pytest.mark.parametrize("name", NAMES)
def test_trace_is_the_reviewed_one(name: str, small: SmallWorld, tmp_path: Path) -> None:
    events: list[Event] = []
    config = config_for(name)
    if "max_iterations" in settings(config):  # as many as the script has replies for
        config = overridden(config, {"max_iterations": 2})
    if name == "agent":  # the form with a kind of event more; the first document alone is read
        config = overridden(config, {"form": "search_o1", "shown_k": 2})
    if name == "gfm":
        config = overridden(config, {"weights": str(gfm_weights.save(tmp_path))})
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
    write_answers(reader, small.index, QUESTION, tuple(events), gold, events.append)
    _compare(events[before:], "answers.jsonl")


def test_the_local_readers_replies_are_the_reviewed_ones(small: SmallWorld) -> None:
    """Every role of it, with what it replied before as memory and thoughts."""
    reader = LocalReader(small.embedder)
    texts, facts = small.passages, small.triples
    rows: list[Any] = []
    for question in (QUESTION, "Which town lies on the same river as Port Mira?"):
        asked = ReaderRequest(READ, question, texts, facts)

        def reply(asked: ReaderRequest[Any] = asked, **changes: Any) -> Any:
            return reader.ask(dataclasses.replace(asked, **changes), ignore)

        start, gist = reply(), reply(asks=READ_GIST)
        onward = reply(asks=READ_GIST, memory=gist.triples)
        memory = gist.triples + onward.triples
        rows += [start, gist, onward]
        rows += [reply(asks=REASON, memory=known) for known in (gist.triples, memory)]
        rows.append(reply(asks=REWRITE, memory=gist.triples))
        rows.append(reply(asks=ENTITIES, names={"harbour lights", "port mira"}))
        for style in get_args(Style):
            first = reply(asks=THINK, style=style)
            rows += [first, reply(asks=THINK, style=style, thoughts=(first,))]
        rows.append(reply(asks=DUAL_THOUGHTS))
        chain = reply(asks=CHAIN, memory=memory)
        rows += [chain, reply(asks=VERIFY, chain=chain)]
        rows.append(reply(asks=ANSWER))
    _compare_rows([_row(reply) for reply in rows], "reader.jsonl")


@pytest.mark.models
def test_the_local_extractors_triples_are_the_reviewed_ones(small: SmallWorld) -> None:
    found = LocalExtractor().extract(small.passages)
    _compare_rows([_row(extraction) for extraction in found], "extractor.jsonl")


NOW = {name: versions(name) for name in NAMES}
NOW |= {"reader": {"reader": LocalReader.version}, "extractor": {"extractor": extractor.VERSION}}


@pytest.mark.parametrize("name", NOW)
def test_a_trace_changes_only_together_with_a_version(name: str) -> None:
    kept = json.loads(VERSIONS.read_text(encoding="utf-8"))
    trace = (FOLDER / f"{name.replace(':', '-')}.jsonl").read_bytes()
    now = {"versions": NOW[name], "trace": hashlib.sha256(trace).hexdigest()[:16]}
    before = kept.get(name, {"versions": {}})
    if before["versions"] == now["versions"]:
        assert before == now, (
            f"The trace of {name} in tests/golden changed and no version did. If a ranking can have"
            " changed, raise the version of what changed (`version` in the method's `@declare_method` or of"
            " LocalReader, VERSION of models/extractor/local.py) and run `make golden`; its results are"
            " measured anew. If only the form of events changed, put the new hash into its line of"
            f" tests/golden/versions.json: {now['trace']}"
        )
    elif WRITES:
        lines = [f'"{key}": {json.dumps(line)}' for key, line in (kept | {name: now}).items()]
        VERSIONS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    else:
        assert before == now, f"the versions of {name} changed: run `make golden`"


def _row(reply: Any) -> Any:
    return dataclasses.asdict(reply) if dataclasses.is_dataclass(reply) else reply


def _compare(events: Sequence[Event], name: str) -> None:
    _compare_rows([to_row(event) for event in events], name)


def _compare_rows(found: Sequence[Any], name: str) -> None:
    rows = json.loads(json.dumps(found))
    file = FOLDER / name
    if WRITES:
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
