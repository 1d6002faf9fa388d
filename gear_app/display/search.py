"""Rankings: the ranking of a search, of fused lists, and of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gear_app.core.text import count, cut
from gear_app.display import evidence, scores
from gear_app.display.chain_round import links_of
from gear_app.display.labels import absent_from, base_name, capital, search_name
from gear_app.display.markup import Html, fact, join, named, tag
from gear_app.display.telling import (
    EMPTY,
    LONGEST,
    TELLERS,
    K,
    Message,
    Scene,
    ScoredRanking,
    Table,
    Telling,
    passages_column,
    teller,
    titles,
)
from gear_app.trace.events import VERBS, Event, Fused, Ranked, RankedPassage, Remembered, Retrieved
from gear_app.trace.events.base import BY_SCORE
from gear_app.trace.evidence import evidence_of, source_of
from gear_app.trace.gold import base
from gear_app.trace.metrics import found_at, gold_count
from gear_app.trace.rankings import first_rank, has_ranking, keys, of_event, rank_of, within

NO_PASSAGE = "No passage was found. Try other words, or another base."
NO_WALK = "so dense retrieval ranks by meaning instead."
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
    """The telling of a step's ranking, with its table and a column for slides."""
    passages = of_event(event)
    if not passages:
        messages = () if scene.step.failed else (Message(NO_PASSAGE),)
        return Telling(messages=messages)
    way = scores.way_of(event)
    links = links_of(passages, scene.events) if way == "terms" else {}
    ranking = ScoredRanking(passages, way, links=links)
    return with_ranking(scene, Telling(messages=_lucene(scene.step.events)), ranking)


def with_ranking(scene: Scene, telling: Telling, ranking: ScoredRanking) -> Telling:
    """The telling with a ranking, its table, and where there are no columns a column of it."""
    number = len(ranking.table or ranking.passages)
    more = len(ranking.passages) > scores.SHOWN or ranking.table
    label = f"All {count(number, 'passage')} as a table" if more else "As a table"
    rows = partial(scores.rows, ranking, scene.events, scene.gold)
    table = Table(f"ranking-{scene.step.verb}", label, rows)
    return replace(
        telling,
        ranking=ranking,
        tables=(*telling.tables, table),
        columns=telling.columns or passages_column(scene, ranking.passages, places),
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
    first = base(scene.events)
    if first is None or scene.trace.single:
        return ""
    rank = first_rank(passage.key, first, scene.events)
    place = ordinal(rank) if rank else absent_from(first.ranking)
    return f"{place} by {search_name(first.base)} alone"


def ordinal(rank: int) -> str:
    """A rank as an ordinal: 1st, 2nd, 3rd, 11th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"


def first_of(ranking: Sequence[RankedPassage]) -> str:
    """Which passage comes first."""
    return f"{titles([ranking[0].name])} comes first" if ranking else "No passage was found"


def _gold_in_first(scene: Scene, search: str, ranking: Sequence[RankedPassage]) -> str:
    """How many gold passages a search by this name has."""
    hits, total = found_at(keys(ranking), scene.gold, K), gold_count(scene.gold)
    article = "its" if total else "the"
    return (
        f"{capital(search_name(search))} has {hits} of {total} gold passages in {article} first {K}"
    )


def weighed_as_in_lucene(events: Sequence[Event]) -> bool:
    """Whether a search weighed words otherwise than usual."""
    return any(isinstance(event, Retrieved) and event.lucene for event in events)


def _lucene(events: Sequence[Event]) -> tuple[Message, ...]:
    return (Message(scores.WEIGHED_AS_IN_LUCENE),) if weighed_as_in_lucene(events) else ()


@teller("retrieve", Retrieved, "What does one search find?", "No passage was found")
def retrieval(scene: Scene, event: Retrieved) -> Telling:
    """The ranking of a base retriever."""
    later = "What does the new query find?" if scene.step.iteration > 1 else ""
    headline = _retrieval_headline(scene, event)
    return replace(
        ranked(scene, event),
        question=later,
        headline=headline,
        purpose=_retrieval_purpose(scene, event),
    )


def _retrieval_headline(scene: Scene, event: Retrieved) -> str:
    if not scene.gold or not event.ranking:
        return first_of(event.ranking)
    at = next((at for at, other in enumerate(scene.events) if other is event), len(scene.events))
    before = [event.ranking[:K] for event in scene.events[:at] if isinstance(event, Retrieved)]
    gold = [key for key in scene.gold if any(rank_of(key, ranking) for ranking in before)]
    new = scene.gold_of(event.ranking[:K], gold)
    if before and new:
        return f"The new query finds {titles(new)}"
    return _gold_in_first(scene, event.base, event.ranking)


def _retrieval_purpose(scene: Scene, event: Retrieved) -> str:
    """Purpose of the base retriever; why it takes the place of a walk, and its passages where only
    some are considered.
    """
    from gear_app.methods import METHODS  # loaded late: it is large

    entities = _entities_before(scene)
    if entities is not None:
        none = "None of the question's entities is in the graph"
        return f"{none if entities else 'No entity was recognised'}, {NO_WALK}"
    earlier = scene.trace.during(scene.step.iteration - 1)
    joins = [event.joins for event in earlier if hasattr(event, "joins")]
    names = " or ".join(join.entity for several in joins[:1] for join in several)
    among = f" Only passages that name {names} are considered." if names else ""
    method = METHODS.get(event.base)
    return ((method.step_purpose if method else "") or event.explanation) + among


def _entities_before(scene: Scene) -> Sequence[object] | None:
    """The entities of a search that goes on with a retrieval in place of a walk; None without."""
    for search in scene.trace.searches:
        if any(scene.events[search.stop - 1] is event for event in scene.step.events):
            return getattr(scene.events[search.start], "entities", None)
    return None


@teller("fuse", Fused, "What comes first when both are put together?")
def fusion(scene: Scene, event: Fused) -> Telling:
    """Lists that became a single ranking."""
    return replace(
        ranked(scene, event),
        headline=_rise(scene),
        origin=_fusion_origin(scene, event),
    )


def _rise(scene: Scene) -> str:
    """The gold passage that rises by the fusion, else which passages are first."""
    ranking, search = scene.ranking, scene.search
    for passage in ranking[:K] if search else ():
        before = rank_of(passage.key, search.listed) if search else None
        now = rank_of(passage.key, ranking)
        if found_at([passage.key], scene.gold, 1) and not within(before, K):
            rises = f"rises from {before} to {now}" if before else f"comes in at {now}"
            return f"{titles([passage.name])} {rises}"
    return scene.gold_found(ranking) if scene.gold else first_of(ranking)


def _fusion_origin(scene: Scene, event: Fused) -> str:
    """Which lists were fused, and how."""
    if event.variant in ("lists", event.fusion) and event.way == "sum":
        by = "fused" if event.fusion == "rrf" else f"fused by {event.fusion}"
        return f"{' and '.join(event.lists)}, {by}"
    if event.purpose != "final":
        return "base retrieval and the beams' passages, fused"
    rounds = sum(name.startswith("iteration ") for name in event.lists)
    memory = {event.iteration for event in scene.events if isinstance(event, Remembered)}
    if len(event.lists) > rounds:
        lists = "every iteration's ranking and the passages the gist links to"
        return f"{lists}, fused"
    if len(memory) > rounds:
        return "that of the first iteration; later ones count once a fact is remembered (Options)"
    fused = "the rankings of all iterations, fused" if rounds > 1 else "that of one iteration"
    return fused + (", since nothing was remembered" if memory else "")


@teller("rank", Ranked, "What comes first in the end?")
def final(scene: Scene, event: Ranked) -> Telling:
    """The ranking that a run ends with, and above it the answer that the reader gave."""
    ranking = scores.final_ranking(event, scene.events)
    if ranking.way == "terms":
        ranking = replace(ranking, links=links_of(ranking.passages, scene.events))
    source = source_of(scene.events)
    evident = None if scene.gold else evidence_of(scene.events)
    if evident and evident.links:
        columns = evidence.columns(evident)
    else:
        columns = passages_column(scene, ranking.passages, partial(place_in_first_search, scene))
    telling = Telling(
        headline=_final_headline(scene, ranking.passages),
        purpose=_final_purpose(scene),
        messages=_lucene(scene.events),
        extra=_answer(scene) if source else EMPTY,
        source=source.step if source else None,
        columns=columns,
        picture=False,
        notes=_final_notes(ranking),
    )
    return with_ranking(scene, telling, ranking)


def _final_headline(scene: Scene, ranking: Sequence[RankedPassage]) -> str:
    """Gain of the run over its first search, and the answer."""
    first, source = base(scene.events), source_of(scene.events)
    evident = None if scene.gold else evidence_of(scene.events)
    if evident and evident.links:
        words = capital(evident.summary)
    elif not scene.gold or first is None:
        words = first_of(ranking)
    elif scene.trace.single:
        words = _gold_in_first(scene, first.base, ranking)
    else:
        before, now = (
            found_at(keys(passages), scene.gold, K) for passages in (first.ranking, ranking)
        )
        total = gold_count(scene.gold)
        words = f"One search finds {before} of {total}, this run finds {now}"
    return words + (f". Answer: {cut(source.answer, LONGEST)}" if source else "")


def _final_notes(ranking: ScoredRanking) -> tuple[str, ...]:
    """Why ranks count by another constant, and what the passages without a score are."""
    passages = ranking.passages
    notes = [scores.constant_note(passages, ranking.way)]
    rest = sum(not passage.score for passage in passages)
    if 0 < rest < len(passages):
        notes.append(
            f"{count(rest, 'passage')} at the end without a score: no list has them; they fill"
            " the ranking."
        )
    return tuple(filter(None, notes))


def _answer(scene: Scene) -> Html:
    """An answer with the fact that it rests on, and that fact's sentence where it is known."""
    source = source_of(scene.events)
    if source is None:
        return EMPTY
    words = tag("b", named(source.answer, scene.names))
    rest = [tag("p", "No fact that was taken names it word for word.", class_="gear-note")]
    if source.fact:
        rest = [fact(source.fact)]
    if source.stored and source.stored.sentence:
        quoted = tag("mark", named(source.stored.sentence, scene.names))
        source_name = tag("span", f" ({source.stored.passage_name})", class_="gear-why")
        rest.append(tag("p", join([quoted, source_name]), class_="gear-passage", dir="auto"))
    answer = tag("div", words, class_="gear-answer", dir="auto")
    return tag("div", answer, *rest, class_="gear-thought gear-final")


def _final_purpose(scene: Scene) -> str:
    """Origin of the final ranking, as the step that made it says."""
    if scene.trace.result is None:
        return "The run ended before its final ranking."
    listing = (event for event in reversed(scene.events) if has_ranking(event) and event.verb)
    last = next((event for event in listing if event.verb not in NOT_LAST), None)
    if last is None or isinstance(last, Retrieved):
        return VERBS["rank"].purpose
    entry = TELLERS.get(last.verb)
    telling = entry.tell(scene, last) if entry and isinstance(last, entry.kind) else Telling()
    return f"The final ranking: {telling.origin}."
