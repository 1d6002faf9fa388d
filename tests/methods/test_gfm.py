"""GFM-RAG against its formulas by loops over dicts, in double precision, with drawn weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gear_app.core.errors import BadInput, ModelFailed, NotReady
from gear_app.core.types import Ranking
from gear_app.methods import answer
from gear_app.methods.gfm import GfmConfig, GfmRAG
from gear_app.models.embedders.graph_model import DIGITS, NO_WEIGHTS, GraphModel
from gear_app.models.errors import BudgetReached
from gear_app.trace.events import Event, Propagated, Retrieved, Voted
from gear_app.trace.lost import Cause
from gear_app.trace.rankings import final
from gear_app.workspace.runs.request import ALL_RIGHTS, RunRequest
from gear_app.workspace.runs.rerun import RunChange
from tests import gfm_weights
from tests.methods.test_networks import SYNONYMS, with_synonyms
from tests.scripted import ScriptedReader
from tests.small import EMBEDDER, QUESTION, Failing, SmallWorld, of_kind, parts_over, retrieved
from tests.workspaces import filled

pytestmark = pytest.mark.models
PAIRS = [*SYNONYMS, ("Ada Quill", "Harbour Lights", 0.9)]  # triples join the last two as well
NEAR = 2 * 10**-DIGITS
Row = np.ndarray[Any, np.dtype[np.float64]]


class ByHand:
    """The network by loops: states of entities by name, after each layer."""

    def __init__(self, small: SmallWorld, starts: list[str]) -> None:
        self.w = {name: one.astype(float) for name, one in gfm_weights.arrays(64).items()}
        self.named: dict[str, set[int]] = {}
        between: dict[tuple[str, str], str] = {}
        for one in small.triples:
            between[one.subject, one.object] = one.predicate
            for name in (one.subject, one.object):
                self.named.setdefault(name, set()).add(one.passage_id)
        for a, b, _ in PAIRS:
            between |= {(a, b): "equivalent", (b, a): "equivalent"}
        self.edges = [(a, b, words) for (a, b), words in between.items()]
        self.edges += [(b, a, f"inverse_{words}") for (a, b), words in between.items()]
        texts = [QUESTION, *(words for _, _, words in self.edges)]
        self.vectors = dict(zip(texts, EMBEDDER.embed(texts).astype(float), strict=True))
        self.question = self.linear("question_mlp", self.vectors[QUESTION])
        self.states, self.without = self.passed(starts), self.passed([])
        self.changes = [
            {name: float(np.linalg.norm(one[name] - other[name])) for name in self.named}
            for one, other in zip(self.states, self.without, strict=True)
        ]

    def linear(self, name: str, x: Row) -> Row:
        weight, bias = self.w[f"{name}.weight"], self.w[f"{name}.bias"]
        rows = zip(weight, bias, strict=True)
        return np.array([sum(a * b for a, b in zip(row, x, strict=True)) + c for row, c in rows])

    def two(self, name: str, x: Row) -> Row:
        return self.linear(f"{name}.2", np.maximum(self.linear(f"{name}.0", x), 0))

    def relation(self, layer: int, words: str) -> Row:
        told = self.linear("rel_mlp", self.vectors[words])
        return self.two(f"entity_model.layers.{layer}.relation_projection", told)

    def apart(self, layer: int, sender: str, words: str) -> float:
        """How far from each other the messages of an edge are."""
        apart = self.states[layer][sender] - self.without[layer][sender]
        return float(np.linalg.norm(apart * self.relation(layer, words)))

    def passed(self, starts: list[str]) -> list[dict[str, Row]]:
        first = {name: np.zeros(gfm_weights.WIDTH) for name in self.named}
        for name in starts:
            first[name] = self.question / len(self.named[name])
        states = [first]
        for n in range(gfm_weights.LAYERS):
            layer, now = f"entity_model.layers.{n}", {}
            for name in self.named:
                received = first[name].copy()
                for sender, to, words in self.edges:
                    if to == name:
                        received += states[-1][sender] * self.relation(n, words)
                x = self.linear(f"{layer}.linear", np.append(states[-1][name], received))
                x = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
                x = x * self.w[f"{layer}.layer_norm.weight"] + self.w[f"{layer}.layer_norm.bias"]
                now[name] = np.maximum(x, 0) + states[-1][name]
            states.append(now)
        return states

    def scores(self) -> dict[str, float]:
        return {
            name: float(self.two("entity_model.mlp", np.append(state, self.question))[0])
            for name, state in self.states[-1].items()
        }


def run(
    small: SmallWorld, folder: Path, reader: Any, **settings: Any
) -> tuple[Ranking, list[Event]]:
    index = with_synonyms(small, PAIRS)
    config = GfmConfig(str(gfm_weights.save(folder)), **settings)
    return retrieved(GfmRAG(parts_over(index, reader=reader), config))


def test_entities_score_and_passages_get_votes_as_the_formulas_say(
    small: SmallWorld, tmp_path: Path
) -> None:
    starts = ["Harbour Lights", "Lorn"]
    reader = ScriptedReader([("harbour lights", "Lorn", "Harbour Lights")])
    ranking, events = run(small, tmp_path, reader, voters=4)
    hand = ByHand(small, starts)
    scores = hand.scores()
    best = sorted(scores, key=lambda name: -round(scores[name], DIGITS))[:4]
    (voted,) = of_kind(events, Voted)
    assert [(one.name, one.passages) for one in voted.voters] == [
        (name, len(hand.named[name])) for name in best
    ]
    assert [one.score for one in voted.voters] == pytest.approx([scores[n] for n in best], abs=NEAR)
    assert (voted.graph_nodes, voted.graph_edges) == (len(hand.named), len(hand.edges) // 2)
    votes: dict[int, float] = {}
    for name in best:
        for id_ in hand.named[name]:
            votes[id_] = votes.get(id_, 0.0) + 1 / len(hand.named[name])
    near = [one.id for one in of_kind(events, Retrieved)[0].ranking]
    near += [id_ for id_ in ranking.ids if id_ not in near]
    order = sorted(near, key=lambda id_: -round(votes.get(id_, 0.0), 6))
    assert list(ranking.ids) == order and voted.below == len(order) - len(votes)
    assert dict(ranking.hits) == pytest.approx({id_: votes.get(id_, 0) for id_ in order}, abs=1e-5)
    for line in voted.reached:
        assert sum(part.value for part in line.parts) == pytest.approx(line.score, abs=1e-5)
        assert any(f"{one} voted for it" == voted.came_by(line.key) for one in best)


def test_a_layer_changes_the_entities_that_messages_reach_and_tells_the_strongest(
    small: SmallWorld, tmp_path: Path
) -> None:
    _, events = run(small, tmp_path, ScriptedReader([("Harbour Lights",)]))
    (active,) = of_kind(events, Propagated)
    hand = ByHand(small, ["Harbour Lights"])
    own, *others = active.names
    assert (own.name, own.source) == ("Harbour Lights", "Harbour Lights")
    for number, changes in enumerate(hand.changes):
        told = {one.name: one.value for one in active.names if one.tier == number + 1}
        changes = {name: round(value, DIGITS) for name, value in changes.items()}
        most = sorted((n for n in changes if changes[n] > 0), key=lambda n: -changes[n])[:10]
        assert list(told) == most
        assert told == pytest.approx({name: changes[name] for name in most}, abs=NEAR)
    reached = {one.name for one in others if one.tier == 2}
    steps = {b for a, b, _ in hand.edges if a == "Harbour Lights"}
    assert reached == steps | {"Harbour Lights"}
    for one in (one for one in others if one.source):
        assert (one.source, one.name, one.sentence) in hand.edges
        strengths = [
            hand.apart(one.tier - 2, a, words) for a, b, words in hand.edges if b == one.name
        ]
        strongest = hand.apart(one.tier - 2, one.source, one.sentence)
        assert strongest == pytest.approx(max(strengths), abs=NEAR) and strongest > 0


def test_where_the_budget_is_used_up_the_ranking_is_dense(
    small: SmallWorld, tmp_path: Path
) -> None:
    method = GfmRAG(
        parts_over(with_synonyms(small), reader=Failing(BudgetReached("Nothing is left."))),
        GfmConfig(str(gfm_weights.save(tmp_path))),
    )
    events: list[Event] = []
    ranking = answer(method, method.index, QUESTION, 5, events.append)
    (dense,) = of_kind(events, Retrieved)
    assert ranking.ids == tuple(line.id for line in dense.ranking) and dense.base == "dense"


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
    assert films.reruns.replay(made.run).difference == ""
    changed = asked | {"voters": 2, "synonymy": False}
    again = films.ask(QUESTION, "films", "gfm", settings=changed)
    then = films.reruns.rerun(made.run, RunChange({"voters": 2, "synonymy": False}))
    assert final(then) == again.ranking != made.ranking
    (voted,) = of_kind(again.events, Voted)
    unvoted = voted.ranking[-1].key
    answer = films.why_not.explain(again.run, unvoted, 1)
    assert answer.cause is Cause.NOT_REACHED and answer.lost and answer.lost.step == "vote"
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
        with pytest.raises(ModelFailed, match=f"must be GFM-RAG's.*{why}"):
            _ = GraphModel(str(folder)).dimensions
    with pytest.raises(BadInput):
        GfmConfig(voters=0)


def test_a_folder_without_such_a_network_is_refused_before_there_is_a_run(tmp_path: Path) -> None:
    """Its large files are not read: the web process asks."""
    films, folder = filled(tmp_path), tmp_path / "typed"
    folder.mkdir()
    refused = "must be GFM-RAG's, with safetensors .SafetensorError: .*header"
    for head, why in ((None, "has no weights as safetensors"), (b"\xff" * 20, refused)):
        if head:
            (folder / "model.safetensors").write_bytes(head)
        with pytest.raises(ModelFailed, match=why):
            films.runs.enqueue(
                RunRequest(
                    QUESTION,
                    "films",
                    "gfm",
                    settings={"weights": str(folder)},
                    rights=ALL_RIGHTS,
                )
            )
    assert not films.runs.recent()
