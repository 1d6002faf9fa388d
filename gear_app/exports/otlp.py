"""Runs as OpenInference spans in OTLP, for tools that show traces: as JSON, which Langfuse and
collectors take, and as protobuf, which Phoenix takes.

A run is a trace: a span for the run, one for each iteration, and below it one for each event. Ids
follow from the run's id and the event's place, so a run that is exported twice is the same trace.
An event is stored when it has happened: its span begins with the end of the one before it, that of
a call so many milliseconds earlier as it took.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from openinference.semconv.resource import ResourceAttributes
from openinference.semconv.trace import SpanAttributes

import gear_app
from gear_app.events import Called, Event, Failed
from gear_app.exports.openinference import (
    SpanContent,
    Trace,
    content_of_event,
    content_of_iteration,
    content_of_run,
)
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo

SERVICE = "gear_app"
OK, ERROR = 1, 2  # of OTLP's status codes
INTERNAL = 1  # of OTLP's span kinds
PROTOBUF = ".pb"  # how a file's name ends that is written as protobuf
IDS = ("traceId", "spanId", "parentSpanId")


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
    yield _span(trace, "run", "", run.method, (0.0, last), content_of_run(trace), _run_failure(run))
    for number in sorted({stored.event.iteration for stored in trace.events} - {0}):
        there = [stored for stored in trace.events if stored.event.iteration == number]
        begin = _before(trace.events, there[0])
        yield _span(
            trace,
            f"iteration {number}",
            "run",
            f"iteration {number}",
            (begin, there[-1].at_ms),
            content_of_iteration(run, there),
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
            content_of_event(event, trace),
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
    shown: SpanContent,
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
