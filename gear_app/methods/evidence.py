"""What was found, as the first thing to see: of the first passages of a ranking the two that carry
the answer, the names that join them, and other passages with a rare name from these (ours). Any
method's ranking will do; no reader is asked.

The share of pairs like one that were the two gold passages is the logistic function of a weighted
sum, fitted once to all pairs of the first five passages of `chain` and of hybrid search on 340
questions over everyday text and found true of 132 over Wikipedia's:

    ranks   10 / (5 + rank, from 0), added up over both: 1.3
    parts   how near the parts of the query are to the link's sentences: 1.7
    link    how few passages hold what both name: 0.6
    cover   the share of the query that both sentences cover: 1.6
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import ChainConfig
from gear_app.core.protocols import Embedder, Index, Vectors, query_vectors
from gear_app.core.rows import HubLimit, MentionQuery, SharedMentions
from gear_app.core.text import tokenise
from gear_app.core.types import Ranking, Span
from gear_app.index import links as chain
from gear_app.index.links import Floats, Links
from gear_app.language import mentions as find
from gear_app.language.mentions import cuts, is_name
from gear_app.trace.events import EvidenceFound, EvidenceLink, EvidencePassage, NameLead

RANKS, PARTS, LINK, COVER, ALL = 1.3, 1.7, 0.6, 1.6, -9.5
LEAD = 20


def shares(links: Links) -> Floats:
    """(n,) of every link between two of the first passages, how many pairs like it are right."""
    ranks = 10 / (5 + links.starts) + 10 / (5 + links.passages)
    parts, link, start, cover = links.values.T
    score = ALL + RANKS * ranks + PARTS * parts + LINK * link + COVER * (start + cover)
    return np.asarray((1 / (1 + np.exp(-score))).round(6), np.float64)


def carrying_pairs(links: Links, first: int) -> list[tuple[int, float]]:
    """The pairs of the `first` passages that a name joins, best first: the row of a link among all
    links, and the share of pairs like it that were the gold ones. Of equal ones that with the
    smaller places comes first: the links are in the order of passages, then of starts.
    """
    among = np.flatnonzero(links.passages < first)
    likely = shares(links)
    pairs: dict[frozenset[int], tuple[int, float]] = {}
    for row in among[np.argsort(-likely[among], kind="stable")].tolist():
        ends = frozenset((int(links.starts[row]), int(links.passages[row])))
        pairs.setdefault(ends, (row, float(likely[row])))
    return list(pairs.values())


def sentence_at(links: Links, pairs: Sequence[tuple[int, float]], place: int) -> int | None:
    """The sentence by which the first pair that has a passage joins it; None without one."""
    for row, _ in pairs:
        if links.starts[row] == place:
            return int(links.start_sentences[row])
        if links.passages[row] == place:
            return int(links.end_sentences[row])
    return None


WEIGHTS = ChainConfig().weights[2:6]  # of a link's four terms
UNRANKED = 200
FIRST = 5  # passages of the ranking that are looked at
LINKS = 3  # between these, that are told
LEADS = 3  # other passages with a rare name from these
RARE = 6  # passages that may hold a name that leads on
LONGEST = 320  # characters of an excerpt, but for a longer sentence
LONGEST_SENTENCE = 2_000  # of which so much is shown
BEFORE = 90  # of these, before the sentence
_HEADER = re.compile(r"(?:From|To|Cc|Bcc|Reply-To|Sender): .*")  # a line of a mail
_MONTH = re.compile(r"@\d{4}-")
# The next word of a name: capitalised, or a number that a full stop may precede ("Selkie No. 4").
_NEXT = re.compile(r"\.? \d[\w/-]*|[ -][^\W\d_][\w’'-]*")


def gather(
    index: Index, embedder: Embedder, question: str, ranking: Ranking, answer: str = ""
) -> EvidenceFound:
    """The evidence among the first passages of a ranking, which quotes the sentences that have an
    answer. Raises what the index does.
    """
    first = ranking.ids[:FIRST]
    mentioned = list(find.mentions(question))
    names = list(dict.fromkeys(name for name, _, _ in mentioned))
    halves = cuts(question)
    parts = query_vectors(embedder, [question, *(part for half in halves for part in half)])
    (shared,) = index.shared_mentions([MentionQuery(first, names)], HubLimit())
    heads = np.array([_is_header(shared, n) for n in range(len(shared.spans))], np.bool_)
    shared = _without(shared, heads)
    left_out = _left_out(mentioned, shared.names).union(
        name for place, name in enumerate(shared.names) if not _is_joining(shared, place)
    )
    query = chain.ChainQuery(names, halves, parts[1:], left_out)
    links = chain.follow(shared, len(first), query, WEIGHTS, pairs=True)
    pairs = [
        pair for pair in carrying_pairs(links, len(first)) if _is_whole(shared, links, pair[0])
    ]
    near = _near(shared, parts[0], heads)
    joins = [_link(shared, links, row, share) for row, share in pairs[:LINKS]]
    joined = [first.index(end) for _, link in joins[:1] for end in link.ends]
    order = [*joined, *(place for place in range(len(first)) if place not in joined)]
    passages = []
    for place in order:
        sentence = sentence_at(links, pairs, place)
        joining = {name: link.mention for name, link in joins if first[place] in link.ends}
        name = next(iter(joining), "")
        if not _has_name(shared, sentence, name):
            nearest = _nearest(shared, near, place, name)
            sentence = nearest if sentence is None or _has_name(shared, nearest, name) else sentence
        passages.append(_passage(shared, place, sentence, joining, answer))
    leads, links_shown = _leads(shared, links, ranking, near), tuple(link for _, link in joins)
    return EvidenceFound(tuple(passages), links_shown, shared.size, leads, iteration=0)


def _left_out(mentioned: Sequence[find.NamedSpan], names: Sequence[str]) -> frozenset[str]:
    """The names that join nothing besides those of the question: the full names of those whom it
    calls by one name alone, with their words that are in no other's name. "Hannah's parcel" is
    Hannah Oyelaran's, and she leads from it to nothing new.
    """
    longer = [span for name, span, _ in mentioned if " " in name]
    alone = {
        name
        for name, span, lower in mentioned
        if not (lower or find.is_compound(name))
        and not any(span_.start <= span.start < span_.end for span_ in longer)
    }
    words = {name: set(map(find.singular, name.split())) for name in names if " " in name}
    full = {name for name, parts in words.items() if alone & parts}
    full_words: set[str] = set().union(*(words[name] for name in full))
    other_words = set().union(*(words[name] for name in words.keys() - full))
    return frozenset(full | (full_words - other_words))


def _is_whole(shared: SharedMentions, links: chain.Links, row: int) -> bool:
    ends = int(links.starts[row]), int(links.passages[row])
    mention = _widest(shared, *ends, int(links.mentions[row]))
    return not _is_half(shared, shared.names[mention], ends)


def _link(
    shared: SharedMentions, links: chain.Links, row: int, share: float
) -> tuple[str, EvidenceLink]:
    """The link of a pair, after its mention's normal form."""
    left, right = sorted((int(links.starts[row]), int(links.passages[row])))
    mention = _widest(shared, left, right, int(links.mentions[row]))
    name = shared.names[mention]
    ends = shared.passages[left].id, shared.passages[right].id
    written = _written(shared, name, (left, right))
    return name, EvidenceLink(ends, written, int(shared.holders[mention]), share)


def _without(shared: SharedMentions, heads: NDArray[np.bool_]) -> SharedMentions:
    """The shared mentions without what passages hold in these sentences alone."""
    width, in_heads = len(shared.names), heads[shared.named[:, 0]]
    sentence_pairs = shared.sentence_passages[shared.named[:, 0]] * width + shared.named[:, 1]
    passage_pairs = shared.held @ np.array([width, 1])
    in_heads_alone = np.isin(passage_pairs, sentence_pairs) & ~np.isin(
        passage_pairs, sentence_pairs[~in_heads]
    )
    return replace(shared, held=shared.held[~in_heads_alone], named=shared.named[~in_heads])


def _near(shared: SharedMentions, question: Vectors, heads: NDArray[np.bool_]) -> Floats:
    """(S,) how near every sentence is to the question, which of a short one counts in part, and of
    the line of a mail that says to whom it goes not at all.
    """
    counted = chain.counted(np.diff(shared.spans, axis=1)[:, 0])
    return np.where(heads, -1.0, (shared.vectors @ question) * counted).astype(np.float64)


def _nearest(shared: SharedMentions, near: Floats, place: int, name: str = "") -> int | None:
    """The sentence of a passage that is nearest to the question, of those with the name where some
    have it; None for a passage without sentences.
    """
    sentences = np.flatnonzero(shared.sentence_passages == place)
    named = [bool(name) and _has_name(shared, n, name) for n in sentences.tolist()]
    sentences = sentences[named] if any(named) else sentences
    return int(sentences[near[sentences].argmax()]) if len(sentences) else None


def _passage(
    shared: SharedMentions,
    place: int,
    sentence: int | None,
    names: Mapping[str, str],
    answer: str = "",
) -> EvidencePassage:
    """A passage with its sentence and, where it has not the answer, the first one that has it:
    both where an excerpt has room for both. Marked are `names`, whose values are how they are
    written in full, and the answer.
    """
    passage = shared.passages[place]
    spans = [Span(*span) for span in shared.spans[shared.sentence_passages == place].tolist()]
    answering = [span for span in spans if _places_of_words(passage.text[slice(*span)], answer)]
    quoted = Span(0, 0) if sentence is None else Span(*shared.spans[sentence].tolist())
    if answering and quoted not in answering:
        both = Span(min(quoted.start, answering[0].start), max(quoted.end, answering[0].end))
        quoted = both if both.end - both.start <= LONGEST else answering[0]
    text, span = _excerpt(passage.text, quoted)
    words = (span for words in (*names.values(), answer) for span in _places_of_words(text, words))
    marks = _apart([*_places(text, [*names]), *words])
    return EvidencePassage(
        passage.id, passage.key, passage.title, place + 1, text, span, marks, bool(answering)
    )


def _places_of_words(text: str, words: str) -> list[Span]:
    """The places of words in a text, whatever stands between them."""
    tokens, edge = tokenise(words), r"\b" if words.isascii() else ""
    pattern = re.compile(edge + r"\W+".join(map(re.escape, tokens)) + edge, re.IGNORECASE)
    return [Span(*match.span()) for match in pattern.finditer(text)] if tokens else []


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


def _places(text: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Places of these names in a text, sentence by sentence: a name goes on over no full stop."""
    return _apart(
        Span(sentence.start + span.start, sentence.start + span.end)
        for sentence in find.sentences(text)
        for name in names
        for span in find.places(text[slice(*sentence)], name)
    )


def _apart(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order; of two that overlap the first, and the longer."""
    apart: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
    return tuple(apart)


def _written(shared: SharedMentions, name: str, places: Sequence[int]) -> str:
    """A mention in the longest wording that the passages share, in text or title, else in the
    shortest that one has: "American" of "Americans"; a day or a month in words, since "17 May 2024"
    stands for every 17 May, or for May 2024.
    """
    if name.startswith("@"):
        return find.shown(name)
    wordings = [_wordings(shared, name, place) for place in places]
    every = [[words for wording in of_passage for words in wording] for of_passage in wordings]
    common = set(every[0]).intersection(*every[1:])
    shortest = min((words for of_passage in every for words in of_passage), key=len, default="")
    return max(common, key=len, default="") or shortest or find.shown(name)


def _is_half(shared: SharedMentions, name: str, places: Sequence[int]) -> bool:
    """Whether a mention is only a part of other names in all passages, "Thomas" of "Thomas Bouch"
    and "Thomas Telford", or only a label, "Status: open".
    """
    texts = [shared.passages[place].text for place in places]
    ends = {text[span.end : span.end + 1] for text in texts for span in _places(text, [name])}
    wordings = [_wordings(shared, name, place) for place in places]
    last_words = [{wording[-1] for wording in of_passage} for of_passage in wordings]
    alone = any(len(wording) == 1 for of_passage in wordings for wording in of_passage)
    is_part = all(last_words) and not alone and not set.intersection(*last_words)
    return name[0] not in "@#" and (is_part or (" " not in name and ends == {":"}))


def _wordings(shared: SharedMentions, name: str, place: int) -> list[list[str]]:
    """A name at each of its places in a passage as it is written there, then with each further word
    of the name.
    """
    wordings, passage = [], shared.passages[place]
    for text in (_HEADER.sub("", passage.text), passage.title):
        for span in _places(text, [name]):
            ends = [span.end]
            while (word := _NEXT.match(text, ends[-1])) and not word[0].strip(" .-")[0].islower():
                ends.append(word.end())
            wordings.append([text[span.start : end] for end in ends])
    return wordings


def _has_name(shared: SharedMentions, sentence: int | None, name: str) -> bool:
    if sentence is None or not name:
        return False
    text = shared.passages[shared.sentence_passages[sentence]].text
    return bool(_places(text[slice(*shared.spans[sentence])], [name]))


def _is_header(shared: SharedMentions, sentence: int) -> bool:
    """Whether a sentence is a line of a mail that says from whom it comes or to whom it goes."""
    text = shared.passages[shared.sentence_passages[sentence]].text
    return _HEADER.match(text, shared.spans[sentence, 0]) is not None


def _leads(
    shared: SharedMentions, links: chain.Links, ranking: Ranking, near: Floats
) -> tuple[NameLead, ...]:
    """Passages that share a rare name with the first ones, each with the sentence there that has
    the name and is nearest to the question; by the weighted sum of their links' four terms and
    20 / (5 + rank).
    """
    ranks_of = {id_: rank for rank, id_ in enumerate(ranking.ids)}
    ids = [shared.passages[place].id for place in links.passages.tolist()]
    ranks = np.array([ranks_of.get(id_, UNRANKED) for id_ in ids], np.int64)
    worths = links.values @ np.asarray(WEIGHTS, np.float64) + LEAD / (5 + ranks)
    leads: dict[int, NameLead] = {}
    for row in np.lexsort((ids, -worths)).tolist():
        if len(leads) == LEADS:
            break
        start, place = int(links.starts[row]), int(links.passages[row])
        if ranks_of.get(ids[row], UNRANKED) < FIRST or place in leads:
            continue
        mention = _widest(shared, start, place, int(links.mentions[row]))
        if not _is_joining(shared, mention) or shared.holders[mention] > RARE:
            continue
        name = shared.names[mention]
        if _is_half(shared, name, (place, start)):
            continue
        written = _written(shared, name, (place, start))
        excerpt = _passage(shared, place, _nearest(shared, near, place, name), {name: written})
        leads[place] = NameLead(
            excerpt.id,
            excerpt.key,
            excerpt.title,
            shared.passages[start].id,
            written,
            int(shared.holders[mention]),
            excerpt.excerpt,
            excerpt.sentence,
            excerpt.marks,
        )
    return tuple(leads.values())


def _is_joining(shared: SharedMentions, mention: int) -> bool:
    """Whether a mention is a name, an id or a day: no common word, bare number, month or mail
    address.
    """
    name, common = shared.names[mention], bool(shared.common[mention])
    other = name.isdecimal() or "@" in name[1:] or _MONTH.match(name)
    return is_name(name, common) and not other


def _widest(shared: SharedMentions, left: int, other: int, mention: int) -> int:
    """The longest name that two passages share and that has all words of a mention of both: "Iwan
    Prosser" for "Iwan".
    """
    names_of = [set(shared.held[shared.held[:, 0] == place, 1].tolist()) for place in (left, other)]
    names = {mention, *(names_of[0] & names_of[1])}
    words = {name: set(map(find.singular, shared.names[name].split())) for name in names}
    wider = [name for name in names if words[mention] < words[name]]
    return max(wider, key=lambda name: (len(shared.names[name]), -name), default=mention)
