"""Servers that speak OpenAI's protocol, where they usually are."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.llm.environment import OPENAI


class Preset(NamedTuple):
    """A kind of server: where it listens unless told otherwise, and what is to be known about
    it.
    """

    name: str
    address: str
    note: str


ENVIRONMENT, OTHER = "From the environment", "Another server"
PRESETS = (
    Preset("OpenAI", OPENAI, "Wants a key, which its site gives out. What is asked is paid for."),
    Preset(
        "Ollama",
        "http://localhost:11434/v1",
        "Wants no key. Its models come with: ollama pull NAME",
    ),
    Preset("vLLM", "http://localhost:8000/v1", "Wants a key only where it was started with one."),
    Preset(
        "llama.cpp", "http://localhost:8080/v1", "Wants a key only where it was started with one."
    ),
    Preset(
        "LM Studio", "http://localhost:1234/v1", "Wants no key. Start its server under Developer."
    ),
    Preset(OTHER, "", "Any server that speaks OpenAI's protocol; its address mostly ends in /v1."),
)
