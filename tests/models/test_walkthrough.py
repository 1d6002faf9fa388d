"""The walk-through of GEAR's Table 6 (Bremen Cathedral), run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gear_app import methods as retrievers
from gear_app.core.errors import NotReady
from gear_app.core.protocols import Embedder
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader import TABLE_SIX
from gear_app.models.reader.readers import RecordedReader
from gear_app.models.server import Spec
from gear_app.trace.events import (
    Called,
    Event,
    Failed,
    Fused,
    Linked,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    Stopped,
)
from gear_app.trace.evidence import conclusions
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Bench
from tests.models.server import ScriptedServer, chat_reply, in_turn

FOLDER = Path(__file__).parents[2] / "data" / "walkthrough"
LINES = {
    name: [
        json.loads(line)
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for name in ("corpus", "questions", "triples.curated", "replies")
}

# GEAR Table 6, as printed
QUESTION = (
    "When did the location of the basilica which is named for the same saint that the Bremen"
    " Cathedral is named for become a country?"
)
PASSAGES = [
    "Bremen Cathedral",
    "Münster Cathedral",
    "Basilica of the Sacred Heart",
    "Saint Justin's Church, Frankfurt-Höchst",
    "Alatri Cathedral",
]
PROXIMAL = [
    ("Bremen Cathedral", "dedicated to", "St. Peter"),
    ("Alatri Cathedral", "dedicated to", "Saint Paul"),
    ("Alatri Cathedral", "co-cathedral of", "Diocese Anagni-Alatri"),
    ("Bremen", "is located in", "Germany"),
]
LINKS = [
    ("Bremen Cathedral", "dedicated to", "St. Peter"),
    ("Alatri Cathedral", "dedicated to", "Saint Paul"),
    ("Diocese of Macerata-Tolentino-Recanati-Cingoli-Treia", "type", "co-cathedral"),
    ("Bremen", "part of", "Germany"),
]
GIST = [
    ("Bremen Cathedral", "dedicated to", "St. Peter"),
    ("Alatri Cathedral", "dedicated to", "Saint Paul"),
    ("Lund Cathedral", "dedicated to", "Saint Lawrence"),
    ("Bremen", "part of", "Germany"),
]
REASON = (
    "The provided facts do not contain information about the location of the basilica named for St."
    " Peter, nor do they provide any details about when it became a country. The facts only mention"
    " the dedication of other cathedrals to different saints."
)
NEXT = (
    "What is the location of the basilica dedicated to St. Peter, and when did that location become"
    " a country?"
)
ANSWER = "1929"

# Ours: the second iteration
FOUND = [("St. Peter's Basilica", "is located in", "Vatican City")]
LEARNT = [*FOUND, ("Vatican City", "became a country in", "1929")]


def walked(folder: Path, embedder: Embedder) -> Workspace:
    made = Workspace(folder / "w.db", embedder=embedder)
    made.imports.do(FOLDER, "walkthrough")
    return made


def of(events: Sequence[Event], kind: type, iteration: int) -> list[Any]:
    return [event for event in events if isinstance(event, kind) and event.iteration == iteration]


def facts(triples: Sequence[Any]) -> list[tuple[str, str, str]]:
    return [(triple.subject, triple.predicate, triple.object) for triple in triples]


def check(events: Sequence[Event]) -> None:
    """Everything that the table prints, and the iteration after it."""
    (retrieved,), (linked,), (reasoned,), (rewrote,) = (
        of(events, kind, 1) for kind in (Retrieved, Linked, Reasoned, Rewrote)
    )
    sync, gist = of(events, Read, 1)
    assert [passage.title for passage in retrieved.ranking][:5] == PASSAGES
    assert (sync.query, facts(sync.triples)) == (QUESTION, PROXIMAL)
    assert [facts([link.proximal])[0] for link in linked.links] == PROXIMAL
    assert facts([link.triple for link in linked.links]) == LINKS
    assert facts(gist.triples) == GIST
    assert facts(of(events, Remembered, 1)[0].added) == GIST
    assert (reasoned.answerable, reasoned.reason) == (False, REASON)
    assert rewrote.query == NEXT
    sync, gist = of(events, Read, 2)
    (reasoned,), (stopped,) = of(events, Reasoned, 2), of(events, Stopped, 2)
    assert (sync.query, facts(sync.triples), facts(gist.triples)) == (NEXT, FOUND, LEARNT)
    assert (reasoned.answerable, reasoned.answer, stopped.why) == (True, ANSWER, "answerable")
    assert not of(events, Read, 3)
    first, second = ([passage.key for passage in of(events, Fused, n)[0].ranking] for n in (1, 2))
    assert not {"st-peters-basilica", "vatican-city"} & set(first)
    assert second[:2] == ["st-peters-basilica", "vatican-city"]


def served(bench: Bench) -> ScriptedServer:
    return bench.serve(in_turn(*[chat_reply(line["reply"]) for line in LINES["replies"]]))


def test_a_language_model_that_replies_so_reproduces_table_6(bench: Bench, tmp_path: Path) -> None:
    server = served(bench)
    walk = walked(tmp_path, HashingEmbedder())
    spec = Spec(server.base_url, "gpt-4o-mini")
    answer = walk.ask(QUESTION, "walkthrough", "gear:bm25", reader="llm", model=spec)
    check(answer.events)
    assert [event.role for event in answer.events if isinstance(event, Called)] == [
        line["role"] for line in LINES["replies"]
    ]
    assert walk.reruns.replay(answer.run) == ""


def by_script(walk: Workspace, method: str) -> list[Event]:
    collection = walk.store.collections.get("walkthrough")
    triples = walk.store.collections.find_set(collection.id, "curated")
    corpus = walk.corpora.get(collection, triples, collection.revision)
    events: list[Event] = []
    retriever = retrievers.build(
        method, corpus.index, RecordedReader(TABLE_SIX), walk.models.embedder
    )
    retrievers.answer(retriever, corpus.index, QUESTION, 15, events.append)
    return events


FAILED = {  # by reader: the answer that it comes to
    "hallucinated fact": "1861",
    "wrong link": "Macerata",
    "early stop": "January 1871",
    "misled agent": "1861",
}


@pytest.mark.parametrize("reader", FAILED)
def test_a_recorded_failure_is_made_from_its_replies_alone_and_replays(
    tmp_path: Path, reader: str
) -> None:
    walk = walked(tmp_path, HashingEmbedder())
    judged = (FOLDER / "annotations.jsonl").read_text(encoding="utf-8").splitlines()
    assert walk.annotations.import_lines("walkthrough", judged).labels == len(FAILED) == len(judged)
    (request,) = (one for one in walk.annotations.requests("walkthrough") if one.reader == reader)
    answer = walk.runner.ask(request)
    answers = [event.answer for event in conclusions(answer.events) if event.answer]
    assert answers == [FAILED[reader]]
    question = next(row for row in LINES["questions"] if row["question"] == request.question)
    assert FAILED[reader] not in question["answers"]
    assert not any(isinstance(event, Failed) for event in answer.events)  # replies as they are used
    assert walk.reruns.replay(answer.run) == ""
    with pytest.raises(NotReady, match="would be the same whatever it reads"):
        walk.reruns.rerun(answer.run, RunChange(settings={"depth": 3}))
    assert len(walk.annotations.requests("walkthrough")) == len(FAILED) - 1


@pytest.mark.models
def test_with_the_bundled_model_the_hybrid_base_reproduces_it_too(
    tmp_path: Path, minilm: CachedEmbedder
) -> None:
    check(by_script(walked(tmp_path, minilm), "gear"))
