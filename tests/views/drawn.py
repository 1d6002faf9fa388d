"""What a piece of HTML says to a reader."""

from __future__ import annotations

import html
import re


def plain(drawn: str) -> str:
    """The words of a piece of HTML, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", drawn))
