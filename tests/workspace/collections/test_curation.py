"""Triples corrected by hand: what a step does, what undoing it gives back, and who notices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput
from gear_app.core.types import Span, Triple
from gear_app.documents.items import NewTriple
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.triples import EditRow
from gear_app.workspace.collections.curation import Curation
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION, TRIPLES
from tests.workspaces import bare, entities

BORN = NewTriple("vane", "Tom Vane", "was born in", "Port Mira")


def curation(films: Workspace) -> Curation:
    return films.collections["films"].curation()


def said(films: Workspace, words: str = "") -> list[tuple[str, str, str]]:
    found = films.collections["films"].triples("curated", words)
    return [(t.subject, t.predicate, t.object) for t in found]


def triple(films: Workspace, words: str) -> Triple:
    (found,) = films.collections["films"].triples("curated", words)
    return found


def changed(edit: EditRow) -> list[tuple[str | None, str | None]]:
    return [
        (before.text if before else None, after.text if after else None)
        for before, after in edit.changes
    ]


def test_an_added_triple_stands_in_its_passage_with_its_source(films: Workspace) -> None:
    vane = films.collections["films"].passage_by_key("vane")
    draft = replace(BORN, subject="  Tom   Vane ", sentence="He died in Lorn.")
    edit = curation(films).change([(None, draft)], author="Ada")
    assert (edit.kind, edit.author, len(edit.changes)) == ("add", "Ada", 1)
    added = triple(films, "Tom Vane was born")
    assert (added.passage_id, added.text) == (vane.id, "Tom Vane was born in Port Mira")
    assert (added.span, added.closest) == (Span(24, 40), False)


def test_an_edited_triple_keeps_its_place_in_the_text_and_is_undone(
    films: Workspace,
) -> None:
    before = triple(films, "Ada Quill studied")
    edit = curation(films).change([(before.id, NewTriple("quill", "Ada Quill", "read", "law"))])
    assert changed(edit) == [("Ada Quill studied law", "Ada Quill read law")]
    after = triple(films, "Ada Quill read")
    assert after.id != before.id
    assert (after.passage_id, after.span) == (before.passage_id, before.span)
    undone = curation(films).undo()
    assert (undone.number, undone.undone) == (edit.number, True)
    undone_triple = replace(triple(films, "Ada Quill studied"), id=before.id)
    assert undone_triple == before and said(films, "Quill read") == []
    assert curation(films).history() == [undone]


def test_merging_names_changes_every_triple_with_one_of_them_and_is_one_step(
    films: Workspace,
) -> None:
    curation(films).change([(None, NewTriple("lorn", "Lorn", "lies on", "the Sel"))])
    before = said(films)
    edit = curation(films).merge(["river Sel", "The Sel"], "Sel")
    # Lorn's two triples came to the same: one of them is left.
    assert changed(edit) == [
        ("Port Mira lies on river Sel", "Port Mira lies on Sel"),
        ("Lorn lies on river Sel", "Lorn lies on Sel"),
        ("Lorn lies on the Sel", None),
    ]
    assert sorted(said(films, "Sel")) == [
        ("Lorn", "lies on", "Sel"),
        ("Port Mira", "lies on", "Sel"),
    ]
    names = entities(films, "films", "curated")
    assert names["Sel"] == 2 and "river Sel" not in names and "the Sel" not in names
    curation(films).undo()
    assert sorted(said(films)) == sorted(before)
    names = entities(films, "films", "curated")
    assert names["river Sel"] == 2 and names["the Sel"] == 1 and "Sel" not in names


def test_steps_are_undone_from_the_newest_back(films: Workspace) -> None:
    first = curation(films).change([(triple(films, "Bo Hale studied").id, None)])
    read = curation(films).change(
        [
            (
                triple(films, "Ada Quill studied").id,
                NewTriple("quill", "Ada Quill", "read", "law"),
            )
        ]
    )
    curation(films).change(
        [(triple(films, "Ada Quill read").id, NewTriple("quill", "Ada Quill", "knew", "law"))]
    )
    curation(films).undo()
    assert said(films, "Ada Quill read") == [("Ada Quill", "read", "law")]
    with pytest.raises(BadInput, match=f"step {read.number} is"):
        curation(films).undo(step=first.number)
    added = curation(films).change([(None, BORN)])
    assert curation(films).last().number == added.number
    for words in ("Tom Vane was born", "Ada Quill read"):
        curation(films).undo()
        assert said(films, words) == []
    assert said(films, "Bo Hale studied") == []
    curation(films).undo()
    assert len(said(films)) == len(TRIPLES) and curation(films).last() is None
    assert [step.undone for step in curation(films).history()] == [True] * 4


def test_runs_are_out_of_date_once_their_triples_were_changed(films: Workspace) -> None:
    of_triples = films.ask(QUESTION, "films", "naive_ge", triples="curated").run
    without = films.ask(QUESTION, "films", "hybrid").run
    curation(films).change([(triple(films, "Bo Hale studied").id, None)])
    run = films.runs.get(of_triples)
    assert run.stale and not films.runs.get(without).stale
    assert [t.text for t in films.store.triples.since(run.set_id or 0, run.revision)[0]] == [
        "Bo Hale studied music"
    ]
    again = films.ask(QUESTION, "films", "naive_ge", triples="curated").run
    assert films.runs.get(again).corpus_hash != run.corpus_hash
    curation(films).undo()
    assert films.runs.get(of_triples).stale and films.runs.get(again).stale
    run_now = films.runs.get(of_triples)
    assert films.store.triples.since(run_now.set_id or 0, run_now.revision) == ([], [])
    third = films.ask(QUESTION, "films", "naive_ge", triples="curated")
    assert not third.stale and third.ranking == films.runs.answer(of_triples).ranking


def test_runs_of_before_between_and_after_replay_identically(films: Workspace) -> None:
    runs = [films.ask(QUESTION, "films", "gear", triples="curated").run]
    curation(films).merge(["Ada Quill"], "A. Quill")
    runs.append(films.ask(QUESTION, "films", "gear", triples="curated").run)
    curation(films).undo()
    runs.append(films.ask(QUESTION, "films", "gear", triples="curated").run)
    assert [films.reruns.replay(run) for run in runs] == ["", "", ""]
    fresh = Workspace(films.path, embedder=HashingEmbedder())
    assert [fresh.reruns.replay(run) for run in runs] == ["", "", ""]


def test_extraction_leaves_out_what_was_taken_out_by_hand(tmp_path: Path) -> None:
    films = bare(tmp_path)
    films.jobs.extract("films", "toy")
    (built,) = films.collections["films"].triples("toy", "Tom Vane built")
    curation(films).change([(built.id, None)])
    assert films.jobs.retry_empty("films", "toy") > 0  # the passage has no triple now
    job = films.jobs.extract("films", "toy")
    assert "1 triple left out, as taken out or corrected by hand" in job.message
    assert films.collections["films"].triples("toy", "built bridges") == []
    curation(films).undo()
    (again,) = films.collections["films"].triples("toy", "built bridges")
    assert replace(again, id=built.id) == built
