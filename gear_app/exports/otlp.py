"""Runs as OpenInference spans in OTLP, for tools that show traces: as JSON, which Langfuse and
collectors take, and as protobuf, which Phoenix takes.

A run is a trace: a CHAIN for the run, one for each iteration, and below it a span for each event.
A retrieval is a RETRIEVER, what orders candidates anew (expansion, fusion, the pool, promotion, the
walk) a RERANKER, a call of a model an LLM, everything else a CHAIN. Attributes are named by the
package openinference-semantic-conventions. Ids follow from the run's id and the event's place, so a
run that is exported twice is the same trace. An event is stored when it has happened: its span
begins with the end of the one before it, that of a call so many milliseconds earlier as it took.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from openinference.semconv.resource import ResourceAttributes
from openinference.semconv.trace import (
    DocumentAttributes,
    MessageAttributes,
    OpenInferenceMimeTypeValues,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)

import gear_app
from gear_app.analysis.metrics import retrieved_answer
from gear_app.analysis.rankings import final, of_event
from gear_app.events import (
    Called,
    Event,
    Expanded,
    Failed,
    Fused,
    Pooled,
    Promoted,
    RankedPassage,
    Reasoned,
    Retrieved,
    Thought,
    Walked,
)
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo

SERVICE = "gear_app"
DOCUMENTS = 50  # of a list in a span; the run has them all
OK, ERROR = 1, 2  # of OTLP's status codes
INTERNAL = 1  # of OTLP's span kinds
PROTOBUF = ".pb"  # how a file's name ends that is written as protobuf
IDS = ("traceId", "spanId", "parentSpanId")
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


class _Shown(NamedTuple):
    """What is said of an event in its span."""

    kind: OpenInferenceSpanKindValues
    attributes: Attributes


def to_json(traces: Sequence[Trace]) -> str:
    """The traces as one request of the OTLP/HTTP protocol: ids in hexadecimal, times in nanoseconds
    since 1970.
    """
    return json.dumps(_request(traces), ensure_ascii=False, indent=1) + "\n"


def to_protobuf(traces: Sequence[Trace]) -> bytes:
    """The same request in the other encoding of the protocol."""
    from google.protobuf.json_format import ParseDict  # late: only this export needs them
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = _request(traces)
    for span in request["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in IDS:  # OTLP's JSON has hexadecimal where protobuf's own has base64
            if name in span:
                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    message = ParseDict(request, ExportTraceServiceRequest())
    return bytes(message.SerializeToString())


def _request(traces: Sequence[Trace]) -> dict[str, Any]:
    spans = [span for trace in traces for span in _spans(trace)]
    resource = {"service.name": SERVICE, ResourceAttributes.PROJECT_NAME: SERVICE}
    scope = {"name": SERVICE, "version": gear_app.__version__}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
        ]
    }


def _spans(trace: Trace) -> Iterator[dict[str, Any]]:
    run = trace.run
    ends = {stored.position: stored.at_ms for stored in trace.events}
    last = max([*ends.values(), run.ms or 0.0])
    yield _span(trace, "run", "", run.method, (0.0, last), _of_run(trace), _run_failure(run))
    for number in sorted({stored.event.iteration for stored in trace.events} - {0}):
        there = [stored for stored in trace.events if stored.event.iteration == number]
        begin = _before(trace.events, there[0])
        yield _span(
            trace,
            f"iteration {number}",
            "run",
            f"iteration {number}",
            (begin, there[-1].at_ms),
            _of_iteration(run, there),
        )
    for stored in trace.events:
        event = stored.event
        if event.verb is None and not isinstance(event, Called | Failed):
            continue
        parent = f"iteration {event.iteration}" if event.iteration else "run"
        begin = _before(trace.events, stored)
        if isinstance(event, Called) and not event.cached:
            begin = max(0.0, stored.at_ms - event.ms)
        failure = event.message if isinstance(event, Failed) else ""
        failure = event.failed if isinstance(event, Called) else failure
        name = event.role if isinstance(event, Called) else _name(event)
        yield _span(
            trace,
            f"event {stored.position}",
            parent,
            name,
            (begin, stored.at_ms),
            _shown(event, trace),
            failure,
        )


def _name(event: Event) -> str:
    if isinstance(event, Failed):
        return f"{event.step} gave up" if not event.dropped else f"{event.step}, in part"
    return event.verb.name if event.verb else type(event).__name__


def _before(events: Sequence[StoredEvent], stored: StoredEvent) -> float:
    """When the event before this one had happened; 0 for the first."""
    at = stored.position - events[0].position
    return events[at - 1].at_ms if at > 0 else 0.0


def _run_failure(run: RunInfo) -> str:
    return run.message if run.state == "failed" else ""


def _span(
    trace: Trace,
    name_of_id: str,
    parent: str,
    name: str,
    times: tuple[float, float],
    shown: _Shown,
    failure: str = "",
) -> dict[str, Any]:
    """A span as OTLP JSON. `times` are milliseconds since the run began."""
    run = trace.run
    begun = run.started_ms or datetime.fromisoformat(run.created).timestamp() * 1000
    begin, end = (round((begun + ms) * 1e6) for ms in times)
    said = {SpanAttributes.OPENINFERENCE_SPAN_KIND: shown.kind.value, **shown.attributes}
    return {
        "traceId": _id(run.id, "", 16),
        "spanId": _id(run.id, name_of_id, 8),
        **({"parentSpanId": _id(run.id, parent, 8)} if parent else {}),
        "name": name,
        "kind": INTERNAL,
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(max(begin, end)),
        "attributes": _attributes(said),
        "status": {"code": ERROR, "message": failure} if failure else {"code": OK},
    }


def _id(run: str, part: str, size: int) -> str:
    return hashlib.blake2b(f"{SERVICE} {run} {part}".encode(), digest_size=size).hexdigest()


def _attributes(values: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items()]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}


def _of_run(trace: Trace) -> _Shown:
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
    return _Shown(
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
    for event in reversed(events):
        if isinstance(event, Reasoned | Thought) and event.answer:
            return event.answer
    return next((passage.title or passage.key for passage in final(events)), "")


def _of_iteration(run: RunInfo, there: Sequence[StoredEvent]) -> _Shown:
    queries = [s.event.query for s in there if isinstance(s.event, Retrieved)]
    asked = queries[0] if queries else run.question
    return _Shown(Kind.CHAIN, {**_input(asked), **_output(there[-1].event.summary)})


def _shown(event: Event, trace: Trace) -> _Shown:
    for kind, shown in SHOWN.items():
        if isinstance(event, kind):
            return shown(event, trace)
    ranking = of_event(event)
    documents = _passages(SpanAttributes.RETRIEVAL_DOCUMENTS, ranking, trace) if ranking else {}
    return _Shown(Kind.CHAIN, {**_output(event.summary), **documents})


def _input(value: str) -> Attributes:
    return {SpanAttributes.INPUT_VALUE: value, SpanAttributes.INPUT_MIME_TYPE: TEXT}


def _output(value: str) -> Attributes:
    return {SpanAttributes.OUTPUT_VALUE: value, SpanAttributes.OUTPUT_MIME_TYPE: TEXT}


def _retrieved(event: Retrieved, trace: Trace) -> _Shown:
    return _Shown(
        Kind.RETRIEVER,
        {
            **_input(event.query),
            **_passages(SpanAttributes.RETRIEVAL_DOCUMENTS, event.ranking, trace),
        },
    )


class _Document(NamedTuple):
    """A passage or a triple in a list; `about` is kept as its metadata."""

    id: str
    content: str
    score: float | None
    about: Mapping[str, object]


def _documents(name: str, documents: Iterable[_Document]) -> Attributes:
    """A list of documents as flat attributes, one after another, as many as a span holds."""
    found: Attributes = {}
    for place, one in enumerate(list(documents)[:DOCUMENTS]):
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
                trace.texts.get(one.id) or one.title or one.key,
                one.score,
                {"title": one.title, "rank": rank, "gold": one.key in trace.run.gold},
            )
            for rank, one in enumerate(ranking, start=1)
        ),
    )


def _expanded(event: Expanded, trace: Trace) -> _Shown:
    """The candidates of the beam search: all that were scored come in, those that went on go out.
    Of each the last triple is told, with its passage.
    """
    kept, all_of = [], []
    for number, step in enumerate(event.steps, start=1):
        for one in [*step.kept, *step.pruned]:
            triple = one.triple
            document = _Document(
                f"triple {triple.id}",
                f"{triple.subject} {triple.predicate} {triple.object}",
                one.score,
                {
                    "step": number,
                    "kept": one.kept,
                    "passage": triple.passage_key,
                    "title": triple.passage_title,
                    "path": list(one.path),
                    "gold": triple.passage_key in trace.run.gold,
                },
            )
            all_of.append(document)
            if one.kept:
                kept.append(document)
    return _reranked(event.query, all_of, kept, event.summary)


def _reranked(
    query: str, before: Iterable[_Document], after: Iterable[_Document], summary: str
) -> _Shown:
    return _Shown(
        Kind.RERANKER,
        {
            RerankerAttributes.RERANKER_QUERY: query,
            **_input(query),
            **_output(summary),
            **_documents(RerankerAttributes.RERANKER_INPUT_DOCUMENTS, before),
            **_documents(RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, after),
        },
    )


def _fused(event: Event, trace: Trace) -> _Shown:
    """The lists that were put together come in, each in its own order; the ranking goes out, as
    deep as the run is asked for.
    """
    ranking: Sequence[RankedPassage] = of_event(event)
    listed = [
        (part.source, part.rank, part, one) for one in ranking for part in one.parts if part.rank
    ]
    before = [
        _Document(
            one.key,
            trace.texts.get(one.id) or one.title or one.key,
            part.score if part.score is not None else part.value,
            {"title": one.title, "list": source, "rank": rank},
        )
        for source, rank, part, one in sorted(listed, key=lambda item: item[:2])
    ]
    query = _query_of(event, trace)
    shown = _reranked(query, before, (), event.summary)
    after = _passages(RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, ranking[: trace.run.k], trace)
    top = {RerankerAttributes.RERANKER_TOP_K: min(trace.run.k, len(ranking))}
    return _Shown(shown.kind, {**shown.attributes, **after, **top})


def _query_of(event: Event, trace: Trace) -> str:
    asked = [
        stored.event.query
        for stored in trace.events
        if isinstance(stored.event, Retrieved) and stored.event.iteration == event.iteration
    ]
    return asked[-1] if asked else trace.run.question


def _called(event: Called, trace: Trace) -> _Shown:
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
    return _Shown(Kind.LLM, attributes)


SHOWN: Mapping[type[Event], Callable[[Any, Trace], _Shown]] = {
    Called: _called,
    Retrieved: _retrieved,
    Expanded: _expanded,
    Fused: _fused,
    Pooled: _fused,
    Promoted: _fused,
    Walked: _fused,
}
