"""Ready-made triples get their sentences, and what has no passage is told."""

from __future__ import annotations

from pathlib import Path

from gear_app.collections.importer import Importing
from gear_app.ingest import Batch, FileReport, NewPassage, NewTriple
from gear_app.types import Span
from gear_app.workspace import Workspace
from tests.workspaces import workspace


def test_imported_triples_get_the_closest_sentence_and_say_so(films: Workspace) -> None:
    triple = films.collections.triples("films", "curated", search="directed by Ada")[0]
    passage = films.collections.passage(triple.passage_id)
    assert triple.closest and triple.span is not None
    assert passage.text[triple.span.start : triple.span.end] == "It was directed by Ada Quill."


def test_a_sentence_told_by_the_file_is_taken_word_for_word(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.collections.create("c")
    batch = Batch(
        passages=(NewPassage("k", "T", "One. Ada met Bo. Ada met Bo again."),),
        triple_sets={
            "s": (
                NewTriple("k", "Ada", "met", "Bo", "Ada met Bo."),
                NewTriple("k", "x", "y", "z", "Nowhere."),
            )
        },
        reports=(FileReport("f", "accepted", "", 0, 1),),
    )
    Importing(made.store, made.store.collections.get("c"), batch).run()
    assert [(t.span, t.closest) for t in made.collections.triples("c", "s")] == [
        (Span(5, 16), False),
        (None, False),
    ]


def test_triples_of_unknown_passages_are_told(films: Workspace) -> None:
    batch = Batch(
        triple_sets={"s": (NewTriple("nowhere", "a", "b", "c"), NewTriple("quill", "a", "b", "c"))},
        reports=(FileReport("t.jsonl", "accepted", "", 0, 0),),
    )
    (report,) = Importing(films.store, films.store.collections.get("films"), batch).run()
    assert "1 of 2 passages with triples are not in the collection" in report.message
    assert [t.passage_id for t in films.collections.triples("films", "s")] == [2]
