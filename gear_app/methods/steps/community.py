"""Communities of a graph: groups of nodes with more edges among them than to others, in levels.

Louvain's method as networkx has it, with a fixed seed. GraphRAG uses Leiden's, and like here cuts a
community that is too large again; each such cut is a level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LEVEL = 2  # how often communities are cut again by default
LARGEST = 10  # nodes of a community that is not cut again (GraphRAG's max_cluster_size)
_SEED = 0


def communities(
    nodes: int, edges: Mapping[tuple[int, int], float], level: int
) -> Sequence[Sequence[int]]:
    """The communities of a level, from 0, as ascending nodes; by their first node. One that cannot
    be cut, or is small enough, stays as it is on all further levels.

    `edges` are weights by ends, from 0, the smaller first. Every node is in exactly one; 0 nodes
    give none.
    """
    import networkx

    graph = networkx.empty_graph(nodes)
    graph.add_weighted_edges_from((*ends, weight) for ends, weight in sorted(edges.items()))
    groups = [list(graph)] if len(graph) else []
    for cut in range(level + 1):
        groups = [
            part
            for group in groups
            for part in (_parts(graph, group) if not cut or len(group) > LARGEST else [group])
        ]
    return sorted(groups)


def _parts(graph: Any, group: Sequence[int]) -> list[list[int]]:  # noqa: ANN401
    import networkx

    parts = networkx.community.louvain_communities(graph.subgraph(group), seed=_SEED)
    return [sorted(part) for part in parts]
