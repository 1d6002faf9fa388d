"""Every method on the questions of a workspace's collection, here and in real nodes with 1 and 3
shards: whether ranking and trace are the same, and what HNSW does to recall.

Prints a table. The collection's triple set is the active one, the reader the local one.

    python -m tests.cluster.compare WORKSPACE.db COLLECTION --questions 12 --nodes 3
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gear_app.events import Event
from gear_app.index.cache import RowCache
from gear_app.index.embedded import EmbeddedIndex
from gear_app.opensearch import catalogue
from gear_app.opensearch.index import OpenSearchIndex
from gear_app.opensearch.load import StorageOptions
from gear_app.retrievers import METHODS, answer, build, config_for
from gear_app.seams import Index
from gear_app.types import Question, Ranking
from gear_app.workspace import Workspace
from tests.cluster import nodes
from tests.cluster.worlds import with_ef

SHARDS, EF, K = (1, 3), 500, 15
SEARCH_TRIPLES = ("naive_ge", "sync_ge", "gear")  # among all of them, where HNSW may be asked
Trace = tuple[Ranking, list[Event]]


@dataclass(slots=True)
class Compared:
    """How many runs were the same, of how many; rankings that were proved, of how many; of those by
    HNSW how many; recall of the gold at K here and by it.
    """

    same: int = 0
    runs: int = 0
    proved: int = 0
    rankings: int = 0
    approximate: int = 0
    here: list[float] = field(default_factory=list)
    graph: list[float] = field(default_factory=list)


def trace(workspace: Workspace, method: str, index: Index, question: str) -> Trace:
    """What a method finds, and by which steps."""
    events: list[Event] = []
    rows, models = RowCache(index), workspace.models
    built = build(method, rows, models.reader("local"), models.embedder, config_for(method))
    return answer(built, rows, question, K, events.append), events


def recall(found: Trace, question: Question, index: EmbeddedIndex) -> float:
    """The share of the gold passages among the first K."""
    by_id = index.names(found[0].ids)
    keys = {passage.key for passage in by_id.values()}
    return len(keys & {*question.supporting_keys}) / len(question.supporting_keys)


def main() -> None:
    """Push, ask, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("workspace", type=Path)
    parser.add_argument("collection")
    parser.add_argument("--questions", type=int, default=12, help="compared step by step")
    parser.add_argument("--shards", nargs="*", type=int, default=SHARDS)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--methods", nargs="*", default=[m for m in METHODS if _remote(m)])
    options = parser.parse_args()
    workspace = Workspace(options.workspace)
    row = workspace.store.collections.get(options.collection)
    sets = workspace.store.collections.sets(row.id)
    set_ = next((one for one in sets if one.id == row.active_set_id), None)
    corpus = workspace.corpora.get(row, set_, row.revision, workspace.connection.report)
    here = workspace.corpora.embedded(corpus)
    asked = [one for one in workspace.collections.questions(row.name) if one.supporting_keys]
    folder = Path(tempfile.mkdtemp())
    started = (
        [nodes.alone(folder, heap="1g")]
        if options.nodes == 1
        else nodes.together(folder, options.nodes, heap="1g")
    )
    url = ",".join(node.url for node in started)
    try:
        traces: dict[tuple[str, str], Trace] = {}
        for shards in options.shards:
            pushed = StorageOptions(shards, hnsw=True)
            load = workspace.clusters.push(row.name, None, url, pushed, lambda *_: None)
            cluster = workspace.corpora.remote.cluster(url)
            index = catalogue.open_index(cluster, load.index, workspace.models.embedder)
            near = OpenSearchIndex(
                with_ef(cluster, EF), index.name, index.facts, workspace.models.embedder
            )
            indices = here, index, near
            for method in options.methods:
                found = compare(workspace, method, *indices, asked, options.questions, traces)
                _print(row.name, shards, method, found)
            workspace.clusters.drop(url, row.name)
    finally:
        for node in started:
            node.kill()


def compare(
    workspace: Workspace,
    method: str,
    here: EmbeddedIndex,
    index: OpenSearchIndex,
    near: OpenSearchIndex,
    questions: Sequence[Question],
    number: int,
    traces: dict[tuple[str, str], Trace],
) -> Compared:
    """A method on so many questions step by step, and on all of them by HNSW where it searches all
    triples: `near` is the index so searched. `traces` are those of this process so far.
    """
    result = Compared()
    step = max(1, len(questions) // number)
    exact = {one.id for one in questions[::step][:number]}
    for question in questions:
        graph = method in SEARCH_TRIPLES
        if question.id not in exact and not graph:
            continue
        key = method, question.question
        if key not in traces:
            traces[key] = trace(workspace, method, here, question.question)
        if question.id in exact:
            asked = index.counted()
            result.same += trace(workspace, method, asked, question.question) == traces[key]
            result.runs += 1
            proved, rankings = asked.record["proved"].removesuffix(" rankings").split(" of ")
            result.proved += int(proved)
            result.rankings += int(rankings)
        if graph:
            result.here.append(recall(traces[key], question, here))
            searched = near.counted()
            found = trace(workspace, method, searched, question.question)
            result.graph.append(recall(found, question, here))
            by_graph = re.search(r"(\d+) by HNSW", searched.record["proved"])
            result.approximate += int(by_graph[1]) if by_graph else 0
    return result


def _remote(method: str) -> bool:
    return not METHODS[method].graph_first


def _print(collection: str, shards: int, method: str, found: Compared) -> None:
    graph = "—"
    if found.graph:
        exact, near = (100 * statistics.fmean(part) for part in (found.here, found.graph))
        graph = f"{exact:.1f} exact, {near:.1f} by HNSW ({len(found.graph)} questions,"
        graph += f" {found.approximate:,} of their rankings)"
    same = f"{found.same} of {found.runs} the same"
    proved = f"{found.proved:,} of {found.rankings:,} proved"
    sys.stdout.write(f"| {collection} | {shards} | {method} | {same} | {proved} | {graph} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
