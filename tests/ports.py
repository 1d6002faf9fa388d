"""Ports for servers that are started later than their port is chosen."""

from __future__ import annotations

import itertools
import os
import socket
from contextlib import suppress

FIRST, NUMBER = 11_000, 20_000  # below those that systems give to whoever connects or asks for any
A_PROCESS = 64  # neighbours begin so far from one another

_places = itertools.count(A_PROCESS * os.getpid())


def free_port() -> int:
    """A port at which nothing listens, another one every time. Until it is used the system gives it
    to nobody, nor do the tests of another process.
    """
    while True:
        port = FIRST + next(_places) % NUMBER
        with suppress(OSError), socket.socket() as one:
            one.bind(("", port))
            return port
