"""What a change makes of a run: sentence, figures, bump chart, beams, and pinned variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gear_app.analysis.difference import BeamMove, RunDifference, verdict
from gear_app.analysis.metrics import recall_at, stands_for
from gear_app.analysis.rankings import CUTS, keys, rank_of
from gear_app.events import Event, Followed, RankedPassage
from gear_app.text import count
from gear_app.views.beam import exact
from gear_app.views.dials import Weight
from gear_app.views.markup import Html, entity, join, tag
from gear_app.views.rankings import TERMS

SHOWN = 10  # passages of each ranking in the chart
BEAMS_SHOWN = 6  # of those that enter, and of those that leave
LIVE = "chain"  # the method whose ranking is a sum of terms that its events hold
OWN_WORDS = {
    "base": "rank before any link",
    "alone": "no link reaches it",
    "parts": "two parts of the question against the two sentences",
    "link": "how few passages share the name",
    "start": "what the first sentence covers of the question",
    "cover": "what the second sentence adds",
    "spread": "one step of a walk over shared names",
}


class PinnedVariant(NamedTuple):
    """A variant beside others: its change in words, and its ranking; None: not made yet, or it
    `failed`, which says why.
    """

    words: str
    ranking: Sequence[RankedPassage] | None
    failed: str = ""


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


def chart(
    difference: RunDifference,
    before: Sequence[RankedPassage],
    after: Sequence[Event],
    gold: Sequence[str],
    right: str,
    weights: Sequence[tuple[Weight, float]] = (),
    *,
    live: bool = False,
) -> dict[str, Any]:
    """The bump chart's data, and of `weights` (each with its value now) the sliders'; `before` is
    the run's ranking, `after` the variant's events.

    `live`: the terms of the ranking's passages go with it, so that the browser can weigh them anew.
    """
    note = (
        "Move one and the ranking moves with it. Double-click goes back to the run's value."
        if live
        else "Let go of one, and the variant is made. Double-click goes back to the run's value."
    )
    if live and gold:
        note += (
            f" Green: values that keep all gold passages in the first {difference.k}, with the"
            " other weights as they stand and the same links; without green none does."
        )
    return {
        "k": difference.k,
        "shown": SHOWN,
        "right": right,
        "note": note,
        "gold": len(set(gold)),
        "lines": [
            {
                "key": move.key,
                "title": move.title,
                "gold": move.gold,
                "before": move.before,
                "after": move.after,
            }
            for move in difference.moves
        ],
        "weights": [_slider(weight, now) for weight, now in weights],
        "terms": _terms(before, after, gold) if live else [],
    }


def _slider(weight: Weight, now: float) -> dict[str, Any]:
    most = max(4 * weight.value, now, 2.0)
    return {
        "term": weight.term,
        "words": OWN_WORDS[weight.term],
        "help": TERMS[weight.term],
        "name": weight.name,
        "own": weight.value,
        "now": now,
        "most": most,
        "step": 0.05 if most > 2 else 0.01,
    }


def _terms(
    before: Sequence[RankedPassage], events: Sequence[Event], gold: Sequence[str]
) -> list[dict[str, Any]]:
    """The passages of chain's last ranking that have their terms, before their weights; `gold` is
    the key that a passage stands for, "" for none.
    """
    last = next((event for event in reversed(events) if isinstance(event, Followed)), None)
    return [
        {
            "key": passage.key,
            "title": passage.name,
            "gold": next((key for key in gold if stands_for(passage.key, key)), ""),
            "before": rank_of(passage.key, before),
            "values": [part.score or 0.0 for part in passage.parts],
        }
        for passage in (last.ranking if last else ())
        if passage.parts
    ]


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


def pins(
    own: Sequence[RankedPassage],
    pinned: Sequence[PinnedVariant],
    gold: Mapping[str, str],
    k: int,
) -> Html:
    """The run and its pinned variants side by side; `gold` are titles by key."""
    heads = ["", *([f"recall@{k}"] if gold else ["first passage"]), *gold.values()]
    head = tag("tr", *(tag("th", name, scope="col", dir="auto") for name in heads))
    every = [PinnedVariant("As run", own), *pinned]
    return tag("table", head, *(_pin(one, gold, k) for one in every), class_="gear-what-pins")


def _pin(one: PinnedVariant, gold: Mapping[str, str], k: int) -> Html:
    name = tag("td", one.words, dir="auto")
    if one.ranking is None:
        state = f"It failed: {one.failed}" if one.failed else "being made"
        return tag("tr", name, tag("td", state, colspan=len(gold) + 1, dir="auto"))
    if not gold:
        first = next((line.name for line in one.ranking), "none")
        return tag("tr", name, tag("td", first, dir="auto"))
    recall = tag("td", f"{recall_at(keys(one.ranking), list(gold), k):.2f}")
    return tag("tr", name, recall, *(_rank(rank_of(key, one.ranking), k) for key in gold))


def _rank(rank: int | None, k: int) -> Html:
    if rank is None:
        return tag("td", tag("span", "–", class_="gear-rank gear-absent", title="not ranked"))
    state = "gear-top" if rank <= k else "gear-near"
    return tag("td", tag("span", rank, class_=f"gear-rank {state}"))
