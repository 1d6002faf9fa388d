"""What a language model was asked in a run, what it said, and what that took.

As safe HTML and sentences. A prompt or a reply may hold anything, at any length: it is text in a
block of its own that scrolls.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.core.text import count
from gear_app.display.labels import as_sentence, dollars, duration
from gear_app.display.markup import Html, join, tag
from gear_app.trace.events import Called, Event, Failed
from gear_app.trace.timeline import ModelCall, model_calls

ROLES = {
    "read": "Take facts from the passages",
    "reason": "Judge whether the gist memory answers the question",
    "rewrite": "Write the next query",
    "named_entities": "Name the question’s entities",
    "report": "Report on a community of entities",
    "think": "Think about the passages found",
    "act": "Think, then search or answer",
    "analyse": "Say what the documents have for the query",
    "dual_thoughts": "Think twice, fast and slow",
    "chain": "Put what was found into one chain",
    "verify": "Pick the passages that support the chain",
    "summarise": "Sum up texts that belong together",
    "answer": "Answer the question",
    "extraction": "Extract a passage’s entities and triples",
    "entities": "Extract a passage’s entities",
    "triples": "Extract a passage’s triples",
}
PEEK = 200  # characters of a reply beside its folded call


def short(call: ModelCall) -> str:
    """How the reply fell short, in a few words; "" where it did not."""
    words = "not fully usable" if call.failures else ""
    return "no reply" if call.call.failed else words


def spent(events: Sequence[Event]) -> Html:
    """Summary of the run's model calls in one line; "" where it called no model."""
    calls = model_calls(events)
    if not calls:
        return Html("")
    replied = [call for call in calls if not call.call.failed]
    models = ", ".join(dict.fromkeys(call.call.model for call in calls))
    cached = sum(call.call.cached for call in replied)
    note = f" ({cached} kept from before)" if cached else ""
    facts = [f"{count(len(replied), 'call')} of {models}{note}", tokens(replied), cost(replied)]
    warning = fell_short(events)
    marked = [tag("b", warning, class_="gear-short")] if warning else []
    return join([" · ".join(facts), *marked], " · ")


def tokens(calls: Sequence[ModelCall]) -> str:
    """Tokens in and out; "estimated" where the server did not count those of a call."""
    input_tokens = sum(call.call.input_tokens for call in calls)
    output_tokens = sum(call.call.output_tokens for call in calls)
    estimated = " (estimated)" if any(call.call.estimated for call in calls) else ""
    return f"{input_tokens:,} + {output_tokens:,} tokens in + out{estimated}"


def cost(calls: Sequence[ModelCall]) -> str:
    """Dollars in words; kept replies cost nothing."""
    costs = [0.0 if call.call.cached else call.call.cost for call in calls]
    prices = [part for part in costs if part is not None]
    return f"cost: {dollars(sum(prices) if len(prices) == len(costs) else None)}"


def fell_short(events: Sequence[Event]) -> str:
    """How many replies could not be used in full; "" where all could."""
    number = sum(call.fell_short for call in model_calls(events))
    return f"{count(number, 'reply', 'replies')} not fully usable" if number else ""


def heading(calls: Sequence[ModelCall]) -> str:
    """Label of the folded calls of a step."""
    unusable = sum(call.fell_short for call in calls)
    note = f" · {unusable} not fully usable" if unusable else ""
    return f"Model calls of this step ({len(calls)}){note}"


def card(model_call: ModelCall) -> Html:
    """A call: its facts in a line, which opens to the prompt and the reply, whole."""
    call = model_call.call
    reasons = [call.failed, *map(reason, model_call.failures)]
    texts = [tag("div", tag("b", "Prompt"), raw(call.prompt))]
    if not call.failed:
        texts.append(tag("div", tag("b", "Reply"), raw(call.reply)))
    return tag(
        "details",
        tag(
            "summary",
            tag("b", ROLES.get(call.role, call.role)),
            tag("em", short(model_call), class_="gear-short") if model_call.fell_short else "",
            tag("span", " · ".join(facts(call)), dir="auto"),
            tag("i", " ".join(call.reply[: 2 * PEEK].split())[:PEEK], dir="auto"),
        ),
        *(tag("p", as_sentence(reason), class_="gear-why-not") for reason in reasons if reason),
        tag("div", *texts, class_="gear-both"),
        class_="gear-call",
    )


def facts(call: Called) -> list[str]:
    """Cost of a call in words; the model alone where it did not reply."""
    if call.failed:
        return [call.model]
    words = [
        call.model,
        tokens([ModelCall(call)]),
        duration(call.ms),
        f"{call.attempts} attempts" if call.attempts > 1 else "",
        "kept from before, no cost" if call.cached else f"asked now, {dollars(call.cost)}",
        "cut off at the limit of tokens" if call.cut else "",
    ]
    return [word for word in words if word]


def reason(failed: Failed) -> str:
    """Why a reply fell short, without its beginning: it is shown whole beside this."""
    return as_sentence(failed.message.partition(" Reply: ")[0])


def raw(text: str) -> Html:
    """A prompt or a reply as it is."""
    if not text:
        return tag("p", "(empty)", class_="gear-note")
    return tag("div", text, class_="gear-raw", dir="auto", tabindex="0")
