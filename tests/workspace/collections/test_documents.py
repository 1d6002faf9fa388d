"""Documents are cut into passages, deleted, and can come again."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import Unknown
from gear_app.core.types import Document
from gear_app.documents.items import Batch, NewPassage, NewTriple
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.workspaces import documents, entities, store_batch, workspace


def test_documents_are_cut_and_their_passages_lie_where_they_say(films: Workspace) -> None:
    text = "First words here. " * 30 + "\n\n" + "Second part there. " * 30
    (report,) = films.imports.do(Pasted("Notes", text), "films")
    assert (report.status, report.documents) == ("accepted", 1) and report.passages > 1
    document = documents(films, "films")[0]
    assert (document.title, document.passages) == ("Notes", report.passages)
    for passage in films.collections["films"].passages("Notes"):
        assert passage.document_id == document.id
        assert (
            films.store.documents.get(document.id).text[passage.start : passage.end] == passage.text
        )


def test_a_deleted_document_is_gone_from_now_on_and_can_come_again(films: Workspace) -> None:
    films.imports.do([("a.txt", b"Zebra words about one thing.")], "films")
    document = documents(films, "films")[0]
    passage = films.collections["films"].passages("zebra")[0]
    films.collections["films"].delete_document(document.id)
    assert films.collections["films"].passages("zebra") == [] and documents(films, "films") == []
    assert films.collections.passage(passage.id) == passage and films.store.documents.get(
        document.id
    ).text.startswith("Zebra")
    with pytest.raises(Unknown):
        films.collections["films"].delete_document(document.id)
    assert (
        films.imports.do([("a.txt", b"Zebra words about one thing.")], "films")[0].status
        == "accepted"
    )
    assert [p.key for p in films.collections["films"].passages("zebra")] == [passage.key]


@pytest.mark.parametrize("undo", [False, True])
def test_a_passage_that_two_documents_share_outlives_one_of_them(
    tmp_path: Path, undo: bool
) -> None:
    made = workspace(tmp_path)
    made.store.collections.create("c")
    job = made.store.tasks.add_job("import", 1, request={"folder": "none"}).id
    shared = "Shared words stand in both."
    for number in (1, 2):
        text = f"{shared}\n\nOnly number {number} says this."
        batch = Batch(
            name=f"{number}.txt",
            documents=[Document("Same title", text, f"{number}.txt")],
            passages=[
                NewPassage(None, "Same title", shared, 0, 0, len(shared)),
                NewPassage(
                    None, "Same title", text[len(shared) + 2 :], 0, len(shared) + 2, len(text)
                ),
            ],
        )
        (report,) = store_batch(made, "c", batch, job if number == 1 else None)
        assert report.passages == 3 - number
    triples = Batch(
        triples={
            "s": [NewTriple(made.collections["c"].passages()[0].key, "Both", "share", "words")]
        }
    )
    store_batch(made, "c", triples)
    first, second = documents(made, "c")
    before = {p.text: p for p in made.collections["c"].passages()}
    assert before[shared].document_id == first.id
    if undo:
        made.imports.undo(job)
    else:
        made.collections["c"].delete_document(first.id)
    after = {p.text: p for p in made.collections["c"].passages()}
    assert set(after) == {shared, "Only number 2 says this."}
    assert (after[shared].key, after[shared].document_id, after[shared].start) == (
        before[shared].key,
        second.id,
        0,
    )
    assert [(t.passage_id, t.text) for t in made.collections["c"].triples("s")] == [
        (after[shared].id, "Both share words")
    ]
    assert [*entities(made, "c", "s").items()] == [
        ("Both", 1),
        ("words", 1),
    ]
    assert made.collections.get("c").triple_sets[0].passages_done == 1
