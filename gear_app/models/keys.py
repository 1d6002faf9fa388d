"""Keys typed in browsers, in memory alone.

The web process holds each key for one browser session and writes all of them to the pipe that is
its worker's standard input. A run stores the id of its key and never the key.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import threading
import weakref
from collections.abc import Callable, Iterable, MutableMapping

from gear_app.models.errors import KeyEnded
from gear_app.models.server import ENVIRONMENT, Secret, Spec, environment_key

SESSION = "session"  # first word of the id of a typed key
ON_ITS_WAY_S = 3.0  # until a key that was just typed has come through the pipe
ENDED = (
    "The key for {server} was typed in a browser session that has ended, or was forgotten there,"
    " or was typed in a second application on this workspace, whose keys the worker of the first"
    " cannot have. Open Settings, type it again, then press Run or Extract again."
)


class TypedKey(Secret):
    """A key for one server, until its browser session ends. Equal to itself alone."""

    def __init__(
        self,
        value: str,
        base_url: str,
        connected: Callable[[], bool] = lambda: True,
        grace_s: float = 0.0,
        id_: str = "",
    ) -> None:
        """`connected`: whether the browser is connected; `grace_s`: how long it may be away."""
        super().__init__(value)
        self.base_url, self.id = base_url, id_ or f"{SESSION} {secrets.token_hex(16)}"
        self._connected, self._grace_s = connected, grace_s
        self._connected_at = math.inf  # at first

    def check(self) -> None:
        """Raise KeyEnded where the session has ended, or forgot the key."""
        if not self:
            raise KeyEnded(ENDED.format(server=self.base_url))

    def refresh(self, now: float) -> None:
        """Forget the key once its browser has been away for too long."""
        self._connected_at = now if self._connected() else min(now, self._connected_at)
        if now - self._connected_at > self._grace_s:
            self.forget()

    __eq__ = object.__eq__


class KeyRing:
    """The keys that this process can use: those of its environment, those typed in its sessions,
    or those that its parent sends.
    """

    def __init__(self) -> None:
        # By id, as long as somebody has them; those that a parent sends until it sends others.
        self._keys: MutableMapping[str, TypedKey] = weakref.WeakValueDictionary()
        self._arrival = threading.Condition()
        self._wait_s = 0.0

    def hold(self, key: TypedKey) -> None:
        """Make a key usable as long as somebody has it."""
        with self._arrival:
            self._keys[key.id] = key
            self._arrival.notify_all()

    def key_for(self, spec: Spec) -> Secret:
        """The key of a spec, empty where its server wants none. Raises NotReady or KeyEnded."""
        if spec.key_from == ENVIRONMENT:
            return environment_key(spec)
        if not spec.key_from:
            return Secret()
        with self._arrival:
            self._arrival.wait_for(lambda: spec.key_from in self._keys, self._wait_s)
            key = self._keys.get(spec.key_from)
        if not key or key.base_url != spec.base_url:
            raise KeyEnded(ENDED.format(server=spec.base_url))
        return key

    def to_line(self, now: float) -> bytes:
        """All keys whose sessions last, as a line of JSON for the pipe."""
        keys = list(self._keys.values())
        for key in keys:
            key.refresh(now)
        live = {key.id: [key.base_url, key.reveal()] for key in keys if key}
        return json.dumps(live).encode() + b"\n"

    def receive(self, line: bytes) -> None:
        """Hold the keys of such a line and no others."""
        sent = json.loads(line)
        for id_ in set(self._keys) - sent.keys():
            self._keys[id_].forget()
        with self._arrival:
            self._keys = {
                id_: self._keys.get(id_) or TypedKey(value, base_url, id_=id_)
                for id_, (base_url, value) in sent.items()
            }
            self._arrival.notify_all()

    def follow(self, pipe: Iterable[bytes]) -> None:
        """Receive keys on another thread, and end this process with the pipe, that is with its
        parent. What was under way is unfinished then, as after a kill.
        """
        self._wait_s = ON_ITS_WAY_S

        def read() -> None:
            try:
                for line in pipe:
                    self.receive(line)
            finally:  # also where the parent died while it wrote a line
                os._exit(0)

        threading.Thread(target=read, daemon=True, name="keys").start()


KEYS = KeyRing()  # of this process
