"""The event of a model call."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events.base import Event


@dataclass(frozen=True, slots=True)
class Called(Event):
    """A language model was asked and replied, usably or not.

    `role` is what it was asked to do, `prompt_hash` names the prompt's file as it was then. Tokens are the server's
    count, or `estimated`. `cost` is in dollars, None where the price is unknown. `cached`: the reply came from the
    workspace; the tokens and milliseconds are those it once took, and the cost is 0. `cut`: it ended at the limit of
    tokens. `attempts` counts the calls it took, those that the server refused included.
    """

    role: str
    model: str
    prompt_hash: str
    prompt: str
    reply: str
    input_tokens: int
    output_tokens: int
    ms: float
    cost: float | None = None
    estimated: bool = False
    cached: bool = False
    cut: bool = False
    attempts: int = 1
