"""Extraction is a resumable job."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.workspaces import ToyExtractor, corpus_of, failures, workspace


def test_extraction_stores_triples_with_their_sentences_and_shows_what_gave_none(
    films: Workspace,
) -> None:
    job = films.jobs.extract("films", "toy")
    assert (job.state, job.done, job.total, job.failed) == ("done", 8, 8, 0)
    assert job.message == "8 triples from 8 passages; 2 passages gave none."
    info = {s.name: s for s in films.collections.get("films").triple_sets}["toy"]
    assert (info.triples, info.passages_done, info.passages_without, info.active) == (
        8,
        8,
        2,
        False,
    )
    triple = films.collections.triples("films", "toy", "directed by Ada")[0]
    assert triple.span is not None and not triple.closest
    assert (
        films.collections.passage(triple.passage_id).text[triple.span.start : triple.span.end]
        == "It was directed by Ada Quill."
    )


def test_a_passage_that_fails_fails_alone_and_is_tried_again_next_time(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.imports.do(corpus_of(tmp_path, 20), "c")
    made.imports.do(Pasted("Bad", "BROKEN words."), "c")
    job = made.jobs.extract("c", "toy")
    assert (job.state, job.done, job.failed) == ("done", 20, 1)
    assert [(f.title, f.error.split()[0]) for f in failures(made, "c", "toy")] == [
        ("Bad", "cannot")
    ]
    extractor.asked.clear()
    made.jobs.extract("c", "toy")
    assert len(extractor.asked) == 1 and len(failures(made, "c", "toy")) == 1


def test_two_processes_extract_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A test of a page leaves its script as the main module, which new processes would run.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    found = []
    for processes in (1, 2):
        made = workspace(tmp_path / f"{processes}.db")
        made.imports.do(corpus_of(tmp_path, 60), "c")
        job = made.jobs.extract("c", "toy", processes=processes)
        assert (job.state, job.done) == ("done", 60)
        found.append({t.words for t in made.collections.triples("c", "toy", limit=99)})
    assert found[0] == found[1] and len(found[0]) == 60


def test_a_cancelled_extraction_keeps_what_it_made_and_the_next_one_goes_on(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.imports.do(corpus_of(tmp_path, 50), "c")
    job = made.jobs.extract("c", "toy", progress=lambda job: made.jobs.cancel(job.id))
    assert job.state == "cancelled" and len(extractor.asked) == 16
    assert (
        made.collections.get("c").triple_sets[0].ready == "unfinished: 16 of 50 passages extracted"
    )
    assert made.jobs.extract("c", "toy").state == "done"
    assert sorted(extractor.asked) == sorted(f"p{n}" for n in range(50))
