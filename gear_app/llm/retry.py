"""When to ask a server again, and when to stop asking. Times in seconds; nothing here waits."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gear_app.llm.server import Patience

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FOREVER = 1e9  # longer than anybody waits, and still a number of seconds that can be shown
# Of a wait the server asked for: calls that were refused together do not come back together.
_SPREAD = 0.25


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds a server asks to wait; None where it does not. `now` in seconds since 1970.

    Read from `retry-after-ms`, or `Retry-After` in seconds or as a date.
    """
    milliseconds = headers.get("retry-after-ms", "")
    seconds_or_date = headers.get("retry-after", "").strip()
    for text, unit in ((milliseconds, 1000.0), (seconds_or_date, 1.0)):
        if _NUMBER.fullmatch(text):
            return min(float(text) / unit, _FOREVER)
    import email.utils  # slow to import, and seldom needed

    try:
        return max(0.0, email.utils.parsedate_to_datetime(seconds_or_date).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def wait_s(
    attempt: int, requested_s: float | None, jitter: float, patience: Patience
) -> float | None:
    """How long to wait after the attempt-th one failed, from 1; None where it was the last.

    Doubles each time, of which up to half is left to chance (`jitter` from 0 to 1), but never less
    than the server asked for; a server that asks for more than the longest wait is not waited for.
    """
    if attempt > patience.retries or (requested_s or 0.0) > patience.longest_wait_s:
        return None
    doubled = min(patience.longest_wait_s, patience.first_wait_s * 2.0 ** (attempt - 1))
    own = doubled * (1 - jitter / 2)
    return own if requested_s is None else max(own, requested_s * (1 + _SPREAD * jitter))


class CircuitBreaker:
    """Opens after so many failed calls in a row, and rests; then one failure opens it again.

    Time is handed in, so that it needs no clock.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failed = 0
        self._opened: float | None = None
        self._message = ""

    def is_open(self, now: float) -> bool:
        """Whether no call should be made now."""
        return self._opened is not None and now - self._opened < self._patience.rest_s

    def sentence(self, now: float) -> str:
        """Why no call was made while it was open, to follow the server's name."""
        calls = "a call" if self._failed == 1 else f"{self._failed} calls in a row"
        ago_s = 0.0 if self._opened is None else now - self._opened
        return (
            f"was not asked: {calls} had failed, the last one {ago_s:.0f} s before, when it"
            f" {self._message}. For {self._patience.rest_s:.0f} s it is asked only where a person"
            " asks for it: Run again, Go on and Extract ask at once"
        )

    def asked_for(self, at: float) -> None:
        """A person asked for the next call, at this time: what failed before does not hold it."""
        if self._opened is not None and self._opened <= at:
            self._opened = None

    def succeeded(self) -> None:
        """A call was answered."""
        self._failed, self._opened = 0, None

    def failed(self, message: str, now: float, *, permanent: bool = False) -> bool:
        """A call failed; `permanent` opens it at once. Returns whether it is open now."""
        self._failed += 1
        if permanent or self._failed >= self._patience.failures:
            self._opened, self._message = now, message
        return self._opened is not None
