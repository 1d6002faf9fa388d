"""Vectors: each text is encoded once, and the arrays beside the file are only a cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.workspace import Workspace
from tests.small import PASSAGES, QUESTION
from tests.workspaces import filled


def test_arrays_beside_the_file_may_be_deleted_or_damaged(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    folder = films.path.with_name(films.path.name + ".cache")
    vectors = folder.glob("*/vectors.npy")
    shapes = sorted(np.load(file, mmap_mode="r").shape for file in vectors)
    assert shapes == [(8, 64), (14, 64), (14, 64)], "passages, triples, sentences"
    files = list(folder.glob("*/*.npy"))
    for file in files:
        file.write_bytes(b"damaged")
    assert Workspace(films.path, embedder=HashingEmbedder()).reruns.replay(answer.run) == ""
    shutil.rmtree(folder)
    assert Workspace(films.path, embedder=HashingEmbedder()).reruns.replay(answer.run) == ""
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")
    assert Workspace(films.path, embedder=HashingEmbedder()).reruns.replay(answer.run) == ""


class Counting(HashingEmbedder):
    """Remembers every text it encodes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        self.texts += texts
        return super().embed(texts)


def test_no_text_is_encoded_twice_in_the_life_of_a_workspace(tmp_path: Path) -> None:
    embedder = Counting()
    path = filled(tmp_path).path
    made = Workspace(path, embedder=embedder)
    made.jobs.encode("films", "curated")
    assert len(embedder.texts) == len(set(embedder.texts))
    known = set(embedder.texts)
    assert {f"{title}. {text}" for _, title, text in PASSAGES} <= known
    assert {
        "Ada Quill was born in Port Mira",
        "Ada Quill was born in",
        "was born in Port Mira",
        "Port Mira",
    } <= known
    made.ask(QUESTION, "films", "gear")
    before = len(embedder.texts)
    Workspace(path, embedder=embedder).ask(QUESTION, "films", "gear")
    assert len(embedder.texts) == before
