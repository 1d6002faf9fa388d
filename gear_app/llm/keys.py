"""Keys of runs and jobs, which the worker, another process, makes: of the environment, or lent.

A key typed in a browser is in the memory of the web application and nowhere else. What is stored
with a run is where to ask for it: an id nobody can guess and the address of a socket that only this
user of the machine can open. The KeyLender of the web application gives a key for the one server
that it was typed for, and only while the browser session lasts. The KeyRing of the worker asks for
each borrowed key once a second and forgets it when it is lent no more: whoever uses it then stops.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import stat
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gear_app.llm.environment import ENVIRONMENT, environment_key
from gear_app.llm.errors import KeyEnded
from gear_app.llm.server import Secret, Spec

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

log = logging.getLogger(__name__)
SESSION = "session"  # what the `key_from` of a lent key begins with
LIMIT = 4096  # bytes of a question or an answer
QUESTION_S = 2.0  # with who has connected and sends nothing
REFRESH_S = 1.0
BACKLOG = 64  # connections
AT_ONCE = 32  # callers who have connected; the others wait their turn
FIRST_ANSWER_S = 10.0  # how long a lender has for its first answer …
NEXT_ANSWER_S = 2.0  # … and for each one after it
SILENT_S = 10.0  # a lender that gives no answer for so long has ended the loan
ENDED = (
    "The key for {server} was typed in a browser session that has ended, or was forgotten there."
    " Open Settings, type it again, then press Run or Extract again."
)


class KeyLoan:
    """A key on loan, as its lender holds it.

    It ends with the object, when its session has been away for too long, or by `end`.
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

    def refresh(self, now: float) -> None:
        """End the loan where the session has been away for too long."""
        if self._is_connected():
            self._seen = now
        elif now - self._seen > self._grace_s:
            self.end()

    def _is_connected(self) -> bool:
        """Whether the browser is there; not, where that cannot be found out."""
        try:
            return self._connected()
        except Exception as error:
            log.warning("whether a browser is connected is not known: %s", error)
            return False

    def end(self) -> None:
        """Forget the key."""
        self._key = Secret()

    def for_server(self, base_url: str) -> str:
        """The key, where it was typed for this server and has not ended; else ""."""
        return self._key.reveal() if base_url == self.base_url else ""

    def __bool__(self) -> bool:
        return bool(self._key)


class KeyLender:
    """Answers on a socket for the loans held elsewhere in this process, on threads of its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        from multiprocessing.connection import Listener

        self._clock = clock
        self._loans: weakref.WeakValueDictionary[str, KeyLoan] = weakref.WeakValueDictionary()
        self._slots = threading.Semaphore(AT_ONCE)
        # A Unix socket in a folder for this user alone; a pipe on Windows.
        self._listener = Listener(backlog=BACKLOG)
        for name, work in (("lend keys", self._serve), ("end loans", self._watch)):
            threading.Thread(target=work, daemon=True, name=name).start()

    def lend(
        self, base_url: str, key: Secret, connected: Callable[[], bool], grace_s: float
    ) -> KeyLoan:
        """Lend a key for this server as long as somebody holds the loan and its session lasts."""
        address = str(self._listener.address)
        loan = KeyLoan(base_url, key, address, connected, grace_s, self._clock())
        self._loans[loan.id] = loan
        return loan

    def refresh(self) -> None:
        """End the loans whose session has ended."""
        for reference in self._loans.valuerefs():
            loan = reference()
            if loan is not None:
                loan.refresh(self._clock())

    def _watch(self) -> None:
        while True:
            time.sleep(REFRESH_S)
            self.refresh()

    def _serve(self) -> None:
        while True:
            try:
                self._start_answer(self._listener.accept())
            except (OSError, RuntimeError) as error:
                # There is no file descriptor, or no thread, left at the moment.
                log.warning("a key could not be lent: %s", error)
                time.sleep(0.1)

    def _start_answer(self, caller: Connection) -> None:
        """Have a thread answer the caller once a slot is free; free it where no thread starts."""
        self._slots.acquire()
        try:
            threading.Thread(
                target=self._answer, args=(caller,), daemon=True, name="lend a key"
            ).start()
        except RuntimeError:
            self._slots.release()
            caller.close()
            raise

    def _answer(self, caller: Connection) -> None:
        """Answer one question, which has to come as a whole: half of one is not waited for."""
        try:
            with caller, suppress(EOFError):
                if os.name != "nt":
                    os.set_blocking(caller.fileno(), False)
                if caller.poll(QUESTION_S):
                    key = self._key_for(caller.recv_bytes(LIMIT))
                    caller.send_bytes(json.dumps({"key": key}).encode())
        except OSError as error:  # somebody hung up, or sent too much
            log.warning("a key could not be lent: %s", error)
        finally:
            self._slots.release()

    def _key_for(self, question: bytes) -> str:
        """The key that is asked for; "" where it is not lent, not for that server, or nonsense."""
        try:
            fields = json.loads(question)
            loan = self._loans.get(fields["id"])
            return loan.for_server(fields["server"]) if loan else ""
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""


class BorrowedKey(Secret):
    """A key on loan, as its borrower holds it; empty after the loan has ended.

    Equal to the same key of the same loan alone.
    """

    __slots__ = ("__weakref__", "silent_since", "spec")

    def __init__(self, value: str, spec: Spec) -> None:
        """`spec` says of which server, and of which loan."""
        super().__init__(value)
        self.spec = spec
        self.silent_since: float | None = None  # the first question without an answer

    @property
    def ended(self) -> bool:
        """Whether the loan has ended."""
        return not self

    def check(self) -> None:
        """Raise KeyEnded where the loan has ended."""
        if self.ended:
            raise KeyEnded(ENDED.format(server=self.spec.base_url))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BorrowedKey)
            and self.spec.key_from == other.spec.key_from
            and super().__eq__(other)
        )

    __hash__ = Secret.__hash__


class _LoanAddress(NamedTuple):
    id: str
    address: str


def ask_lender(spec: Spec, timeout_s: float) -> str | None:
    """The key as its lender gives it; "" if lent no more, None where no answer came in time."""
    loan = _loan_address(spec.key_from)
    if loan is None:
        return ""
    try:
        with _connect(loan.address, timeout_s) as lender:
            lender.send_bytes(json.dumps({"id": loan.id, "server": spec.base_url}).encode())
            if not lender.poll(timeout_s):
                return None
            return str(json.loads(lender.recv_bytes(LIMIT))["key"])
    except BlockingIOError:
        return None
    except (OSError, EOFError):  # the web application has ended
        return ""
    except (ValueError, LookupError, TypeError):
        return ""


class KeyRing:
    """The keys that this process uses; it holds no borrowed key that nobody else holds."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        ask_lender: Callable[[Spec, float], str | None] = ask_lender,
    ) -> None:
        self._clock, self._ask_lender = clock, ask_lender
        # By identity: two borrowers of one loan have a key each.
        self._borrowed: weakref.WeakValueDictionary[int, BorrowedKey] = (
            weakref.WeakValueDictionary()
        )

    def key_for(self, spec: Spec) -> Secret:
        """The key of a spec, empty where its server wants none. Raises NotReady or KeyEnded."""
        if not spec.key_from:
            return Secret()
        if spec.key_from == ENVIRONMENT:
            return environment_key(spec)
        key = BorrowedKey(self._ask_lender(spec, FIRST_ANSWER_S) or "", spec)
        key.check()
        self._borrowed[id(key)] = key
        return key

    def refresh(self) -> None:
        """Forget the keys that are lent no more; a slow lender is asked again for some seconds."""
        for reference in self._borrowed.valuerefs():
            key = reference()
            if key:
                self._refresh(key)

    def _refresh(self, key: BorrowedKey) -> None:
        began = self._clock()
        answer = self._ask_lender(key.spec, NEXT_ANSWER_S)
        silent = answer is None
        since = began if key.silent_since is None else key.silent_since
        key.silent_since = since if silent else None
        if answer == "" or (silent and self._clock() - since >= SILENT_S):
            key.forget()


def _connect(address: str, timeout_s: float) -> Connection:
    """A connection that neither opens nor reads for longer than this.

    Raises OSError, of which BlockingIOError where the time is over.
    """
    from multiprocessing.connection import Client, Connection

    if sys.platform == "win32":
        return Client(address)
    limit = struct.pack("ll", int(timeout_s), int(timeout_s % 1 * 1_000_000))
    with socket.socket(socket.AF_UNIX) as caller:
        # Python's own time-out does not wait for a place in the lender's backlog.
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            caller.setsockopt(socket.SOL_SOCKET, option, limit)
        caller.connect(address)
        return Connection(caller.detach())


def _loan_address(key_from: str) -> _LoanAddress | None:
    """Whom to ask; None where that is not one of our own: the file may be somebody else's."""
    word, _, rest = key_from.partition(" ")
    id_, _, address = rest.partition(" ")
    return _LoanAddress(id_, address) if word == SESSION and id_ and _is_ours(address) else None


def _is_ours(address: str) -> bool:
    """Whether an address is a socket of this user in a folder of theirs alone, or a local pipe."""
    if sys.platform == "win32":
        return address.startswith("\\\\.\\pipe\\")
    try:
        file, folder = os.lstat(address), os.lstat(Path(address).parent)
    except (OSError, ValueError):
        return False
    private = stat.S_ISDIR(folder.st_mode) and not folder.st_mode & 0o077
    return stat.S_ISSOCK(file.st_mode) and private and {file.st_uid, folder.st_uid} == {os.getuid()}
