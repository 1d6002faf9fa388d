"""Traces for other tools, with the names of OpenInference's semantic conventions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gear_app.integrations.exports import runs
from gear_app.store.runs import StoredEvent
from gear_app.trace.events import Called, Failed
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION

KIND = "openinference.span.kind"
OK, ERROR = 1, 2
READ = {"stringValue": str, "intValue": int, "doubleValue": float}


def read(text: str) -> list[dict[str, Any]]:
    """The spans of a request."""
    resources = json.loads(text)["resourceSpans"]
    return [span for one in resources for s in one["scopeSpans"] for span in s["spans"]]


def values(span: dict[str, Any]) -> dict[str, Any]:
    return {
        one["key"]: READ[kind](value)
        for one in span["attributes"]
        for kind, value in one["value"].items()
    }


def traced(films: Workspace, method: str) -> tuple[str, list[dict[str, Any]]]:
    run = films.runs.get(films.ask(QUESTION, "films", method).run)
    return run.id, read(runs.otlp_json(films, [run.id]))


def test_a_run_is_one_trace_with_its_iterations_and_their_steps_below_it(films: Workspace) -> None:
    _, spans = traced(films, "gear")
    assert len({span["traceId"] for span in spans}) == 1
    assert len({span["spanId"] for span in spans}) == len(spans)
    root = spans[0]
    assert (root["name"], "parentSpanId" in root, values(root)[KIND]) == ("gear", False, "CHAIN")
    assert values(root)["input.value"] == QUESTION
    iterations = [span for span in spans if span["name"].startswith("iteration ")]
    assert iterations
    assert {span["parentSpanId"] for span in iterations} == {root["spanId"]}
    above = {root["spanId"], *(span["spanId"] for span in iterations)}
    assert {span["parentSpanId"] for span in spans[1:]} <= above
    kinds = {span["name"]: values(span)[KIND] for span in spans}
    assert (kinds["iteration 1"], kinds["retrieve"]) == ("CHAIN", "RETRIEVER")


def test_a_call_of_a_model_is_a_span_as_long_as_it_took_and_a_failed_step_an_error(
    films: Workspace,
) -> None:
    run = films.runs.get(films.ask(QUESTION, "films", "gear").run)
    call = Called("read", "m", "h", "Which facts?", "None.", 12, 3, 40.0, 0.5, step="read")
    failed = Failed("read", "the reply has no facts", "None.")
    kept = Called("read", "m", "h", "Which facts?", "", 0, 0, 9.0, failed="it is down", step="read")
    events = [StoredEvent(n, 50.0 * n, one) for n, one in enumerate((call, failed, kept), start=1)]
    spans = list(runs.spans(run, events, {}))
    asked, gave_up, down = (one for one in spans if one["name"].startswith("read"))
    took = int(asked["endTimeUnixNano"]) - int(asked["startTimeUnixNano"])
    assert took == pytest.approx(40e6, abs=10)
    said = values(asked)
    assert said[KIND] == "LLM"
    assert said["llm.model_name"] == "m"
    assert said["llm.token_count.total"] == 15
    assert said["llm.cost.total"] == 0.5
    assert said["llm.input_messages.0.message.content"] == "Which facts?"
    assert said["llm.output_messages.0.message.content"] == "None."
    assert asked["status"] == {"code": OK}
    assert gave_up["name"] == "read gave up"
    assert gave_up["status"] == {"code": ERROR, "message": "the reply has no facts"}
    assert down["status"] == {"code": ERROR, "message": "it is down"}
