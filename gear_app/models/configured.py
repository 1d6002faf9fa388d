"""The language model that the environment names. The key is handed on as a Secret and written nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gear_app.errors import NotReady
from gear_app.models.server import Secret, Server

KEY, ADDRESS, MODEL = "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL"
OPENAI = "https://api.openai.com/v1"


def configured(environment: Mapping[str, str] | None = None) -> Server:
    """The server and model of the environment. Without an address it is OpenAI's, which wants a key.

    Raises NotReady where a variable is missing, and BadInput where one cannot be used.
    """
    values = os.environ if environment is None else environment
    key, address, model = (values.get(name, "").strip() for name in (KEY, ADDRESS, MODEL))
    missing = [*([] if model else [MODEL]), *([] if key or address else [f"{KEY} or {ADDRESS}"])]
    if missing:
        raise NotReady(
            f"No language model is configured: {' and '.join(missing)} must be set. {MODEL} is the model's name as its"
            f" server calls it, {KEY} the key, and {ADDRESS} the address of any server that speaks OpenAI's protocol,"
            f" as in http://localhost:11434/v1; without it, OpenAI's. Without a language model use the local parts."
        )
    return Server(address or OPENAI, model, Secret(key))
