"""An event loop on a thread of its own, to which other threads hand work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Loop:
    """Runs until it is closed; the thread does not keep the process alive."""

    def __init__(self) -> None:
        """It runs at once."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="model calls", daemon=True
        )
        self._thread.start()

    @property
    def here(self) -> bool:
        """Whether the calling thread is the loop's own, as it can be where garbage is collected."""
        return threading.current_thread() is self._thread

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin the work; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel all work, wait until it has ended, and stop; on its own thread, just stop."""
        if self.here:
            self._loop.stop()
            return
        self.submit(_end_the_others()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_the_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
