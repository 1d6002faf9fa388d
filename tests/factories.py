"""A realistic run of GEAR as events, made by hand: two iterations, three gold passages, one that
hybrid misses.

The numbers follow Algorithm 1's and RRF's arithmetic, so that a view that mislabels a term is
caught.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gear_app.core.types import Passage, ProximalTriple, Span, Substitution, Triple
from gear_app.trace.events import (
    BeamCandidate,
    BeamStep,
    Event,
    Expanded,
    Fused,
    Link,
    Linked,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    ScorePart,
    ShownTriple,
    Started,
    Stopped,
)

QUESTION = "Who taught the father of the engineer who designed the Clifton Suspension Bridge?"
NEXT_QUERY = "Who taught Marc Isambard Brunel?"
GOLD = ("clifton", "isambard", "marc")

TEXTS: dict[str, tuple[str, str]] = {
    "clifton": (
        "Clifton Suspension Bridge",
        (
            "The Clifton Suspension Bridge spans the Avon Gorge. It was designed by Isambard"
            " Kingdom Brunel. It opened in 1864."
        ),
    ),
    "isambard": (
        "Isambard Kingdom Brunel",
        (
            "Isambard Kingdom Brunel was born in Portsmouth. He was the only son of Marc Isambard"
            " Brunel. He also built the Great Western Railway."
        ),
    ),
    "marc": (
        "Marc Isambard Brunel",
        (
            "Marc Isambard Brunel dug the Thames Tunnel. At Rouen he was taught drawing by François"
            " Carpentier."
        ),
    ),
    "menai": (
        "Menai Suspension Bridge",
        "The Menai Suspension Bridge was designed by Thomas Telford. It opened in 1826.",
    ),
    "telford": (
        "Thomas Telford",
        "Thomas Telford was born in Westerkirk. He designed the Menai Suspension Bridge.",
    ),
    "avon": (
        "Avon Gorge",
        "The Avon Gorge lies west of Bristol. The Clifton Suspension Bridge crosses it.",
    ),
    "gwr": (
        "Great Western Railway",
        "The Great Western Railway linked London and Bristol. Isambard Kingdom Brunel built it.",
    ),
    "tunnel": (
        "Thames Tunnel",
        "The Thames Tunnel was dug under the Thames. Marc Isambard Brunel led the work.",
    ),
    "clifton_town": ("Clifton", "Clifton is a part of Bristol. It gave the bridge its name."),
    "engineers": (
        "Father of civil engineering",
        "John Smeaton is called the father of civil engineering. He taught many.",
    ),
    "rouen": ("Rouen", "Rouen is a city on the Seine."),
    "hostile": (
        "<script>alert('title')</script>",
        "A page that says <img src=x onerror=alert(1)> and [a](http://evil.example).",
    ),
}
TRIPLES: list[tuple[str, str, str, str]] = [
    ("clifton", "Clifton Suspension Bridge", "was designed by", "Isambard Kingdom Brunel"),
    ("clifton", "Clifton Suspension Bridge", "spans", "Avon Gorge"),
    ("clifton", "Clifton Suspension Bridge", "opened in", "1864"),
    ("isambard", "Isambard Kingdom Brunel", "was the only son of", "Marc Isambard Brunel"),
    ("isambard", "Isambard Kingdom Brunel", "was born in", "Portsmouth"),
    ("isambard", "Isambard Kingdom Brunel", "built", "Great Western Railway"),
    ("marc", "Marc Isambard Brunel", "dug", "Thames Tunnel"),
    ("marc", "Marc Isambard Brunel", "was taught drawing by", "François Carpentier"),
    ("menai", "Menai Suspension Bridge", "was designed by", "Thomas Telford"),
    ("menai", "Menai Suspension Bridge", "opened in", "1826"),
    ("telford", "Thomas Telford", "was born in", "Westerkirk"),
    ("telford", "Thomas Telford", "designed", "Menai Suspension Bridge"),
    ("avon", "Avon Gorge", "lies west of", "Bristol"),
    ("avon", "Clifton Suspension Bridge", "crosses", "Avon Gorge"),
    ("gwr", "Great Western Railway", "linked", "London and Bristol"),
    ("gwr", "Isambard Kingdom Brunel", "built the line of", "Great Western Railway"),
    ("tunnel", "Marc Isambard Brunel", "led the work on", "Thames Tunnel"),
    ("tunnel", "Thames Tunnel", "was dug under", "Thames"),
    ("clifton_town", "Clifton", "is a part of", "Bristol"),
    ("engineers", "John Smeaton", "is called", "the father of civil engineering"),
    ("rouen", "Rouen", "lies on", "Seine"),
    (
        "hostile",
        "<script>alert('subject')</script>",
        "href=javascript:alert(1)",
        "<img src=x onerror=alert(2)>",
    ),
]
KEYS = list(TEXTS)


def passages() -> list[Passage]:
    """The passages; ids count from 1."""
    return [
        Passage(i, key, title, text)
        for i, (key, (title, text)) in enumerate(TEXTS.items(), start=1)
    ]


def triples() -> list[Triple]:
    """The triples; ids count from 101, spans are sentences where the words stand in one."""
    found = []
    for i, (key, s, p, o) in enumerate(TRIPLES, start=101):
        text = TEXTS[key][1]
        sentence = next((one for one in text.split(". ") if o in one), "")
        start = text.find(sentence) if sentence else -1
        span = Span(start, start + len(sentence)) if start >= 0 else None
        found.append(Triple(i, KEYS.index(key) + 1, s, p, o, span))
    return found


def shown(number: int) -> ShownTriple:
    """The triple of an index into TRIPLES as events carry it."""
    triple = triples()[number]
    passage = passages()[triple.passage_id - 1]
    sentence = passage.text[triple.span.start : triple.span.end] if triple.span else ""
    return ShownTriple(
        triple.id,
        triple.subject,
        triple.predicate,
        triple.object,
        passage.id,
        passage.key,
        passage.title,
        sentence,
        triple.span,
    )


def ranked(
    keys: Sequence[str], scores: Sequence[float] | None = None, **parts: Sequence[str]
) -> tuple[RankedPassage, ...]:
    """Keys in order as a ranking; `parts` are the fused lists by source, and then give the
    scores.
    """
    found = []
    for rank, key in enumerate(keys):
        terms = tuple(
            ScorePart(
                source.replace("_", " "), of.index(key) + 1, round(1 / (61 + of.index(key)), 6)
            )
            for source, of in parts.items()
            if key in of
        )
        score = (
            sum(term.value for term in terms)
            if terms
            else (scores[rank] if scores else 1.0 - rank / 20)
        )
        found.append(RankedPassage(KEYS.index(key) + 1, key, TEXTS[key][0], round(score, 6), terms))
    return tuple(found)


def fused(**lists: Sequence[str]) -> tuple[RankedPassage, ...]:
    """The RRF of lists of keys, best first, ties to the earlier appearance."""
    keys = list(dict.fromkeys(key for of in lists.values() for key in of))
    order = sorted(
        keys,
        key=lambda key: (
            -sum(round(1 / (61 + of.index(key)), 6) for of in lists.values() if key in of)
        ),
    )
    return ranked(order, **lists)


def candidate(
    number: int,
    cosine: float,
    parent: int | None = None,
    previous: float = 0.0,
    position: int = 0,
    gamma: int = 20,
    *,
    kept: bool = True,
) -> BeamCandidate:
    """A candidate with Algorithm 1's arithmetic."""
    total = round(previous + cosine, 6)
    weight = 1.0 if parent is None else round(math.exp(-min(position, gamma) / gamma), 6)
    triple = shown(number)
    return BeamCandidate(
        parent,
        (triple.id,),
        triple,
        previous,
        cosine,
        total,
        position,
        weight,
        round(total * weight, 6),
        kept,
    )


def first_beams() -> tuple[BeamStep, BeamStep]:
    """The beams of iteration 1: the bridge leads to its engineer and to his father."""
    kept = [(0, 0.82), (1, 0.61), (8, 0.57), (2, 0.49), (13, 0.46), (12, 0.31)]
    one = BeamStep(
        tuple(candidate(number, cosine) for number, cosine in kept),
        (candidate(18, 0.27, kept=False), candidate(19, 0.22, kept=False)),
    )
    grown = [
        (3, 0.79, 0, 0),
        (5, 0.55, 0, 1),
        (4, 0.52, 0, 2),
        (12, 0.44, 1, 0),
        (10, 0.40, 2, 0),
        (11, 0.38, 2, 1),
    ]
    scored = [
        candidate(number, cosine, parent, one.kept[parent].score, position)
        for number, cosine, parent, position in grown
    ]
    dropped = [
        candidate(number, 0.2 - number / 1000, 4, 0.46, n, kept=False)
        for n, number in enumerate((14, 18, 20, 21))
    ]
    ordered = sorted(scored, key=lambda found: -found.score)
    two = BeamStep(tuple(ordered), tuple(dropped), ((115, 0.11), (117, 0.08)))
    return one, two


def second_beams() -> tuple[BeamStep, BeamStep]:
    """The beams of iteration 2: from the father to his teacher."""
    one = BeamStep(
        (candidate(7, 0.88), candidate(6, 0.41), candidate(16, 0.39)),
        (candidate(20, 0.12, kept=False),),
    )
    carried = candidate(16, 0.0, 2, one.kept[2].score)
    two = BeamStep(
        (
            candidate(6, 0.42, 0, 0.88),
            candidate(17, 0.33, 1, 0.41),
            BeamCandidate(
                2,
                carried.path,
                carried.triple,
                0.39,
                0.0,
                0.39,
                0,
                1.0,
                0.39,
                kept=True,
                carried=True,
            ),
        ),
        (),
    )
    return one, two


def proximal(number: int, why: str = "one side is named in the question") -> ProximalTriple:
    """A triple of TRIPLES as the local reader selects it."""
    triple = triples()[number]
    return ProximalTriple(
        triple.subject, triple.predicate, triple.object, triple.id, 0.7 - number / 100, why
    )


# What the first search ranks, best first.
FIRST_TEN = "clifton engineers menai avon clifton_town isambard telford gwr rouen hostile".split()


def gear_run() -> list[Event]:
    """The whole run: not answerable after iteration 1, answerable after iteration 2."""
    beams = ["clifton", "isambard", "menai", "avon", "telford"]
    one = [p.key for p in fused(beams=beams, base=FIRST_TEN)]
    gist_1 = ["clifton", "isambard", "gwr"]
    gist_2 = ["isambard", "marc", "tunnel"]
    again = ["marc", "tunnel", "isambard", "rouen", "gwr"]
    beams_2 = ["marc", "tunnel"]
    two = [p.key for p in fused(beams=beams_2, base=again)]
    gist_3 = ["marc", "rouen"]
    last = fused(gist_1=gist_1, gist_2=gist_2, gist_3=gist_3, iteration_1=one, iteration_2=two)
    return [
        Started(
            QUESTION,
            "gear",
            (("max_iterations", "4"), ("beam.width", "10"), ("beam.gamma", "auto")),
            "local reader",
        ),
        Retrieved(QUESTION, "hybrid", ranked(FIRST_TEN, dense=FIRST_TEN[::-1], bm25=FIRST_TEN)),
        Read(
            "sync",
            QUESTION,
            (proximal(0), proximal(8)),
            (proximal(19, "both sides are named already"),),
        ),
        Linked(
            (Link(proximal(0), shown(0), identity=True), Link(proximal(8), shown(8), identity=True))
        ),
        Expanded(QUESTION, 8, first_beams(), ranked(beams)),
        Fused("iteration", ("beams", "base"), fused(beams=beams, base=FIRST_TEN), "rrf"),
        Read("gist", QUESTION, (proximal(0), proximal(3)), ()),
        Remembered((proximal(0), proximal(3)), (), 2),
        Fused(
            "final",
            ("gist 1", "gist 2", "iteration 1"),
            fused(gist_1=gist_1, gist_2=gist_2, iteration_1=one),
            "rrf",
        ),
        Reasoned(False, "The teacher of Marc Isambard Brunel is not in the gist memory."),
        Rewrote(
            NEXT_QUERY,
            (
                Substitution(
                    "the father of the engineer who designed the Clifton Suspension Bridge",
                    "Marc Isambard Brunel",
                    "Isambard Kingdom Brunel was the only son of Marc Isambard Brunel",
                ),
            ),
        ),
        Retrieved(NEXT_QUERY, "hybrid", ranked(again), iteration=2),
        Read("sync", NEXT_QUERY, (proximal(7),), (), iteration=2),
        Linked((Link(proximal(7), shown(7), identity=True),), iteration=2),
        Expanded(NEXT_QUERY, 3, second_beams(), ranked(beams_2), iteration=2),
        Fused("iteration", ("beams", "base"), fused(beams=beams_2, base=again), "rrf", iteration=2),
        Read("gist", QUESTION, (proximal(7), proximal(3)), (), iteration=2),
        Remembered((proximal(7),), (proximal(3),), 3, iteration=2),
        Fused(
            "final",
            ("gist 1", "gist 2", "gist 3", "iteration 1", "iteration 2"),
            last,
            "rrf",
            iteration=2,
        ),
        Reasoned(True, "The chain reaches who taught him.", "François Carpentier", iteration=2),
        Stopped("answerable", "The gist memory answers the question.", iteration=2),
        Ranked(last, iteration=0),
    ]


def hybrid_run() -> list[Event]:
    """A run of one step."""
    base = ranked(
        ["clifton", "engineers", "menai"], dense=["clifton", "menai"], bm25=["engineers", "clifton"]
    )
    return [
        Started(QUESTION, "hybrid"),
        Retrieved(QUESTION, "hybrid", base),
        Ranked(base, iteration=0),
    ]
