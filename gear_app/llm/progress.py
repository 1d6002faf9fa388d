"""How much of a language model's reply has come, shown by whoever waits for it on this thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Show = Callable[[str], None]
_SHOW: ContextVar[Show] = ContextVar("show", default=lambda text: None)


@contextmanager
def progress_to(show: Show) -> Iterator[None]:
    """While inside, `show` gets a sentence on the replies this thread waits for; "" at the end."""
    token = _SHOW.set(show)
    try:
        yield
    finally:
        _SHOW.reset(token)


def report_progress(role: str, characters: int) -> None:
    """Show how many characters of a reply have come (llm.completion.Progress)."""
    text = f"{role.replace('_', ' ')}: {characters:,} characters so far." if characters else ""
    _SHOW.get()(text)
