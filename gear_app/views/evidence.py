"""What was found, before all else: the first passages with the sentences that count and the name
that joins two of them, told once for pages, a hall and a terminal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gear_app.analysis.evidence import evidence_of, unanswered
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, EvidenceFound, EvidencePassage, NameLead
from gear_app.language.blocks import is_row
from gear_app.step_views.blocks import Card, Column
from gear_app.types import Span
from gear_app.views.labels import LLM
from gear_app.views.markup import Html, around, find, join, tag, title

UNREAD = (
    "Which passages carry it is not told yet: what they name is still being read. Collections shows"
    " how far that is; run the question again then."
)
FEWEST = 0.05  # a share below that is told as "rarely"


def joined(found: EvidenceFound) -> str:
    """What joins the two, and in how many passages it stands."""
    if len(found.passages) < 2:
        return "One passage was found"
    if not found.links:
        first = f"the first {len(found.passages)} passages"
        return f"No two of {first} share a name that few others have"
    link = found.links[0]
    holders = "only these two" if link.holders == 2 else f"{link.holders} of {found.size:,}"
    verb = "name" if link.holders == 2 else "passages name"
    return f"Joined by “{link.mention}”, which {holders} {verb}"


def measured(found: EvidenceFound) -> str:
    """How sure it is: how often pairs like this one were right, or that nothing says so; "" of one
    passage alone.
    """
    if len(found.passages) < 2:
        return ""
    if not found.links:
        return (
            "nothing shows which belong together, and each stands here with the sentence that is"
            " nearest to the question"
        )
    often = _often(found.links[0].share)
    return f"in our tests, two passages that look like these were the right ones {often}"


def others(found: EvidenceFound) -> str:
    """Which others of the first passages are joined and by what, by rank; "" for none."""
    ranks = {one.id: one.rank for one in found.passages}
    told = [
        f"{ranks[one.ends[0]]} and {ranks[one.ends[1]]} by “{one.mention}” ({_often(one.share)})"
        for one in found.links[1:]
    ]
    return f"Or {', or '.join(told)}." if told else ""


def _often(share: float) -> str:
    return f"{round(100 * share)} times in 100" if share >= FEWEST else "rarely"


def no_answer(events: Sequence[Event]) -> str:
    """That a reader was asked and could not phrase an answer; "" where it did, or none was."""
    begun = RunTrace.of(events).start
    if begun is None or not unanswered(events):
        return ""
    who = "language model" if begun.reader == LLM else "local reader"
    return f"The {who} could not phrase an answer from these."


def card(
    found: EvidenceFound,
    gold: Collection[str] = (),
    *,
    titled: bool = False,
) -> Html:
    """The pair, or the first two, next to each other, what else is joined, the others in a line
    each, and other passages with a rare name from these. `gold` are keys of gold passages, which
    are starred.
    """
    cards = [_passage(one, found, gold) for one in found.pair]
    rest = [_line(one, found, gold) for one in found.passages[len(found.pair) :]]
    also = others(found)
    return tag(
        "section",
        title("What was found" if titled else "", _how(found)),
        tag("div", join(cards), class_="gear-pair"),
        tag("p", also, class_="gear-note", dir="auto") if also else "",
        tag("ol", join(rest), class_="gear-also") if rest else "",
        _more(found.leads, gold),
        class_="gear-evidence",
        aria_label="What was found",
    )


def whole(events: Sequence[Event], gold: Collection[str]) -> Html:
    """The card of a run and, small, that there is no answer; nothing of a run without evidence."""
    found = evidence_of(events)
    if found is None:
        return Html("")
    none = no_answer(events)
    note = tag("p", none, class_="gear-note") if none else Html("")
    return Html(card(found, gold, titled=True) + note)


def lines(found: EvidenceFound) -> Iterator[str]:
    """The same for a terminal: the two with their sentences, and what joins them."""
    for one in found.pair:
        words = " ".join(one.excerpt[one.sentence.start :].split())
        yield f"found at {one.rank}: {one.name}: {words}"
    yield _how(found)
    if also := others(found):
        yield also


def columns(found: EvidenceFound) -> tuple[Column, ...]:
    """A pair for a hall: one passage, the other that the name leads to, and what else is among the
    first.
    """
    one, other = (
        Card(
            f"p{passage.rank}",
            passage.name,
            lead=str(passage.rank),
            pieces=_pieces(passage),
            parents=(f"p{found.passages[0].rank}",) if place else (),
        )
        for place, passage in enumerate(found.passages[:2])
    )
    rest = tuple(
        Card(f"p{passage.rank}", passage.name, lead=str(passage.rank))
        for passage in found.passages[2:]
    )
    name = f"both name {found.links[0].mention}"
    return (
        Column("one passage", (one,), "Which passage carries it?", roomy=True),
        Column(name, (other,), "Where does its name lead?", roomy=True),
        *((Column("also among the first", rest),) if rest else ()),
    )


def compared(found: Sequence[tuple[str, EvidenceFound]]) -> Html:
    """What each of several methods found, a line each: its pair and what joins it. Methods whose
    pair is the same stand together.
    """
    methods: dict[str, list[str]] = {}
    drawn: dict[str, Html] = {}
    for name, one in found:
        pair = join([tag("b", passage.name) for passage in one.pair], " and ")
        words = join([pair, f" · {joined(one)}"])
        methods.setdefault(words, []).append(name)
        drawn[words] = words
    rows = [
        tag("tr", tag("th", ", ".join(names), scope="row"), tag("td", drawn[words], dir="auto"))
        for words, names in methods.items()
    ]
    return tag("table", join(rows), class_="gear-table") if rows else Html("")


def _how(found: EvidenceFound) -> str:
    return ": ".join(filter(None, [joined(found), measured(found)])) + "."


def _sentence(one: EvidencePassage | NameLead) -> str:
    words = one.excerpt[one.sentence.start : one.sentence.end]
    return " ".join((words or one.excerpt).split())


def _pieces(one: EvidencePassage) -> tuple[tuple[str, str], ...]:
    """The sentence in pieces, the first place of what joins it to the other marked."""
    text, (start, end) = one.excerpt, one.sentence
    mark = next((at for at in one.marks if start <= at.start and at.end <= end), Span(start, start))
    pieces = (
        (text[start : mark.start], ""),
        (text[slice(*mark)], "mark"),
        (text[mark.end : end], ""),
    )
    return tuple(piece for piece in pieces if piece[0])


def _text(one: EvidencePassage | NameLead) -> Html:
    """The excerpt, what is not the sentence in a quieter tone."""
    start, end = one.sentence
    parts = [
        (Span(0, start), "gear-around"),
        (one.sentence, "gear-says"),
        (Span(end, len(one.excerpt)), "gear-around"),
    ]
    return join(
        tag("span", _marked(one.excerpt, part, one.marks), class_=kind)
        for part, kind in parts
        if part.end > part.start
    )


def _marked(text: str, part: Span, marks: Sequence[Span]) -> Html:
    """A part of a text with the places that lie in it marked."""
    inside = [(Span(at.start - part.start, at.end - part.start), "mark", "") for at in marks]
    return around(text[slice(*part)], inside)


def _title(name: str, mentions: Sequence[str]) -> Html:
    place = next(filter(None, (find(name, mention) for mention in mentions)), None)
    return _marked(name, Span(0, len(name)), [place] if place else [])


def _head(lead: str, name: str, mentions: Sequence[str], *, gold: bool) -> Html:
    return tag(
        "div",
        tag("i", lead, class_="gear-rank gear-at"),
        tag("span", "★", class_="gear-star", role="img", aria_label="gold passage") if gold else "",
        tag("b", _title(name, mentions), dir="auto"),
        class_="gear-found-head",
    )


def _head_of(one: EvidencePassage, found: EvidenceFound, gold: Collection[str]) -> Html:
    joining = [link.mention for link in found.links if one.id in link.ends]
    return _head(str(one.rank), one.name, joining, gold=one.key in gold)


def _passage(one: EvidencePassage, found: EvidenceFound, gold: Collection[str]) -> Html:
    return tag("section", _head_of(one, found, gold), tag("p", _text(one), dir="auto"))


def _more(leads: Sequence[NameLead], gold: Collection[str]) -> Html:
    """Other passages with a rare name from these, each with the sentence that has the name."""
    if not leads:
        return Html("")
    lines = [
        tag(
            "li",
            _head("→", lead.name, [lead.mention], gold=lead.key in gold),
            tag("span", _marked(*_cut(lead)), dir="auto", class_="gear-says"),
        )
        for lead in leads
    ]
    heading = title("More to read", "other passages with a rare name from these")
    return Html(heading + tag("ol", join(lines), class_="gear-also"))


def _cut(lead: NameLead) -> tuple[str, Span, Sequence[Span]]:
    """An excerpt from its sentence on, or from the name where the sentence lacks it."""
    start, end = lead.sentence
    inside = any(start <= mark.start and mark.end <= end for mark in lead.marks)
    return lead.excerpt, Span(start if inside else 0, len(lead.excerpt)), lead.marks


def _line(one: EvidencePassage, found: EvidenceFound, gold: Collection[str]) -> Html:
    """One of the others of the first passages: its title and its sentence; of a row all fields."""
    start = 0 if is_row(one.excerpt) else one.sentence.start
    says = _marked(one.excerpt, Span(start, len(one.excerpt)), one.marks)
    head = _head_of(one, found, gold)
    return tag("li", head, tag("span", says, dir="auto", class_="gear-says"))
