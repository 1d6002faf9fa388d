"""How much of a language model's reply has come, told to whoever listens on the thread that
asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Say = Callable[[str], None]
_SAY: ContextVar[Say] = ContextVar("say", default=lambda text: None)


@contextmanager
def listening(say: Say) -> Iterator[None]:
    """While inside, `say` is told in a sentence what comes of the replies that this thread waits
    for; "" at the end.
    """
    token = _SAY.set(say)
    try:
        yield
    finally:
        _SAY.reset(token)


def tell(role: str, characters: int) -> None:
    """Put what has come into words (llm.completion.Tell)."""
    _SAY.get()(f"{role.replace('_', ' ')}: {characters:,} characters so far." if characters else "")
