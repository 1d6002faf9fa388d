"""The card of a step as data for a page of its own: the HTML, the pictures and the tables that
Explore draws, in its order, and for everything that can be selected what is shown beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from gear_app.analysis import timeline
from gear_app.analysis.answer_source import source_of
from gear_app.analysis.entities import EntityNames, names_of
from gear_app.analysis.rankings import CUTS, gist_texts, searches, without_followers
from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.analysis.timeline import Step
from gear_app.events import (
    VERBS,
    Answered,
    Chained,
    Event,
    Expanded,
    Extracted,
    Failed,
    Followed,
    Linked,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Retrieved,
    Rewrote,
    Split,
    Thought,
    Verified,
    Walked,
)
from gear_app.text import count
from gear_app.types import Passage
from gear_app.views import (
    answers,
    beam,
    calibration,
    calls,
    chain,
    chain_score,
    decimals,
    extraction,
    gear,
    griever,
    labels,
    markup,
    rankings,
    reading,
    thoughts,
    walk,
    walk_graph,
)
from gear_app.views.markup import Html, tag
from gear_app.workspace import RunInfo

Block = dict[str, Any]
Kind = TypeVar("Kind", bound=Event)
TOGETHER = (  # short steps, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)
NO_MATCH = "No matched triple could be put into the query."


@dataclass(frozen=True)
class RunShown:
    """What a run's cards are made from. `details` collects what stands beside a selected thing, by
    the name that pictures use for it.
    """

    run: RunInfo
    events: Sequence[Event]
    passages: Mapping[int, Passage]
    details: dict[str, str] = field(default_factory=dict)

    @cached_property
    def names(self) -> EntityNames:
        """The names of the run's entities, to be found in its texts."""
        return names_of(self.events)

    def passage(self, id_: int) -> str:
        """The name of the details of a passage; "" for one that is gone."""
        shown = self.passages.get(id_)
        if shown is None:
            return ""
        star = (
            markup.legend([("star", "gold passage of this question")])
            if shown.key in self.run.gold
            else ""
        )
        title = markup.title(
            markup.named(shown.title or shown.key, self.names), labels.id_words(shown.key)
        )
        self.details[f"p{id_}"] = title + markup.passage(shown.text, None, self.names) + star
        return f"p{id_}"


@dataclass(frozen=True)
class _Card:
    """One step of a run that is told."""

    told: RunShown
    step: Step

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The step's events of a kind, in order."""
        return [event for event in self.step.events if isinstance(event, kind)]

    @property
    def gold(self) -> tuple[str, ...]:
        """The keys of the run's gold passages."""
        return tuple(self.told.run.gold)

    @property
    def base(self) -> tuple[str, ...]:
        """The keys of the base ranking of the step's search."""
        there = [
            event.ranking
            for event in self.told.events
            if isinstance(event, Retrieved)
            and event.iteration == self.step.iteration
            and self.step.query in ("", event.query)
        ]
        return tuple(passage.key for passage in there[-1]) if there else ()

    def detail(self, name: str, html: str) -> str:
        """Keep details under a name that no other step uses; the name."""
        own = f"{self.step.number} {name}"
        self.told.details[own] = html
        return own


def title(told: RunShown, step: Step) -> tuple[str, str]:
    """The card's heading, and what its step is for."""
    shown = _round(_Card(told, step))
    if shown:
        return chain.heading(shown), chain.purpose(shown)
    return labels.step_title(step), labels.step_purpose(step, told.events)


def queries(told: RunShown, step: Step) -> list[tuple[str, str]]:
    """The labelled queries above the card: of the step's search, else of its iteration, else the
    question; none where the card shows them itself.
    """
    heading = VERBS[step.verb].heading
    if not heading:
        return []
    if heading == "question":
        return [("Question", told.run.question)]
    if step.query:
        return [(_label(step.search), step.query)]
    there = [search for search in searches(told.events) if search.iteration == step.iteration]
    return [(_label(one.name), one.query) for one in there] or [("Query", told.run.question)]


def _label(name: str) -> str:
    return (
        f"{name.capitalize()} query" if name in ("fast", "slow") else name.capitalize() or "Query"
    )


def blocks(told: RunShown, step: Step, steps: Sequence[Step]) -> list[Block]:
    """The short steps that led to it, in their order, then the step itself."""
    together = {verb for verbs in TOGETHER if step.verb in verbs for verb in verbs}
    earlier = [
        one
        for one in steps[: step.number]
        if one.iteration == step.iteration and one.verb in together and one.search == step.search
    ]
    if not earlier:
        return _of_step(_Card(told, step))
    drawn: list[Block] = []
    for one in [*earlier, step]:
        now = one is step
        heading = tag(
            "h3",
            one.verb.capitalize(),
            class_="gear-part gear-part-now" if now else "gear-part",
            aria_current="true" if now else None,
        )
        drawn += [_html(heading), *_of_step(_Card(told, one))]
    return drawn


def _of_step(card: _Card) -> list[Block]:
    drawn: list[Block] = []
    if card.step.verb != "extract":
        drawn += [_failure(event) for event in card.of(Failed)]
    drawn += CARDS.get(card.step.verb, _plain)(card)
    made = timeline.model_calls(card.step.events)
    if made:
        drawn.append({"fold": calls.heading(made), "html": "".join(map(calls.card, made))})
    return drawn


def _html(html: str) -> Block:
    return {"html": html}


def _note(words: str) -> Block:
    return _html(tag("p", markup.explained(words), class_="gear-note"))


def _message(sentence: str, tone: str = "info") -> Block:
    return _html(tag("div", sentence, class_=f"gear-say gear-say-{tone}", dir="auto"))


def table(label: str, rows: Sequence[Mapping[str, Any]]) -> Block:
    """Rows that are folded away under a label."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "table": label,
        "heads": heads,
        "rows": [[_cell(row.get(name)) for name in heads] for row in rows],
    }


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return decimals.cell(value)
    return value if isinstance(value, int | str) else "" if value is None else str(value)


def picture(
    kind: str, data: Mapping[str, Any], selected: object, details: Mapping[str, str]
) -> Block:
    """A component of the screen with its data; `details` are names by what is selected in it."""
    shown = {key: name for key, name in details.items() if name}
    return {"picture": kind, "data": {**data, "selected": selected}, "details": shown}


def _failure(event: Failed) -> Block:
    tone = "info" if event.dropped else "bad"
    if event.dropped or event.reply:
        raw = calls.raw(event.reply) if event.reply and not event.dropped else ""
        return _html(_message(calls.why(event), tone)["html"] + raw)
    return _message(f"{labels.gave_up(event.step)}: {event.message}", tone)


def _plain(card: _Card) -> list[Block]:
    if any(ranking_of(event) for event in card.step.events):
        return _ranking(card)
    return [_note(event.summary) for event in card.step.events if event.verb]


def _lines(
    card: _Card, lines: Mapping[str, Any], passages: Iterable[RankedPassage], selected: object
) -> Block:
    """A ranking with the text of each of its passages."""
    details = {str(one.id): card.told.passage(one.id) for one in passages}
    return picture("ranking", {**lines, "markable": False}, selected, details)


def _ranking(card: _Card) -> list[Block]:
    event = next((event for event in card.step.events if ranking_of(event)), None)
    if event is None:
        return [_message("No passage was found. Try other words, or another base.")]
    ranking, way = ranking_of(event), rankings.way_of(event)
    drawn: list[Block] = []
    if isinstance(event, Ranked):
        ranking, way = rankings.ranking_with_parts(event, card.told.events)
        source = source_of(card.told.events)
        drawn += [_html(gear.answer_source(source, card.told.names))] if source else []
    gist = gist_texts(card.told.events)
    lines = rankings.lines(ranking, card.gold, gist, way=way, names=card.told.names)
    shown = ranking[: len(lines["lines"])]
    wanted = next((one.id for one in ranking if one.key in card.gold), ranking[0].id)
    rows = rankings.rows(ranking, card.gold, gist, way)
    label = f"All {len(ranking)} passages as a table" if lines["more"] else "As a table"
    return [*drawn, _lines(card, lines, shown, wanted), table(label, rows)]


def _reading(card: _Card, event: Read) -> list[Block]:
    texts = {
        one.id: card.told.passages[one.id].text
        for one in event.passages
        if one.id in card.told.passages
    }
    rows = gear.reading_rows(event)
    drawn = [
        _note(reading.summary(event)),
        _html(reading.cards(event, texts, card.gold, card.told.names)),
    ]
    return [*drawn, table("As a table", rows)] if rows else drawn


def _read(card: _Card) -> list[Block]:
    return [block for event in card.of(Read) for block in _reading(card, event)]


def _link(card: _Card) -> list[Block]:
    return [_html(gear.links(event, card.gold)) for event in card.of(Linked)]


def _expand(card: _Card) -> list[Block]:
    event = next(iter(card.of(Expanded)), None)
    if event is None:
        return []
    if not event.steps:
        return [_message("There was no triple to begin with, so the base ranking stands.")]
    graph = beam.graph(event, card.gold, base=card.base)
    cards = [one["id"] for column in graph["columns"] for one in column["cards"]]
    details = {id_: _candidate(card, event, id_) for id_ in cards}
    drawn = [
        picture("beam", graph, beam.best_card(event, card.gold), details),
        _html(markup.legend(beam.legend(graph, event.starts))),
    ]
    if len(event.steps) < beam.length_of(_settings(card)):
        drawn.append(_message("No beam could be extended further."))
    rows = beam.rows(event, card.gold, beam.gamma_of(_settings(card)))
    return [*drawn, table("All candidates as a table", rows)]


def _settings(card: _Card) -> tuple[tuple[str, str], ...]:
    begun = timeline.started(card.told.events)
    return begun.settings if begun else ()


def _candidate(card: _Card, event: Expanded, id_: str) -> str:
    """The selected triple, its score term by term, and its passage with the sentence marked."""
    candidate = beam.candidate(event, id_)
    if candidate is None:
        return ""
    triple = candidate.triple
    shown = card.told.passages.get(triple.passage_id)
    text, span = triple.sentence, None
    if shown is not None:
        text = shown.text
        span = triple.span or markup.find_sentence(shown.text, triple.sentence)
    parts = [
        markup.title("Selected triple", beam.state_words(candidate)),
        markup.triple(triple, card.gold),
        markup.sum_of(beam.arithmetic(candidate, beam.gamma_of(_settings(card)))),
        markup.passage(text, span, card.told.names),
    ]
    return card.detail(id_, markup.join(parts))


def _remember(card: _Card) -> list[Block]:
    drawn: list[Block] = []
    for event in card.step.events:
        if isinstance(event, Read):
            drawn += _reading(card, event)
        if isinstance(event, Remembered):
            drawn.append(_message(reading.remembered(event)))
    return drawn


def _reason(card: _Card) -> list[Block]:
    return [
        _message(gear.verdict_sentence(event), "good" if event.answerable else "busy")
        for event in card.of(Reasoned)
    ]


def _rewrite(card: _Card) -> list[Block]:
    drawn = []
    asked = [words for _, words in queries(card.told, card.step)] or [card.told.run.question]
    for told in card.of(Rewrote):
        event = replace(told, substitutions=timeline.new_substitutions(card.told.events, told))
        matched = any(isinstance(one, Matched) for one in card.told.events)
        html = (
            gear.next_query(event, asked[-1], NO_MATCH, card.told.names)
            if matched
            else gear.next_query(event, asked[-1], names=card.told.names)
        )
        drawn.append(_html(html))
    return drawn


def _split(card: _Card) -> list[Block]:
    return [_html(griever.clauses(event)) for event in card.of(Split)]


def _match(card: _Card) -> list[Block]:
    drawn: list[Block] = []
    rewrote = (one for one in card.told.events if isinstance(one, Rewrote))
    put_in = next((one for one in rewrote if one.iteration == card.step.iteration), None)
    for event in card.of(Matched):
        drawn.append(_note(griever.counts(event)))
        drawn.append(_html(griever.best_matches(event, put_in, card.gold)))
        if event.joins:
            heading = tag("div", "The next search is among passages that name", class_="gear-part")
            drawn.append(_html(heading + griever.joins(event.joins)))
        if event.matches:
            label = f"All {count(len(event.matches), 'match', 'matches')} as a table"
            drawn.append(table(label, griever.rows(event, card.gold)))
    return drawn


def _recognise(card: _Card) -> list[Block]:
    return [_html(walk.entities(event, card.told.names)) for event in card.of(Recognised)]


def _walk(card: _Card) -> list[Block]:
    event = next(iter(card.of(Walked)), None)
    if event is None:
        return []
    if not event.passages:
        return [_message("The walk reached no passage.")]
    graph = walk_graph.graph(event, card.gold)
    cards = [one["id"] for column in graph["columns"] for one in column["cards"]]
    details = {id_: _walked(card, event, id_) for id_ in cards}
    entities = count(len(event.nodes), "entity", "entities")
    drawn = [
        picture("flow", graph, walk_graph.best_card(event, card.gold), details),
        _html(markup.legend(walk_graph.legend(graph))),
        _html(tag("p", walk.how(event), class_="gear-note")),
        table(f"All {entities} as a table", walk.node_rows(event)),
        table(
            f"All {count(len(event.passages), 'passage')} as a table",
            walk.passage_rows(event, card.gold),
        ),
    ]
    if event.ensembled:
        lines = rankings.lines(event.ranking, card.gold, way="mean", names=card.told.names)
        wanted = event.ranking[0].id if event.ranking else None
        shown = event.ranking[: len(lines["lines"])]
        drawn += [_message(walk.ensemble(event)), _lines(card, lines, shown, wanted)]
    return drawn


def _walked(card: _Card, event: Walked, id_: str) -> str:
    node = walk.node_of(event, id_)
    if node is not None:
        facts = markup.facts(walk.about_node(event, node))
        return card.detail(id_, markup.title("Selected entity") + facts)
    passage = walk.passage_of(event, id_)
    if passage is None:
        return ""
    return _with_sum(card, id_, passage.id, walk.arithmetic(event, passage))


def _with_sum(card: _Card, name: str, id_: int, sums: Sequence[tuple[str, str]]) -> str:
    """A passage's details under the arithmetic of its score."""
    own = card.told.passage(id_)
    html = markup.title("Its score") + markup.sum_of(sums) + card.told.details.get(own, "")
    return card.detail(name, html)


def _think(card: _Card) -> list[Block]:
    events = card.of(Thought)
    return [_html(thoughts.cards(events, card.told.names))] if events else []


def _pool(card: _Card) -> list[Block]:
    event = next(iter(card.of(Pooled)), None)
    if event is None:
        return []
    events = card.told.events
    passages, badges = without_followers(event), thoughts.pool_badges(event, events)
    lines = rankings.lines(
        passages, card.gold, badges=badges, way="greatest", names=card.told.names
    )
    wanted = next((one.id for one in passages if one.key in card.gold), None)
    first = passages[0].id if passages else None
    shown = passages[: len(lines["lines"])]
    rows = rankings.rows(event.ranking, card.gold, way="greatest")
    return [
        _html(thoughts.pool_queries(event, events)),
        _lines(card, lines, shown, wanted or first),
        table(f"All {len(event.ranking)} passages as a table", rows),
    ]


def _chain(card: _Card) -> list[Block]:
    return [_html(calibration.chain(event)) for event in card.of(Chained)]


def _verify(card: _Card) -> list[Block]:
    return [_html(calibration.verified_passages(event, card.gold)) for event in card.of(Verified)]


def _promote(card: _Card) -> list[Block]:
    event = next(iter(card.of(Promoted)), None)
    if event is None:
        return []
    data = calibration.slope(event, card.gold)
    details = {}
    for column in data["columns"]:
        for one in column["cards"]:
            id_ = calibration.passage_of(event, one["id"])
            details[one["id"]] = card.told.passage(id_) if id_ is not None else ""
    return [
        picture("flow", data, calibration.best_card(event, card.gold), details),
        _html(markup.legend(calibration.legend(event, card.gold))),
        _html(tag("p", calibration.cut_sentence(event), class_="gear-note")),
        _html(markup.sum_of(calibration.arithmetic(event))),
        table("Every passage that moved, as a table", calibration.rows(event, card.gold)),
    ]


def _answer(card: _Card) -> list[Block]:
    if not card.of(Answered):
        return []
    events, known = card.told.events, card.told.run.answers
    begun = timeline.started(events)
    note = labels.reader_note(begun.reader, labels.model_of(card.told.run)) if begun else ""
    return [
        _html(answers.cards(events, known, card.gold)),
        *([_html(tag("p", f"Answered {note}.", class_="gear-note"))] if note else []),
        table("As a table", answers.rows(events, known, card.gold)),
    ]


def _extract(card: _Card) -> list[Block]:
    drawn = [_failure(event) for event in card.of(Failed)]
    for event in card.of(Extracted):
        words = extraction.event_summary(event, labels.model_of(card.told.run))
        all_of = count(len(event.triples), "triple")
        label = f"All {all_of} as a table" if event.triples else "As a table"
        drawn += [
            _html(tag("p", words, class_="gear-note")),
            _html(extraction.passages_read(event, card.gold)),
            table(label, extraction.passages_read_rows(event, card.gold)),
        ]
    return drawn


def _round(card: _Card) -> chain.Round | None:
    event = next(iter(card.of(Followed)), None)
    return chain.round_of(event, card.told.events, card.gold) if event else None


def _follow(card: _Card) -> list[Block]:
    shown = _round(card)
    if shown is None:
        return []
    if not shown.event.starts:
        return [_message("No passage was found to start from. Try other words.")]
    data = chain.graph(shown)
    names = card.told.names
    details = {}
    for column in data["columns"]:
        for one in column["cards"]:
            id_ = chain.passage_of(shown, one["id"])
            why = chain_score.explained(shown, id_, names) if id_ else Html("")
            details[one["id"]] = card.detail(one["id"], why) if why else ""
    best = chain.best_card(shown)
    lines = chain.ranking(shown, CUTS[0], names)
    first = chain.passage_of(shown, str(best))
    ranked = shown.event.ranking
    return [
        picture("flow", data, best, details),
        _html(markup.legend(chain.legend(shown))),
        table(f"All {count(len(shown.links), 'link')} as a table", chain.rows(shown)),
        _html(markup.title("Ranking", "every score term by term")),
        _lines(card, lines, ranked[: len(lines["lines"])], first),
        table(f"All {len(ranked)} passages as a table", chain.ranking_rows(shown)),
    ]


CARDS: Mapping[str, Callable[[_Card], list[Block]]] = {
    "extract": _extract,
    "read": _read,
    "link": _link,
    "expand": _expand,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "split": _split,
    "match": _match,
    "retrieve": _ranking,
    "fuse": _ranking,
    "rank": _ranking,
    "recognise": _recognise,
    "walk": _walk,
    "think": _think,
    "pool": _pool,
    "chain": _chain,
    "verify": _verify,
    "promote": _promote,
    "answer": _answer,
    "follow": _follow,
}
