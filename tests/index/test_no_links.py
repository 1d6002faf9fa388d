"""Without links a method finds what it began with, and the graph's part is gone."""

from __future__ import annotations

import pytest

from gear_app.display.settings import dials
from gear_app.index.changed import UnlinkedIndex
from gear_app.methods import METHODS
from gear_app.trace.events import Event
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import UNLINKED, RunChange
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def without(workspace: Workspace, method: str) -> tuple[list[Event], list[str]]:
    """The events of the run without links, and the keys that it ranks with them."""
    run = workspace.ask(QUESTION, "films", method).run
    with_links = [one.key for one in final(workspace.runs.events(run))]
    return workspace.reruns.rerun(run, RunChange({UNLINKED: "1"})), with_links


def keys(events: list[Event]) -> list[str]:
    return [one.key for one in final(events)]


@pytest.mark.parametrize("method", [name for name, one in METHODS.items() if one.links])
def test_every_method_with_links_has_a_variant_without(films: Workspace, method: str) -> None:
    variant, _ = without(films, method)
    assert keys(variant)
    assert "unlinked" in {dial.name for dial in dials(films.runs.recent()[0])}


def test_nothing_joins_two_passages_or_two_names(films: Workspace) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "hipporag").run)
    linked = films.runner.corpus_of(run, films.models).index
    index = UnlinkedIndex(linked)
    there, network = linked.mention_network(), index.mention_network()
    for row, network_ in ((0, network), (1, there)):
        holders: dict[int, set[int]] = {}
        for sentence, name in network_.in_sentences.tolist():
            holders.setdefault(name, set()).add(int(network_.sentence_passages[sentence]))
        for passage, name in network_.in_titles.tolist():
            holders.setdefault(name, set()).add(passage)
        assert (max(map(len, holders.values())) > 1) == bool(row)
    entities = index.entities()
    assert (entities.facts.nnz, entities.synonymy.nnz) == (0, 0)
    assert linked.entities().facts.nnz > 0
    assert (entities.counts != linked.entities().counts).nnz == 0
