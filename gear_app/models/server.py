"""A language model's server as it was configured, also by the environment: address, model, key, and
how patient we are.

A key is written nowhere. The web process holds each typed key for one browser session, in memory
alone, and writes all of them to the pipe that is its worker's standard input. A run stores the id
of its key and never the key.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import threading
import weakref
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from gear_app.core.errors import BadInput, NotReady
from gear_app.models.errors import KeyEnded

KEY, ADDRESS, MODEL = "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL"
ENVIRONMENT = "environment"  # a spec's `key_from`
OPENAI = "https://api.openai.com/v1"
REPLY_TOKENS = 2048  # of one reply at most, its thinking included
# Where that is set.
REPLY_LIMIT = "--reply-tokens, or “Tokens of one reply at most” on the page Settings"
_KEY_LIKE = re.compile(r"\b(?:sk-|gsk_|xai-|AIza)[\w*-]{4,}")  # servers repeat keys with stars
# ASCII without quotes or backslashes: where text is quoted these may be written otherwise.
_KEY = re.compile(r"[!#-&(-\[\]-~]*")
_ADDRESS = re.compile(
    r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:0*[1-9]\d{0,3}|:[1-5]\d{4}|:6[0-4]\d{3}|:65[0-4]\d\d)?"
    r"(/[!\"$-;=@-~]*)?",
    re.ASCII,
)


FROM_ENVIRONMENT, OTHER_SERVER = "From the environment", "Another server"
_OPTIONAL_KEY = "Needs a key only where it was started with one."
# The usual address of each kind of server, and what to know about it.
PRESETS = {
    "OpenAI": (OPENAI, "Needs a key from its site. Each question costs money."),
    "Ollama": (
        "http://localhost:11434/v1",
        "Wants no key. Its models come with: ollama pull NAME",
    ),
    "vLLM": ("http://localhost:8000/v1", _OPTIONAL_KEY),
    "llama.cpp": ("http://localhost:8080/v1", _OPTIONAL_KEY),
    "LM Studio": (
        "http://localhost:1234/v1",
        "Wants no key. Start its server under Developer.",
    ),
    OTHER_SERVER: (
        "",
        "Any server that speaks OpenAI's protocol; its address mostly ends in /v1.",
    ),
}


class Secret:
    """A key that only `reveal` shows; it cannot be pickled or copied field by field."""

    def __init__(self, value: str = "") -> None:
        self._value = value.strip()

    def reveal(self) -> str:
        """The key itself, for the one header it belongs in."""
        return self._value

    def forget(self) -> None:
        """Be empty from now on."""
        self._value = ""

    def check(self) -> None:
        """Raise KeyEnded where the key has ended, as a typed one can."""

    def redact(self, text: str) -> str:
        """The text without the key, and without whatever else looks like one."""
        if len(self._value) > 3:  # shorter ones are placeholders, and would tear words apart
            text = text.replace(self._value, "[key]")
        return _KEY_LIKE.sub("[key]", text)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(hidden)" if self._value else "Secret(none)"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._value == other._value

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written anywhere")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a server and how often to ask again. Times in seconds."""

    timeout_s: float = 120.0  # for a whole reply
    connect_s: float = 10.0
    retries: int = 5  # after the first attempt, where a server is busy or not reached
    failures: int = 3  # calls that failed one after another, until no more are made …
    rest_s: float = 30.0  # … for so long


@dataclass(frozen=True)
class Spec:
    """A server and one of its models as a run or a job stores them: everything but the key."""

    base_url: str
    model: str
    max_tokens: int = REPLY_TOKENS  # of one reply
    at_once: int = 8  # calls
    # "" where the server wants no key, "environment", or the id of a typed one.
    key_from: str = field(default="", compare=False)

    def to_json(self) -> str:
        """Everything but where the key is."""
        return json.dumps(
            {name: value for name, value in vars(self).items() if name != "key_from"},
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, text: str, key_from: str = "") -> Spec:
        """The spec that `to_json` wrote. Raises BadInput for anything else."""
        try:
            return cls(**json.loads(text), key_from=key_from)
        except (ValueError, TypeError, RecursionError) as error:
            raise BadInput(
                "What is stored of the language model here cannot be read: its file was changed, or"
                " written by another version. Choose a model and begin anew"
            ) from error


@dataclass(frozen=True)
class Server(Spec):
    """A spec with its key, ready to be asked. Raises BadInput for what cannot be a server."""

    key: Secret = field(default_factory=Secret)
    patience: Patience = field(default_factory=Patience)
    temperature: ClassVar[float] = 0.0
    seed: ClassVar[int] = 0

    def __post_init__(self) -> None:
        # No message repeats what was typed: it may hold a key.
        if not _ADDRESS.fullmatch(str(self.base_url)):
            raise BadInput(
                "The server's address must begin with http:// or https://, as in"
                " http://localhost:11434/v1, and hold no name, password or question mark; give the"
                " key as a key"
            )
        if not _KEY.fullmatch(self.key.reveal()):
            raise BadInput("The key holds a character that no key has. Copy it again")
        if not self.model.strip():
            raise BadInput("Name the model to use, as the server calls it")
        if self.at_once < 1 or self.max_tokens < 1:
            raise BadInput(
                "A server must be allowed at least one call at once and one token a reply"
            )


def spec_from_environment() -> Spec:
    """The server and model of the environment; without an address OpenAI's, which wants a key.

    Raises NotReady where a variable is missing, and BadInput where one cannot be used.
    """
    key, address, model = _values()
    missing = [*([] if model else [MODEL]), *([] if key or address else [f"{KEY} or {ADDRESS}"])]
    if missing:
        raise NotReady(
            f"No language model is configured: {' and '.join(missing)} must be set. {MODEL} is the"
            f" model's name as its server calls it, {KEY} the key, and {ADDRESS} the address of any"
            " server that speaks OpenAI's protocol, as in http://localhost:11434/v1; without it,"
            " OpenAI's. Without a language model use the local parts."
        )
    spec = Spec(address or OPENAI, model, key_from=ENVIRONMENT if key else "")
    Server(**vars(spec), key=Secret(key))  # raises now for what cannot be used
    return spec


def embedding_server(model: str) -> Server:
    """The environment's server for this embedding model. Raises NotReady or BadInput."""
    key, address, _ = _values()
    if not key and not address:
        raise NotReady(
            f"No server is configured for the embedding model {model!r}: {KEY} or {ADDRESS} must be"
            " set, OpenAI's key or the address of any server that speaks its protocol. Without a"
            " server leave GEAR_EMBEDDER unset."
        )
    return Server(address or OPENAI, model, key=Secret(key))


def environment_key(spec: Spec) -> Secret:
    """The key of the environment, for its own server alone. Raises NotReady for any other."""
    key, address, _ = _values()
    if not key or spec.base_url != (address or OPENAI):
        raise NotReady(
            f"The key for {spec.base_url} was in the environment, where it is no more. Set {KEY}"
            f" and {ADDRESS} again, or choose a model on the page Settings."
        )
    return Secret(key)


def proxy_for(base_url: str) -> str | None:
    """The environment's proxy where it may be used for this server.

    Only over https, and where the environment or we named the address: the proxy would else read
    the key of a server over http, or reach for a visitor what only the proxy can.
    """
    host, proxies = urlsplit(base_url).hostname or "", getproxies()
    named = base_url in (_values()[1], OPENAI) and base_url.startswith("https:")
    local = host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host)
    return (proxies.get("https") or proxies.get("all")) if named and not local else None


def _values() -> tuple[str, str, str]:
    key, address, model = (os.environ.get(name, "").strip() for name in (KEY, ADDRESS, MODEL))
    return key, address, model


# Keys typed in browsers

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

    def register(self, key: TypedKey) -> None:
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

    def line_for_worker(self, now: float) -> bytes:
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

    def receive_from(self, pipe: Iterable[bytes]) -> None:
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
