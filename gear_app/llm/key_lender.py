"""Keys typed in a browser, lent to whoever makes this session's runs and jobs: the worker, which is
another process.

A key is in this process's memory and nowhere else. What is stored with a run is where to ask for
it: an id nobody can guess and the address of a socket that only this user of the machine can open.
It is given for the one server that it was typed for, and only while the browser session lasts:
whoever typed it holds the entry, the lender does not.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Listener

from gear_app.llm.server import Secret

log = logging.getLogger(__name__)
SESSION = "session"  # what such a `key_from` begins with
LONGEST = 4096  # bytes of a question or an answer
PATIENCE_S = 2.0  # with who has connected and says nothing
LOOKED_S = 1.0
WAITING = 64  # connections
AT_ONCE = 32  # callers who have connected; the others wait their turn


class Lent:
    """A key on loan. It ends with the object, when its session has been away for too long, or by
    `end`.
    """

    def __init__(
        self,
        base_url: str,
        key: Secret,
        address: str,
        connected: Callable[[], bool],
        grace_s: float,
        now: float,
    ) -> None:
        """`connected` says whether the browser is there; `grace_s` is how long it may be away."""
        self.id = secrets.token_hex(16)
        self.base_url = base_url
        self.key_from = f"{SESSION} {self.id} {address}"
        self._key, self._connected, self._grace_s, self._seen = key, connected, grace_s, now

    def look(self, now: float) -> None:
        """See whether the session still lasts; else the key is forgotten."""
        if self._there():
            self._seen = now
        elif now - self._seen > self._grace_s:
            self.end()

    def _there(self) -> bool:
        """Whether the browser is; it is taken to be away where that cannot be found out."""
        try:
            return self._connected()
        except Exception as error:
            log.warning("whether a browser is connected is not known: %s", error)
            return False

    def end(self) -> None:
        """Forget the key."""
        self._key = Secret()

    def for_server(self, base_url: str) -> str:
        """The key, where it was typed for this server and has not ended; else nothing."""
        return self._key.reveal() if base_url == self.base_url else ""

    def __bool__(self) -> bool:
        return bool(self._key)


class Lender:
    """Answers on a socket for the keys that are held elsewhere in this process, from threads of its
    own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """It answers at once."""
        self._clock = clock
        self._lent: weakref.WeakValueDictionary[str, Lent] = weakref.WeakValueDictionary()
        self._places = threading.Semaphore(AT_ONCE)
        self._listener = Listener(
            backlog=WAITING
        )  # a Unix socket in a folder for this user alone; a pipe on Windows
        for name, work in (("lend keys", self._serve), ("end loans", self._watch)):
            threading.Thread(target=work, daemon=True, name=name).start()

    def lend(
        self, base_url: str, key: Secret, connected: Callable[[], bool], grace_s: float
    ) -> Lent:
        """Lend a key for this server as long as somebody holds what is returned, and its session
        lasts.
        """
        lent = Lent(base_url, key, str(self._listener.address), connected, grace_s, self._clock())
        self._lent[lent.id] = lent
        return lent

    def look(self) -> None:
        """End the loans whose session has ended."""
        for there in self._lent.valuerefs():
            lent = there()
            if lent is not None:
                lent.look(self._clock())

    def _watch(self) -> None:
        while True:
            time.sleep(LOOKED_S)
            self.look()

    def _serve(self) -> None:
        while True:
            try:
                self._hand_on(self._listener.accept())
            except (
                OSError,
                RuntimeError,
            ) as error:  # there is no file descriptor, or no thread, left at the moment
                log.warning("a key could not be lent: %s", error)
                time.sleep(0.1)

    def _hand_on(self, caller: Connection) -> None:
        """Have a thread answer the caller once there is a place for it, and take the place back
        where there is none.
        """
        self._places.acquire()
        try:
            threading.Thread(
                target=self._answer, args=(caller,), daemon=True, name="lend a key"
            ).start()
        except RuntimeError:
            self._places.release()
            caller.close()
            raise

    def _answer(self, caller: Connection) -> None:
        """Answer one question, which has to come as a whole: who sends half of one is not waited
        for.
        """
        try:
            with caller, suppress(EOFError):
                if os.name != "nt":
                    os.set_blocking(caller.fileno(), False)
                if caller.poll(PATIENCE_S):
                    caller.send_bytes(
                        json.dumps({"key": self._found(caller.recv_bytes(LONGEST))}).encode()
                    )
        except OSError as error:  # somebody hung up, or sent too much
            log.warning("a key could not be lent: %s", error)
        finally:
            self._places.release()

    def _found(self, question: bytes) -> str:
        """The key that is asked for; "" where it is not lent, or not for that server."""
        try:
            asked = json.loads(question)
            lent = self._lent.get(asked["id"])
            return lent.for_server(asked["server"]) if lent else ""
        except (
            ValueError,
            LookupError,
            TypeError,
            RecursionError,
        ):  # whatever was sent, it is no question
            return ""
