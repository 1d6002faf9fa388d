"""Traces for other tools: read back by OpenTelemetry's own messages, with OpenInference's names."""

from __future__ import annotations

import base64
import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from openinference.semconv.trace import (
    DocumentAttributes,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from gear_app.cli import main
from gear_app.events import (
    Called,
    Event,
    Expanded,
    Failed,
    Fused,
    RankedPassage,
    Retrieved,
    ScorePart,
)
from gear_app.exports import otlp
from gear_app.exports.openinference import DOCUMENTS, LEFT_OUT, Trace, content_of_event
from gear_app.store.events import StoredEvent
from gear_app.workspace import Workspace
from tests import factories
from tests.small import QUESTION

KIND = SpanAttributes.OPENINFERENCE_SPAN_KIND


def read(text: str) -> list[Any]:
    """The spans, read by opentelemetry-proto. OTLP writes ids in hexadecimal where protobuf's own
    JSON has base64; a receiver turns them over, as here.
    """
    request = json.loads(text)
    for one in request["resourceSpans"]:
        for scope in one["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        raw = bytes.fromhex(span[name])
                        span[name] = base64.b64encode(raw).decode()
    message = json_format.Parse(json.dumps(request), ExportTraceServiceRequest())
    return [span for one in message.resource_spans for s in one.scope_spans for span in s.spans]


def values(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def traced(films: Workspace, method: str) -> tuple[str, list[Any]]:
    run = films.runs.get(films.ask(QUESTION, "films", method).run)
    return run.id, read(otlp.to_json([Trace(run, tuple(films.runs.timed_events(run.id)))]))


def test_a_run_is_one_trace_with_its_iterations_and_their_steps_below_it(
    films: Workspace,
) -> None:
    _, spans = traced(films, "gear")
    assert len({span.trace_id for span in spans}) == 1
    assert {len(span.trace_id) for span in spans} == {16}
    assert {len(span.span_id) for span in spans} == {8}
    assert len({span.span_id for span in spans}) == len(spans)
    root = spans[0]
    assert (root.name, root.parent_span_id, values(root)[KIND]) == ("gear", b"", "CHAIN")
    assert values(root)[SpanAttributes.INPUT_VALUE] == QUESTION
    iterations = [span for span in spans if span.name.startswith("iteration ")]
    assert iterations
    assert {span.parent_span_id for span in iterations} == {root.span_id}
    above = {root.span_id, *(span.span_id for span in iterations)}
    assert {span.parent_span_id for span in spans[1:]} <= above
    kinds = {span.name: values(span)[KIND] for span in spans}
    assert kinds["iteration 1"] == "CHAIN"
    assert kinds["retrieve"] == "RETRIEVER"
    assert kinds["expand"] == kinds["fuse"] == "RERANKER"
    assert set(kinds.values()) <= {kind.value for kind in OpenInferenceSpanKindValues}


def test_times_are_those_of_the_events_and_lie_within_the_run(films: Workspace) -> None:
    run_id, spans = traced(films, "gear")
    run, stored = films.runs.get(run_id), films.runs.timed_events(run_id)
    assert run.started_ms is not None
    ends = {round((run.started_ms + one.at_ms) * 1e6) for one in stored}
    root, steps = spans[0], [s for s in spans[1:] if not s.name.startswith("iteration")]
    assert {span.end_time_unix_nano for span in steps} <= ends
    for span in spans:
        assert root.start_time_unix_nano <= span.start_time_unix_nano <= span.end_time_unix_nano
        assert span.end_time_unix_nano <= root.end_time_unix_nano


def test_a_retrieval_has_its_passages_and_an_expansion_its_kept_and_pruned_candidates(
    films: Workspace,
) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "sync_ge").run)
    stored = tuple(films.runs.timed_events(run.id))
    spans = {s.name: values(s) for s in read(otlp.to_json([Trace(run, stored, {2: "Ada."})]))}
    found = next(one.event for one in stored if isinstance(one.event, Retrieved))
    name = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.0"
    first = found.ranking[0]
    got = spans["retrieve"]
    assert got[f"{name}.{DocumentAttributes.DOCUMENT_ID}"] == first.key
    assert got[f"{name}.{DocumentAttributes.DOCUMENT_SCORE}"] == pytest.approx(first.score)
    texts = [v for k, v in got.items() if k.endswith(DocumentAttributes.DOCUMENT_CONTENT)]
    assert texts[[p.id for p in found.ranking].index(2)] == "Ada."
    expanded = next(one.event for one in stored if isinstance(one.event, Expanded))
    first_step, second_step = (
        [*(one.score for one in (*step.kept, *step.pruned)), *(score for _, score in step.others)]
        for step in expanded.steps
    )
    candidates = by_rank(first_step, second_step)
    kept = by_rank(*([one.score for one in step.kept] for step in expanded.steps))
    before, after = (
        [
            value
            for key, value in spans["expand"].items()
            if key.startswith(f"{which}.") and key.endswith(DocumentAttributes.DOCUMENT_SCORE)
        ]
        for which in (
            RerankerAttributes.RERANKER_INPUT_DOCUMENTS,
            RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS,
        )
    )
    assert before == pytest.approx(candidates[:DOCUMENTS])
    assert after == pytest.approx(kept[:DOCUMENTS])
    assert spans["expand"][RerankerAttributes.RERANKER_QUERY] == expanded.query


def by_rank(*lists: list[float]) -> list[float]:
    return [one for row in zip_longest(*lists) for one in row if one is not None]


INPUT = RerankerAttributes.RERANKER_INPUT_DOCUMENTS


def documents(films: Workspace, event: Event) -> tuple[list[dict[str, Any]], Any]:
    """The metadata of what comes into an event's span, and how many documents are left out."""
    run = films.runs.get(films.ask(QUESTION, "films", "bm25").run)
    got = content_of_event(event, Trace(run, ())).attributes
    about = [
        json.loads(str(value))
        for key, value in got.items()
        if key.startswith(f"{INPUT}.") and key.endswith(DocumentAttributes.DOCUMENT_METADATA)
    ]
    return about, got.get(f"{LEFT_OUT}.{INPUT}")


def test_of_several_long_lists_each_has_its_first_and_what_is_cut_is_counted(
    films: Workspace,
) -> None:
    keys = [f"p{number}" for number in range(40)]
    lines = tuple(
        RankedPassage(
            place,
            key,
            key,
            0.02,
            (
                ScorePart("a", place, 1 / (60 + place)),
                ScorePart("base", 41 - place, 1 / (101 - place)),
            ),
        )
        for place, key in enumerate(keys, start=1)
    )
    about, left_out = documents(films, Fused("iteration", ("a", "base"), lines))
    assert [(one["list"], one["rank"]) for one in about[:4]] == [
        ("a", 1),
        ("base", 1),
        ("a", 2),
        ("base", 2),
    ]
    assert (len(about), left_out) == (DOCUMENTS, 30)


def test_candidates_that_a_run_keeps_by_id_alone_are_in_the_span(films: Workspace) -> None:
    about, left_out = documents(films, Expanded("q", 1, factories.first_beams(), ()))
    others = sum(len(step.others) for step in factories.first_beams())
    assert others and sum("passage" not in one for one in about) == others
    assert left_out is None


def test_a_call_of_a_model_is_a_span_as_long_as_it_took_and_a_failed_step_an_error(
    films: Workspace,
) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "gear").run)
    call = Called("read", "m", "h", "Which facts?", "None.", 12, 3, 40.0, 0.5)
    failed = Failed("read", "the reply has no facts", "None.")
    kept = Called("read", "m", "h", "Which facts?", "", 0, 0, 9.0, failed="it is down")
    events = [StoredEvent(n, 50.0 * n, one) for n, one in enumerate((call, failed, kept), start=1)]
    spans = read(otlp.to_json([Trace(run, tuple(events))]))
    asked, gave_up, down = (one for one in spans if one.name.startswith("read"))
    assert asked.end_time_unix_nano - asked.start_time_unix_nano == pytest.approx(40e6, abs=10)
    said = values(asked)
    assert said[KIND] == "LLM"
    assert said[SpanAttributes.LLM_MODEL_NAME] == "m"
    assert said[SpanAttributes.LLM_TOKEN_COUNT_TOTAL] == 15
    assert said[SpanAttributes.LLM_COST_TOTAL] == 0.5
    assert said["llm.input_messages.0.message.content"] == "Which facts?"
    assert said["llm.output_messages.0.message.content"] == "None."
    assert asked.status.code == Status.STATUS_CODE_OK
    assert (gave_up.name, gave_up.status.code) == ("read gave up", Status.STATUS_CODE_ERROR)
    assert gave_up.status.message == "the reply has no facts"
    assert (down.status.code, down.status.message) == (Status.STATUS_CODE_ERROR, "it is down")


def test_the_same_run_is_the_same_trace_and_another_run_another(films: Workspace) -> None:
    first, second = (
        films.runs.get(films.ask(QUESTION, "films", method).run) for method in ("gear", "bm25")
    )
    traces = [Trace(run, tuple(films.runs.timed_events(run.id))) for run in (first, second)]
    assert otlp.to_json(traces[:1]) == otlp.to_json(traces[:1])
    spans = read(otlp.to_json(traces))
    assert len({span.trace_id for span in spans}) == 2


def test_the_command_writes_runs_as_traces(films: Workspace, tmp_path: Path) -> None:
    ids = [films.ask(QUESTION, "films", method).run for method in ("gear", "hybrid")]
    file = tmp_path / "trace.json"
    files = ["--otlp", str(file), "--workspace", str(films.path)]
    assert main(["export", *ids, *files]) == 0
    assert len({span.trace_id for span in read(file.read_text(encoding="utf-8"))}) == 2


def test_as_protobuf_the_trace_is_the_same(films: Workspace, tmp_path: Path) -> None:
    run = films.ask(QUESTION, "films", "gear").run
    for name in ("trace.pb", "trace.json"):
        assert (
            main(["export", run, "--otlp", str(tmp_path / name), "--workspace", str(films.path)])
            == 0
        )
    message = ExportTraceServiceRequest.FromString((tmp_path / "trace.pb").read_bytes())
    found = [span for one in message.resource_spans for s in one.scope_spans for span in s.spans]
    assert found == read((tmp_path / "trace.json").read_text(encoding="utf-8"))


def test_phoenix_reads_the_trace(films: Workspace) -> None:
    """By its own decoder, where the package is installed."""
    decode = pytest.importorskip("phoenix.trace.otel").decode_otlp_span
    _, spans = traced(films, "gear")
    decoded = [decode(span) for span in spans]
    kinds = {one.name: one.span_kind.value for one in decoded}
    assert (kinds["retrieve"], kinds["expand"]) == ("RETRIEVER", "RERANKER")
    retrieved = next(one for one in decoded if one.name == "retrieve")
    documents = retrieved.attributes["retrieval"]["documents"]
    assert documents[0]["document"]["id"]
