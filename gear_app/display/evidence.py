"""The evidence of a run under one of three headings, for pages, a hall and a terminal: the answer,
the two passages that most likely carry it, or that nothing fits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.display.labels import LLM
from gear_app.display.markup import Html, around, find, join, tag, title
from gear_app.display.telling import Card, Column
from gear_app.language.blocks import is_row
from gear_app.trace.events import (
    Event,
    EvidenceFound,
    EvidencePassage,
    NameLead,
    Remembered,
)
from gear_app.trace.evidence import (
    answer_of,
    evidence_of,
    source_of,
    unanswered,
)
from gear_app.trace.metrics import exact_match
from gear_app.trace.rankings import rank_of, title_of
from gear_app.trace.trace import RunTrace

NOT_READ = (
    "Which passages carry it is not known yet: their names are still being read. Collections shows"
    " how far that is; run the question again then."
)
# Shares of an EvidenceLink. Of the pairs of chain and hybrid on the demo collections' questions,
# those from 0.6 on were right in 3 of 3, from 0.2 on in 39 of 85, below in 3 of 26.
STRONG, FAIR = 0.6, 0.2
PAIR = "Most likely these two passages"
NOTHING = "Nothing that fits"
_BREAKS = re.compile(r"\s*\n\s*")
AROUND = "small"  # the element of what an excerpt has around its sentence


class Heading(NamedTuple):
    """One of the three headings, with what it rests on, and the passages that stand under it."""

    title: str
    note: str = ""
    passages: tuple[EvidencePassage, ...] = ()


def heading(events: Sequence[Event], gold_answers: Sequence[str] = ()) -> Heading:
    """The heading of a run with evidence. Under an answer stands, too, the first passage that has
    it.
    """
    trace = RunTrace.of(events)
    evidence = evidence_of(trace) or EvidenceFound(())
    because, fair = joined(evidence), any(link.share >= FAIR for link in evidence.links[:1])
    pair = evidence.pair if fair else ()
    if answer := answer_of(trace):
        notes = [_expected(answer, gold_answers), _absence(answer, trace), because if pair else ""]
        sources = [passage for passage in evidence.passages if passage.answers]
        passages = dict.fromkeys([*pair, *sources[:1]])
        return Heading(f"Answer: {answer}", " · ".join(filter(None, notes)), tuple(passages))
    if pair:
        return Heading(PAIR, because, pair)
    if unanswered(trace):
        return Heading(NOTHING)
    if len(evidence.passages) < 2:
        return Heading("One passage")
    ranks = " and ".join(str(passage.rank) for passage in evidence.pair)
    return Heading(f"{NOTHING} together", joined(evidence, ranks))


def _expected(answer: str, gold_answers: Sequence[str]) -> str:
    if not gold_answers:
        return ""
    return f"{'=' if exact_match(answer, gold_answers) else '≠'} expected: {gold_answers[0]}"


def _absence(answer: str, events: Sequence[Event]) -> str:
    """Note that neither the evidence nor a stored fact has the answer; "" where one has."""
    evidence, source = evidence_of(events), source_of(events)
    if evidence is None or (source and source.stored):
        return ""
    texts = normalise_entity(
        " ".join(f"{passage.name} {passage.excerpt}" for passage in evidence.passages)
    )
    return "" if normalise_entity(answer) in texts else "in no passage shown"


def joined(evidence: EvidenceFound, pair: str = "these two") -> str:
    """How well the pair matches, the name that joins it, and how many passages hold that."""
    if not evidence.links:
        return f"No two of the first {len(evidence.passages)} share a rare name"
    link = evidence.links[0]
    strength = "Strong" if link.share >= STRONG else "Fair" if link.share >= FAIR else "Weak"
    holders = f"{link.holders} of {evidence.size:,} passages name"
    holders = f"only {pair} name" if link.holders == 2 else holders
    return f"{strength} match: joined by “{link.mention}”, which {holders}"


def nearest(events: Sequence[Event]) -> str:
    """The first passage of the plain search, where the pair does not contain it; "" elsewhere."""
    trace, evidence = RunTrace.of(events), evidence_of(events)
    first = next((search.ranking[0].key for search in trace.searches[:1] if search.ranking), "")
    key = next(iter(trace.start.hybrid if trace.start else ()), first)
    if not key or evidence is None or any(passage.key == key for passage in evidence.pair):
        return ""
    rank = rank_of(key, trace.final)
    place = f"rank {rank} here" if rank else "not in this ranking"
    return f"Nearest to your words: {title_of(trace, key)} (rank 1 of the plain search, {place})"


def no_answer(events: Sequence[Event]) -> str:
    """Note that a reader found one part of the answer, or none; "" where it found all, or no
    reader was asked.
    """
    trace = RunTrace.of(events)
    if trace.start is None or not unanswered(trace):
        return ""
    remembered = (fact for event in trace if isinstance(event, Remembered) for fact in event.added)
    for fact in (fact for fact in remembered if fact.object not in fact.predicate):
        return f"One part was found: “{fact.text}”. The rest was not."
    if trace.start.reader == LLM:
        return "No answer: the language model found none in these passages."
    return "No answer: the built-in rules found none here. A language model might."


def card(
    events: Sequence[Event], gold: Collection[str] = (), gold_answers: Sequence[str] = ()
) -> Html:
    """The heading, the passages under it, the others in a line each, and other passages with a rare
    name from these. Passages of `gold`, by key, are starred. "" for a run without evidence.
    """
    evidence = evidence_of(events)
    if evidence is None:
        return Html("")
    head = heading(events, gold_answers)
    rest = [passage for passage in evidence.passages if passage not in head.passages]
    rest.sort(key=lambda passage: passage.rank)
    names = {
        passage.id: [link.mention for link in evidence.links if passage.id in link.ends]
        for passage in evidence.passages
    }
    notes = [nearest(events), no_answer(events)]
    cards = [_entry(str(item.rank), item, names[item.id][:1], gold) for item in head.passages]
    lines = [_entry(str(item.rank), item, names[item.id], gold, brief=True) for item in rest]
    leads = [_entry("→", lead, [lead.mention], gold) for lead in evidence.leads]
    more = title("More to read", "other passages with a rare name from these")
    return tag(
        "section",
        title(head.title, head.note),
        tag("div", *map(partial(tag, "section"), cards), class_="gear-pair") if cards else "",
        *(tag("p", note, class_="gear-note", dir="auto") for note in notes if note),
        _list(lines),
        more if leads else "",
        _list(leads),
        class_="gear-evidence",
        aria_label="Evidence",
    )


def _list(entries: Sequence[Html]) -> Html:
    return tag("ol", *map(partial(tag, "li"), entries), class_="gear-also") if entries else Html("")


def _entry(
    lead: str,
    passage: EvidencePassage | NameLead,
    mentions: Sequence[str],
    gold: Collection[str],
    *,
    brief: bool = False,
) -> Html:
    """A passage's title with the first of the mentions that it has, and its excerpt; `brief`: from
    its sentence on, of a row all fields.
    """
    place = next(filter(None, (find(passage.name, mention) for mention in mentions)), None)
    star = tag("span", "★", class_="gear-star", role="img", aria_label="gold passage")
    head = tag(
        "div",
        tag("i", lead, class_="gear-rank gear-at"),
        star if passage.key in gold else "",
        tag("b", around(passage.name, [(place, "mark", "")]), dir="auto"),
        class_="gear-found-head",
    )
    start = passage.sentence.start if brief and not is_row(passage.excerpt) else 0
    words = [tag(mark, text) if mark else text for text, mark in _pieces(passage, start)]
    return join([head, tag("span", *words, class_="gear-excerpt", dir="auto")])


def lines(events: Sequence[Event], gold_answers: Sequence[str] = ()) -> Iterator[str]:
    """Evidence for a terminal: the heading, and the two passages with their sentences."""
    evidence = evidence_of(events)
    if evidence is None:
        return
    head = heading(events, gold_answers)
    ranked = sorted(evidence.passages, key=lambda passage: passage.rank)
    passages = [
        f"  {passage.rank}. {passage.name}:"
        f" {' '.join(passage.excerpt[passage.sentence.start :].split())}"
        for passage in (head.passages or ranked[:2])
    ]
    yield from filter(
        None,
        [head.title, head.note and f"  {head.note}", *passages, nearest(events), no_answer(events)],
    )


def columns(evidence: EvidenceFound) -> tuple[Column, ...]:
    """A pair for a hall: one passage, the other that the name leads to, and what else is among the
    first.
    """
    first, *rest = (
        Card(
            f"p{passage.rank}",
            passage.name,
            lead=str(passage.rank),
            pieces=tuple(_pieces(passage, *passage.sentence)),
        )
        for passage in evidence.passages
    )
    other = replace(rest[0], parents=(first.id,))
    plain_cards = tuple(replace(card, pieces=()) for card in rest[1:])
    name = f"both name {evidence.links[0].mention}"
    return (
        Column("one passage", (first,), "Which passage carries it?", roomy=True),
        Column(name, (other,), "Where does its name lead?", roomy=True),
        Column("also among the first", plain_cards),
    )


def _pieces(
    passage: EvidencePassage | NameLead, start: int = 0, end: int | None = None
) -> Iterator[tuple[str, str]]:
    """A part of the excerpt, cut where its sentence and its marks begin and end."""
    text, sentence, marks = passage.excerpt[:end], passage.sentence, passage.marks
    edges = {start, len(text), *sentence, *(edge for mark in marks for edge in mark)}
    for left, right in pairwise(sorted(edge for edge in edges if start <= edge <= len(text))):
        marked = any(mark.start <= left and right <= mark.end for mark in marks)
        outside = not sentence.start <= left < sentence.end
        yield _BREAKS.sub("\n", text[left:right]), "mark" if marked else AROUND if outside else ""
