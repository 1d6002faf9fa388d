"""The local reader's rules for GEAR, over stored triples and sentence embeddings; English only.

`read` and `read_gist` select bridge triples, `reason` follows them from the question's names and
looks whether anything is left to ask, `rewrite` asks for what is left. The other methods' roles use
the same bridges as thoughts, as a reasoning chain, or to verify passages (thoughts.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gear_app.core.config import ChainConfig
from gear_app.core.protocols import Embedder, query_vectors
from gear_app.core.rows import HubLimit, MentionQuery
from gear_app.core.text import cut
from gear_app.core.types import (
    ProximalTriple,
    Reading,
    Rewriting,
    ScoreSum,
    ScoreTerm,
    Summary,
    Triple,
    Verdict,
)
from gear_app.index import links as chain
from gear_app.index.mentions import read_mentions
from gear_app.language.english import looks_english
from gear_app.language.mentions import cuts, mentions, sentence_text, sentences, written
from gear_app.language.query import Query
from gear_app.models.reader.bridges import bridges
from gear_app.models.reader.gist_memory import follow, innermost_phrase
from gear_app.models.reader.next_bridge import (
    SHOWN,
    UNSURE,
    fits,
    is_unasked,
    next_bridge,
    selected,
)

if TYPE_CHECKING:
    from gear_app.models.reader.roles import ReaderRequest

_WEIGHTS = ChainConfig().weights[2:6]  # a change of these changes the local reader, too
_EVEN, _SLOPE = 10.0, 1.0  # the sum from which a link is remembered
_LONGEST = 300  # characters of a sentence


def linked_facts(request: ReaderRequest[Reading], embedder: Embedder) -> Reading:
    """A fact from either side of the best link, in the words of its sentence: the passage's name,
    the sentence, the shared mention. Empty where no link is sure enough.
    """
    question, passages = request.question, request.passages
    index = read_mentions(passages, embedder.embed)
    names = tuple(dict.fromkeys(name for name, _, _ in mentions(question)))
    shared = index.shared(MentionQuery([passage.id for passage in passages], names), HubLimit())
    halves = cuts(question)
    parts = query_vectors(embedder, [part for pair in halves for part in pair])
    query = chain.ChainQuery(names, halves, parts)
    links = chain.follow(shared, len(passages), query, _WEIGHTS)
    totals = (links.values @ np.asarray(_WEIGHTS)).round(6)
    if totals.max(initial=0.0) < _EVEN:
        return Reading(())
    best = int(totals.argmax())
    terms = zip(chain.OF_LINKS, links.values[best].tolist(), _WEIGHTS, strict=True)
    sum_ = ScoreSum(tuple(ScoreTerm(*term) for term in terms), _EVEN, _SLOPE)
    score = round(1 / (1 + float(np.exp((_EVEN - totals[best]) / _SLOPE))), 6)
    name = shared.names[links.mentions[best]]
    ends = (
        (links.starts[best], links.start_sentences[best]),
        (links.passages[best], links.end_sentences[best]),
    )
    facts = []
    for (place, sentence), (other, _) in (ends, ends[::-1]):
        passage = shared.passages[place]
        text = passage.text[slice(*shared.spans[sentence].tolist())]
        mention = written(name, text, passage.title)
        reason = f"“{mention}” links this to “{shared.passages[other].name}”, and the two sentences"
        reason += " together cover the question's two parts."
        words = cut(" ".join(text.split()), _LONGEST)
        facts.append(ProximalTriple(passage.name, words, mention, score=score, why=reason))
    return Reading(tuple(facts), (), (sum_, sum_))


ENGLISH_ONLY = (
    "This does not look like an English question, and the local reader reads English only."
    " Ask in English, or choose a language model."
)
SUMMARY_WORDS = 75  # RAPTOR's 100 tokens
NEAREST = 2  # facts that a verdict names beside what is open
SEEDS = 10  # proximal triples for the search, at most; as many as the beam is wide
ABOUT = 0.5  # of the surest: a start that is less sure leads beams away from what was asked


def read(request: ReaderRequest[Reading], embedder: Embedder) -> Reading:
    """The best bridges of the query, at most ten and about as sure as the surest, to start the
    search from; where there is none at all, the nearest triples.
    """
    text = request.question
    query = Query(text, request.entities, request.rarity)
    best = bridges(query, request.passages, request.triples, embedder)
    if not best:
        near = _nearest(request.triples, text, embedder)
        return Reading(near[:SEEDS], near[SEEDS : SEEDS + SHOWN])
    least = max(UNSURE, ABOUT * best[0].score)
    sure = sum(bridge.score >= least for bridge in best[:SEEDS])
    facts = tuple(selected(bridge, query) for bridge in best[: sure + SHOWN])
    sums = tuple(bridge.sum for bridge in best[: sure + SHOWN])
    return Reading(facts[:sure], facts[sure:], sums)


def read_gist(request: ReaderRequest[Reading], embedder: Embedder) -> Reading:
    """The next bridge of what the memory says about the question, of a comparison one from each
    side, or nothing where none is sure enough. Where nothing is remembered either, the two facts of
    a link between two passages.
    """
    question = request.question
    if not looks_english(question):
        return Reading(())
    reading = next_bridge(request, follow(request.memory, question, fits(embedder)), embedder)
    if request.memory or reading.triples or not request.passages:
        return reading
    linked = linked_facts(request, embedder)
    return Reading(linked.triples, reading.passed_over, (*linked.sums, *reading.sums))


def reason(request: ReaderRequest[Verdict], embedder: Embedder) -> Verdict:
    """Answerable when the chain's last triple fits the only thing left to ask, by its type.

    Else the reason names what is open and the nearest facts that were not taken for it.
    """
    question = request.question
    if not looks_english(question):
        return Verdict(False, ENGLISH_ONLY)
    last = follow(request.memory, question, fits(embedder)).last
    names = [step.inserted for step in last.substitutions]
    path = " → ".join([step.removed for step in last.substitutions[:1]] + names)
    if last.answer:
        return Verdict(True, f"{path} answers '{question.rstrip(' ?')}'.", last.answer)
    left = innermost_phrase(Query(last.query, names)) or last.query
    missing = f"Nothing yet about '{left.rstrip(' ?')}'."
    near = "; ".join(f"'{fact.text}'" for fact in request.passed_over[:NEAREST])
    reason = [f"{path}." if path else "", missing, f"Nearest: {near}." if near else ""]
    return Verdict(False, " ".join(part for part in reason if part))


def rewrite(request: ReaderRequest[Rewriting], embedder: Embedder) -> Rewriting:
    """The question with the names that were followed replaced by what they led to.

    With an empty memory its innermost phrase, if it has one. Where that was asked before, what the
    next best bridge leaves that was passed over, and then what has to be found first; nothing where
    each was asked, or where the question is not English.
    """
    memory, question, asked = request.memory, request.question, request.asked
    if not looks_english(question):
        return Rewriting("")
    last = follow(memory, question, fits(embedder)).last
    names = [step.inserted for step in last.substitutions]
    inner = Rewriting(innermost_phrase(Query(last.query, names)), last.substitutions)
    first = Rewriting(last.query, last.substitutions) if names else inner
    if is_unasked(first.query, asked):
        return first
    for fact in request.passed_over:
        if (fact.score or 0.0) < UNSURE:
            continue
        step = follow((*memory, fact), question, fits(embedder)).last
        if step.substitutions and not step.answer and is_unasked(step.query, asked):
            return Rewriting(step.query, step.substitutions)
    return inner if is_unasked(inner.query, asked) else Rewriting("")


def nearest_the_centre(texts: Sequence[tuple[str, str]], embedder: Embedder) -> Summary:
    """The sentences nearest to the mean of all, in the order of the texts: the first one whatever
    its length, others so long as all have at most 75 words. Equally near ones go by their order.
    """
    titles = {
        text[span.start : span.end]: title for title, text in texts for span in sentences(text)
    }
    if not titles:
        return Summary("", quoted=True)
    vectors = embedder.embed([sentence_text(title, words) for words, title in titles.items()])
    nearness = np.round((vectors @ vectors.mean(axis=0)).astype(np.float64), 6)
    room, lines, selected = SUMMARY_WORDS, list(titles), set[int]()
    for place in np.argsort(-nearness, kind="stable").tolist():
        length = len(lines[place].split())
        if not selected or length <= room:
            selected.add(place)
            room -= length
    return Summary(" ".join(lines[place] for place in sorted(selected)), quoted=True)


def _nearest(
    triples: Sequence[Triple], query: str, embedder: Embedder
) -> tuple[ProximalTriple, ...]:
    (query_vector,) = query_vectors(embedder, [query])
    cosines = (embedder.embed([triple.text for triple in triples]) @ query_vector).round(6)
    near = [
        ProximalTriple(
            *triple.words, triple.id, cosine, f"no bridge, but near to the query: {cosine:.2f}"
        )
        for triple, cosine in zip(triples, cosines.tolist(), strict=True)
    ]
    return tuple(sorted(near, key=lambda triple: (-(triple.score or 0.0), triple.triple_id or 0)))
