"""What it takes to open a large collection and to ask it, method by method.

    python tests/bench/opening.py 150000 1500000 --out docs/results/opening.csv

makes a collection of so many passages and triples, of generated text with random vectors, in a
folder that is removed in the end; then opens it in a process of its own for each method. A row has
CPU-seconds of opening and of the first question, the memory after each that is not file-backed, and
the median CPU-milliseconds of later questions, each the least of three; `job_s` and `job_mb`, the
most that is not file-backed, are those of the job that makes the arrays, the same in every row.
Vectors are made before and do not count.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse  # noqa: F401  # so that it counts as no opening

from gear_app.core.protocols import Vectors
from gear_app.core.types import Passage, Span, Triple
from gear_app.methods import METHODS, answer, build
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.store import Store
from gear_app.store.rows import text_hash
from gear_app.workspace.corpus.vectors import keep_mentions
from gear_app.workspace.workspace import Workspace

MEASURED = ["hybrid", "chain", "gear", "griever", "hipporag"]
QUESTIONS, DIMENSION = 13, 64
CONSONANTS, VOWELS = "bdfghklmnprstvz", "aeiou"


class RandomEmbedder(HashingEmbedder):
    """A random vector a text, always the same: fast, and near to nothing."""

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.fingerprint = "random"

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        return random_vectors([hash_of(text) for text in texts])


def hash_of(text: str) -> int:
    return int.from_bytes(text.encode()[-16:], "little") % 2**32


def random_vectors(seeds: list[int]) -> Vectors:
    vectors = (
        np.stack([np.random.default_rng(seed).standard_normal(DIMENSION) for seed in seeds])
        if seeds
        else np.zeros((0, DIMENSION))
    )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


@dataclass
class Text:
    """Generated text: words by Zipf's law, names of people and places."""

    chosen: random.Random
    names: list[str]
    words: list[str]
    weights: list[float]

    @classmethod
    def of(cls, names: int) -> Text:
        chosen = random.Random(11)
        words = [_word(chosen, 3) for _ in range(40_000)]
        weights = list(np.cumsum(1 / (np.arange(len(words)) + 3)))
        called = [f"{_word(chosen, 2).title()} {_word(chosen, 3).title()}" for _ in range(names)]
        return cls(chosen, called, words, weights)

    def some(self, number: int) -> str:
        return " ".join(self.chosen.choices(self.words, cum_weights=self.weights, k=number))

    def sentence(self, *names: str) -> str:
        return f"{names[0]} {self.some(6)} {' '.join(names[1:])} {self.some(5)}."


def _word(chosen: random.Random, syllables: int) -> str:
    letters = (chosen.choice(CONSONANTS) + chosen.choice(VOWELS) for _ in range(syllables))
    return "".join(letters)


def make(path: Path, passages: int, triples: int) -> None:
    """A collection "large" with a triple set "curated", its mentions and all vectors."""
    workspace, text = Workspace(path, embedder=RandomEmbedder()), Text.of(max(100, triples // 4))
    store = workspace.store
    row = store.collections.create("large")
    set_ = store.collections.ensure_set(row.id, "curated", "import")
    each = triples // passages
    with store.transaction():
        revision = store.collections.raise_revision(row.id, passages=True, set_id=set_.id)
        store.passages.add(row.id, _passages(text, passages), revision)
        ids = store.passages.ids(row.id)
        for start in range(0, len(ids), 5_000):
            added = store.passages.with_ids(ids[start : start + 5_000]).values()
            facts = [fact for passage in added for fact in _facts(text, passage, each)]
            store.triples.add(row.id, set_.id, facts, revision)
    store.collections.change(row.id, active_set_id=set_.id)
    while keep_mentions(store, row.id):
        pass
    _encode_all(workspace)


def _encode_all(workspace: Workspace) -> None:
    store, model = workspace.store, workspace.models.embedder.fingerprint
    row = store.collections.get("large")
    for table in ("passages", "sentences", "triples"):
        _encode(store, model, store.db.values(bytes, f"SELECT DISTINCT text_hash FROM {table}"))
    names = store.db.values(str, "SELECT surface FROM entities")
    _encode(store, model, [text_hash(name) for name in names])
    last, _ = store.entities.counts(row.id)
    store.synonyms.add(row.id, model, 0, last, b"")  # random names mean nothing the same


def _encode(store: Store, model: str, hashes: Sequence[bytes]) -> None:
    """Random vectors of texts with these hashes."""
    chance = np.random.default_rng(3)
    store.db.insert("models", {"fingerprint": model}, "IGNORE")
    number = store.db.value("SELECT id FROM models WHERE fingerprint = ?", [model])
    for start in range(0, len(hashes), 20_000):
        part = hashes[start : start + 20_000]
        vectors = chance.standard_normal((len(part), DIMENSION)).astype("<f4")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = ((number, hash_, v.tobytes()) for hash_, v in zip(part, vectors, strict=True))
        store.db.add("embeddings", "model_id, text_hash, vector", rows, "IGNORE")


def _passages(text: Text, number: int) -> Iterator[Passage]:
    for place in range(number):
        name = text.names[place % len(text.names)]
        names = [name, *text.chosen.choices(text.names, k=6)]
        sentences = [text.sentence(*text.chosen.sample(names, 3)) for _ in range(6)]
        yield Passage(0, f"p{place}", f"{name} {place}", " ".join(sentences))


def _facts(text: Text, passage: Passage, number: int) -> Iterator[Triple]:
    end = passage.text.index(".") + 1
    name = passage.title.rpartition(" ")[0]
    for _ in range(number):
        ends = name, text.chosen.choice(text.names)
        yield Triple(0, passage.id, ends[0], text.some(2), ends[1], Span(0, end))


def anonymous_mb() -> float:
    """Memory of this process that is not file-backed."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) / 1024


def cpu_s() -> float:
    return time.process_time()


def measure(path: Path, method: str) -> dict[str, object]:
    """Open and ask in this process. What is imported counts neither as time nor as memory."""
    workspace = Workspace(path, embedder=RandomEmbedder())
    row = workspace.store.collections.get("large")
    set_ = workspace.store.collections.get_set(row.id, "curated")
    questions, embedder = list(_questions(path)), workspace.models.embedder
    reader = LocalReader(embedder)
    base_mb, began = anonymous_mb(), cpu_s()
    needs = set_ if METHODS[method].triples else None
    corpus = workspace.corpora.get(row, needs, row.revision)
    opened_s, opened_mb = cpu_s() - began, anonymous_mb() - base_mb

    def ask(question: str) -> tuple[float, float]:
        began, wall = cpu_s(), time.perf_counter()
        built = build(method, corpus.index, reader, embedder)
        answer(built, corpus.index, question, 15, lambda event: None)
        return cpu_s() - began, time.perf_counter() - wall

    first, _ = ask(questions[0])
    after_first = anonymous_mb() - base_mb
    # The least of three: what else a machine does counts too, in its caches.
    took = [[ask(question) for _ in range(3)] for question in questions[1:]]
    cpu = statistics.median(min(times)[0] for times in took)
    wall = statistics.median(min(time_ for _, time_ in times) for times in took)
    return {
        "method": method,
        "opening_s": round(opened_s, 2),
        "opening_mb": round(opened_mb),
        "first_question_s": round(first, 2),
        "after_it_mb": round(after_first),
        "question_ms": round(cpu * 1000, 1),
        "question_wall_ms": round(wall * 1000, 1),
    }


def _questions(path: Path) -> Iterator[str]:
    workspace = Workspace(path, embedder=RandomEmbedder())
    ids = workspace.store.passages.ids(workspace.store.collections.get("large").id)
    chosen = random.Random(5)
    for passage in workspace.store.passages.with_ids(chosen.sample(ids, QUESTIONS)).values():
        words = passage.text.split(".")[0].split()
        yield f"Where was the {' '.join(words[2:5])} of {' '.join(words[:2])} {words[-1]}?"


def prepare(path: Path) -> dict[str, object]:
    """The job's part that makes the arrays, in this process."""
    workspace = Workspace(path, embedder=RandomEmbedder())
    row = workspace.store.collections.get("large")
    base, began, sizes = anonymous_mb(), cpu_s(), []

    def watch() -> None:
        while True:
            sizes.append(anonymous_mb())
            time.sleep(0.02)

    threading.Thread(target=watch, daemon=True).start()
    for sentence in workspace.corpora.prepare(row.id, row.active_set_id):
        print(f"{cpu_s() - began:6.1f} CPU-s  {sentence}", file=sys.stderr)
    return {"job_s": round(cpu_s() - began, 1), "job_mb": round(max(sizes) - base)}


def _in_process(*words: object) -> dict[str, object]:
    command = [sys.executable, __file__, *map(str, words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Make, prepare, and measure every method in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("passages", type=int)
    parser.add_argument("triples", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, help="where the collection is kept for another time")
    called = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = (called.folder or Path(folder)) / "large.db"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            _in_process("make", path, called.passages, called.triples)
        size: dict[str, object] = {"passages": called.passages, "triples": called.triples}
        job = _in_process("prepare", path)
        rows = [size | _in_process("measure", path, method) | job for method in MEASURED]
    table = called.out.open("w", newline="") if called.out else sys.stdout
    writer = csv.DictWriter(table, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    sys.path.insert(0, os.environ["PYTHONPATH"])
    match sys.argv[1:]:
        case ["make", path, passages, triples]:
            make(Path(path), int(passages), int(triples))
            print("{}")
        case ["prepare", path]:
            print(json.dumps(prepare(Path(path))))
        case ["measure", path, method]:
            print(json.dumps(measure(Path(path), method)))
        case _:
            main()
