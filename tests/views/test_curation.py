"""Steps of a history and differences of extractions as words and tables."""

from __future__ import annotations

from gear_app.extract.difference import difference
from gear_app.store.triples import TriplesSince
from gear_app.types import ExtractedTriple, Triple
from gear_app.views import curation

ADA = Triple(1, 1, "Ada", "met", "Bo")
BO = Triple(2, 1, "Bo", "met", "Ada")


def test_what_changed_since_a_run_says_whether_its_steps_show_it() -> None:
    nothing = TriplesSince([], [])
    assert curation.changed_since(nothing, {1}, "mine") == ""
    both = TriplesSince([ADA, BO], [Triple(3, 1, "Ada", "knew", "Bo")])
    start = (
        ": of the triples “mine”, 2 triples that it saw were changed or deleted and 1 triple is new"
    )
    assert curation.changed_since(both, {9}, "mine") == (
        f"{start}. None that was changed is in its steps"
    )
    assert curation.changed_since(both, {1}, "mine") == (
        f"{start}. Its steps show one of these: “Ada · met · Bo”"
    )
    assert curation.changed_since(both, {1, 2}, "mine") == f"{start}. Its steps show 2 of these"
    only_new = TriplesSince([], [ADA])
    assert curation.changed_since(only_new, {1}, "mine") == (
        ": of the triples “mine”, 1 triple is new"
    )


def test_words_of_documents_stay_text_in_the_table_of_differences() -> None:
    evil = ExtractedTriple("<img src=x>", "is", "b&w")
    found = difference([ADA], [evil, ExtractedTriple("ada", "met", "bo")])
    table = curation.difference_table(found, "<set>", "local")
    assert "<img" not in table and "&lt;img src=x&gt;" in table and "&lt;set&gt;" in table
    assert [table.count(f'aria-label="{words}"') for words in ("in both", "only found")] == [1, 1]
    assert curation.difference_sentence(found, "mine", "Local extractor") == (
        "1 in both, 0 only in “mine”, 1 only found by the local extractor."
    )
