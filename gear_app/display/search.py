"""Rankings: the ranking of a search, of fused lists, and of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gear_app.core.text import count, cut
from gear_app.display import evidence, scores
from gear_app.display.chain_round import links_of
from gear_app.display.labels import absent_from, base_name, capital
from gear_app.display.markup import Html, entity, join, named, tag
from gear_app.display.telling import (
    EMPTY,
    LONGEST,
    Message,
    Scene,
    ScoredRanking,
    Table,
    Telling,
    gain,
    passages_column,
    teller,
)
from gear_app.trace.events import Event, Fused, Ranked, RankedPassage, Retrieved
from gear_app.trace.events.base import BY_SCORE
from gear_app.trace.evidence import evidence_of, source_of
from gear_app.trace.gold import base
from gear_app.trace.paths import scored
from gear_app.trace.rankings import first_rank, has_ranking

NO_PASSAGE = "No passage was found. Try other words, or another base."
LISTS = {  # whose place it is, after "1st"
    "dense": "by meaning",
    "bm25": "by words",
    f"dense{BY_SCORE}": "by meaning",
    f"bm25{BY_SCORE}": "by words",
    "hybrid": "by one search",
    "base": "by one search",
}
NOT_LAST = ("rank", "remember")  # of the gist memory's rankings, none is the run's


def ranked(scene: Scene, event: Event) -> Telling:
    """The telling of a step that is a ranking, with its table and a column for slides."""
    passages = scored(event)
    if not passages:
        nothing = () if scene.step.failed else (Message(NO_PASSAGE),)
        return Telling(headline=scene.ranking_headline(passages), messages=nothing)
    way = scores.way_of(event)
    links = links_of(passages, scene.trace) if way == "terms" else {}
    telling = Telling(headline=scene.ranking_headline(passages))
    return with_ranking(scene, telling, ScoredRanking(passages, way, links=links))


def with_ranking(scene: Scene, telling: Telling, ranking: ScoredRanking) -> Telling:
    """The telling with a ranking, its table, and where there are no columns a column of it."""
    number = len(ranking.table or ranking.passages)
    more = len(ranking.passages) > scores.PASSAGES_SHOWN or ranking.table
    label = f"All {count(number, 'passage')} as a table" if more else "As a table"
    rows = partial(scores.rows, ranking, scene.trace, scene.gold)
    words = places if ranking.way != "walk" else lambda _: ""  # its parts are of no list
    table = Table(f"ranking-{scene.step.verb}", label, rows)
    return replace(
        telling,
        ranking=ranking,
        tables=(*telling.tables, table),
        columns=telling.columns or passages_column(scene, ranking.passages, words),
        picture=telling.picture and bool(telling.columns),
    )


def places(passage: RankedPassage) -> str:
    """Places of a passage in other lists, the highest first."""
    listed = sorted((part for part in passage.parts if part.rank), key=lambda part: part.rank)
    return " · ".join(
        f"{ordinal(part.rank)} {LISTS.get(part.source) or f'in {base_name(part.source)}'}"
        for part in listed[:4]
    )


def place_in_first_search(scene: Scene, passage: RankedPassage) -> str:
    """Place of a passage in the first search; "" where the run is that search alone."""
    first = base(scene.trace)
    if first is None or scene.trace.single:
        return ""
    rank = first_rank(passage.key, first, scene.trace)
    place = ordinal(rank) if rank else absent_from(first.ranking)
    return f"{place} by {base_name(first.base)} alone"


def ordinal(rank: int) -> str:
    """A rank as an ordinal: 1st, 2nd, 3rd, 11th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"


@teller("retrieve", Retrieved, "What does one search find?")
def retrieval(scene: Scene, event: Retrieved) -> Telling:
    """The ranking of a base retriever."""
    from gear_app.methods import METHODS  # loaded late: it is large

    method = METHODS.get(event.base)
    later = "What does the new query find?" if scene.step.iteration > 1 else ""
    purpose = method.step_purpose if method else ""
    return replace(ranked(scene, event), question=later, purpose=purpose)


@teller("fuse", Fused, "What comes first when both are put together?")
def fusion(scene: Scene, event: Fused) -> Telling:
    """Lists that became a single ranking."""
    return ranked(scene, event)


@teller("rank", Ranked, "What comes first in the end?")
def final(scene: Scene, event: Ranked) -> Telling:
    """The ranking that a run ends with, and above it the answer that the reader gave."""
    ranking = scores.final_ranking(event, scene.trace)
    if ranking.way == "terms":
        ranking = replace(ranking, links=links_of(ranking.passages, scene.trace))
    source, evident = source_of(scene.trace), evidence_of(scene.trace)
    columns = passages_column(scene, ranking.passages, partial(place_in_first_search, scene))
    if evident and evident.links and not scene.gold:
        columns = evidence.columns(evident)
    listing = (e for e in reversed(scene.trace) if has_ranking(e) and e.verb not in NOT_LAST)
    last = next((e for e in listing if e.verb), None)
    telling = Telling(
        headline=_final_headline(scene, ranking.passages),
        purpose=last.explanation if last else "",
        extra=_answer(scene),
        source=source.step if source else None,
        columns=columns,
        picture=False,
    )
    return with_ranking(scene, telling, ranking)


def _final_headline(scene: Scene, ranking: Sequence[RankedPassage]) -> str:
    source, evident = source_of(scene.trace), evidence_of(scene.trace)
    words = gain(scene.trace, scene.gold) if not scene.trace.single else ""
    if not scene.gold and evident and evident.links:
        words = capital(evident.summary)
    words = words or scene.ranking_headline(ranking)
    return words + (f". Answer: {cut(source.answer, LONGEST)}" if source else "")


def _answer(scene: Scene) -> Html:
    """An answer with the fact that it rests on, and that fact's sentence where it is known."""
    source = source_of(scene.trace)
    if source is None:
        return EMPTY
    parts = [tag("div", tag("b", named(source.answer, scene.trace.names)), class_="gear-answer")]
    if source.fact:
        sides = (entity(name, "b") for name in (source.fact.subject, source.fact.object))
        words = join(sides, f" {source.fact.predicate} → ")
        parts.append(tag("div", words, class_="gear-item gear-proximal", dir="auto"))
    if source.stored and source.stored.sentence:
        quoted = tag("mark", named(source.stored.sentence, scene.trace.names))
        passage = tag("span", f" ({source.stored.passage_name})", class_="gear-why")
        parts.append(tag("p", quoted, passage, class_="gear-passage"))
    return tag("div", *parts, class_="gear-thought gear-final", dir="auto")
