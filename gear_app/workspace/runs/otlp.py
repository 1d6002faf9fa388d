"""Runs as OpenInference spans in OTLP JSON, for Langfuse and other tools that show traces.

A run is a trace: a span for the run, one for each iteration, and below it one for each event. Ids
follow from the run's id and the event's place, so a run that is exported twice is the same trace.
An event is stored when it has happened: its span begins with the end of the one before it, that of
a model call as many milliseconds earlier as it took.

A retrieval is a RETRIEVER, a model call an LLM, every other step a CHAIN with its ranking.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import gear_app
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Called, Event, Failed, RankedPassage
from gear_app.trace.rankings import final
from gear_app.trace.timeline import failure_of
from gear_app.workspace.runs.samples import response_of

SERVICE = "gear_app"
OK, ERROR = 1, 2  # OTLP's status codes
DOCUMENTS = 50  # of a ranking in a span
KIND = "openinference.span.kind"
Attributes = dict[str, object]


@dataclass(frozen=True, slots=True)
class Trace:
    """A run to be exported. `texts` are those of its passages by id; a passage without one goes by
    its title.
    """

    run: RunInfo
    events: tuple[StoredEvent, ...]
    texts: Mapping[int, str] = field(default_factory=dict)


def to_json(traces: Sequence[Trace]) -> str:
    """The traces as one request of the OTLP/HTTP protocol: ids in hexadecimal, times in nanoseconds
    since 1970.
    """
    spans = [_to_json(trace.run, span) for trace in traces for span in _spans(trace)]
    resource = {"service.name": SERVICE, "openinference.project.name": SERVICE}
    scope = {"name": SERVICE, "version": gear_app.__version__}
    of_scope = {"scope": scope, "spans": spans}
    of_resource = {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [of_scope]}
    return json.dumps({"resourceSpans": [of_resource]}, ensure_ascii=False, indent=1) + "\n"


class _Span(NamedTuple):
    """A part of a run. Times are milliseconds since the run began."""

    part: str
    parent: str
    name: str
    begin: float
    end: float
    attributes: Attributes
    failure: str = ""


def _spans(trace: Trace) -> Iterator[_Span]:
    run = trace.run
    last = max([*(stored.at_ms for stored in trace.events), run.ms or 0.0])
    failure = run.message if run.state == "failed" else failure_of([e.event for e in trace.events])
    yield _Span("run", "", run.method, 0.0, last, _of_run(trace), failure)
    ends = [0.0, *(stored.at_ms for stored in trace.events)]
    begins = {stored.position: end for stored, end in zip(trace.events, ends, strict=False)}
    for number in sorted({stored.event.iteration for stored in trace.events} - {0}):
        during = [stored for stored in trace.events if stored.event.iteration == number]
        part, begin = f"iteration {number}", begins[during[0].position]
        queries = [stored.event.query_text for stored in during if stored.event.is_of("retrieve")]
        content = _chain([*queries, run.question][0], during[-1].event.summary)
        yield _Span(part, "run", part, begin, during[-1].at_ms, content)
    for stored in trace.events:
        event, begin, failure = stored.event, begins[stored.position], ""
        name = event.verb or type(event).__name__
        if isinstance(event, Failed):
            step = event.step or "run"
            name = f"{step}, in part" if event.dropped else f"{step} gave up"
            failure = event.message
        elif isinstance(event, Called):
            name, failure = event.role, event.failed
            begin = begin if event.cached else max(0.0, stored.at_ms - event.ms)
        elif not event.verb:
            continue
        parent = f"iteration {event.iteration}" if event.iteration else "run"
        part = f"event {stored.position}"
        content = content_of_event(event, trace)
        yield _Span(part, parent, name, begin, stored.at_ms, content, failure)


def _to_json(run: RunInfo, span: _Span) -> dict[str, Any]:
    start_ms = 1000 * (run.started or datetime.fromisoformat(run.created).timestamp())
    begin, end = (round((start_ms + ms) * 1e6) for ms in (span.begin, span.end))
    return {
        "traceId": _id(run.id, "", 16),
        "spanId": _id(run.id, span.part, 8),
        **({"parentSpanId": _id(run.id, span.parent, 8)} if span.parent else {}),
        "name": span.name,
        "kind": 1,  # internal
        "startTimeUnixNano": str(begin),
        "endTimeUnixNano": str(max(begin, end)),
        "attributes": _attributes(span.attributes),
        "status": {"code": ERROR, "message": span.failure} if span.failure else {"code": OK},
    }


def _id(run: str, part: str, size: int) -> str:
    return hashlib.blake2b(f"{SERVICE} {run} {part}".encode(), digest_size=size).hexdigest()


def _attributes(values: Mapping[str, object]) -> list[dict[str, Any]]:
    types = {int: "intValue", float: "doubleValue"}
    return [
        {
            "key": key,
            "value": {
                types.get(type(value), "stringValue"): value
                if isinstance(value, float)
                else str(value)
            },
        }
        for key, value in values.items()
    ]


def _of_run(trace: Trace) -> Attributes:
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
    first = next((passage.name for passage in final(events)), "")
    return _chain(run.question, response_of(events) or first) | {
        "metadata": json.dumps(about, ensure_ascii=False)
    }


def content_of_event(event: Event, trace: Trace) -> Attributes:
    """The attributes of an event's span."""
    if isinstance(event, Called):
        return _called(event)
    documents = _documents(event.listed, trace)
    if event.is_of("retrieve"):
        return {KIND: "RETRIEVER", **_text("input", event.query_text), **documents}
    return {KIND: "CHAIN", **_text("output", event.summary), **documents}


def _chain(input_: str, output: str) -> Attributes:
    return {KIND: "CHAIN", **_text("input", input_), **_text("output", output)}


def _text(side: str, value: str) -> Attributes:
    return {f"{side}.value": value, f"{side}.mime_type": "text/plain"}


def _documents(ranking: Sequence[RankedPassage], trace: Trace) -> Attributes:
    attributes: Attributes = {}
    for place, document in enumerate(ranking[:DOCUMENTS]):
        about = {"title": document.title, "rank": place + 1, "gold": document.key in trace.run.gold}
        at = f"retrieval.documents.{place}.document"
        attributes |= {
            f"{at}.id": document.key,
            f"{at}.content": trace.texts.get(document.id) or document.name,
            f"{at}.score": float(document.score),
            f"{at}.metadata": json.dumps(about, ensure_ascii=False),
        }
    return attributes


def _called(event: Called) -> Attributes:
    """Prompt and reply are whole. Tokens of a cached reply are those it once took."""
    about = {
        "role": event.role,
        "prompt_hash": event.prompt_hash,
        "kept from before": event.cached,
        "tokens are estimated": event.estimated,
        "cut": event.cut,
        "attempts": event.attempts,
    }
    return {
        KIND: "LLM",
        "llm.model_name": event.model,
        **_text("input", event.prompt),
        **_text("output", event.reply),
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": event.prompt,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": event.reply,
        "llm.token_count.prompt": event.input_tokens,
        "llm.token_count.completion": event.output_tokens,
        "llm.token_count.total": event.input_tokens + event.output_tokens,
        "metadata": json.dumps(about),
        **({} if event.cost is None else {"llm.cost.total": float(event.cost)}),
    }
