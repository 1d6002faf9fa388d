"""Extraction is a resumable job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gear_app.core.types import Extraction, Passage
from gear_app.language.english import NOT_ENGLISH
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.processes import new_name
from gear_app.store.rows import JobInfo, Progress
from gear_app.workspace.workspace import Workspace
from tests.workspaces import ToyExtractor, corpus_of


def test_extraction_stores_triples_with_their_sentences_and_shows_what_gave_none(
    films: Workspace,
) -> None:
    job = films.extract("films", "toy")
    assert (job.state, job.done, job.total, job.failed) == ("done", 8, 8, 0)
    assert job.message == "8 triples from 8 passages; 2 passages gave none."
    info = {s.name: s for s in films.collections.get("films").triple_sets}["toy"]
    assert (info.triples, info.passages_done, info.passages_without, info.active) == (
        8,
        8,
        2,
        False,
    )
    triple = films.collections.triples("films", "toy", search="directed by Ada")[0]
    assert triple.span is not None and not triple.closest
    assert (
        films.collections.passage(triple.passage_id).text[triple.span.start : triple.span.end]
        == "It was directed by Ada Quill."
    )


class English(ToyExtractor):
    """Takes nothing from what has no "the"."""

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        for passage, found in zip(passages, super().extract(passages), strict=True):
            yield found if " the " in passage.text else Extraction((), (), NOT_ENGLISH)


def test_the_summary_names_documents_that_are_not_english(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=English())
    for name, text in [("a", "See the sea."), ("b", "Das Meer."), ("c", "La mer.")]:
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        made.import_path(tmp_path / f"{name}.txt", "c")
    job = made.extract("c", "toy")
    assert job.message.endswith(f"; b.txt {NOT_ENGLISH}; c.txt {NOT_ENGLISH}.")
    assert "used in part" not in job.message
    assert [f.error for f in made.jobs.shortfalls("c", "toy")][-2:] == [NOT_ENGLISH] * 2


def test_a_passage_that_fails_fails_alone_and_is_tried_again_next_time(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.import_path(corpus_of(tmp_path, 20), "c")
    made.imports.text("Bad", "BROKEN words.", "c")
    job = made.extract("c", "toy")
    assert (job.state, job.done, job.failed) == ("done", 20, 1)
    assert [(f.title, f.error.split()[0]) for f in made.jobs.failures("c", "toy")] == [
        ("Bad", "cannot")
    ]
    extractor.asked.clear()
    made.extract("c", "toy")
    assert len(extractor.asked) == 1 and len(made.jobs.failures("c", "toy")) == 1


def test_a_cancelled_extraction_keeps_what_it_made_and_the_next_one_goes_on(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.import_path(corpus_of(tmp_path, 50), "c")
    job = made.extract("c", "toy", progress=lambda job: made.jobs.cancel(job.id))
    assert job.state == "cancelled" and len(extractor.asked) == 16
    assert (
        made.collections.get("c").triple_sets[0].ready == "unfinished: 16 of 50 passages extracted"
    )
    assert made.extract("c", "toy").state == "done"
    assert sorted(extractor.asked) == sorted(f"p{n}" for n in range(50))


def test_a_run_during_an_extraction_is_replayed_on_what_it_saw(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=ToyExtractor())
    made.import_path(corpus_of(tmp_path, 40), "c")
    runs: list[str] = []

    def ask(job: object) -> None:
        runs.append(made.ask("Who else was born in Town3?", "c", "naive_ge").run)

    made.extract("c", "toy", progress=ask)
    revisions = [made.runs.get(run).revision for run in runs]
    assert len(set(revisions)) == 3
    assert len({made.runs.get(run).corpus_hash for run in runs}) == 3
    assert [made.reruns.replay(run).difference for run in runs] == [""] * len(runs)


def test_two_extractions_of_one_set_are_one_job_and_the_second_follows_the_first(
    films: Workspace,
) -> None:
    job = films.jobs.enqueue_extraction("films", "toy")
    assert films.jobs.enqueue_extraction("films", "toy") == job
    films.store.tasks.claim(job, new_name())
    seen: list[int] = []

    def other_goes_on(followed: JobInfo) -> None:
        seen.append(followed.done)
        films.store.tasks.progress(followed, Progress(len(seen), 8, ""), 1.0)
        if len(seen) == 2:
            films.store.tasks.finish(followed, "done", "made there")

    told: list[str] = []
    films.connection.report = told.append
    assert films.extract("films", "toy", progress=other_goes_on).message == "made there"
    assert len(told) == 2 and f"process {os.getpid()} has been at it since 2" in told[0]
    assert seen == [0, 1] and films.collections.triples("films", "toy") == []


def test_the_job_of_a_dead_process_is_taken_over(films: Workspace) -> None:
    job = films.jobs.enqueue_extraction("films", "toy")
    films.store.tasks.claim(job, "7:gone")
    assert films.extract("films", "toy").id == job
    assert (
        films.jobs.get(job).state == "done" and len(films.collections.triples("films", "toy")) == 8
    )
