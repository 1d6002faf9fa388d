"""A run as a JSON Canvas (jsoncanvas.org, 1.0), which Obsidian and others open: the question, the
passages that it found first, what joins them and where their names lead on, and the facts that its
steps tell of them.

Texts of documents are written so that Obsidian shows their letters: no heading, link, tag, formula
or HTML in them comes to life.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from gear_app.analysis.evidence import evidence_of
from gear_app.analysis.rankings import final
from gear_app.events import Event, ShownTriple
from gear_app.exports.openinference import Trace
from gear_app.text import normalise_entity

PASSAGES, LEADS, FACTS = 10, 10, 12  # at most, of each
LONGEST = 700  # characters of a passage; the run has all of them
WIDTH, NARROW, GAP = 420, 260, 40
ASIDE = 240  # between two columns, where labels of edges stand
LINE, HEIGHT_OF_LINE, MARGIN = 46, 24, 60  # characters in a line; the rest in pixels
GOLD, ASKED = "4", "5"  # of the colours of a canvas: green and cyan
_ACTIVE = re.compile(r"[\\`*_{}\[\]<>()#+\-=~|$%^!:@&]|(?<=\d)\.(?=\s|$)")
_INDENT = re.compile(r"^[^\S\n]+", re.MULTILINE)


def canvas(trace: Trace) -> str:
    """The canvas of a run as JSON; of one that found nothing it has the question."""
    events = [stored.event for stored in trace.events]
    drawing = _Canvas(trace.texts)
    drawing.node("question", escaped(trace.run.question), column=0, color=ASKED)
    ranking = final(events)[: min(PASSAGES, trace.run.k)]
    for rank, one in enumerate(ranking, start=1):
        color = GOLD if one.key in trace.run.gold else ""
        drawing.passage(one.id, f"{rank}. {one.name}", column=1, color=color)
        drawing.edge("question", _passage(one.id), f"rank {rank}")
    _add_evidence(drawing, events, trace.run.gold)
    _add_facts(drawing, events)
    return drawing.json(f"Found by {trace.run.method}" if ranking else "")


def escaped(text: str) -> str:
    """A text as Markdown that shows it letter by letter, but for the blanks a line begins with."""
    return _ACTIVE.sub(r"\\\g<0>", _INDENT.sub("", text))


def _add_evidence(drawing: _Canvas, events: list[Event], gold: tuple[str, ...]) -> None:
    """What joins the passages that were found, and the passages that names in them lead to: an edge
    for two passages, of the first that tells of them.
    """
    found = evidence_of(events)
    joins = [(*link.ends, f"both name {link.mention}") for link in found.links] if found else []
    for event in events:
        joins += event.passages_joined
    for lead in found.leads[:LEADS] if found else ():
        if _passage(lead.start) in drawing.nodes:
            color = GOLD if lead.key in gold else ""
            drawing.passage(lead.id, lead.name, column=3, color=color, text=lead.excerpt)
            joins.append((lead.start, lead.id, lead.mention))
    pairs = {frozenset(join[:2]): join for join in reversed(joins)}
    for start, end, label in reversed(pairs.values()):
        drawing.edge(_passage(start), _passage(end), label)


def _add_facts(drawing: _Canvas, events: list[Event]) -> None:
    """Entities of the facts that steps tell of the passages drawn, an edge a fact."""
    told = (one for event in events for one in event.triples_told if isinstance(one, ShownTriple))
    facts = {one.id: one for one in told if _passage(one.passage_id) in drawing.nodes}
    for fact in list(facts.values())[:FACTS]:
        subject, object_ = _entity(fact.subject), _entity(fact.object)
        drawing.node(subject, escaped(fact.subject), column=2)
        drawing.node(object_, escaped(fact.object), column=2)
        drawing.edge(_passage(fact.passage_id), subject, "says")
        drawing.edge(subject, object_, fact.predicate)


def _passage(id_: int) -> str:
    return f"passage-{id_}"


def _entity(name: str) -> str:
    return f"entity-{normalise_entity(name)}"


class _Canvas:
    """Nodes in columns from left to right, each below the one before it, and edges between them."""

    def __init__(self, texts: Mapping[int, str]) -> None:
        """Nothing is drawn yet. `texts` are those of passages by id."""
        self.nodes: dict[str, dict[str, object]] = {}
        self._texts = texts
        self._edges: dict[tuple[str, str, str], dict[str, str]] = {}
        self._ends = dict.fromkeys(range(4), 0)  # of the columns

    def passage(self, id_: int, name: str, *, column: int, color: str = "", text: str = "") -> None:
        """Draw a passage with its text, or with this one where the run does not hold it."""
        whole = self._texts.get(id_) or text
        short = whole if len(whole) <= LONGEST else whole[:LONGEST] + "…"
        words = f"**{escaped(' '.join(name.split()))}**\n\n{escaped(short)}"
        self.node(_passage(id_), words, column=column, color=color)

    def node(self, id_: str, text: str, *, column: int, color: str = "") -> None:
        """Draw a node of Markdown; one that is there stays."""
        if id_ in self.nodes:
            return
        width = NARROW if column == 2 else WIDTH
        lines = sum(1 + len(line) * WIDTH // (LINE * width) for line in text.split("\n"))
        self.nodes[id_] = {
            "id": id_,
            "type": "text",
            "text": text,
            "x": column * (WIDTH + ASIDE),
            "y": self._ends[column],
            "width": width,
            "height": MARGIN + lines * HEIGHT_OF_LINE,
            **({"color": color} if color else {}),
        }
        self._ends[column] += MARGIN + lines * HEIGHT_OF_LINE + GAP

    def edge(self, start: str, end: str, label: str) -> None:
        """Draw an edge between two nodes that are there, once."""
        if start == end or not {start, end} <= self.nodes.keys():
            return
        beside = self.nodes[start]["x"] == self.nodes[end]["x"]
        self._edges.setdefault(
            (start, end, label),
            {
                "id": f"edge-{len(self._edges) + 1}",
                "fromNode": start,
                "fromSide": "right",
                "toNode": end,
                "toSide": "right" if beside else "left",
                "label": " ".join(label.split()),
            },
        )

    def json(self, label: str) -> str:
        """The canvas, the second column as a group with this label where there is one."""
        nodes = list(self.nodes.values())
        if label:
            group = {"id": "found", "type": "group", "label": label}
            place = {"x": WIDTH + ASIDE - GAP, "y": -GAP, "width": WIDTH + 2 * GAP}
            nodes.insert(0, {**group, **place, "height": self._ends[1] + GAP})
        whole = {"nodes": nodes, "edges": list(self._edges.values())}
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
