"""The steps of the pipeline, each named by its verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Verb:
    """A step of the pipeline: a stop of the strip and the slider of a run."""

    name: str
    purpose: str  # one sentence for the screen
    reader: bool = False  # asks the reader
    triples: bool = False  # uses the triples of the index
    search: bool = False  # part of a search, that is of all that one query leads to
    # the heading of its card: the query that it works on, the question, or nothing where the card
    # shows its queries itself
    heading: Literal["query", "question", ""] = "query"
    purposes: Mapping[str, str] = field(default_factory=dict)  # by variant of its event


_AGENT = "The agent thinks, and searches, answers, or does neither."
_TWO_THOUGHTS = (
    "Two queries of different kinds: the fast thought asks directly, the slow one asks for the"
    " bridge."
)
_VERBS = (
    Verb(
        "rank",
        "The final ranking: the retrieval's own, nothing was added to it.",
        heading="question",
    ),
    Verb(
        "retrieve",
        "Base retrieval ranks passages for the query.",
        search=True,
    ),
    Verb(
        "read",
        "The reader takes proximal triples from the passages found: facts that touch the query.",
        reader=True,
        search=True,
    ),
    Verb(
        "link",
        "Each proximal triple is linked to its nearest stored triple; these start the beam search.",
        search=True,
    ),
    Verb(
        "expand",
        "The diverse beam search follows shared entities from triple to triple.",
        triples=True,
        search=True,
    ),
    Verb(
        "fuse",
        "Several lists of passages become one.",
        search=True,
        purposes={
            "beams": "The base ranking and the beams' passages become one ranking by reciprocal"
            " rank.",
            "lists": "Several lists of passages become one by reciprocal rank.",
            "final": "The rankings of all iterations so far become one by reciprocal rank.",
        },
    ),
    Verb("remember", "The reader adds to the gist memory what the question needs.", reader=True),
    Verb("reason", "The reader decides whether the gist memory answers the question.", reader=True),
    Verb("rewrite", "What was found is put into the next query."),
    Verb(
        "recognise",
        "The reader names the question's entities; each is linked to its nearest in the graph of"
        " entities, or to the passage it is the title of.",
        reader=True,
        search=True,
        heading="",
    ),
    Verb(
        "walk",
        "A walk over facts restarts at the question's entities; passages that name what it visits"
        " rank high.",
        triples=True,
        search=True,
        purposes={
            "seeds": "No walk: only the question's entities themselves have a probability (an"
            " ablation).",
            "neighbours": "No walk: the question's entities and their direct neighbours have a"
            " probability (an ablation).",
        },
    ),
    Verb(
        "choose",
        "The facts nearest to the question; the reader leaves out those that do not help.",
        reader=True,
        triples=True,
        search=True,
    ),
    Verb(
        "activate",
        "The question's names lead on, by the sentences nearest to it, to what else these name.",
        search=True,
    ),
    Verb(
        "propagate",
        "A trained network sends messages from the question's entities along the triples.",
        reader=True,
        triples=True,
        search=True,
    ),
    Verb(
        "vote",
        "The entities that the network scores best vote for the passages that name them.",
        triples=True,
        search=True,
    ),
    Verb(
        "visit",
        "A walk over entities and the passages that name them; where it is most often ranks high.",
        search=True,
    ),
    Verb(
        "gather",
        "The entities nearest to the question; with them come their passages, their facts, and what"
        " is reported of the communities that they belong to.",
        reader=True,
        triples=True,
        search=True,
    ),
    Verb(
        "rerank",
        "The first passages are judged again, each together with the question, and ordered by"
        " that.",
        search=True,
    ),
    Verb(
        "open",
        "Passages and summaries of many are compared with the question; a summary opens into the"
        " passages that it was made of.",
        reader=True,
        search=True,
    ),
    Verb(
        "think",
        "The reader says what the passages found so far make of the question; that is the next"
        " query.",
        reader=True,
        heading="question",
        purposes={
            "ircot": "The reader adds one thought to those before; the thought is the next query.",
            "gcot": "The reader says what is still missing; that is the next query.",
            "tog": "The reader judges whether what was found suffices, and if not, what to look for"
            " next.",
            "irgs": "The reader reasons towards an answer; the question and this reasoning are the"
            " next query.",
            "search_r1": _AGENT,
            "search_o1": _AGENT,
            "fast": _TWO_THOUGHTS,
            "slow": _TWO_THOUGHTS,
        },
    ),
    Verb(
        "pool",
        "The passages of all queries so far in one pool; each keeps its best score.",
        heading="",
    ),
    Verb(
        "analyse",
        "A second call reads the documents; the agent sees only what it writes.",
        reader=True,
        heading="",
    ),
    Verb(
        "chain",
        "The reader puts what was found into one chain from the question to its answer.",
        reader=True,
        heading="question",
    ),
    Verb(
        "verify",
        "The reader picks the passages of the pool that support the chain.",
        reader=True,
        heading="question",
    ),
    Verb(
        "promote",
        "The passages picked move to the top; a cut by mean and deviation says what answering is"
        " given.",
        heading="question",
    ),
    Verb(
        "split",
        "The question is cut at its relative clauses, so that the innermost can be answered first.",
        heading="",
    ),
    Verb(
        "match",
        "Triples that the query half states: the side it does not name is what it asks for.",
        triples=True,
        heading="",
    ),
    Verb(
        "follow",
        "What the first passages name leads on: to passages that name the same, and few others do.",
        search=True,
    ),
    Verb(
        "answer",
        "The reader answers from what was retrieved, and as bounds from the gold passages and from"
        " none.",
        reader=True,
        heading="question",
    ),
)
VERBS: Mapping[str, Verb] = {verb.name: verb for verb in _VERBS}
