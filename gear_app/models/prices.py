"""What calls cost, by a workspace's table of prices, and tokens estimated before a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4})$")  # gpt-4o-mini-2024-07-18
_PIECES = re.compile(
    r"[A-Za-z]{1,6}|\d{1,3}|[^\W\d_A-Za-z\u0900-\U0010ffff]{1,2}|[^\W\d_\x00-\u08ff]|[^\w\s]|_"
)


class Price(NamedTuple):
    """Dollars for a million tokens."""

    input: float
    output: float


def cost(
    table: Mapping[str, Price], model: str, input_tokens: float, output_tokens: float
) -> float | None:
    """Dollars; None where the table does not know the model, with or without a date at its end."""
    price = table.get(model) or table.get(_DATED.sub("", model))
    if price is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / 1_000_000


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has. Always shown as an estimate.

    Counts pieces of up to six Latin letters, two of another alphabet or three digits, and every
    mark and every sign of a script that has many, such as Chinese. English prose gives about four
    characters a token.
    """
    return len(_PIECES.findall(text))
