"""The evidence of a run under one of three headings, for pages, a hall and a terminal: the answer,
the two passages that most likely carry it, or that nothing fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import Span
from gear_app.display.labels import LLM
from gear_app.display.markup import Html, around, find, join, tag, title
from gear_app.display.telling import Card, Column
from gear_app.language.blocks import is_row
from gear_app.trace.events import (
    Event,
    EvidenceFound,
    EvidenceLink,
    EvidencePassage,
    NameLead,
    Remembered,
)
from gear_app.trace.evidence import (
    evidence_of,
    last_answer,
    source_of,
    unanswered,
)
from gear_app.trace.metrics import exact_match, retrieved_answer
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


class Heading(NamedTuple):
    """One of the three headings, with what it rests on; `pair`: two passages stand under it."""

    title: str
    note: str = ""
    pair: bool = False


def heading(events: Sequence[Event], gold_answers: Sequence[str] = ()) -> Heading:
    """The heading of a run with evidence; `known` are the expected answers."""
    trace = RunTrace.of(events)
    evidence = evidence_of(trace) or EvidenceFound(())
    pair = bool(evidence.links) and evidence.links[0].share >= FAIR
    written = retrieved_answer(trace, gold_answers)
    if answer := written.answer if written else last_answer(trace):
        notes = [
            _expected(answer, gold_answers),
            _absence(answer, trace),
            joined(evidence) if pair else "",
        ]
        return Heading(f"Answer: {answer}", " · ".join(filter(None, notes)), pair)
    if pair:
        return Heading(
            PAIR, f"{_match(evidence.links[0]).capitalize()} match: {joined(evidence)}", pair
        )
    if unanswered(trace):
        fact = _remembered_fact(trace)
        return Heading(NOTHING, f"One part was found: “{fact}”. The rest was not." if fact else "")
    if len(evidence.passages) < 2:
        return Heading("One passage")
    return Heading(f"{NOTHING} together", joined(evidence))


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


def _match(link: EvidenceLink) -> str:
    return "strong" if link.share >= STRONG else "fair" if link.share >= FAIR else "weak"


def joined(evidence: EvidenceFound) -> str:
    """The name that joins the pair, and how many passages hold it."""
    if not evidence.links:
        return f"no two of the first {len(evidence.passages)} share a rare name"
    link = evidence.links[0]
    holders = f"{link.holders} of {evidence.size:,} passages name"
    holders = "only these two name" if link.holders == 2 else holders
    return f"joined by “{link.mention}”, which {holders}"


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
    """The reader that found no answer; "" where it found one, or none was asked."""
    start = RunTrace.of(events).start
    if start is None or not unanswered(events):
        return ""
    if start.reader == LLM:
        return "No answer: the language model found none in these passages."
    return "No answer: the built-in rules found none here. A language model might."


def card(
    events: Sequence[Event], gold: Collection[str] = (), gold_answers: Sequence[str] = ()
) -> Html:
    """The heading, the pair, the other passages in a line each, and other passages with a rare name
    from these. Passages of `gold`, by key, are starred. "" for a run without evidence.
    """
    evidence = evidence_of(events)
    if evidence is None:
        return Html("")
    head = heading(events, gold_answers)
    pair = evidence.pair if head.pair else ()
    rest = evidence.passages[len(pair) :]
    if not pair:
        rest = tuple(sorted(rest, key=lambda passage: passage.rank))
    notes = [nearest(events), no_answer(events)]
    cards = [_passage(passage, evidence, gold) for passage in pair]
    more = [_line(passage, evidence, gold) for passage in rest]
    return tag(
        "section",
        title(head.title, head.note),
        tag("div", join(cards), class_="gear-pair") if cards else "",
        *(tag("p", note, class_="gear-note", dir="auto") for note in notes if note),
        tag("ol", join(more), class_="gear-also") if more else "",
        _more(evidence.leads, gold),
        class_="gear-evidence",
        aria_label="Evidence",
    )


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
        for passage in (evidence.pair if head.pair else ranked[:2])
    ]
    yield from filter(
        None, [head.title, head.note and f"  {head.note}", *passages, nearest(events)]
    )


def columns(evidence: EvidenceFound) -> tuple[Column, ...]:
    """A pair for a hall: one passage, the other that the name leads to, and what else is among the
    first.
    """
    first, *rest = (
        Card(f"p{passage.rank}", passage.name, lead=str(passage.rank), pieces=_pieces(passage))
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


def compared(runs: Sequence[tuple[str, EvidenceFound]]) -> Html:
    """The pair of each of several methods and its name; methods with one pair share a line."""
    methods: dict[str, list[str]] = {}
    for name, evidence in runs:
        pair = join([tag("b", passage.name) for passage in evidence.pair], " and ")
        methods.setdefault(join([pair, f" · {joined(evidence)}"]), []).append(name)
    rows = [
        tag("tr", tag("th", ", ".join(names), scope="row"), tag("td", Html(words), dir="auto"))
        for words, names in methods.items()
    ]
    return tag("table", join(rows), class_="gear-table") if rows else Html("")


def _pieces(passage: EvidencePassage) -> tuple[tuple[str, str], ...]:
    """The sentence in pieces, the first place of what joins it to the other marked."""
    text, (start, end) = passage.excerpt, passage.sentence
    inside = [at for at in passage.marks if start <= at.start and at.end <= end]
    at = inside[0] if inside else Span(start, start)
    pieces = ((text[start : at.start], ""), (text[slice(*at)], "mark"), (text[at.end : end], ""))
    return tuple(piece for piece in pieces if piece[0])


def _text(passage: EvidencePassage | NameLead) -> Html:
    """The excerpt, what is not the sentence in a quieter tone."""
    start, end = passage.sentence
    parts = [
        (Span(0, start), "gear-around"),
        (passage.sentence, "gear-says"),
        (Span(end, len(passage.excerpt)), "gear-around"),
    ]
    return join(
        tag("span", _marked(passage.excerpt, part, passage.marks), class_=kind)
        for part, kind in parts
        if part.end > part.start
    )


def _marked(text: str, part: Span, marks: Sequence[Span]) -> Html:
    """A part of a text with the places that lie in it marked."""
    inside = [(Span(at.start - part.start, at.end - part.start), "mark", "") for at in marks]
    return around(text[slice(*part)], inside)


def _head(lead: str, name: str, mentions: Sequence[str], *, gold: bool) -> Html:
    place = next(filter(None, (find(name, mention) for mention in mentions)), None)
    return tag(
        "div",
        tag("i", lead, class_="gear-rank gear-at"),
        tag("span", "★", class_="gear-star", role="img", aria_label="gold passage") if gold else "",
        tag("b", _marked(name, Span(0, len(name)), [place] if place else []), dir="auto"),
        class_="gear-found-head",
    )


def _head_of(passage: EvidencePassage, evidence: EvidenceFound, gold: Collection[str]) -> Html:
    joining = [link.mention for link in evidence.links if passage.id in link.ends]
    return _head(str(passage.rank), passage.name, joining, gold=passage.key in gold)


def _passage(passage: EvidencePassage, evidence: EvidenceFound, gold: Collection[str]) -> Html:
    return tag("section", _head_of(passage, evidence, gold), tag("p", _text(passage), dir="auto"))


def _more(leads: Sequence[NameLead], gold: Collection[str]) -> Html:
    """Other passages with a rare name from these, each with its excerpt."""
    items = [
        tag(
            "li",
            _head("→", lead.name, [lead.mention], gold=lead.key in gold),
            tag("span", _text(lead), dir="auto"),
        )
        for lead in leads
    ]
    heading = title("More to read", "other passages with a rare name from these")
    return Html(heading + tag("ol", join(items), class_="gear-also")) if items else Html("")


def _line(passage: EvidencePassage, evidence: EvidenceFound, gold: Collection[str]) -> Html:
    """One of the other passages: its title and its sentence; of a row all fields."""
    start = 0 if is_row(passage.excerpt) else passage.sentence.start
    words = _marked(passage.excerpt, Span(start, len(passage.excerpt)), passage.marks)
    head = _head_of(passage, evidence, gold)
    return tag("li", head, tag("span", words, dir="auto", class_="gear-says"))


def _remembered_fact(events: Sequence[Event]) -> str:
    """The first fact of the gist memory; "" for none."""
    facts = (fact.text for event in events if isinstance(event, Remembered) for fact in event.added)
    return next(facts, "")
