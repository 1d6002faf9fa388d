"""The key of a run or a job, for the process that makes it: from the environment, or lent by a
browser session.

A key on loan is looked after once a second and forgotten when it is lent no more: whoever uses it
then stops.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
import time
import weakref
from collections.abc import Callable
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import NamedTuple

from gear_app.llm.environment import ENVIRONMENT, environment_key
from gear_app.llm.failures import KeyEnded
from gear_app.llm.key_lender import LONGEST, SESSION
from gear_app.llm.server import Secret, Spec

ASKED_S, LOOKED_S = (
    10.0,
    2.0,
)  # how long a lender has for its answer: before anything begins, and in between
SILENT_S = 10.0  # a lender that gives no answer for so long has ended the loan
ENDED = (
    "The key for {server} was typed in a browser session that has ended, or was forgotten there."
    " Open Settings, type it again, then press Run or Extract again."
)


class Borrowed(Secret):
    """A key on loan; it is empty after the loan has ended. Equal to the same key of the same loan
    alone.
    """

    __slots__ = ("__weakref__", "asked_since", "spec")

    def __init__(self, value: str, spec: Spec) -> None:
        """`spec` says of which server, and of which loan."""
        super().__init__(value)
        self.spec = spec
        self.asked_since: float | None = None  # without an answer

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
            isinstance(other, Borrowed)
            and self.spec.key_from == other.spec.key_from
            and super().__eq__(other)
        )

    __hash__ = Secret.__hash__


class Keys:
    """The keys that this process uses; those on loan are remembered only while somebody else has
    them.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """None yet."""
        self._clock = clock
        self._borrowed: weakref.WeakValueDictionary[int, Borrowed] = (
            weakref.WeakValueDictionary()
        )  # by identity

    def of(self, spec: Spec) -> Secret:
        """The key of a spec, an empty one where its server wants none. Raises NotReady, of which
        KeyEnded is one.
        """
        if not spec.key_from:
            return Secret()
        if spec.key_from == ENVIRONMENT:
            return environment_key(spec)
        borrowed = Borrowed(_asked(spec, ASKED_S) or "", spec)
        borrowed.check()
        self._borrowed[id(borrowed)] = borrowed
        return borrowed

    def look(self) -> None:
        """Forget the keys that are lent no more. A lender that is slow to answer is asked again for
        some seconds.
        """
        for there in self._borrowed.valuerefs():
            borrowed = there()
            if borrowed:
                self._look_after(borrowed)

    def _look_after(self, borrowed: Borrowed) -> None:
        began = self._clock()
        answer = _asked(borrowed.spec, LOOKED_S)
        silent = answer is None
        since = began if borrowed.asked_since is None else borrowed.asked_since
        borrowed.asked_since = since if silent else None
        if answer == "" or (silent and self._clock() - since >= SILENT_S):
            borrowed.forget()


class _Loan(NamedTuple):
    id: str
    address: str


def _asked(spec: Spec, patience_s: float) -> str | None:
    """The key as its lender gives it: "" where it is lent no more, None where no answer came in
    time.
    """
    loan = _loan(spec.key_from)
    if loan is None:
        return ""
    try:
        with _connected(loan.address, patience_s) as lender:
            lender.send_bytes(json.dumps({"id": loan.id, "server": spec.base_url}).encode())
            if not lender.poll(patience_s):
                return None
            return str(json.loads(lender.recv_bytes(LONGEST))["key"])
    except BlockingIOError:
        return None
    except (OSError, EOFError):  # the web application has ended
        return ""
    except (ValueError, LookupError, TypeError):
        return ""


def _connected(address: str, patience_s: float) -> Connection:
    """A connection that is neither made nor read for longer than this. Raises OSError;
    BlockingIOError for time.
    """
    if sys.platform == "win32":
        return Client(address)
    limit = struct.pack("ll", int(patience_s), int(patience_s % 1 * 1_000_000))
    with socket.socket(socket.AF_UNIX) as caller:
        for option in (
            socket.SO_SNDTIMEO,
            socket.SO_RCVTIMEO,
        ):  # Python's own time-out does not wait for a place
            caller.setsockopt(socket.SOL_SOCKET, option, limit)
        caller.connect(address)
        return Connection(caller.detach())


def _loan(key_from: str) -> _Loan | None:
    """Whom to ask; None where that is not one of our own: the file may be somebody else's."""
    word, _, rest = key_from.partition(" ")
    id_, _, address = rest.partition(" ")
    return _Loan(id_, address) if word == SESSION and id_ and _ours(address) else None


def _ours(address: str) -> bool:
    """Whether a lender's address is a socket of this user in a folder nobody else can look into; a
    local pipe.
    """
    if sys.platform == "win32":
        return address.startswith("\\\\.\\pipe\\")
    try:
        there, folder = os.lstat(address), os.lstat(Path(address).parent)
    except (OSError, ValueError):
        return False
    private = stat.S_ISDIR(folder.st_mode) and not folder.st_mode & 0o077
    return (
        stat.S_ISSOCK(there.st_mode) and private and {there.st_uid, folder.st_uid} == {os.getuid()}
    )
