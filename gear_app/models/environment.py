"""The language model and the embeddings server that the environment names, and its key.

The key is handed on as a Secret and written nowhere.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from gear_app.core.errors import NotReady
from gear_app.models.server import OPENAI, Secret, Server, Spec

KEY, ADDRESS, MODEL = "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL"
ENVIRONMENT = "environment"  # a spec's `key_from`


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
    Server.of(spec, Secret(key))  # raises now for what cannot be used
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
