"""An extraction in words, and the method that a collection opens with."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gear_app.display import extraction
from gear_app.display.collections import needs_triples
from gear_app.models.server import Spec
from gear_app.store.extractions import Failure
from gear_app.store.rows import CollectionInfo, Spent, TripleSetInfo
from gear_app.workspace.collections.first_method import first_method

TINY = Spec("http://localhost:1/v1", "tiny").to_json()


def job(**changes: Any) -> Any:
    return SimpleNamespace(
        **{"model": TINY, "state": "running", "budget": None, "spent": Spent(), **changes}
    )


def made(**changes: Any) -> TripleSetInfo:
    fields = {
        "passages_done": 9,
        "passages_without": 0,
        "passages_failed": 0,
        "active": True,
        "maker": "llm",
    }
    return TripleSetInfo(**{"name": "mine", "triples": 9, "ready": "ready", **fields, **changes})


def test_every_shortfall_says_what_it_is_and_shows_its_reply_as_text() -> None:
    evil = "</pre><script>alert(1)</script>" + "\u202e" + "x" * 5000
    html = extraction.shortfall_list(
        [
            Failure("p1", "<b>One</b>", "It broke off", "", None),
            Failure("p2", "Two", "Unusable.", evil, None),
            Failure("p3", "", "", "[]", 0),
            Failure("p4", "Four", "", "", 0),
            Failure("p5", "Five", "It was cut.", "[…", 2, 1),
        ]
    )
    assert html.count("<details") == 5 and "<script" not in html and "<b>One" not in html
    told = [re.sub("(<[^>]+>)+", "|", part) for part in html.split("<details")[1:]]
    expected = (
        "|failed|It broke off.|",
        "more characters|",
        "|p3|no triples|The reply holds no triples.|",
        "|The extractor found none.|",
        "|2 triples, not all of the reply used|1 part of the reply could not be used.",
    )
    assert [words for words, shown in zip(expected, told, strict=True) if words not in shown] == []
    assert html.count('class="gear-raw"') == 3


def info(*sets: TripleSetInfo, passages: int = 10) -> CollectionInfo:
    return CollectionInfo("bridges", 0, passages, 0, list(sets), 1, None)


def of(name: str, done: int, triples: int = 5) -> TripleSetInfo:
    return TripleSetInfo(name, triples, done, 0, 0, True, name, "ready")


def test_a_collection_without_triples_begins_with_the_method_that_needs_none() -> None:
    assert first_method(info()) == "chain"
    assert "needs none" in needs_triples(info(), "chain")
    assert first_method(None) == "gear"


def test_on_triples_of_the_local_extractor_gear_begins_over_chain() -> None:
    local, other = of("local", 10), of("llm", 10)
    assert first_method(info(local)) == "chain"
    assert first_method(info(other)) == "gear"
    assert first_method(info(replace(local, active=False), other)) == "gear"
    assert first_method(info(of("local", 4, triples=0))) == "chain"


def test_the_first_method_changes_when_extraction_has_ended() -> None:
    assert first_method(info(of("local", 4))) == "chain"
    assert first_method(info(of("llm", 9))) == "chain"
    assert first_method(info(replace(of("local", 9), passages_failed=1))) == "chain"
    assert first_method(info(of("import", 4))) == "gear"
