"""What was found, as the first thing to see: of the first passages of a ranking the two that carry
the answer, the name that joins them, and where rare names in them lead on. Any method's ranking
will do; no reader is asked (steps/evidence.py; docs/decisions/0065-evidence.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gear_app.config import ChainConfig
from gear_app.events import EvidenceFound, EvidencePassage, NameLead
from gear_app.language import mentions as find
from gear_app.language.blocks import is_row
from gear_app.language.links import cuts, is_name
from gear_app.rows import HubLimit, MentionQuery, SharedMentions
from gear_app.seams import Embedder, Index, Vectors, query_vectors
from gear_app.steps import chain, evidence
from gear_app.steps.chain import Floats
from gear_app.types import Passage, Ranking, Span

WEIGHTS = ChainConfig().weights[2:6]  # of a link's four terms
UNRANKED = 200
FIRST = 5  # passages of the ranking that are looked at
LEADS, FURTHER = 4, 3  # names that lead on from the first passages, and from where they lead
RARE = 6  # passages that may hold a name that leads on
LONGEST = 320  # characters of an excerpt, but for a longer sentence
LONGEST_SENTENCE = 2_000  # of which so much is shown
BEFORE = 90  # of these, before the sentence


class _Known(NamedTuple):
    """The passages that are there already, and the rank of every passage that has one, from 0."""

    ids: Sequence[int]
    ranks: Mapping[int, int]


def gather(index: Index, embedder: Embedder, question: str, ranking: Ranking) -> EvidenceFound:
    """The evidence among the first passages of a ranking. Raises what the index does."""
    first = ranking.ids[:FIRST]
    names = list(dict.fromkeys(name for name, _, _ in find.mentions(question)))
    halves = cuts(question)
    parts = query_vectors(embedder, [question, *(part for half in halves for part in half)])
    (shared,) = index.shared_mentions([MentionQuery(first, names)], HubLimit())
    query = chain.ChainQuery(names, halves, parts[1:])
    links = chain.follow(shared, len(first), query, WEIGHTS, pairs=True)
    pair = evidence.carrying_pair(links, len(first), _tables(shared.passages[: len(first)]))
    near = _near(shared, parts[0])
    sentences: dict[int, int | None] = {}
    if pair is not None:
        sentences[int(links.starts[pair.row])] = int(links.here[pair.row])
        sentences[int(links.passages[pair.row])] = int(links.there[pair.row])
    for place in range(len(first)):
        if place not in sentences:
            found = evidence.sentence_at(links, pair, place) if pair else None
            sentences[place] = _nearest(shared, near, place) if found is None else found
    one, other = list(sentences)[:2] if pair else (0, 0)
    mention = _widest(shared, one, other, int(links.mentions[pair.row])) if pair else -1
    name = shared.names[mention] if pair else ""
    joined = sorted((one, other)) if pair else []
    order = [*joined, *(place for place in sorted(sentences) if place not in joined)]
    passages = tuple(_passage(shared, place, sentences[place], name) for place in order)
    known = _Known(first, {id_: rank for rank, id_ in enumerate(ranking.ids)})
    leads = _leads(shared, links, known, near)
    leads += _further(index, query, parts[0], leads, known)
    if pair is None:
        return EvidenceFound(passages, size=shared.size, leads=leads, iteration=0)
    return EvidenceFound(
        passages,
        _written(shared, name, (one, other)),
        int(shared.holders[mention]),
        shared.size,
        pair.share,
        leads,
        iteration=0,
    )


def _tables(passages: Sequence[Passage]) -> chain.Ints:
    """(n,) a number for each passage, the same for rows of one table: they have one title, and all
    their lines are fields, of which the first has the same key.
    """
    tables: dict[tuple[str, str], int] = {}
    numbers = []
    for place, one in enumerate(passages):
        head = (one.title, one.text.partition(":")[0])
        numbers.append(tables.setdefault(head, place) if is_row(one.text) else place)
    return np.array(numbers, np.int64)


def _near(shared: SharedMentions, question: Vectors) -> Floats:
    """(S,) how near every sentence is to the question, which of a short one counts in part."""
    counted = chain.counted(np.diff(shared.spans, axis=1)[:, 0])
    return np.asarray((shared.vectors @ question) * counted, np.float64)


def _nearest(shared: SharedMentions, near: Floats, place: int) -> int | None:
    """The sentence of a passage that is nearest to the question; None of one without any."""
    own = np.flatnonzero(shared.sentence_passages == place)
    return int(own[near[own].argmax()]) if len(own) else None


def _passage(
    shared: SharedMentions, place: int, sentence: int | None, name: str
) -> EvidencePassage:
    passage = shared.passages[place]
    start, end = (0, 0) if sentence is None else shared.spans[sentence].tolist()
    text, span = _excerpt(passage.text, Span(start, end))
    marks = _places(text, name)
    return EvidencePassage(passage.id, passage.key, passage.title, place + 1, text, span, marks)


def _excerpt(text: str, sentence: Span) -> tuple[str, Span]:
    """A sentence with what stands around it, between words and with "…" for what is left out, and
    its place there.
    """
    sentence = Span(sentence.start, min(sentence.end, sentence.start + LONGEST_SENTENCE))
    room = max(0, LONGEST - (sentence.end - sentence.start))
    start = max(0, sentence.start - min(BEFORE, room))
    end = min(len(text), sentence.end + room - (sentence.start - start))
    start = max(0, min(start, end - LONGEST))
    if start:
        start = min(text.find(" ", start) + 1 or sentence.start, sentence.start)
    if end < len(text):
        end = max(text.rfind(" ", 0, end), sentence.end)
    lead, tail = "… " if start else "", " …" if end < len(text) else ""
    moved = len(lead) - start
    return lead + text[start:end] + tail, Span(sentence.start + moved, sentence.end + moved)


def _places(text: str, name: str) -> tuple[Span, ...]:
    """Where a text names it, sentence by sentence: a name goes on over no full stop."""
    return tuple(
        Span(sentence.start + span.start, sentence.start + span.end)
        for sentence in find.sentences(text)
        for span in find.places(text[slice(*sentence)], name)
    )


def _written(shared: SharedMentions, name: str, places: Sequence[int]) -> str:
    """A mention as one of the passages writes it, in its text or its title."""
    passages = [shared.passages[place] for place in places]
    texts = [text for one in passages for text in (one.text, one.title)]
    found = (text[span.start : span.end] for text in texts for span in _places(text, name))
    return next(found, find.shown(name))


def _further(
    index: Index,
    query: chain.ChainQuery,
    question: Vectors,
    leads: Sequence[NameLead],
    known: _Known,
) -> tuple[NameLead, ...]:
    """Where each of these leads on, not to what is known."""
    asked = [MentionQuery([lead.id], query.mentions) for lead in leads]
    found: list[NameLead] = []
    for lead, shared in zip(leads, index.shared_mentions(asked, HubLimit()), strict=True):
        links = chain.follow(shared, 1, query, WEIGHTS, pairs=True)
        there = known._replace(ids=(lead.id, *known.ids))
        found += _leads(shared, links, there, _near(shared, question))[:FURTHER]
    return tuple(found)


def _leads(
    shared: SharedMentions, links: chain.Links, known: _Known, near: Floats
) -> tuple[NameLead, ...]:
    """The rare names that lead to passages that are not known, each with the sentence there that is
    nearest to the question; by the worth of their links.
    """
    ids = [shared.passages[place].id for place in links.passages.tolist()]
    ranks = np.array([known.ranks.get(id_, UNRANKED) for id_ in ids], np.int64)
    worths = evidence.lead_worth(links, ranks, WEIGHTS)
    leads: dict[int, NameLead] = {}
    for row in np.lexsort((ids, -worths)).tolist():
        if len(leads) == LEADS:
            break
        start, place = int(links.starts[row]), int(links.passages[row])
        if ids[row] in known.ids or place in leads:
            continue
        mention = _widest(shared, start, place, int(links.mentions[row]))
        if not _leads_on(shared, mention):
            continue
        name = shared.names[mention]
        there = _passage(shared, place, _nearest(shared, near, place), name)
        leads[place] = NameLead(
            there.id,
            there.key,
            there.title,
            shared.passages[start].id,
            _written(shared, name, (place, start)),
            int(shared.holders[mention]),
            there.excerpt,
            there.sentence,
            there.marks,
        )
    return tuple(leads.values())


def _leads_on(shared: SharedMentions, mention: int) -> bool:
    """Whether a mention is a name that few passages hold, and no bare number."""
    name, common = shared.names[mention], bool(shared.common[mention])
    return is_name(name, common) and not name.isdecimal() and shared.holders[mention] <= RARE


def _widest(shared: SharedMentions, one: int, other: int, mention: int) -> int:
    """The longest name that two passages share and that has all words of a mention of both: "Iwan
    Prosser" for "Iwan".
    """
    held = [set(shared.held[shared.held[:, 0] == place, 1].tolist()) for place in (one, other)]
    words = set(shared.names[mention].split())
    wider = [of for of in held[0] & held[1] if words < set(shared.names[of].split())]
    return max(wider, key=lambda of: (len(shared.names[of]), -of), default=mention)
