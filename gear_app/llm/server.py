"""A language model's server as it was configured: address, model, key, and how patient we are."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from gear_app.errors import BadInput

OPENAI = "https://api.openai.com/v1"
REPLY_TOKENS = 2048  # of one reply at most, its thinking included
CUT = "…"  # where an excerpt of what a server sent ends before its end
_KEY_LIKE = re.compile(r"\b(?:sk-|gsk_|xai-|AIza)[\w*-]{4,}")  # servers repeat keys with stars
# ASCII without quotes or backslashes: where text is quoted these may be written otherwise.
_KEY = re.compile(r"[!#-&(-\[\]-~]*")


class Preset(NamedTuple):
    """A kind of server: where it listens unless told otherwise, and what to know about it."""

    name: str
    address: str
    note: str


FROM_ENVIRONMENT, OTHER_SERVER = "From the environment", "Another server"
_OWN_KEY = "Wants a key only where it was started with one."
PRESETS = (
    Preset("OpenAI", OPENAI, "Wants a key, which its site gives out. What is asked is paid for."),
    Preset(
        "Ollama",
        "http://localhost:11434/v1",
        "Wants no key. Its models come with: ollama pull NAME",
    ),
    Preset("vLLM", "http://localhost:8000/v1", _OWN_KEY),
    Preset("llama.cpp", "http://localhost:8080/v1", _OWN_KEY),
    Preset(
        "LM Studio", "http://localhost:1234/v1", "Wants no key. Start its server under Developer."
    ),
    Preset(
        OTHER_SERVER,
        "",
        "Any server that speaks OpenAI's protocol; its address mostly ends in /v1.",
    ),
)


class Secret:
    """A key that only `reveal` shows; it cannot be pickled or copied field by field."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        """An empty one means that the server wants none."""
        self._value = value.strip()

    def reveal(self) -> str:
        """The key itself, for the one header it belongs in."""
        return self._value

    def forget(self) -> None:
        """Be empty from now on."""
        self._value = ""

    @property
    def ended(self) -> bool:
        """Whether it was there and may be used no more, as a typed key can be (llm.keys)."""
        return False

    def check(self) -> None:
        """Raise KeyEnded where it has ended."""

    def redact(self, text: str) -> str:
        """The text without the key, and without whatever else looks like one."""
        if len(self._value) > 3:  # shorter ones are placeholders, and would tear words apart
            text = text.replace(self._value, "[key]")
        return _KEY_LIKE.sub("[key]", text)

    def redact_cut(self, text: str) -> str:
        """As `redact`, and without a beginning of the key wherever the text was cut."""
        *cut, last = self.redact(text).split(CUT)
        return CUT.join([*map(self._without_beginning, cut), last])

    def _without_beginning(self, text: str) -> str:
        sizes = range(len(self._value) - 1, 0, -1)
        return next((text[:-size] for size in sizes if text.endswith(self._value[:size])), text)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(hidden)" if self._value else "Secret(none)"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written anywhere")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a server and how often to ask again. Times in seconds."""

    timeout_s: float = 120.0  # for a whole reply
    connect_s: float = 10.0
    retries: int = 5  # after the first attempt
    first_wait_s: float = 0.5  # doubles with every attempt
    longest_wait_s: float = 60.0  # a server that asks for more is not waited for
    failures: int = 3  # calls that failed one after another, until no more are made …
    rest_s: float = 30.0  # … for so long


@dataclass(frozen=True, slots=True)
class Spec:
    """A server and one of its models as a run or a job stores them: everything but the key.

    `key_from` says where the key is to be had: "" where the server wants none, "environment", or
    "session …" (llm.keys). It makes no difference to what is asked, so it is not compared and not
    in the JSON.
    """

    base_url: str
    model: str
    max_tokens: int = REPLY_TOKENS  # of one reply
    at_once: int = 8  # calls
    stream: bool = False
    key_from: str = field(default="", compare=False)

    def to_json(self) -> str:
        """Everything but where the key is."""
        fields: dict[str, Any] = dataclasses.asdict(self)
        del fields["key_from"]
        return json.dumps(fields, sort_keys=True)

    @classmethod
    def from_json(cls, text: str, key_from: str = "") -> Spec:
        """The spec that `to_json` wrote. Raises BadInput for anything else."""
        try:
            fields = json.loads(text)
            types = {name: type(fields[name]) for name in fields}
        except (ValueError, TypeError, RecursionError):
            types = {}
        if not types.keys() >= {"base_url", "model"} or not types.items() <= _STORED.items():
            raise BadInput(
                "What is stored of the language model here cannot be read: its file was changed, or"
                " written by another version. Choose a model and begin anew"
            )
        return cls(**fields, key_from=key_from)


_STORED = {"base_url": str, "model": str, "max_tokens": int, "at_once": int, "stream": bool}


@dataclass(frozen=True, slots=True)
class Server:
    """An OpenAI-compatible server and one of its models. Raises BadInput for what cannot be one."""

    base_url: str  # as in https://api.openai.com/v1
    model: str
    key: Secret = field(default_factory=Secret)
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = REPLY_TOKENS  # of one reply
    at_once: int = 8  # calls
    stream: bool = False
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        _check_address(self.base_url)
        if not _KEY.fullmatch(self.key.reveal()):
            raise BadInput("The key holds a character that no key has. Copy it again")
        if not self.model.strip():
            raise BadInput("Name the model to use, as the server calls it")
        if self.at_once < 1 or self.max_tokens < 1:
            raise BadInput(
                "A server must be allowed at least one call at once and one token a reply"
            )

    @classmethod
    def of(cls, spec: Spec, key: Secret) -> Server:
        """The server of a spec, with its key. Raises BadInput."""
        return cls(
            spec.base_url,
            spec.model,
            key,
            max_tokens=spec.max_tokens,
            at_once=spec.at_once,
            stream=spec.stream,
        )


def _check_address(address: str) -> None:
    """Raise BadInput where this is no address of a server. The message does not repeat it."""
    import httpx2  # 0.2 s

    try:
        parts = urlsplit(address)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        # The package that calls it is stricter: no control characters, a host with an ASCII name.
        httpx2.URL(address)
    except (ValueError, httpx2.InvalidURL):
        valid = False
    if not valid:
        raise BadInput(
            "The server's address must begin with http:// or https://, as in"
            " http://localhost:11434/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadInput(
            "The server's address must hold no name, password or question mark; give the key as a"
            " key"
        )
