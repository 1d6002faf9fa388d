"""Runs as pages, as JSON, and for other tools: OpenInference spans in OTLP JSON, for Langfuse and
others that show traces, and JSON lines for RAGAS, which judges answers.

In a trace a span of a run has spans for its iterations, and below these one for each event. Ids
follow from the run's id, so a run that is exported twice is the same trace. An event is stored when
it has happened: its span begins with the end of the one before it, that of a model call as many
milliseconds earlier as it took.

For RAGAS only what is known is written: a run without an answer has no response, which RAGAS tells
from an empty one. Gold that is missing from the collection is an id without a context.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import gear_app
from gear_app.display import share_pages
from gear_app.integrations.exports.form import RUNS, Files, Options, export_form
from gear_app.store.rows import RunInfo
from gear_app.store.runs import StoredEvent
from gear_app.trace.events import Called, Event, Failed
from gear_app.trace.evidence import answer_of, named_passages
from gear_app.trace.metrics import stands_for
from gear_app.trace.rankings import final
from gear_app.trace.timeline import failure_of
from gear_app.workspace.runs.share import to_json
from gear_app.workspace.workspace import Workspace

SERVICE = "gear_app"
OK, ERROR = 1, 2  # OTLP's status codes
DOCUMENTS = 50  # of a ranking in a span
KIND = "openinference.span.kind"
TYPES = {int: "intValue", float: "doubleValue"}  # of attributes; any other is a text
Attributes = dict[str, object]


@export_form(RUNS, "FILE")
def html(workspace: Workspace, run_ids: Sequence[str], options: Options) -> Files:
    """A page to make, which opens anywhere without network; the runs can be imported from it."""
    return {"": [share_pages.page(workspace, run_ids, licence=options.licence).html]}


@export_form(RUNS, "FILE")
def trace(workspace: Workspace, run_ids: Sequence[str], _: Options) -> Files:
    """The runs as JSON, which can be imported like a page."""
    return {"": [to_json(workspace.store, run_ids)]}


@export_form(RUNS, "FILE")
def otlp(workspace: Workspace, run_ids: Sequence[str], _: Options) -> Files:
    """A trace to make for Langfuse and others: OpenInference spans as OTLP JSON."""
    return {"": [otlp_json(workspace, run_ids)]}


@export_form(RUNS, "FILE")
def ragas(workspace: Workspace, run_ids: Sequence[str], _: Options) -> Files:
    """Rows for RAGAS to make, as JSON lines."""
    return {"": (ragas_line(workspace, run_id) for run_id in run_ids)}


def otlp_json(workspace: Workspace, run_ids: Sequence[str]) -> str:
    """Runs as one request of the OTLP/HTTP protocol. Raises Unknown."""
    every: list[dict[str, Any]] = []
    for run_id in run_ids:
        events = workspace.store.events.of(workspace.runs.get(run_id).number)
        ids = named_passages([stored.event for stored in events])
        passages = workspace.store.passages.with_ids(sorted(ids))
        texts = {id_: passage.text for id_, passage in passages.items()}
        every += spans(workspace.runs.get(run_id), events, texts)
    resource = {"service.name": SERVICE, "openinference.project.name": SERVICE}
    scope = {"scope": {"name": SERVICE, "version": gear_app.__version__}, "spans": every}
    spans_ = {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [scope]}
    return json.dumps({"resourceSpans": [spans_]}, ensure_ascii=False, indent=1) + "\n"


def spans(
    run: RunInfo, events: Sequence[StoredEvent], texts: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """A run's spans, its own first. A passage without a text among `texts` goes by its title."""
    happened = [stored.event for stored in events]
    times = [0.0, *(stored.at_ms for stored in events)]
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
    answer = answer_of(happened) or next((passage.name for passage in final(happened)), "")
    content: Attributes = {
        KIND: "CHAIN",
        "input.value": run.question,
        "output.value": answer,
        "metadata": json.dumps(about, ensure_ascii=False),
    }
    failure = run.message if run.state == "failed" else failure_of(happened)
    yield _span(run, "run", "", (0.0, max([*times, run.ms or 0.0])), run.method, content, failure)
    for number in sorted({event.iteration for event in happened} - {0}):
        places = [at for at, event in enumerate(happened) if event.iteration == number]
        ends, name = (times[places[0]], times[places[-1] + 1]), f"iteration {number}"
        content = {KIND: "CHAIN", "output.value": happened[places[-1]].summary}
        yield _span(run, name, "run", ends, name, content)
    for begin, stored in zip(times, events, strict=False):
        event, ends = stored.event, (begin, stored.at_ms)
        name, failure = event.verb, ""
        if isinstance(event, Failed):
            name = f"{event.step or 'run'}{', in part' if event.dropped else ' gave up'}"
            failure = event.message
        elif isinstance(event, Called):
            name, failure = event.role, event.failed
            ends = (begin if event.cached else max(0.0, stored.at_ms - event.ms), stored.at_ms)
        if name:
            parent = f"iteration {event.iteration}" if event.iteration else "run"
            content = content_of_event(event, run, texts)
            yield _span(run, f"event {stored.position}", parent, ends, name, content, failure)


def _span(
    run: RunInfo,
    part: str,
    parent: str,
    ends: tuple[float, float],
    name: str,
    content: Attributes,
    failure: str = "",
) -> dict[str, Any]:
    """A span in OTLP's form. `ends` are milliseconds since the run began."""
    start_ms = 1000 * (run.started or datetime.fromisoformat(run.created).timestamp())
    begin, end = (str(round((start_ms + ms) * 1e6)) for ms in ends)
    return {
        "traceId": _id(run.id, "", 16),
        "spanId": _id(run.id, part, 8),
        **({"parentSpanId": _id(run.id, parent, 8)} if parent else {}),
        "name": name,
        "kind": 1,  # internal
        "startTimeUnixNano": begin,
        "endTimeUnixNano": end,
        "attributes": _attributes(content),
        "status": {"code": ERROR, "message": failure} if failure else {"code": OK},
    }


def _id(run: str, part: str, size: int) -> str:
    return hashlib.blake2b(f"{SERVICE} {run} {part}".encode(), digest_size=size).hexdigest()


def _attributes(content: Mapping[str, object]) -> list[dict[str, Any]]:
    return [
        {
            "key": key,
            "value": {TYPES.get(type(v), "stringValue"): v if type(v) is float else str(v)},
        }
        for key, v in content.items()
    ]


def content_of_event(event: Event, run: RunInfo, texts: Mapping[int, str]) -> Attributes:
    """Attributes of an event's span: a call with its whole prompt and reply, a retrieval with its
    query, every other step with its summary; the two last with their ranking.
    """
    if isinstance(event, Called):
        about = {"role": event.role, "prompt": event.prompt_hash, "kept from before": event.cached}
        return {
            KIND: "LLM",
            "llm.model_name": event.model,
            "input.value": event.prompt,
            "output.value": event.reply,
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
    content: Attributes = {KIND: "CHAIN", "output.value": event.summary}
    if event.is_of("retrieve"):
        content = {KIND: "RETRIEVER", "input.value": event.query_text}
    for place, document in enumerate(event.listed[:DOCUMENTS]):
        about = {"title": document.title, "rank": place + 1, "gold": document.key in run.gold}
        at = f"retrieval.documents.{place}.document"
        content |= {
            f"{at}.id": document.key,
            f"{at}.content": texts.get(document.id) or document.name,
            f"{at}.score": float(document.score),
            f"{at}.metadata": json.dumps(about, ensure_ascii=False),
        }
    return content


def ragas_line(workspace: Workspace, run_id: str) -> str:
    """A run as a line for RAGAS: a SingleTurnSample, with the run's id and method. A passage is
    written as it is searched: its title and its text. Raises Unknown.
    """
    run, events = workspace.runs.get(run_id), workspace.runs.events(run_id)
    ids = [passage.id for passage in final(events)[: run.k]]
    passages = workspace.store.passages.with_ids(ids)
    retrieved = [passages[id_] for id_ in ids if id_ in passages]
    gold = workspace.store.passages.named(run.collection_id or 0, run.revision, run.gold)
    keys = [passage.key for passage in gold]
    missing = [key for key in run.gold if not any(stands_for(part, key) for part in keys)]
    fields = {
        "user_input": run.question,
        "retrieved_contexts": [passage.indexed for passage in retrieved],
        "retrieved_context_ids": [passage.key for passage in retrieved],
        "response": answer_of(events),
        "reference": run.answers[0] if run.answers else "",
        "reference_contexts": [passage.indexed for passage in gold],
        "reference_context_ids": [*keys, *missing],
        "run": run.id,
        "method": run.method,
    }
    return json.dumps({k: v for k, v in fields.items() if v}, ensure_ascii=False) + "\n"
