"""A run can be made again with the identical ranking, whatever came later."""

from __future__ import annotations

import pytest

from gear_app.documents.items import Batch, NewTriple
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.acting import LOCAL
from tests.small import QUESTION
from tests.workspaces import store_batch


def test_a_replay_is_identical_also_after_the_collection_has_changed(films: Workspace) -> None:
    methods = [*LOCAL, "gear:dense", "ircot:hipporag"]
    answers = {method: films.ask(QUESTION, "films", method) for method in methods}
    films.imports.do(
        Pasted("Ada Quill again", "Ada Quill was born in Lorn. The director of Harbour Lights."),
        "films",
    )
    batch = Batch(triples={"curated": [NewTriple("lorn", "Ada Quill", "was born in", "Lorn")]})
    store_batch(films, "films", batch)
    changed = films.ask(QUESTION, "films", "gear")
    assert [line.key for line in changed.ranking] != [line.key for line in answers["gear"].ranking]
    fresh = Workspace(films.path, embedder=HashingEmbedder())
    for answer in answers.values():
        assert fresh.runs.get(answer.run).stale
        assert fresh.reruns.replay(answer.run) == ""
    assert not fresh.runs.get(changed.run).stale


def test_a_replay_tells_the_first_difference(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "dense")
    films.store.db.execute("DELETE FROM embeddings")
    other = Workspace(films.path, embedder=HashingEmbedder(16))
    difference = other.reruns.replay(answer.run)
    assert "it was" in difference
    assert difference.endswith("was made with hashing-64; now it is hashing-16.")


@pytest.mark.parametrize("method", ["gear", "hipporag"])
def test_a_replay_uses_the_vectors_of_then_where_another_model_is_chosen_now(
    films: Workspace, method: str
) -> None:
    answer = films.ask(QUESTION, "films", method)
    other = Workspace(films.path, embedder=HashingEmbedder(16))
    assert other.reruns.replay(answer.run) == ""
    assert other.store.embeddings.length(HashingEmbedder(16).fingerprint) is None, (
        "nothing was encoded anew"
    )
