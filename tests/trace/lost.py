"""Runs made by hand that lose one passage, "marc", in one way each, on the passages of `factories`.

A run differs from the one that finds it in what loses it, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gear_app.core.types import ProximalTriple
from gear_app.trace.events import (
    BeamCandidate,
    BeamStep,
    Chained,
    Event,
    Expanded,
    Followed,
    Fused,
    Gathered,
    Link,
    Linked,
    MappedEntity,
    Match,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    ScorePart,
    Started,
    Stopped,
    TermWeight,
    Thought,
    Verified,
)
from gear_app.trace.lost import PassageFacts
from tests.factories import (
    NEXT_QUERY,
    QUESTION,
    candidate,
    fused,
    passages,
    proximal,
    ranked,
    shown,
    triples,
)
from tests.rivals import griever_match, griever_run, recognised, walked

KEY = "marc"
BASE = ["clifton", "engineers", "menai", "avon", "clifton_town", "isambard"]
OTHERS = ["clifton", "menai", "avon", "telford", "rouen", "gwr", "tunnel"]
BEAM = (("beam.width", "2"), ("beam.length", "2"), ("beam.gamma", "auto"), ("beam.neighbours", "9"))
LOOP = (
    ("max_iterations", "2"),
    ("round_k", "6"),
    ("fusion_constant", "1"),
    ("link_k", "6"),
)
TO_IT = proximal(3)  # Isambard Kingdom Brunel was the only son of Marc Isambard Brunel
ELSEWHERE = proximal(8)  # Menai Suspension Bridge was designed by Thomas Telford


def facts(*, triples_: bool = True, key: str = KEY) -> PassageFacts:
    """What the collection knows of a passage."""
    passage = next(one for one in passages() if one.key == key)
    own = tuple(one for one in triples() if one.passage_id == passage.id)
    return PassageFacts((passage.id,), passage.title, own if triples_ else ())


def beams(
    *kept: Sequence[BeamCandidate], pruned: Sequence[Sequence[BeamCandidate]] = ()
) -> Expanded:
    """A beam search by its steps: what was kept, and what was dropped."""
    dropped = [*pruned, *[()] * (len(kept) - len(pruned))]
    steps = tuple(BeamStep(tuple(a), tuple(b)) for a, b in zip(kept, dropped, strict=True))
    keys = dict.fromkeys(one.triple.passage_key for one in steps[-1].kept)
    return Expanded(QUESTION, 2, steps, ranked(list(keys)))


def search(
    read: Sequence[ProximalTriple],
    links: Sequence[int],
    expanded: Expanded,
    base: Sequence[str] = BASE,
    n: int = 1,
) -> list[Event]:
    """One search of SyncGE; `links` are numbers of triples, one for each that was read."""
    found = [passage.key for passage in expanded.passages]
    linked = tuple(Link(one, shown(number)) for one, number in zip(read, links, strict=True))
    query = QUESTION if n == 1 else NEXT_QUERY
    return [
        Retrieved(query, "hybrid", ranked(base), iteration=n),
        Read("sync", query, tuple(read), iteration=n),
        Linked(linked, iteration=n),
        replace(expanded, query=query, iteration=n),
        Fused("iteration", ("beams", "base"), fused(beams=found, base=base), "rrf", iteration=n),
    ]


def sync_ge(*events: Event, settings: tuple[tuple[str, str], ...] = BEAM) -> list[Event]:
    """A run of SyncGE; its last fusion is the ranking."""
    made = [event for event in events if isinstance(event, Fused)]
    started = Started(QUESTION, "sync_ge", settings, "local")
    return [started, *events, Ranked(made[-1].ranking, iteration=0)]


FAR = beams(
    [candidate(8, 0.8), candidate(0, 0.7)],
    [candidate(10, 0.6, 0, 0.8), candidate(1, 0.5, 1, 0.7)],
    pruned=[(), [candidate(11, 0.2, 0, 0.8, 1, kept=False)]],
)


def read_nothing() -> list[Event]:
    return sync_ge(*search([ELSEWHERE], [8], FAR))


def linked_elsewhere() -> list[Event]:
    written = ProximalTriple("Marc Isambard Brunel", "was taught by", "someone")
    return sync_ge(*search([written], [8], FAR))


def one_short() -> list[Event]:
    """The beams end in his name, and the search ends with them."""
    steps = beams(
        [candidate(8, 0.8), candidate(0, 0.7)],
        [candidate(3, 0.9, 1, 0.7), candidate(10, 0.6, 0, 0.8)],
    )
    return sync_ge(*search([TO_IT], [3], steps))


def far() -> list[Event]:
    """What was read and linked has a part of his name, which no beam takes for it."""
    near = ProximalTriple("Brunel", "built", "a bridge")
    return sync_ge(*search([near, near], [8, 6], FAR))


def pruned() -> list[Event]:
    """His triple is third of four in step 2, and two are kept: 1.2 × 0.778801 below 1.1."""
    mine = candidate(6, 0.3, 0, 0.9, 1, 4, kept=False)
    steps = beams(
        [candidate(3, 0.9), candidate(8, 0.8)],
        [candidate(4, 0.6, 0, 0.9), candidate(10, 0.3, 1, 0.8)],
        pruned=[(), [mine, candidate(11, 0.0, 1, 0.8, 1, kept=False)]],
    )
    return sync_ge(*search([TO_IT], [3], steps))


def fused_below() -> list[Event]:
    """He is at the end of the base ranking, and no beam leads to him."""
    return sync_ge(*search([ELSEWHERE], [8], FAR, [*BASE, KEY]))


def gear(*searches_: list[Event], why: str, final: Sequence[str] = OTHERS) -> list[Event]:
    """Searches of GEAR, each with what follows it."""
    events: list[Event] = [Started(QUESTION, "gear", (*LOOP, *BEAM), "local")]
    for n, one in enumerate(searches_, start=1):
        last = n == len(searches_)
        ranking = ranked(final, iteration_1=final)
        events += [
            *one,
            Remembered((ELSEWHERE,), (), 1, iteration=n),
            Fused("final", ("iteration 1",), ranking, "rrf", iteration=n),
            Reasoned(last and why == "answerable", "", iteration=n),
        ]
        events += [] if last else [Rewrote(NEXT_QUERY, iteration=n)]
    stopped = Stopped(why, "", iteration=len(searches_))  # type: ignore[arg-type]
    return [*events, stopped, Ranked(ranked(final), iteration=0)]


def gear_stopped() -> list[Event]:
    return gear(search([ELSEWHERE], [8], FAR), why="answerable")


def gear_fused_below() -> list[Event]:
    return gear(search([ELSEWHERE], [8], FAR), why="answerable", final=[*OTHERS, KEY])


def hippo(*, named: bool = True, reached: bool = True) -> list[Event]:
    """He is sixth of the walk's passages, or not reached; or nothing was linked, and it is dense."""
    walk = walked()
    ranking = tuple(one for one in walk.ranking if reached or one.key != KEY)
    found: Event = replace(walk, ranking=ranking)
    if not named:
        ranking = ranked(BASE)
        found = Retrieved(QUESTION, "dense", ranking)
    started = Started(QUESTION, "hipporag", (("restart", "0.5"), ("threshold", "0.8")), "local")
    return [started, recognised(none=not named), found, Ranked(ranking, iteration=0)]


def griever(*, new: str, score: float, hops: int = 1, limit: bool = False) -> list[Event]:
    """The first hop's best match leads to `new` and was not taken; the second hop has none."""
    match: Match = replace(griever_match(taken=False), new=new, score=score)
    events: list[Event] = []
    for event in griever_run():
        if event.iteration > hops:
            continue
        if isinstance(event, Started):
            pairs = (("max_iterations", str(hops)), ("sure", "0.9"), ("hop_k", "10"))
            event = replace(event, settings=pairs)
        if isinstance(event, Matched):
            event = replace(event, matches=(match,) if event.iteration == 1 else (), sure=0.9)
        if isinstance(event, Stopped | Ranked):
            continue
        if isinstance(event, Retrieved | Fused):
            ranking = tuple(one for one in event.ranking if one.key != KEY)
            event = replace(event, ranking=ranking)
        events.append(event)
    why = "iteration limit" if limit else "nothing to rewrite"
    last = next(e for e in reversed(events) if isinstance(e, Fused))
    return [*events, Stopped(why, "", iteration=hops), Ranked(last.ranking, iteration=0)]  # type: ignore[arg-type]


def pool(*lists: Sequence[str], why: str = "answerable", more: Sequence[Event] = ()) -> list[Event]:
    """A pool of one query an iteration; each brings six."""
    queries = [QUESTION, *(f"thought {n}" for n in range(1, len(lists)))]
    started = Started(QUESTION, "ircot", (("max_iterations", "3"), ("pool_k", "6")), "local")
    events: list[Event] = [started]
    keys: list[str] = []
    for n, (query, keys_) in enumerate(zip(queries, lists, strict=True), start=1):
        keys += [key for key in keys_ if key not in keys]
        events += [
            Retrieved(query, "hybrid", ranked(keys_), iteration=n),
            Pooled(tuple(queries[:n]), "reciprocal rank", ranked(keys), (), iteration=n),
            Thought("ircot", "", queries[n] if n < len(lists) else "", iteration=n),
        ]
    stopped = Stopped(why, "", iteration=len(lists))  # type: ignore[arg-type]
    return [*events, *more, stopped, Ranked(ranked(keys), iteration=0)]


def bdtr(*, chosen: bool, shown_: int) -> list[Event]:
    """He is last of seven in the pool; the verifier saw so many of it."""
    keys = [*BASE, KEY]
    lines = ranked(keys)
    took = lines[-1:] if chosen else lines[:1]
    rest = tuple(one for one in lines if one not in took)
    order = (*rest[:5], *took, *rest[5:]) if chosen else lines
    verdict = [
        Chained(("a", "b"), iteration=1),
        Verified(shown_, took, iteration=1),
        Promoted((), tuple(one.id for one in took), order, 7, 0.1, 0.1, 0.2, (), iteration=1),
    ]
    events = pool(keys, why="iteration limit", more=verdict)
    started = replace(
        next(e for e in events if isinstance(e, Started)),
        settings=(("rounds", "1"), ("pool_k", "10"), ("verify_k", str(shown_))),
    )
    return [started, *events[1:-1], Ranked(order, iteration=0)]


WEIGHTS = ("base", "alone", "parts", "link", "start", "cover", "spread")


def communities() -> list[Event]:
    """He names none of the entities near the question, and follows with score 0."""
    first = ranked(BASE)
    ordered = (*first[:5], replace(first[0], key=KEY, score=0.0))
    near = (MappedEntity("Clifton Suspension Bridge", 0.5, 0),)
    return [
        Started(QUESTION, "communities", (("entities", "10"), ("level", "2"), ("reports", "3"))),
        Retrieved(QUESTION, "dense", first),
        Gathered(QUESTION, near, (), (), 1, ordered, below=1),
        Ranked(ordered, iteration=0),
    ]


def chain(*, linked: bool) -> list[Event]:
    """He is sixth by the sum of terms, with a link or alone; both sums are below 5.0."""
    lines = []
    for place, key in enumerate([*BASE[:5], KEY]):
        mine = key == KEY
        alone = 0.0 if linked or not mine else 1.0
        parts = (
            ScorePart("base", place + 1, round(10 / (5 + place), 6), 2.0),
            ScorePart("alone", 0, alone, alone),
            ScorePart("link", 0, 0.0 if alone else 2.0, 0.0 if alone else 2.5),
        )
        score = round(sum(part.value for part in parts) + (0 if mine else 5), 6)
        passage = next(one for one in passages() if one.key == key)
        lines.append(RankedPassage(passage.id, key, passage.title, score, parts))
    weights = tuple(TermWeight(name, 1.0) for name in WEIGHTS)
    starts = ranked(BASE[:2])
    followed = Followed(QUESTION, 1, 1, 12, 4, (), starts, weights, (), tuple(lines), "hybrid")
    settings = (("starts", "2"), ("most_holders", "4"), ("link_rounds", "1"))
    return [
        Started(QUESTION, "chain", settings),
        Retrieved(QUESTION, "hybrid", ranked(BASE)),
        followed,
        Ranked(tuple(lines), iteration=0),
    ]
