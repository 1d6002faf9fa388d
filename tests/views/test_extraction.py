from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

from gear_app.llm.server import Spec
from gear_app.store.extractions import Failure
from gear_app.store.rows import Spent, TripleSetInfo
from gear_app.views import extraction
from gear_app.workspace import Estimate

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


def test_an_estimate_says_that_it_is_one_what_is_free_of_it_and_whether_the_price_is_known() -> (
    None
):
    found = Estimate(12, 2, 3400, 560, None, "12 passages to read")
    assert (
        extraction.estimate(found)
        == "Estimate: 12 calls, of which 2 are replied to by what is kept and cost nothing; 3,400"
        " tokens in and 560 out; price not known. It rests on 12 passages to read."
    )
    assert "$1.50" in extraction.estimate(Estimate(1, 0, 3, 5, 1.5, "1 passage"))
    assert "Nothing is left to ask" in extraction.estimate(Estimate(0, 0, 0, 0, 0.0, ""))


def test_the_running_totals_name_calls_tokens_cap_and_cost() -> None:
    spent = Spent(20, 4, 3, 900, 100, 0.5, 800)
    assert (
        extraction.totals(job(spent=spent, budget=5000))
        == "20 calls of tiny (4 kept from before) · 3 not fully usable · 1,000 tokens of at most"
        " 5,000, 800 of them paid for now · $0.5000"
    )
    assert extraction.totals(job()) == "0 calls of tiny · 0 tokens · $0.00"
    assert extraction.totals(job(state="done")) == extraction.totals(job(model="")) == ""


def test_a_sets_shortfalls_are_counted_apart() -> None:
    found = made(passages_failed=1, passages_without=2, passages_short=3, parts_dropped=7)
    assert (
        extraction.shortfall_words(found)
        == "“mine”: 1 passage failed; 2 passages gave no triples; of 3 passages not all of the"
        " reply could be used, 7 parts dropped."
    )
    assert extraction.shortfall_words(made()) == ""


def test_what_made_a_set_is_named_with_its_models() -> None:
    other = Spec("http://localhost:1/v1", "large").to_json()
    assert extraction.maker_names(made(models=(TINY, other, TINY))) == "tiny, large"
    assert extraction.maker_names(made(maker="llm:two", models=(TINY,))) == "tiny, in two steps"
    assert extraction.maker_names(made(maker="local")) == "Local extractor"
    assert extraction.maker_names(made(maker="import")) == "imported"


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
