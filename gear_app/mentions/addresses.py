"""E-mail addresses, hosts of URLs, IP addresses and versions: each one mention, not its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gear_app.types import Span

# Each part bounded, and none begins inside another: long runs cost their length.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[^\W_][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}")
_HOST = re.compile(r"\b(?:https?|ftp)://(?:www\.)?([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})", re.I)
_DOTTED = re.compile(r"(?<![\w.,/-])[vV]?(\d{1,5}(?:\.\d{1,5}){2,5})(?![\w]|[.,]\d)")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})|\d{4}\.\d{1,2}\.\d{1,2}")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")


def addresses(text: str) -> Iterator[tuple[str, Span]]:
    """In lower case, after "#"."""
    for match in _MAIL.finditer(text):
        yield f"#{match[0].rstrip('.-_').casefold()}", Span(*match.span())
    for match in _HOST.finditer(text):
        yield f"#{match[1].casefold()}", Span(*match.span())
    for match in _DOTTED.finditer(text):
        if not is_dotted_date(match[1]) and not _THOUSANDS.fullmatch(match[1]):
            yield f"#{match[1]}", Span(*match.span())


def is_dotted_date(digits: str) -> bool:
    """Whether figures with stops between them are a day of a year: "12.05.2024"."""
    if not _DATE.fullmatch(digits):
        return False
    first, month, last = (int(part) for part in digits.split("."))
    day = last if first > 31 else first
    return 1 <= day <= 31 and 1 <= month <= 12
