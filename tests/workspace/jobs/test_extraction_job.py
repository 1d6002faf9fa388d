"""Extraction is a resumable job."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

from gear_app.core.errors import BadInput, NotReady
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.ports import free_port
from tests.waiting import until
from tests.workspaces import ToyExtractor, corpus_of, failures, workspace

ROOT = Path(__file__).parents[3]


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
    triple = films.collections["films"].triples("toy", "directed by Ada")[0]
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
    for workers in (1, 2):
        made = workspace(tmp_path / f"{workers}.db")
        made.imports.do(corpus_of(tmp_path, 60), "c")
        job = made.jobs.extract("c", "toy", workers=workers)
        assert (job.state, job.done) == ("done", 60)
        found.append({t.words for t in made.collections["c"].triples("toy", limit=99)})
    assert found[0] == found[1] and len(found[0]) == 60


def test_without_ray_the_way_to_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 20), "c")
    with pytest.raises(NotReady, match=r"pip install 'gear-app\[ray\]'"):
        made.jobs.extract("c", "toy", workers="auto")
    assert made.jobs.extract("c", "toy").done == 20
    with pytest.raises(BadInput, match="its key is not sent to a cluster"):
        made.jobs.extract("c", "llm", workers="auto")


@pytest.fixture
def ray_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a Ray cluster on this machine."""
    pytest.importorskip("ray", reason="the extra ray is not installed")
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    gcs, client = free_port(), free_port()
    with TemporaryDirectory(prefix="ray") as folder:  # short: sockets have their names in it
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
        command += ["--port", str(gcs), "--ray-client-server-port", str(client)]
        command += ["--min-worker-port", "0", "--max-worker-port", "0", "--num-cpus", "2"]
        command += ["--include-dashboard", "false", "--disable-usage-stats", "--temp-dir", folder]
        command += ["--object-store-memory", "100000000"]
        search = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": search}) as head:
            until(lambda: _answers(gcs) or head.poll() is not None)
            assert head.poll() is None
            yield f"127.0.0.1:{gcs}"
            head.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.ray
def test_a_ray_cluster_extracts_what_one_process_does_and_another_run_goes_on(
    tmp_path: Path, ray_cluster: str
) -> None:
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 200), "c")
    job = made.jobs.extract(
        "c", "toy", progress=lambda job: job.done and made.jobs.cancel(job.id), workers=ray_cluster
    )
    assert job.state == "cancelled" and 0 < job.done < 200
    job = made.jobs.extract("c", "toy", workers=ray_cluster)
    assert (job.state, job.done) == ("done", 200)
    made.jobs.extract("c", "toy", "here")
    there, here = (
        {t.words for t in made.collections["c"].triples(name, limit=999)}
        for name in ("toy", "here")
    )
    assert there == here and len(here) == 200


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
