"""The key of a run or a job, for the process that makes it: from the environment, or lent by a browser session.

A key on loan is looked after once a second and forgotten when it is lent no more: whoever uses it then stops.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import weakref
from multiprocessing.connection import Client
from pathlib import Path
from typing import NamedTuple

from gear_app.models.configured import ENVIRONMENT, environment_key
from gear_app.models.failures import KeyEnded
from gear_app.models.lending import LONGEST, SESSION
from gear_app.models.server import Secret, Spec

ASKED_S, LOOKED_S = 10.0, 2.0  # how long a lender has for its answer: before anything begins, and in between
ENDED = (
    "The key for {server} was typed in a browser session that has ended, or was forgotten there. Open Settings, type"
    " it again, then press Run or Extract again."
)


class Borrowed(Secret):
    """A key on loan; it is empty after the loan has ended. Equal to the same key of the same loan alone."""

    __slots__ = ("__weakref__", "spec")

    def __init__(self, value: str, spec: Spec) -> None:
        """`spec` says of which server, and of which loan."""
        super().__init__(value)
        self.spec = spec

    @property
    def ended(self) -> bool:
        """Whether the loan has ended."""
        return not self

    def check(self) -> None:
        """Raise KeyEnded where the loan has ended."""
        if self.ended:
            raise KeyEnded(ENDED.format(server=self.spec.base_url))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Borrowed) and self.spec.key_from == other.spec.key_from and super().__eq__(other)

    __hash__ = Secret.__hash__


class Keys:
    """The keys that this process uses; those on loan are remembered only while somebody else has them."""

    def __init__(self) -> None:
        """None yet."""
        self._borrowed: weakref.WeakValueDictionary[int, Borrowed] = weakref.WeakValueDictionary()  # by identity

    def of(self, spec: Spec) -> Secret:
        """The key of a spec, an empty one where its server wants none. Raises NotReady, of which KeyEnded is one."""
        if not spec.key_from:
            return Secret()
        if spec.key_from == ENVIRONMENT:
            return environment_key(spec)
        borrowed = Borrowed(_asked(spec, ASKED_S) or "", spec)
        borrowed.check()
        self._borrowed[id(borrowed)] = borrowed
        return borrowed

    def look(self) -> None:
        """Forget the keys that are lent no more. A lender that is slow to answer is asked another time."""
        for there in self._borrowed.valuerefs():
            borrowed = there()
            if borrowed and _asked(borrowed.spec, LOOKED_S) == "":
                borrowed.forget()


class _Loan(NamedTuple):
    id: str
    address: str


def _asked(spec: Spec, patience_s: float) -> str | None:
    """The key as its lender gives it: "" where it is lent no more, None where no answer came in time."""
    loan = _loan(spec.key_from)
    if loan is None:
        return ""
    try:
        with Client(loan.address) as lender:
            lender.send_bytes(json.dumps({"id": loan.id, "server": spec.base_url}).encode())
            if not lender.poll(patience_s):
                return None
            return str(json.loads(lender.recv_bytes(LONGEST))["key"])
    except (OSError, EOFError):  # the web application has ended
        return ""
    except (ValueError, LookupError, TypeError):
        return ""


def _loan(key_from: str) -> _Loan | None:
    """Whom to ask; None where that is not one of our own: the file may be somebody else's."""
    word, _, rest = key_from.partition(" ")
    id_, _, address = rest.partition(" ")
    return _Loan(id_, address) if word == SESSION and id_ and _ours(address) else None


def _ours(address: str) -> bool:
    """Whether a lender's address is a socket of this user in a folder nobody else can look into; a local pipe."""
    if sys.platform == "win32":
        return address.startswith("\\\\.\\pipe\\")
    try:
        socket, folder = os.lstat(address), os.lstat(Path(address).parent)
    except (OSError, ValueError):
        return False
    private = stat.S_ISDIR(folder.st_mode) and not folder.st_mode & 0o077
    return stat.S_ISSOCK(socket.st_mode) and private and {socket.st_uid, folder.st_uid} == {os.getuid()}
