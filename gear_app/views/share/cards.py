"""The card of a step as data for a page of its own: the blocks that Explore draws, in their order,
and for everything that can be selected what is shown beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.entities import EntityNames, names_of
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.timeline import Step
from gear_app.events import BeamCandidate, Event
from gear_app.step_views import beams
from gear_app.step_views import blocks as cards
from gear_app.step_views.blocks import Choice
from gear_app.step_views.scene import Scene
from gear_app.step_views.step import card, view_of
from gear_app.types import Passage
from gear_app.views import decimals, labels, markup
from gear_app.views.markup import Html, tag
from gear_app.workspace import RunInfo

Block = dict[str, Any]


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

    def scene(self, step: Step, steps: Sequence[Step]) -> Scene:
        """A step of the whole run, in which nothing can be marked."""
        return Scene(
            self.run,
            self.events,
            step,
            timeline.before(step, steps),
            tuple(self.run.gold),
            markable=False,
            texts=self._texts,
            iterations=timeline.iterations(self.events),
        )

    def _texts(self, ids: Sequence[int]) -> dict[int, str]:
        return {id_: self.passages[id_].text for id_ in ids if id_ in self.passages}

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
        title = markup.title(markup.named(shown.name, self.names), labels.id_words(shown.key))
        self.details[f"p{id_}"] = title + markup.passage(shown.text, None, self.names) + star
        return f"p{id_}"


def blocks(told: RunShown, scene: Scene) -> list[Block]:
    """The card of a step as page.js draws it, and below a round of links the ranking of it."""
    drawn = [_block(told, its, block) for its, block in card(scene)]
    view = view_of(scene)
    below = view.below(CUTS[0], view.opens)
    if below:
        drawn.append(_html(markup.title("Ranking", "every score term by term")))
        drawn += [_block(told, scene, block) for block in below]
    return [block for block in drawn if block]


def _block(told: RunShown, scene: Scene, block: cards.Block) -> Block:
    """A block as data; {} for a way to another step, which the page has in its strip."""
    match block:
        case cards.MarkupBlock(html):
            return _html(html)
        case cards.SentenceBlock():
            return _html(_sentence(block))
        case cards.TableBlock(_, label, rows):
            return table(label, rows())
        case cards.FoldBlock(_, label, parts):
            return {"fold": label, "html": "".join(_part(part) for part in parts())}
        case cards.RankingBlock():
            details = {str(one.id): told.passage(one.id) for one in block.passages}
            return picture("ranking", {**block.lines, "markable": False}, block.opens, details)
        case cards.PictureBlock():
            ids = [one["id"] for column in block.data["columns"] for one in column["cards"]]
            details = {id_: _detail(told, scene, id_, block.choose(id_)) for id_ in ids}
            return picture(block.kind, block.data, block.opens, details)
    return {}


def _html(html: str) -> Block:
    return {"html": html}


def _part(part: cards.MarkupBlock | cards.SentenceBlock) -> Html:
    return part.html if isinstance(part, cards.MarkupBlock) else _sentence(part)


def _sentence(block: cards.SentenceBlock) -> Html:
    return tag("div", block.sentence, class_=f"gear-say gear-say-{block.tone}", dir="auto")


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


def _detail(told: RunShown, scene: Scene, card_id: str, choice: Choice) -> str:
    """The name of what stands beside a selected card; "" where that is nothing."""
    if choice.candidate is not None:
        html = _candidate(told, scene, choice.candidate)
    elif choice.node:
        html = markup.title("Selected entity") + markup.facts(choice.node)
    elif choice.why:
        html = choice.why
    elif choice.passage_id is not None:
        passage = told.passage(choice.passage_id)
        if not choice.sums:
            return passage
        html = markup.title("Its score") + markup.sum_of(choice.sums)
        html += told.details.get(passage, "")
    else:
        return ""
    name = f"{scene.step.number} {card_id}"
    told.details[name] = html
    return name


def _candidate(told: RunShown, scene: Scene, candidate: BeamCandidate) -> str:
    """The selected triple, its score term by term, and its passage with the sentence marked."""
    triple = candidate.triple
    shown = told.passages.get(triple.passage_id)
    text, span = triple.sentence, None
    if shown is not None:
        text = shown.text
        span = triple.span or markup.find_sentence(shown.text, triple.sentence)
    return markup.join(
        [
            markup.title("Selected triple", beams.state_words(candidate)),
            markup.triple(triple, scene.gold),
            markup.sum_of(beams.arithmetic(candidate, beams.gamma_of(scene.settings))),
            markup.passage(text, span, told.names),
        ]
    )
