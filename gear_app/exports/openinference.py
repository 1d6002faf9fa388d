"""What a run, an iteration and an event say of themselves in a trace, in OpenInference's words.

A retrieval is a RETRIEVER, what orders candidates anew (expansion, fusion, links to passages, the
pool, promotion, the walk) a RERANKER, a call of a model an LLM, everything else a CHAIN. Attributes
are named by the package openinference-semantic-conventions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from openinference.semconv.trace import (
    DocumentAttributes,
    MessageAttributes,
    OpenInferenceMimeTypeValues,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)

from gear_app.analysis.evidence import last_answer
from gear_app.analysis.metrics import retrieved_answer
from gear_app.analysis.rankings import final
from gear_app.events import BeamStep, Called, Event, Expanded, RankedPassage
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo

DOCUMENTS = 50  # of a list in a span; the run has them all
LEFT_OUT = "gear.left_out"  # begins the attribute that says how many documents a list has besides
Attributes = dict[str, object]
Kind = OpenInferenceSpanKindValues
JSON, TEXT = OpenInferenceMimeTypeValues.JSON.value, OpenInferenceMimeTypeValues.TEXT.value


@dataclass(frozen=True, slots=True)
class Trace:
    """A run to be exported. `texts` are those of its passages by id; a passage without one goes by
    its title.
    """

    run: RunInfo
    events: tuple[StoredEvent, ...]
    texts: Mapping[int, str] = field(default_factory=dict)


class SpanContent(NamedTuple):
    """What is said of an event in its span."""

    kind: OpenInferenceSpanKindValues
    attributes: Attributes


def content_of_run(trace: Trace) -> SpanContent:
    """The question, what came of it, and all that the run was made with."""
    run, events = trace.run, [stored.event for stored in trace.events]
    about = {
        "run": run.id,
        "method": run.method,
        "collection": run.collection,
        "triples": run.triple_set,
        "reader": run.reader,
        "settings": dict(run.config),
        "gold": list(run.gold),
        "versions": dict(run.versions),
    }
    return SpanContent(
        Kind.CHAIN,
        {
            **_input(run.question),
            **_output(_result(events)),
            SpanAttributes.METADATA: json.dumps(about, ensure_ascii=False),
        },
    )


def _result(events: Sequence[Event]) -> str:
    """The answer, else the last verdict or thought, else the first passage."""
    answer = retrieved_answer(events, ())
    if answer is not None:
        return answer.answer
    first = next((passage.name for passage in final(events)), "")
    return last_answer(events) or first


def content_of_iteration(run: RunInfo, there: Sequence[StoredEvent]) -> SpanContent:
    """The first query of an iteration, and how it ended; `there` are its events, at least one."""
    queries = _queries(stored.event for stored in there)
    asked = queries[0] if queries else run.question
    return SpanContent(Kind.CHAIN, {**_input(asked), **_output(there[-1].event.summary)})


def content_of_event(event: Event, trace: Trace) -> SpanContent:
    """What is said of an event: of one that neither searched nor ordered nor asked a model, its
    summary and its ranking.
    """
    if isinstance(event, Called):
        return _called(event)
    if event.is_of("retrieve"):
        documents = _passages(SpanAttributes.RETRIEVAL_DOCUMENTS, event.listed, trace)
        return SpanContent(Kind.RETRIEVER, {**_input(_queries([event])[0]), **documents})
    if isinstance(event, Expanded):
        return _expanded(event, trace)
    if event.ORDERS:
        return _fused(event, trace)
    ranking = event.listed
    documents = _passages(SpanAttributes.RETRIEVAL_DOCUMENTS, ranking, trace) if ranking else {}
    return SpanContent(Kind.CHAIN, {**_output(event.summary), **documents})


def _queries(events: Iterable[Event]) -> list[str]:
    """What retrievals asked."""
    return [event.query_told for event in events if event.is_of("retrieve")]


def _input(value: str) -> Attributes:
    return {SpanAttributes.INPUT_VALUE: value, SpanAttributes.INPUT_MIME_TYPE: TEXT}


def _output(value: str) -> Attributes:
    return {SpanAttributes.OUTPUT_VALUE: value, SpanAttributes.OUTPUT_MIME_TYPE: TEXT}


class _Document(NamedTuple):
    """A passage or a triple in a list; `about` is kept as its metadata."""

    id: str
    content: str
    score: float | None
    about: Mapping[str, object]


def _documents(name: str, documents: Iterable[_Document]) -> Attributes:
    """A list of documents as flat attributes, one after another, as many as a span holds; and how
    many are left out, where some are.
    """
    every = list(documents)
    found: Attributes = {}
    if len(every) > DOCUMENTS:
        found[f"{LEFT_OUT}.{name}"] = len(every) - DOCUMENTS
    for place, one in enumerate(every[:DOCUMENTS]):
        at = f"{name}.{place}"
        found[f"{at}.{DocumentAttributes.DOCUMENT_ID}"] = one.id
        found[f"{at}.{DocumentAttributes.DOCUMENT_CONTENT}"] = one.content
        if one.score is not None:
            found[f"{at}.{DocumentAttributes.DOCUMENT_SCORE}"] = float(one.score)
        about = json.dumps(one.about, ensure_ascii=False)
        found[f"{at}.{DocumentAttributes.DOCUMENT_METADATA}"] = about
    return found


def _passages(name: str, ranking: Sequence[RankedPassage], trace: Trace) -> Attributes:
    return _documents(
        name,
        (
            _Document(
                one.key,
                trace.texts.get(one.id) or one.name,
                one.score,
                {"title": one.title, "rank": rank, "gold": one.key in trace.run.gold},
            )
            for rank, one in enumerate(ranking, start=1)
        ),
    )


def _expanded(event: Expanded, trace: Trace) -> SpanContent:
    """The candidates of the beam search: all that were scored come in, those that went on go out;
    the first of every step before the second of any, so that no step is left out as a whole.
    """
    steps = [_candidates(step, number, trace) for number, step in enumerate(event.steps, start=1)]
    kept = [every[: len(step.kept)] for every, step in zip(steps, event.steps, strict=True)]
    return _reranked(event.query, _by_rank(steps), _by_rank(kept), event.summary)


def _candidates(step: BeamStep, number: int, trace: Trace) -> list[_Document]:
    """The candidates of a step, those that were kept first. Of each the last triple is told, with
    its passage; of those that the run keeps by id and score alone, these.
    """
    told = [
        _Document(
            f"triple {one.triple.id}",
            one.triple.text,
            one.score,
            {
                "step": number,
                "kept": one.kept,
                "passage": one.triple.passage_key,
                "title": one.triple.passage_title,
                "path": list(one.path),
                "gold": one.triple.passage_key in trace.run.gold,
            },
        )
        for one in (*step.kept, *step.pruned)
    ]
    others = [
        _Document(f"triple {id_}", f"triple {id_}", score, {"step": number, "kept": False})
        for id_, score in step.others
    ]
    return [*told, *others]


def _by_rank(lists: Iterable[Sequence[_Document]]) -> list[_Document]:
    """Several lists as one: all that are first in theirs, all that are second, and so on."""
    return [one for row in zip_longest(*lists) for one in row if one is not None]


def _reranked(
    query: str, before: Iterable[_Document], after: Iterable[_Document], summary: str
) -> SpanContent:
    return SpanContent(
        Kind.RERANKER,
        {
            RerankerAttributes.RERANKER_QUERY: query,
            **_input(query),
            **_output(summary),
            **_documents(RerankerAttributes.RERANKER_INPUT_DOCUMENTS, before),
            **_documents(RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, after),
        },
    )


def _fused(event: Event, trace: Trace) -> SpanContent:
    """The lists that were put together come in, the first of each before the second of any; the
    ranking goes out, as deep as the run is asked for.
    """
    ranking: Sequence[RankedPassage] = event.listed
    listed = [
        (part.rank, part.source, part, one) for one in ranking for part in one.parts if part.rank
    ]
    before = [
        _Document(
            one.key,
            trace.texts.get(one.id) or one.name,
            part.score if part.score is not None else part.value,
            {"title": one.title, "list": source, "rank": rank},
        )
        for rank, source, part, one in sorted(listed, key=lambda item: item[:2])
    ]
    query = _query_of(event, trace)
    shown = _reranked(query, before, (), event.summary)
    after = _passages(RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, ranking[: trace.run.k], trace)
    top = {RerankerAttributes.RERANKER_TOP_K: min(trace.run.k, len(ranking))}
    return SpanContent(shown.kind, {**shown.attributes, **after, **top})


def _query_of(event: Event, trace: Trace) -> str:
    own = str(getattr(event, "query", "")) if event.is_of("remember") else ""
    there = (stored.event for stored in trace.events)
    asked = _queries(event_ for event_ in there if event_.iteration == event.iteration)
    return own or (asked[-1] if asked else trace.run.question)


def _called(event: Called) -> SpanContent:
    """Prompt and reply are whole. Tokens of a reply that was kept from before are those it once
    took; what it cost now is nothing.
    """
    content, role = MessageAttributes.MESSAGE_CONTENT, MessageAttributes.MESSAGE_ROLE
    asked, said = SpanAttributes.LLM_INPUT_MESSAGES, SpanAttributes.LLM_OUTPUT_MESSAGES
    attributes: Attributes = {
        SpanAttributes.LLM_MODEL_NAME: event.model,
        **_input(event.prompt),
        **_output(event.reply),
        f"{asked}.0.{role}": "user",
        f"{asked}.0.{content}": event.prompt,
        f"{said}.0.{role}": "assistant",
        f"{said}.0.{content}": event.reply,
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: event.input_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: event.output_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_TOTAL: event.input_tokens + event.output_tokens,
        SpanAttributes.METADATA: json.dumps(
            {
                "role": event.role,
                "prompt_hash": event.prompt_hash,
                "kept from before": event.cached,
                "tokens are estimated": event.estimated,
                "cut": event.cut,
                "attempts": event.attempts,
            }
        ),
    }
    if event.cost is not None:
        attributes[SpanAttributes.LLM_COST_TOTAL] = float(event.cost)
    return SpanContent(Kind.LLM, attributes)
