"""What a change makes of a run: sentence, figures, bump chart and beams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.difference import BeamMove, RunDifference, verdict
from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import CUTS, keys
from gear_app.events import RankedPassage
from gear_app.text import count
from gear_app.views.decimals import exact
from gear_app.views.markup import Html, entity, join, tag

SHOWN = 10  # passages of each ranking in the chart
BEAMS_SHOWN = 6  # of those that enter, and of those that leave


def told(words: str, difference: RunDifference) -> Html:
    """The change, and in one sentence who crosses the line and what it costs."""
    return tag(
        "div",
        tag("b", f"{_begun(words)}: "),
        verdict(difference),
        class_="gear-what-told",
        role="status",
        dir="auto",
    )


def _begun(words: str) -> str:
    """A change as the beginning of a sentence: "Without the gist entry …" is one by itself."""
    return f"W{words[1:]}" if words.startswith("without ") else f"With {words}"


def cost_words(ms: float, encoded: int) -> str:
    """What it took to make a variant."""
    texts = f"{count(encoded, 'text')} encoded" if encoded else "nothing encoded"
    return f"{ms:,.0f} ms, {texts}, no language model asked"


def recall_rows(
    before: Sequence[RankedPassage], after: Sequence[RankedPassage], gold: Sequence[str]
) -> list[tuple[str, str]]:
    """Recall before and after at every cut-off; none without gold."""
    if not gold:
        return []
    pairs = ((k, *(recall_at(keys(one), gold, k) for one in (before, after))) for k in CUTS)
    return [(f"Recall@{k}", f"{was:.2f} → {now:.2f}") for k, was, now in pairs]


def chart(difference: RunDifference, right: str) -> dict[str, Any]:
    """The bump chart's data; `right` is the head of the ranking after the change."""
    lines = [
        {
            "key": move.key,
            "title": move.title,
            "gold": move.gold,
            "before": move.before,
            "after": move.after,
        }
        for move in difference.moves
    ]
    return {"k": difference.k, "shown": SHOWN, "right": right, "lines": lines}


def rows(difference: RunDifference) -> list[dict[str, Any]]:
    """The chart as a table."""
    return [
        {
            "passage": move.title,
            "as run": move.before,
            "what if": move.after,
            "gold": "★" if move.gold else "",
        }
        for move in difference.moves
    ]


def beams(difference: RunDifference) -> Html:
    """The beams that enter and those that leave; "" where the run has no beams or none moved."""
    sides = (difference.entered, "+", "gear-new-beam"), (difference.left, "−", "gear-gone")
    lines = [
        _beam(beam, sign, class_) for found, sign, class_ in sides for beam in found[:BEAMS_SHOWN]
    ]
    if not lines:
        return Html("")
    more = sum(max(0, len(found) - BEAMS_SHOWN) for found, _, _ in sides)
    note = tag("p", f"and {count(more, 'beam')} more", class_="gear-note") if more else Html("")
    return join([tag("ul", *lines, class_="gear-what-beams"), note])


def beams_title(difference: RunDifference) -> str:
    """How many beams enter and leave."""
    return f"{len(difference.entered)} enter, {len(difference.left)} leave"


def _beam(beam: BeamMove, sign: str, class_: str) -> Html:
    path: list[object] = []
    for triple in beam.triples:
        path += [" → "] if path else []
        path += [entity(triple.subject), f" {triple.predicate} ", entity(triple.object)]
    where = f"place {beam.place}, {exact(beam.score)}"
    words = {"+": "enters", "−": "leaves"}[sign]
    return tag(
        "li",
        tag("i", sign, role="img", aria_label=words),
        tag("span", *path, dir="auto"),
        tag("span", where),
        class_=class_,
    )
