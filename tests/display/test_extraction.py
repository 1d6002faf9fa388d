"""An extraction in words, and the method that a collection opens with."""

from __future__ import annotations

import re

from gear_app.display import extraction
from gear_app.store.extractions import Failure


def test_every_shortfall_says_what_it_is_and_shows_its_reply_as_text() -> None:
    evil = "</pre><script>alert(1)</script>" + "\u202e" + "x" * 5000
    html = extraction.shortfall_list(
        [
            Failure(1, "p1", "<b>One</b>", "It broke off", "", None),
            Failure(2, "p2", "Two", "Unusable.", evil, None),
            Failure(3, "p3", "", "", "[]", 0),
            Failure(4, "p4", "Four", "", "", 0),
            Failure(5, "p5", "Five", "It was cut.", "[…", 2, 1),
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
