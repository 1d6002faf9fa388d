"""Facts without grammar: the best link between two passages (index/links.py), as two sentences.

Used while the gist memory is empty and no triple is surely a bridge.
"""

from __future__ import annotations

import numpy as np

from gear_app.core.config import ChainConfig
from gear_app.core.protocols import Embedder, query_vectors
from gear_app.core.rows import HubLimit, MentionQuery
from gear_app.core.text import cut
from gear_app.core.types import ProximalTriple, Reading, ScoreSum, ScoreTerm
from gear_app.index import links as chain
from gear_app.index.mentions import MentionIndex, read_network
from gear_app.language.links import cuts
from gear_app.language.mentions import mentions, places, shown
from gear_app.models.reader.next_bridge import PassageTriples

_WEIGHTS = ChainConfig().weights[2:6]  # a change of these changes the local reader, too
_EVEN, _SLOPE = 10.0, 1.0  # the sum from which a link is remembered
_LONGEST = 300  # characters of a sentence


def linked_facts(sources: PassageTriples, question: str, embedder: Embedder) -> Reading:
    """A fact from either side of the best link, in the words of its sentence: the passage's name,
    the sentence, the shared mention. Empty where no link is sure enough.
    """
    index = MentionIndex(read_network(sources.passages, embedder.embed))
    names = tuple(dict.fromkeys(name for name, _, _ in mentions(question)))
    shared = index.shared(
        MentionQuery([passage.id for passage in sources.passages], names), HubLimit()
    )
    halves = cuts(question)
    parts = query_vectors(embedder, [part for pair in halves for part in pair])
    query = chain.ChainQuery(names, halves, parts)
    links = chain.follow(shared, len(sources.passages), query, _WEIGHTS)
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
        written = next((text[slice(*span)] for span in places(text, name)), shown(name))
        reason = f"“{written}” links this to “{shared.passages[other].name}”, and the two sentences"
        reason += " together cover the question's two parts."
        words = cut(" ".join(text.split()), _LONGEST)
        facts.append(ProximalTriple(passage.name, words, written, score=score, why=reason))
    return Reading(tuple(facts), (), (sum_, sum_))
