"""What a language model was asked in a run, what it said, and what that took; as safe HTML and
sentences.

A prompt or a reply may hold anything, at any length: it is text in a block of its own that scrolls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.analysis import timeline
from gear_app.events import Called, Event, Failed
from gear_app.text import shortened
from gear_app.views.header import duration, ended
from gear_app.views.markup import Html, join, tag
from gear_app.views.spending import dollars

ROLES = {
    "read": "Take facts from the passages",
    "reason": "Judge whether the gist memory answers the question",
    "rewrite": "Write the next query",
    "named_entities": "Name the question’s entities",
    "think": "Think about the passages found",
    "dual_thoughts": "Think twice, fast and slow",
    "chain": "Put what was found into one chain",
    "verify": "Pick the passages that support the chain",
    "answer": "Answer the question",
    "extraction": "Extract a passage’s entities and triples",
    "entities": "Extract a passage’s entities",
    "triples": "Extract a passage’s triples",
}
PEEK = 200  # characters of a reply beside its folded call
NAMED = 3  # steps that are named with the replies that fell short


@dataclass(frozen=True, slots=True)
class Asked:
    """One call, and what was told of its reply where that fell short."""

    call: Called
    told: tuple[Failed, ...] = ()

    @property
    def unusable(self) -> bool:
        """Whether nothing of the reply could be used."""
        return any(not one.dropped for one in self.told)

    @property
    def short(self) -> str:
        """How the reply fell short, in a few words; "" where it did not."""
        if self.call.failed:
            return "no reply"
        dropped = sum(one.dropped for one in self.told)
        parts = "1 part not used" if dropped == 1 else f"{dropped} parts not used"
        return "not usable" if self.unusable else parts if dropped else ""


def asked(events: Sequence[Event]) -> list[Asked]:
    """The calls in the order their replies came, each with what was told of its reply."""
    found: list[Asked] = []
    for event in events:
        if isinstance(event, Called):
            found.append(Asked(event))
        elif isinstance(event, Failed):
            place = _about(found, event)
            if place is not None:
                found[place] = Asked(found[place].call, (*found[place].told, event))
    return found


def _about(found: Sequence[Asked], failed: Failed) -> int | None:
    """Which call's reply a failure is about; None where it is about none, as where no reply came.

    Parts that were dropped are told right after the call. Several calls of a role can be asked at
    once, and their failures told in that order afterwards, so it is the first one with that reply
    of which nothing was told.
    """
    same = [
        n
        for n, one in enumerate(found)
        if failed.replied and failed.reply in _as_kept(one.call.reply)
    ]
    if same and failed.dropped:
        return same[-1]
    return next(
        (n for n in same if not found[n].told and found[n].call.role == found[same[-1]].call.role),
        None,
    )


def _as_kept(reply: str) -> tuple[str, str]:
    """A reply as a failure may tell it."""
    return reply, shortened(reply)


def spent(events: Sequence[Event]) -> Html:
    """What the run asked and what that took, in one line of the header; "" where it asked no
    model.
    """
    everything = asked(events)
    if not everything:
        return Html("")
    found = [one for one in everything if not one.call.failed]
    models = ", ".join(dict.fromkeys(one.call.model for one in everything))
    kept = sum(one.call.cached for one in found)
    beside = f" ({kept} kept from before)" if 0 < kept < len(found) else ""
    facts = [f"{count(len(found), 'call')} of {models}{beside}"]
    facts += [tokens(found), cost(found)] if found else []
    short = fell_short(events)
    return join(
        [" · ".join(facts), tag("b", short, class_="gear-short") if short else ""],
        " · " if short else "",
    )


def tokens(found: Sequence[Asked]) -> str:
    """Tokens in and out; "estimated" where the server did not count those of every call."""
    put, got = (
        sum(part)
        for part in zip(*((c.call.input_tokens, c.call.output_tokens) for c in found), strict=True)
    )
    words = f"{put:,} + {got:,} tokens in + out"
    guessed = sum(one.call.estimated for one in found)
    return words + (
        " (estimated)" if guessed == len(found) else " (partly estimated)" if guessed else ""
    )


def cost(found: Sequence[Asked]) -> str:
    """Dollars in words; kept replies cost nothing."""
    if all(one.call.cached for one in found):
        return (
            "cost: nothing, all replies kept"
            if len(found) > 1
            else "cost: nothing, the reply was kept"
        )
    costs = [one.call.cost for one in found]
    known = [part for part in costs if part is not None]
    return f"cost: {dollars(sum(known) if len(known) == len(costs) else None)}"


def fell_short(events: Sequence[Event]) -> str:
    """How many replies could not be used, or only in part, or did not come, and at which steps; ""
    where all could.
    """
    found = [one for one in asked(events) if one.short]
    silent = sum(bool(one.call.failed) for one in found)
    lost = sum(one.unusable for one in found)
    partly = len(found) - lost - silent
    parts = [f"{count(lost, 'reply', 'replies')} could not be used"] if lost else []
    if partly and lost:
        parts.append(f"{partly} only in part")
    elif partly:
        parts.append(f"{count(partly, 'reply', 'replies')} could be used only in part")
    if silent:
        parts.append(f"{count(silent, 'call')} without a reply")
    words = ", ".join(parts)
    places = _steps(events) if words else ""
    return f"{words} ({places})" if places else words


def _steps(events: Sequence[Event]) -> str:
    """The steps whose replies fell short, by name."""
    found = [
        step.label.removesuffix(" (failed)")
        for step in timeline.steps(events)
        if any(one.short for one in asked(step.events))
    ]
    more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
    return "; ".join([*found[:NAMED], *more])


def heading(found: Sequence[Asked]) -> str:
    """What stands on the folded calls of a step."""
    short = sum(bool(one.short) for one in found)
    beside = f" · {short} not fully usable" if short else ""
    return f"Model calls of this step ({len(found)}){beside}"


def drawn(one: Asked) -> Html:
    """A call: its facts in a line, which opens to the prompt and the reply, whole."""
    call = one.call
    summary = tag(
        "summary",
        tag("b", ROLES.get(call.role, call.role)),
        *([tag("em", one.short, class_="gear-short")] if one.short else []),
        tag("span", " · ".join(facts(call)), dir="auto"),
        tag("i", " ".join(call.reply[: 2 * PEEK].split())[:PEEK], dir="auto"),
    )
    prompt = tag("div", _head("Prompt", call.prompt), raw(call.prompt))
    if call.failed:
        reply = tag("div", tag("b", "No reply"), _reason(ended(call.failed)))
    else:
        reasons = (_reason(why(failed)) for failed in one.told)
        reply = tag("div", _head("Reply", call.reply), *reasons, raw(call.reply))
    return tag(
        "details", summary, tag("div", prompt, reply, class_="gear-both"), class_="gear-call"
    )


def facts(call: Called) -> list[str]:
    """What one call took; the model alone where it did not reply."""
    if call.failed:
        return [call.model]
    alone = [Asked(call)]
    found = [
        call.model,
        tokens(alone),
        duration(call.ms),
        f"{call.attempts} attempts" if call.attempts > 1 else "",
        "kept from before, no cost" if call.cached else f"asked now, {dollars(call.cost)}",
        "cut off at the limit of tokens" if call.cut else "",
    ]
    return [fact for fact in found if fact]


def why(failed: Failed) -> str:
    """Why a reply fell short, without the beginning of the reply, which is shown whole beside
    it.
    """
    return (
        failed.message.partition(" Reply: ")[0]
        if failed.reply and not failed.dropped
        else ended(failed.message)
    )


def raw(text: str) -> Html:
    """A prompt or a reply as it is."""
    if not text:
        return tag("p", "(empty)", class_="gear-note")
    return tag("div", text, class_="gear-raw", dir="auto", tabindex="0")


def count(number: int, one: str, more: str = "") -> str:
    """So many of something."""
    return f"1 {one}" if number == 1 else f"{number:,} {more or one + 's'}"


def _head(name: str, text: str) -> Html:
    return tag(
        "div", tag("b", name), " ", tag("span", count(len(text), "character"), class_="gear-note")
    )


def _reason(text: str) -> Html:
    return tag("p", text, class_="gear-why-not", dir="auto")
