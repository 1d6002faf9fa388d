"""What a piece of HTML says to a reader."""

from __future__ import annotations

import html
import re

_POINTED = re.compile(
    r'<span (?:data-entity|role="button" tabindex="0" class="gear-term")[^>]*>(.*?)</span>'
)


def unmarked(drawn: str) -> str:
    """HTML without the elements by which names light up and terms are explained."""
    return _POINTED.sub(r"\1", drawn)


def plain(drawn: str) -> str:
    """The words of a piece of HTML, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", drawn))
