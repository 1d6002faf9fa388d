"""An extraction in words, and the triples made while a question was asked."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from gear_app.analysis.rankings import searches
from gear_app.analysis.timeline import steps
from gear_app.collections.first_method import first_method
from gear_app.events import (
    Called,
    Event,
    Expanded,
    Extracted,
    Failed,
    RankedPassage,
    Retrieved,
    ShownTriple,
)
from gear_app.llm.server import Spec
from gear_app.step_views import extraction as step_extraction
from gear_app.store.extractions import Failure
from gear_app.store.rows import CollectionInfo, Spent, TripleSetInfo
from gear_app.views import extraction
from gear_app.views.collections import needs_triples
from tests import factories
from tests.step_views.told import purpose

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
        "|failed|It broke off. There is no reply.|",
        "more characters|",
        "|p3|no triples|The reply holds no triples.|",
        "|The extractor found none.|",
        "|2 triples, not all of the reply used|1 part of the reply could not be used.",
    )
    assert [words for words, shown in zip(expected, told, strict=True) if words not in shown] == []
    assert html.count('class="gear-raw"') == 3


CLIFTON, MARC, AVON, GWR = (
    RankedPassage(n, key, factories.TEXTS[key][0], 0.0)
    for n, key in enumerate(("clifton", "marc", "avon", "gwr"), start=1)
)


def triple(n: int, of: RankedPassage, subject: str = "Marc") -> ShownTriple:
    return ShownTriple(n, subject, "dug", f"tunnel {n}", of.id, of.key, of.title, f"Sentence {n}.")


def step(**changes: object) -> Extracted:
    """Four passages: one gave three triples, one was read by others, one failed, in one nothing was
    found.
    """
    triples = (*(triple(n, CLIFTON) for n in (1, 2, 3)), triple(4, MARC))
    values = {
        "failed": (AVON.id,),
        "before": 7,
        "revision": 8,
        "meanwhile": (MARC.id,),
        "triples": triples,
        **changes,
    }
    return Extracted("local", (CLIFTON, MARC, AVON, GWR), **values)  # type: ignore[arg-type]


def info(*sets: TripleSetInfo, passages: int = 10) -> CollectionInfo:
    return CollectionInfo("bridges", 0, passages, 0, list(sets), 1, None)


def of(name: str, done: int, triples: int = 5) -> TripleSetInfo:
    return TripleSetInfo(name, triples, done, 0, 0, True, name, "ready")


def test_the_table_has_every_triple_and_a_line_for_a_passage_without() -> None:
    rows = step_extraction.passages_read_rows(step(), ("clifton",))
    assert [(row["passage"], row.get("object"), row["note"]) for row in rows] == [
        ("★ Clifton Suspension Bridge", "tunnel 1", "made on the way"),
        ("★ Clifton Suspension Bridge", "tunnel 2", "made on the way"),
        ("★ Clifton Suspension Bridge", "tunnel 3", "made on the way"),
        ("Marc Isambard Brunel", "tunnel 4", "made meanwhile by a job or another run"),
        ("Avon Gorge", None, "failed; the next run that touches it tries again"),
        ("Great Western Railway", None, "nothing found in it"),
    ]
    assert rows[0]["sentence"] == "Sentence 1."


def test_words_of_documents_stay_words() -> None:
    hostile = RankedPassage(1, "k", "<script>alert(1)</script>", 0.0)
    event = Extracted(
        "local", (hostile,), (triple(1, hostile, "<img src=x onerror=alert(1)>"),), (), 1, 2
    )
    html = step_extraction.passages_read(event, ())
    assert "<script" not in html and "<img" not in html and "&lt;script&gt;" in html


def test_extraction_is_a_step_of_its_own_and_ends_no_search() -> None:
    called = Called("extraction", "tiny", "0", "prompt", "reply", 11, 7, 5.0)
    events: list[Event] = [
        Retrieved("q", "hybrid", ()),
        called,
        Failed("extract", "The reply …", "reply"),
        called,
        step(),
        Expanded("q", 1, (), ()),
        step(meanwhile=()),
        factories.gear_run()[-1],
    ]
    found = steps(events)
    assert [(one.verb, len(one.events), one.failed) for one in found][:4] == [
        ("retrieve", 1, False),
        ("extract", 4, True),
        ("expand", 1, False),
        ("extract", 1, False),
    ]
    (search,) = searches(events)
    assert (search.start, search.stop) == (
        0,
        6,
    ), "what is extracted after it is for whoever reads next"
    assert found[1].query == "q" and found[3].query == ""
    assert "they are there for the next question too" in purpose(found[1], events)


def test_what_can_extract_on_its_way() -> None:
    assert all(
        extraction.can_extract(method, "local")
        for method in ("naive_ge", "gear:dense", "griever", "ircot", "bdtr")
    )
    assert not any(
        extraction.can_extract(method, "local")
        for method in ("bm25", "hybrid", "hipporag", "ircot:hipporag")
    )
    assert extraction.can_extract("gear", "llm") and extraction.can_extract(
        "ircot:sync_ge:bm25", "llm"
    )
    assert not extraction.can_extract("ircot", "llm"), "its reader reads the text"


def test_how_many_passages_a_set_lacks() -> None:
    assert extraction.unread(info(), None) == 10
    assert extraction.unread(info(of("local", 4), of("llm", 10)), "local") == 6
    assert extraction.unread(info(of("local", 4), of("llm", 10)), "llm") == 0
    assert extraction.lazy_offer(info(of("local", 4)), "local").startswith(
        "6 of 10 passages have not been extracted"
    )


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
