"""A collection that is built from files is the one that is imported, extracted and pushed; and what
was begun is finished, however often it was interrupted.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.cluster.counts import FailedExtraction
from gear_app.cluster.engine import LocalEngine, Tools
from gear_app.cluster.extraction import (
    KeptExtraction,
    KeptExtractions,
    drop_kept,
    kept_index,
)
from gear_app.cluster.files import LeftOut
from gear_app.cluster.steps import ExtractionStep
from gear_app.opensearch import catalogue
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.schema import IndexFacts
from gear_app.rows import Search
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage
from tests.cluster import builds
from tests.cluster.builds import COLLECTION, built, documents, files, opened, pushed
from tests.demo import CORPUS
from tests.workspaces import ToyExtractor

ROOT = Path(__file__).parent.parent.parent
STEPS, RAY = ("extracting", "loading", "loading names and words", "copying"), "nodes"
if os.environ.get("GEAR_FAILURES") != "all":
    STEPS, RAY = ("loading",), "alone"
QUERIES = ("who built Boat3?", "Pier4 of Lorn", "Anna Yard2", "the tide at Buoy7")


@pytest.fixture
def engine() -> Iterator[LocalEngine]:
    with LocalEngine() as local:
        yield local


@pytest.fixture(autouse=True)
def clean(cluster: Cluster) -> Iterator[None]:
    """Nothing of a build stays for the next test."""
    yield
    drop(cluster)


def drop(cluster: Cluster) -> None:
    """Delete the collection, and what was kept while it was built."""
    mine = [one for one in catalogue.stored(cluster) if one.facts.collection == COLLECTION]
    catalogue.drop(cluster, mine)
    drop_kept(cluster, COLLECTION)


def facts_of(cluster: Cluster, index: str) -> IndexFacts:
    return next(one.facts for one in catalogue.stored(cluster) if one.name == index)


def rankings(cluster: Cluster, index: str) -> list[Any]:
    """What a few searches find, with their scores."""
    searches = [
        Search(query, 10, by, over)
        for query in QUERIES
        for by in ("bm25", "dense")
        for over in ("passages", "triples")
    ]
    return list(opened(cluster, index).search(searches).rankings)


def test_a_build_gives_the_index_that_import_extraction_and_push_give(
    url: str, cluster: Cluster, engine: LocalEngine, tmp_path: Path
) -> None:
    """Name, facts, all documents to the last byte of their vectors, and rankings."""
    paths = files(tmp_path / "files")
    wanted = pushed(url, paths, tmp_path)
    whole, facts = documents(cluster, wanted), facts_of(cluster, wanted)
    found = rankings(cluster, wanted)
    drop(cluster)
    made = built(url, paths, engine)
    assert made.index == wanted
    assert facts_of(cluster, made.index) == replace(facts, revision=1)
    there = documents(cluster, made.index)
    kinds = Counter(one["kind"] for one in there.values())
    assert kinds == Counter(one["kind"] for one in whole.values())
    assert kinds["passage"] == made.passages == 70 and kinds["triple"] == made.triples == 270
    assert there == whole
    assert rankings(cluster, made.index) == found
    assert (made.failed, made.left_out) == (0, LeftOut(same=11, renamed=1))


def test_failed_passages_are_listed_and_only_they_are_tried_again(
    url: str, cluster: Cluster, engine: LocalEngine, tmp_path: Path
) -> None:
    """What was found stays kept, also for other files; the index is open meanwhile."""
    paths = files(tmp_path / "files", 9)
    broken = {"id": "bad", "title": "Wreck", "text": "BROKEN hull. Wreck was built by Ann Yard."}
    (tmp_path / "files" / "bad.jsonl").write_text(json.dumps(broken) + "\n", encoding="utf-8")
    paths = (*paths, str(tmp_path / "files" / "bad.jsonl"))
    first = built(url, paths, engine)
    assert first.failed == 1
    assert first.failures == (FailedExtraction("bad", "Wreck", "cannot read bad"),)
    again = built(url, paths, engine)
    assert (again.index, again.extracted, again.sent, again.failed) == (first.index, 1, 0, 1)
    other = Tools(forgiving, builds.hashing)
    mended = built(url, paths, engine, tools=other)
    assert (mended.extracted, mended.failed) == (1, 0)
    assert mended.index != first.index and mended.triples == first.triples + 1
    fewer = built(url, paths[1:], engine)
    assert fewer.extracted == 0 and fewer.passages < mended.passages


def test_what_was_kept_first_stays_and_an_error_does_not(url: str, cluster: Cluster) -> None:
    kept = KeptExtractions(cluster, kept_index(COLLECTION, "toy"))
    kept.make()
    kept.make()
    passages = [Passage(number, f"k{number}", "", f"Text {number}.") for number in (1, 2, 3)]

    def found(*names: str) -> list[tuple[Passage, KeptExtraction]]:
        """An extraction with one name each, or an error for ""."""
        made = [
            KeptExtraction(Extraction((name,) if name else (), ()), error="" if name else "no")
            for name in names
        ]
        return list(zip(passages, made, strict=False))

    def put(*names: str) -> list[str]:
        return ["".join(one.extraction.entities) or one.error for one in kept.put(found(*names))]

    assert put("a", "") == ["a", "no"]
    assert put("b", "", "c") == ["a", "no", "c"]
    assert put("b", "b", "") == ["a", "b", "c"]
    assert put("d", "d", "d") == ["a", "b", "c"]
    assert put() == []
    assert [one and one.extraction.entities for one in kept.get(passages)] == [
        ("a",),
        ("b",),
        ("c",),
    ]


def test_a_build_counts_what_another_kept_of_the_same_passages_first(
    url: str, cluster: Cluster
) -> None:
    """As two that ask a language model, which does not answer the same twice."""
    kept = KeptExtractions(cluster, kept_index(COLLECTION, "toy"))
    kept.make()
    passages = [Passage(1, "a", "Boat1", "Boat1 was built by Ann Yard. Boat1 lies on Pier1.")]
    (first,) = ToyExtractor().extract(passages)
    assert len(first.triples) > 1

    class Late(ToyExtractor):
        """Is done when another has kept something else."""

        def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
            fewer = Extraction(first.entities, first.triples[:1])
            kept.put([(passage, KeptExtraction(fewer)) for passage in passages])
            return super().extract(passages)

    step = ExtractionStep(url, kept.index, Late)
    assert step(passages).counts.triples.tolist() == [1]
    assert [len(one.extraction.triples) for one in kept.of(passages)] == [1]


class ForgivingExtractor(ToyExtractor):
    """Reads broken passages, too."""

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        mended = [replace(one, text=one.text.replace("BROKEN", "Broken")) for one in passages]
        return super().extract(mended)


def forgiving() -> Extractor:
    return ForgivingExtractor()


@pytest.mark.models
def test_the_command_gives_with_the_local_extractor_what_a_push_gives(
    url: str,
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    path = tmp_path / "demo.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in CORPUS[:20]), encoding="utf-8")
    index = pushed(url, [str(path)], tmp_path, tools=Tools(builds.local, builds.hashing))
    whole = documents(cluster, index)
    drop(cluster)
    command = ["build", str(path), "--to", url, "--collection", COLLECTION, "--engine", "local"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["index"], told["passages"], told["failures"]) == (index, 20, [])
    assert told["triples"] > 60
    assert documents(cluster, index) == whole
    assert main(command) == 0
    assert f"{COLLECTION} is open as {index}: 20 passages" in capsys.readouterr().out


# Killed


def process(
    url: str, folder: Path, paths: Sequence[str], **environment: str
) -> subprocess.Popen[str]:
    """A build of its own, whose steps are lines."""
    command = [sys.executable, "-m", "tests.cluster.build_process", url, *paths]
    with (folder / "errors").open("ab") as errors:
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )


def lines(running: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert running.stdout is not None
    return (json.loads(line) for line in running.stdout if line.startswith("{"))


def ended(running: subprocess.Popen[str], folder: Path) -> list[dict[str, Any]]:
    """What it said until its end."""
    with running:
        said = list(lines(running))
    assert running.returncode == 0, (folder / "errors").read_text("utf-8")[-2000:]
    return said


def test_a_build_that_is_killed_at_any_step_goes_on_and_ends_whole(
    url: str, cluster: Cluster, tmp_path: Path
) -> None:
    """The whole is that of a push: nothing is missing, nothing is there twice. `make failures` kills
    it at every step, by GEAR_FAILURES=all.
    """
    paths = files(tmp_path / "files")
    index = pushed(url, paths, tmp_path)
    whole = documents(cluster, index)
    drop(cluster)
    for step in STEPS:
        with process(url, tmp_path, paths, GEAR_TEST_KILLED_AT=step) as running:
            said = list(lines(running))
        assert running.returncode == -signal.SIGKILL and said[-1]["step"] == step
        assert not any(one.open for one in catalogue.stored(cluster) if one.name == index)
    last = ended(process(url, tmp_path, paths), tmp_path)[-1]
    assert (last["index"], last["failed"]) == (index, 0)
    assert last["sent"] < len(whole) if "copying" not in STEPS else last["sent"] == 0
    assert documents(cluster, index) == whole
    (there,) = [one for one in catalogue.stored(cluster) if one.name == index]
    assert there.open and there.documents == sum(there.facts.counts.values())


@pytest.mark.skipif(find_spec("ray") is None, reason="the extra ray is not installed")
def test_ray_gives_the_same_though_a_process_and_a_node_are_killed(
    url: str, cluster: Cluster, tmp_path: Path
) -> None:
    """On two nodes, of which one is killed, by GEAR_FAILURES=all: each takes half a minute."""
    paths = files(tmp_path / "files")
    index = pushed(url, paths, tmp_path)
    whole = documents(cluster, index)
    drop(cluster)
    said = ended(process(url, tmp_path, paths, GEAR_TEST_RAY=RAY), tmp_path)
    killed = [one["killed"] for one in said if "killed" in one]
    assert killed == (["actor", "node"] if RAY == "nodes" else ["actor"])
    assert said[-1]["index"] == index and said[-1]["failed"] == 0
    assert documents(cluster, index) == whole
