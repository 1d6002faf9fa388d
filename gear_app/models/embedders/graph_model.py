"""GFM-RAG's graph neural network, as its authors' code has it (`gfm_rag_v1`, NBFNet over a graph of
entities), with weights under the names that theirs have.

In a layer an edge's message is the sender's state times what the layer makes of the relation. What
a node receives, with its state at the beginning, and its own state become one vector, which is
normed, cut at 0, and added to its state. The last states and the question give every entity a
score.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.threads import check_stop
from gear_app.models.embedders.local import LocalModel

NO_WEIGHTS = (
    "GFM-RAG has no weights. Set weights to a folder with its model.safetensors, or to a model's"
    " name on the hub after gear-app fetch (docs/methods.md, gfm)."
)
WEIGHTS = "model.safetensors"
_EDGES = 16_384  # whose messages are in memory at a time
DIGITS = 3  # of a score or a distance: sums of 32 bits are the same to these on most processors
Numbers = NDArray[np.float64]


class RelationGraph(NamedTuple):
    """Directed edges between `nodes` entities: `sources` and `targets` are entities, `relations`
    rows of the relations' vectors, all (edges,).
    """

    nodes: int
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    relations: NDArray[np.int64]


class Wave(NamedTuple):
    """`scores` (nodes,); how far the states of a node with and without the question's entities are
    from each other, `changes` (nodes,), at the beginning and after each layer; how far the messages
    of an edge are, `messages` (edges,), in each layer. All rounded to DIGITS.
    """

    scores: Numbers
    changes: Sequence[Numbers]
    messages: Sequence[Numbers]


class GraphModel(LocalModel):
    """The network."""

    @property
    def dimensions(self) -> int:
        """Width of the vectors of texts that it was trained with. Raises ModelFailed."""
        return int(self.model["question_mlp.weight"].shape[1])

    def run(
        self,
        graph: RelationGraph,
        question: Vectors,
        relations: Vectors,
        starts: Mapping[int, float],
    ) -> Wave:
        """`question` (dimensions,), `relations` (relations, dimensions); `starts`: the question's
        entities with their weights. Raises ModelFailed.
        """
        return _run(self.model, graph, question, relations, starts)

    def load(self, folder: str) -> Mapping[str, Any]:
        """The weights, tried out on a graph of one entity."""
        from safetensors.torch import load_file

        weights = load_file(Path(folder) / WEIGHTS)
        if len(weights) != 8 + 8 * _layers(weights):
            raise ValueError(f"it has {len(weights)} arrays in {_layers(weights)} layers")
        weights = {name: array.float() for name, array in weights.items()}
        text = np.zeros(weights["question_mlp.weight"].shape[1], np.float32)
        nodes = np.zeros(1, np.int64)
        _run(weights, RelationGraph(1, nodes, nodes, nodes), text, text[None], {0: 1.0})
        return weights


def _layers(names: Collection[str]) -> int:
    return sum(name.endswith(".layer_norm.weight") for name in names)


def _run(
    weights: Mapping[str, Any],
    graph: RelationGraph,
    question: Vectors,
    relations: Vectors,
    starts: Mapping[int, float],
) -> Wave:
    import torch

    def linear(name: str, values: Any) -> Any:  # noqa: ANN401
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def two(name: str, values: Any) -> Any:  # noqa: ANN401
        return linear(f"{name}.2", linear(f"{name}.0", values).relu())

    with torch.no_grad():
        query = linear("question_mlp", torch.tensor(question))
        kinds = linear("rel_mlp", torch.tensor(relations))
        first = torch.zeros(graph.nodes, 2, len(query))  # with the question's entities, and without
        for node, weight in starts.items():
            first[node, 0] = weight * query
        states, changes, messages = first, [_apart(first)], []
        for number in range(_layers(weights)):
            layer = f"entity_model.layers.{number}"
            received, apart = _received(graph, states, two(f"{layer}.relation_projection", kinds))
            joined = linear(f"{layer}.linear", torch.cat([states, received + first], dim=-1))
            norm = [weights[f"{layer}.layer_norm.{part}"] for part in ("weight", "bias")]
            states = torch.layer_norm(joined, joined.shape[-1:], *norm).relu() + states
            changes.append(_apart(states))
            messages.append(apart)
        last = torch.cat([states[:, 0], query.expand(graph.nodes, -1)], dim=-1)
        return Wave(_rounded(two("entity_model.mlp", last)[:, 0]), changes, messages)


def _received(
    graph: RelationGraph,
    states: Any,  # noqa: ANN401
    relations: Any,  # noqa: ANN401
) -> tuple[Any, Numbers]:
    """The sum of each node's messages; how far an edge's are from each other."""
    import torch

    received, apart = torch.zeros_like(states), [np.zeros(0)]
    for start in range(0, len(graph.sources), _EDGES):
        check_stop()
        sources, targets, kinds = (
            torch.from_numpy(part[start : start + _EDGES]) for part in graph[1:]
        )
        sent = states[sources] * relations[kinds][:, None]
        received.index_add_(0, targets, sent)
        apart.append(_apart(sent))
    return received, np.concatenate(apart)


def _apart(pairs: Any) -> Numbers:  # noqa: ANN401
    return _rounded((pairs[:, 0] - pairs[:, 1]).norm(dim=-1))


def _rounded(values: Any) -> Numbers:  # noqa: ANN401
    return np.asarray(np.round(values.double().numpy(), DIGITS), np.float64)
