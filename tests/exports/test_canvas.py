"""Runs as a JSON Canvas, by the words of its specification."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from gear_app.cli import main
from gear_app.events import (
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    NameLead,
    Ranked,
    RankedPassage,
)
from gear_app.exports.canvas import canvas, escaped
from gear_app.exports.openinference import Trace
from gear_app.store.events import StoredEvent
from gear_app.types import Span
from gear_app.workspace import Workspace
from tests.small import QUESTION

HOSTILE = (
    "# No heading\n- no *item* ~~gone~~ ==lit== $x^2$ %%hidden%%\n1. no list\n\n    no code `x`\n"
    "> [!note] none\n[[Link]] ![[File]] [a](b) <b>bold</b> &lt; #tag https://lorn.example a@b.example"
    "\n| a | b |\n|---|---|\n===\n---\n\\* key:: value ^block {% raw %}\n7."
)


def drawn(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Nodes by id, and edges; checked against JSON Canvas 1.0."""
    whole = json.loads(text)
    assert whole.keys() == {"nodes", "edges"}
    nodes = {node["id"]: node for node in whole["nodes"]}
    ids = [one["id"] for one in whole["nodes"] + whole["edges"]]
    assert len(ids) == len(set(ids)) and all(type(one) is str and one for one in ids)
    for node in whole["nodes"]:
        assert all(type(node[name]) is int for name in ("x", "y", "width", "height"))
        assert type(node[{"text": "text", "group": "label"}[node["type"]]]) is str
    for edge in whole["edges"]:
        assert {edge["fromNode"], edge["toNode"]} <= nodes.keys()
        assert {edge["fromSide"], edge["toSide"]} <= {"top", "right", "bottom", "left"}
        assert edge["label"]
    return nodes, whole["edges"]


@pytest.mark.parametrize("method", ["bm25", "chain", "gear"])
def test_a_run_is_a_canvas_with_its_question_and_its_first_passages(
    films: Workspace, tmp_path: Path, method: str
) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", method).run)
    file = tmp_path / "run.canvas"
    command = ["export", run.id, "--canvas", str(file), "--workspace", str(films.path)]
    assert main(command) == 0
    assert main(command) == 2  # never over a file that is there
    nodes, edges = drawn(file.read_text(encoding="utf-8"))
    assert nodes["question"]["text"] == QUESTION
    ranks = [edge["label"] for edge in edges if edge["fromNode"] == "question"]
    assert ranks == [f"rank {n}" for n in range(1, len(ranks) + 1)] and ranks
    boxes = [(n["x"], n["y"], n["width"], n["height"]) for n in nodes.values() if "text" in n]
    assert not any(
        one is not other
        and one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
        for one in boxes
        for other in boxes
    )


def test_facts_that_were_read_are_edges_between_their_entities(films: Workspace) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "gear").run)
    trace = Trace(run, tuple(films.runs.timed_events(run.id)))
    nodes, edges = drawn(canvas(trace))
    facts = {
        (nodes[e["fromNode"]]["text"], e["label"], nodes[e["toNode"]]["text"])
        for e in edges
        if e["fromNode"].startswith("entity-")
    }
    assert ("Harbour Lights", "was directed by", "Ada Quill") in facts


def test_what_joins_two_passages_and_where_a_name_leads_are_edges(films: Workspace) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "bm25").run)
    ranking = tuple(RankedPassage(n, f"p{n}", f"Title {n}", 1 / n) for n in (1, 2))
    pair = tuple(EvidencePassage(n, f"p{n}", f"Title {n}", n, "x", Span(0, 1)) for n in (1, 2))
    leads = (
        NameLead(3, "p3", "Title 3", 2, "Sel", 2, "*The* Sel.", Span(0, 10)),
        NameLead(4, "p4", "Title 4", 3, "Vane", 2, "Vane.", Span(0, 5)),
        NameLead(5, "p5", "Title 5", 99, "Hale", 2, "Hale.", Span(0, 5)),
    )
    events = (
        Ranked(ranking, iteration=0),
        EvidenceFound(pair, (EvidenceLink((1, 2), "Orla", 2, 0.5),), 9, leads, iteration=0),
    )
    stored = tuple(StoredEvent(n, 0.0, event) for n, event in enumerate(events))
    nodes, edges = drawn(canvas(Trace(run, stored)))
    joins = [(e["fromNode"], e["toNode"], e["label"]) for e in edges][2:]
    assert joins == [
        ("passage-1", "passage-2", "both name Orla"),
        ("passage-2", "passage-3", "Sel"),
        ("passage-3", "passage-4", "Vane"),
    ]
    assert "passage-5" not in nodes  # it is reached from nowhere that is drawn
    assert nodes["passage-3"]["text"] == "**Title 3**\n\n\\*The\\* Sel."


def test_a_run_that_found_nothing_is_its_question(films: Workspace) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "bm25").run)
    nodes, edges = drawn(canvas(Trace(run, ())))
    assert (list(nodes), edges) == (["question"], [])


def test_nothing_in_a_document_comes_to_life() -> None:
    text = escaped(HOSTILE)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    shown = unescape(html.replace("<p>", "").replace("</p>", ""))
    assert "<" not in html.replace("<p>", "").replace("</p>", "")
    lines = [line.strip() for line in HOSTILE.split("\n")]
    assert [line for line in shown.split("\n") if line] == [line for line in lines if line]
    for sign in ("[[", "%%", "==", " $x", " #tag", "s://", "::", "{%", "a@b", "[!"):
        assert sign in HOSTILE and sign not in text
