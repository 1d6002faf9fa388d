"""What calls cost, by a table that can be edited, and tokens counted roughly before a call.

The table is `prices.toml` beside this file; another file can add to it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gear_app.errors import BadInput

TABLE = Path(__file__).with_name("prices.toml")
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4})$")  # gpt-4o-mini-2024-07-18
_PIECES = re.compile(r"[^\W\d_]{1,6}|\d{1,3}|[^\w\s]|_")


class Price(NamedTuple):
    """Dollars for a million tokens."""

    input: float
    output: float


def prices(*files: Path) -> Mapping[str, Price]:
    """The built-in table, and what these files add to it or say otherwise. Raises BadInput with the file's name."""
    found: dict[str, Price] = {}
    for file in (TABLE, *files):
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
            found |= {model: Price(float(row["input"]), float(row["output"])) for model, row in table.items()}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(
                f'{file.name} is not a table of prices. A model is ["name"] with input = and output =, '
                "dollars for a million tokens."
            ) from error
    return found


def cost(table: Mapping[str, Price], model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Dollars; None where the table does not know the model. A date at the end of its name does not matter."""
    price = table.get(model) or table.get(_DATED.sub("", model))
    return None if price is None else (price.input * input_tokens + price.output * output_tokens) / 1_000_000


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has: pieces of up to six letters or three digits, and every mark.

    English prose gives about four characters a token. Always shown as an estimate.
    """
    return len(_PIECES.findall(text))
