"""GFM-RAG with drawn weights, and weights that are none; golden traces hold its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, ModelFailed, NotReady
from gear_app.methods.gfm import GfmConfig
from gear_app.models.embedders.graph_model import NO_WEIGHTS, GraphModel
from gear_app.trace.events import Voted
from gear_app.trace.lost import Cause
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import RunChange
from tests import gfm_weights
from tests.small import QUESTION, of_kind
from tests.workspaces import filled

pytestmark = pytest.mark.models


def test_a_run_is_made_only_with_weights_of_its_encoder_and_again_to_the_same(
    tmp_path: Path,
) -> None:
    films = filled(tmp_path)
    with pytest.raises(NotReady, match="Set weights to a folder") as refused:
        films.ask(QUESTION, "films", "gfm")
    assert str(refused.value) == NO_WEIGHTS
    with pytest.raises(ModelFailed, match="neither a folder nor downloaded"):
        films.ask(QUESTION, "films", "rerank:gfm", settings={"base.weights": "a/b"})
    assert not films.runs.recent()
    asked = {"weights": str(gfm_weights.save(tmp_path))}
    made = films.ask(QUESTION, "films", "gfm", settings=asked)
    assert films.reruns.replay(made.run) == ""
    changed = asked | {"voters": 2, "synonymy": False}
    again = films.ask(QUESTION, "films", "gfm", settings=changed)
    then = films.reruns.rerun(made.run, RunChange({"voters": 2, "synonymy": False}))
    assert final(then) == again.ranking != made.ranking
    (voted,) = of_kind(again.events, Voted)
    unvoted = voted.ranking[-1].key
    answer = films.reruns.explain(again.run, unvoted, 1)
    assert (
        answer.cause is Cause.NOT_REACHED and answer.lost_step and answer.lost_step.step == "vote"
    )
    other = gfm_weights.save(tmp_path / "films", dimensions=16)
    with pytest.raises(NotReady, match="vectors of 16 numbers, and those of hashed words have 64"):
        films.ask(QUESTION, "films", "gfm", settings={"weights": str(other)})


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    folder = gfm_weights.save(tmp_path)
    made = gfm_weights.arrays(64)
    wrong = {
        "has 34 arrays": made | {"more.weight": made["rel_mlp.bias"], "x": made["rel_mlp.bias"]},
        "KeyError": {name.replace("question_mlp", "other_mlp"): one for name, one in made.items()},
        "RuntimeError": made | {"rel_mlp.weight": made["rel_mlp.weight"][:, :9].copy()},
    }
    for why, arrays in wrong.items():
        save_file(arrays, folder / "model.safetensors")
        with pytest.raises(ModelFailed, match=f"cannot be used .*{why}"):
            _ = GraphModel(str(folder)).dimensions
    with pytest.raises(BadInput):
        GfmConfig(voters=0)
