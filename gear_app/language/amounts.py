"""Amounts of money and large numbers in one form: "EUR 18,400", "€18.400" and "18 400 euros" are
`#eur18400`, "1,200" is `1200`. E-mail addresses, hosts, IP addresses and versions: each is one
mention, not its parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from gear_app.types import Span

_SIGNS = {"€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "₽": "rub", "$": "usd"}
_SIGNS |= {"US$": "usd", "A$": "aud", "AU$": "aud", "C$": "cad", "CA$": "cad", "NZ$": "nzd"}
_CODES = frozenset(
    """
    EUR USD GBP JPY CHF CNY INR KRW RUB AUD CAD NZD SEK NOK DKK ISK PLN CZK HUF RON TRY BRL MXN ZAR
    SGD HKD ILS AED
    """.split()
)
_WORDS = {"euro": "eur", "dollar": "usd", "rupee": "inr", "yen": "jpy", "zloty": "pln"}
_MANY = {"k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "bn": 9, "billion": 9}

_SPACES = " \u00a0\u202f\u2009"
_MARKS = r",.'’" + _SPACES
_NUMBER = (
    rf"(?P<number>\d{{1,3}}(?P<gap>[{_MARKS}])\d{{3}}(?:(?P=gap)\d{{3}}){{0,5}}(?!\d)(?:[.,]\d{{1,2}}(?!\d))?"
    r"|\d+(?:[.,]\d+)?)"
)
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_CODE = "|".join(sorted(_CODES))
_WORD = "|".join(_WORDS)
_TIMES = r"(?:[ \u00a0-]?(?P<times>(?:k|m|mn|bn|thousand|million|billion)\b))?"
_BEFORE = re.compile(
    rf"(?<!\w)(?P<currency>{_SIGN}|(?:{_CODE})(?![^\W\d_]))[{_SPACES}]?{_NUMBER}{_TIMES}"
)
_AFTER = re.compile(
    rf"(?<![\w.,]){_NUMBER}{_TIMES}[{_SPACES}]?"
    rf"(?P<currency>{_SIGN}|(?:{_CODE})\b|(?i:{_WORD})s?\b)"
)
# A full stop alone parts thousands or decimals, a space is no sign at all.
_GROUPED = re.compile(
    r"(?<![\w.,'’])\d{1,3}(?:(?:([,'’\u00a0\u202f\u2009])\d{3}(?:\1\d{3}){0,5})|(?:\.\d{3}){2,6})"
    r"(?![\d]|[.,]\d{3})(?:[.,]\d{1,2}\b)?"
)
_AMOUNT = re.compile(r"#([a-z]{3})(\d+(?:\.\d+)?)")


def amounts(text: str) -> Iterator[tuple[str, Span]]:
    """Amounts of money as "#", the currency's code and the number."""
    for pattern in (_BEFORE, _AFTER):
        for match in pattern.finditer(text):
            code = _code(match["currency"])
            value = Decimal(_plain(match["number"])) * 10 ** _MANY.get(match["times"] or "", 0)
            yield f"#{code}{_digits(value)}", Span(*match.span())


def numbers(text: str) -> Iterator[tuple[str, Span]]:
    """Numbers whose thousands are set apart, without the marks between them."""
    for match in _GROUPED.finditer(text):
        yield _plain(match[0]), Span(*match.span())


def shown(name: str) -> str | None:
    """An amount in words, "EUR 18,400"; None for what is none."""
    found = _AMOUNT.fullmatch(name)
    if found is None or found[1].upper() not in _CODES:
        return None
    whole, _, decimals = found[2].partition(".")
    return f"{found[1].upper()} {int(whole):,}" + (f".{decimals:0<2}" if decimals else "")


def _code(currency: str) -> str:
    """The ISO code, in lower case, of a sign, a code or a word."""
    folded = currency.casefold()
    return _SIGNS.get(currency) or _WORDS.get(folded.rstrip("s")) or folded


def _plain(number: str) -> str:
    """Digits with a full stop before the decimals. A mark before exactly three digits, or one that
    stands twice, parts thousands; so does the first of two different ones.
    """
    marks = [character for character in number if not character.isdigit()]
    if not marks:
        return _digits(Decimal(number))
    last = marks[-1]
    decimals = number.rpartition(last)[2]
    if marks.count(last) > 1 or len(decimals) == 3 or last not in ".,":
        decimals = ""
    whole = number[: len(number) - len(decimals)]
    digits = "".join(character for character in whole if character.isdigit())
    return _digits(Decimal(f"{digits}.{decimals or 0}"))


def _digits(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# Addresses

# Each part bounded, and none begins inside another: long runs cost their length.
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[^\W_][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}")
_HOST = re.compile(r"\b(?:https?|ftp)://(?:www\.)?([\w-]{1,63}(?:\.[\w-]{1,63}){1,8})", re.I)
_FIGURES = re.compile(r"(?<![\w.,/-])[vV]?(\d{1,5}(?:\.\d{1,5}){2,5})(?![\w]|[.,]\d)")
_DAY = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})|\d{4}\.\d{1,2}\.\d{1,2}")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")


def addresses(text: str) -> Iterator[tuple[str, Span]]:
    """In lower case, after "#"."""
    for match in _MAIL.finditer(text):
        yield f"#{match[0].rstrip('.-_').casefold()}", Span(*match.span())
    for match in _HOST.finditer(text):
        yield f"#{match[1].casefold()}", Span(*match.span())
    for match in _FIGURES.finditer(text):
        if not is_dotted_date(match[1]) and not _THOUSANDS.fullmatch(match[1]):
            yield f"#{match[1]}", Span(*match.span())


def is_dotted_date(digits: str) -> bool:
    """Whether figures with stops between them are a day of a year: "12.05.2024"."""
    if not _DAY.fullmatch(digits):
        return False
    first, month, last = (int(part) for part in digits.split("."))
    day = last if first > 31 else first
    return 1 <= day <= 31 and 1 <= month <= 12
