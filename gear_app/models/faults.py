"""Why a call got no reply: from exceptions of the openai package, and from errors within replies,
to a short sentence and to what may be done about it. Nothing here waits or asks.
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from dataclasses import replace

import httpx2
import openai

from gear_app.core.text import cut, storable
from gear_app.models.network import TooLarge
from gear_app.models.reply import ErrorWithin, Fault
from gear_app.models.request import FEWER_TOKENS, refuses_limit
from gear_app.models.server import Secret

_RETRYABLE = {408, 409, 429}
_BAD_REQUEST = {400, 422}
_PERMANENT = {401, 402, 403, 404, 405}
_EXCERPT = 300  # characters of a body in a message
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body|h1)\b", re.IGNORECASE)
_TITLE = re.compile(r"<(title|h1)\b[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_WAIT = re.compile(
    r"(?:retry|try again)\s+(?:in|after)\s+(?:(?P<minutes>\d+)\s*m(?:in\w*)?(?!s)\s*)?"
    r"(?:(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|milli\w*|s\b|sec\w*))?"
    r"|\"retryDelay\":\s*\"(?P<delay>\d+(?:\.\d+)?)s\"",
    re.IGNORECASE,
)
_FOREVER = 1e9  # longer than anybody waits, and still a number of seconds that can be shown
ADDRESS = "Its address mostly ends in /v1, without /chat/completions"
# What a call raises: the package, the network under it, a proxy, or nonsense that was sent.
FAULTS = (
    TimeoutError,
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    TooLarge,
    ErrorWithin,
    ImportError,
    ValueError,
    TypeError,
    RecursionError,
)
_UNREACHED = (httpx2.ConnectError, httpx2.ConnectTimeout)
_NO_NAME = "no server of this name is known"
_CERTIFICATE = "CERTIFICATE_VERIFY_FAILED"
_NETWORK_FAULTS = {  # what systems say, and what it means
    "Name or service not known": _NO_NAME,
    "nodename nor servname": _NO_NAME,
    "getaddrinfo failed": _NO_NAME,
    "No address associated": _NO_NAME,
    "Temporary failure in name resolution": "names of servers cannot be looked up at the moment",
    "Connection refused": "no server answers at this address and port",
    "All connection attempts failed": "no server answers at this address and port",
    "Network is unreachable": "this machine has no network",
    _CERTIFICATE: "its certificate is not one that this machine trusts. Name the file of the"
    " authority that signed it in SSL_CERT_FILE",
    "WRONG_VERSION_NUMBER": "it speaks http, and the address says https",
}


def explain(error: Exception, timeout_s: float, now: float, key: Secret) -> Fault:
    """Fault of a call by its exception, without the key; `now` in seconds since 1970."""
    cause = error.__cause__ or error
    match error:
        case TimeoutError() | openai.APITimeoutError() | httpx2.TimeoutException():
            message = f"gave no whole reply within {timeout_s:g} s"
            return Fault(message, retryable=True, unbilled=isinstance(cause, _UNREACHED))
        case openai.APIStatusError(response=response):
            body = _masked(response.content.decode("utf-8", "replace"), key)
            return _status_fault(error.status_code, response.headers, body, now)
        case openai.APIConnectionError() | httpx2.HTTPError() | httpx2.InvalidURL():
            words_of_system = str(cause) or type(cause).__name__
            words = next(
                (w for sign, w in _NETWORK_FAULTS.items() if sign in words_of_system),
                words_of_system,
            )
            untrusted = _CERTIFICATE in words_of_system
            return Fault(
                f"could not be reached, or broke off: {_masked(words, key)}",
                retryable=not untrusted,
                permanent=untrusted,
                unbilled=isinstance(cause, _UNREACHED),
            )
        case ErrorWithin(error=within) | openai.APIError(body=within):  # the latter in a stream
            # A code that is no status is that of a server in trouble.
            code = str(within.get("code", "")) if isinstance(within, dict) else ""
            status = int(code) if re.fullmatch("[45][0-9]{2}", code) else 500
            body = _masked(json.dumps({"error": within or str(error)}, default=str), key)
            fault = _status_fault(status, {}, body, now)
            return replace(fault, message=f"answered: {error_words(json.loads(body))}")
        case TooLarge():
            return Fault(f"sent more than {error} MB, which is no reply")
        case UnicodeDecodeError():
            return Fault("sent a reply that is not UTF-8", retryable=True)
        case json.JSONDecodeError():
            return text_fault(error.doc, key)
        case ImportError() | ValueError() if "proxy" in str(error).casefold():
            help_ = "; SOCKS needs a package: pip install socksio" * isinstance(error, ImportError)
            message = f"could not be reached by the proxy in ALL_PROXY or HTTPS_PROXY: {error}"
            return Fault(f"{message}{help_}, or unset the variable", permanent=True, unbilled=True)
    return Fault("sent JSON without a reply", retryable=True)


def text_fault(text: str, key: Secret) -> Fault:
    """The fault of a reply that is no JSON at all."""
    words = excerpt(_masked(text, key))
    if _PAGE.match(text):
        return Fault(f"sent a web page: {words}. {ADDRESS}", retryable=True, unbilled=True)
    return Fault(f"sent what is not JSON: {words!r}. {ADDRESS}", retryable=True)


def _masked(text: str, key: Secret) -> str:
    """Text of a server without the key, before anything is cut off."""
    return key.redact(text.replace("\\/", "/"))


def _status_fault(status: int, headers: Mapping[str, str], body: str, now: float) -> Fault:
    """Fault of a status of 300 or more."""
    data = _json(body)
    words = error_words(body if data is None else data)
    message = f"answered {status}: {words}" if words else f"answered {status}"
    message = message.replace(f"{status}: {status}", str(status))  # a page's title has it too
    if 300 <= status < 400:
        message += ". It sends callers elsewhere; give the address it sends them to"
        return Fault(message, permanent=True, unbilled=True)
    if status in (404, 405) and data is None:
        message = f"{message.rstrip('.')}. {ADDRESS}"
    if status in _BAD_REQUEST and refuses_limit(words):
        message = f"{message.rstrip('.')}. {FEWER_TOKENS}"
    spent = "insufficient_quota" in body  # OpenAI's 429 that waiting does not cure
    retryable = (status in _RETRYABLE or status >= 500) and not spent
    return Fault(
        message,
        retryable,
        wait_s(headers, body, now) if retryable else None,
        bad_request=status in _BAD_REQUEST,
        permanent=spent or status in _PERMANENT,
        unbilled=True,
    )


def wait_s(headers: Mapping[str, str], body: str, now: float) -> float | None:
    """The seconds a server asks to wait, by `retry-after-ms`, by `Retry-After` in seconds or as a
    date, or in words or a field of the body; None where it does not. `now` in seconds since 1970.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d+(?:\.\d+)?", text):
            return min(float(text) / unit, _FOREVER)
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        waits = [_seconds(match) for match in _WAIT.finditer(body)]
        return min(max(waits, default=0.0), _FOREVER) or None


def _seconds(match: re.Match[str]) -> float:
    thousandths = (match["unit"] or "").lower().startswith("m")
    number = float(match["number"] or 0) / (1000 if thousandths else 1)
    return number + 60 * float(match["minutes"] or 0) + float(match["delay"] or 0)


def error_words(data: object) -> str:
    """The server's own words in an error's body: OpenAI's form, Gemini's list, Ollama's, FastAPI's,
    a page's title, or text; with those of the server behind a gateway (`error.metadata.raw`).
    """
    if isinstance(data, list) and data:
        data = data[0]
    behind = ""
    for name in ("error", "message", "detail"):
        if isinstance(data, dict) and data.get(name):
            metadata = data.get("metadata")
            if isinstance(metadata, dict) and isinstance(raw := metadata.get("raw"), str):
                behind = error_words(_json(raw) or raw)
            data = data[name]
    if not isinstance(data, str):
        data = json.dumps(data, ensure_ascii=False, default=str) if data else ""
    words = excerpt(data)
    return words if behind in words else f"{words.rstrip('.')}: {behind}"


def _json(text: str) -> object:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data


def excerpt(sent: str) -> str:
    """The beginning of what a server sent, on one line; of a web page its title."""
    if _PAGE.match(sent):
        title = _TITLE.search(sent)
        sent = title[2] if title else re.sub("<[^>]*>", " ", sent)
    return cut(storable(" ".join(sent.split())), _EXCERPT)
