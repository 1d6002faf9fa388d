"""Extraction by a model behind HTTP: batches, faults, failures alone, and what is kept of them."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from gear_app.core.types import ExtractedTriple, Extraction, Passage
from gear_app.models.chat_model import ChatModel
from gear_app.models.extractor.llm import LlmExtractor
from tests.models.conftest import Bench, MemoryReplies
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply
from tests.waiting import PATIENCE_S

PASSAGES = [Passage(n, f"p{n}", f"Title {n}", f"Words of passage {n}.") for n in range(1, 41)]


def number(asked: dict[str, Any]) -> int:
    return int(asked["messages"][0]["content"].rpartition("Words of passage ")[2].partition(".")[0])


def graph(n: int) -> str:
    return json.dumps(
        {"named_entities": [f"Title {n}", "Sel"], "triples": [[f"Title {n}", "lies on", "Sel"]]}
    )


def expected(n: int) -> Extraction:
    return Extraction((f"Title {n}", "Sel"), (ExtractedTriple(f"Title {n}", "lies on", "Sel"),))


def extractor(
    bench: Bench, server: ScriptedServer, kept: Any = None, steps: Any = "joint", **changes: Any
) -> LlmExtractor:
    return LlmExtractor(ChatModel(bench.chat(server, **changes), kept, {}), steps)


@pytest.fixture
def kept() -> MemoryReplies:
    return MemoryReplies()


def test_passages_come_back_in_order_several_at_once(bench: Bench) -> None:
    together = threading.Barrier(4)

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        together.wait(PATIENCE_S)
        return chat_reply(graph(number(asked)))

    server = bench.serve(reply)
    found = list(extractor(bench, server, at_once=4).extract(PASSAGES))
    assert found == [expected(n) for n in range(1, 41)]
    assert server.most_at_once == 4
    assert server.asked[0]["response_format"]["json_schema"]["schema"]["required"] == [
        "named_entities",
        "triples",
    ]
    blocks = [prompt[prompt.rindex("<passage>") :] for prompt in server.prompts]  # in any order
    assert sorted(blocks) == sorted(
        f"<passage>\nTitle {n}\nWords of passage {n}.\n</passage>\n" for n in range(1, 41)
    )
