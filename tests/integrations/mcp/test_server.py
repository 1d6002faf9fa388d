"""The server asked by the SDK's own client, over standard input and output, as programs ask it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import socket
import subprocess
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli.serve import entry
from gear_app.integrations.mcp.server import NAMES
from tests.ports import free_port
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import filled

Asked = Callable[[Any], Awaitable[None]]


def _ask(folder: Path, asked: Asked) -> None:
    """Let `asked` have a client of a server over the small collection."""
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    from mcp.client.stdio import StdioServerParameters

    server = entry("--workspace", str(filled(folder).path))
    variables = server["env"] | {"GEAR_EMBEDDER": "hashing"}
    _talk(
        StdioServerParameters(command=server["command"], args=server["args"], env=variables), asked
    )


def _talk(server: Any, asked: Asked) -> None:
    from mcp import Client

    async def talk() -> None:
        async with Client(server) as client:
            await asked(client)

    async def in_time() -> None:
        await asyncio.wait_for(talk(), 120)

    with ThreadPoolExecutor(1) as apart:  # this thread may have a browser's loop already
        apart.submit(lambda: asyncio.run(in_time())).result()


def test_a_client_finds_the_tools_searches_and_fetches(tmp_path: Path) -> None:
    async def asked(client: Any) -> None:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == set(NAMES)
        assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
        search = next(tool for tool in tools if tool.name == "search")
        assert list(search.input_schema["properties"]) == ["query"]
        found = await client.call_tool("search", {"query": QUESTION})
        reply = json.loads(found.content[0].text)
        assert reply == found.structured_content and reply["see"].endswith(reply["run"])
        text = await client.call_tool("fetch", {"id": reply["results"][0]["id"]})
        assert text.structured_content["title"] == reply["results"][0]["title"]

    _ask(tmp_path, asked)


def test_over_http_programs_of_this_machine_are_answered_and_no_others(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    port = free_port()
    server = entry("--workspace", str(filled(tmp_path).path), "--http", str(port))
    variables = os.environ | server["env"] | {"GEAR_EMBEDDER": "hashing"}
    command = [server["command"], *server["args"]]

    async def asked(client: Any) -> None:
        found = await client.call_tool("search", {"query": QUESTION})
        assert found.structured_content["results"]

    with subprocess.Popen(command, env=variables, stdout=-3, stderr=-3) as answering:
        try:
            until(lambda: _answers(port))
            _talk(f"http://127.0.0.1:{port}/mcp", asked)
            for header, value, status in (
                ("Host", "gear.example", 421),
                ("Origin", "http://gear.example", 403),
            ):
                assert _status(port, header, value) == status
        finally:
            answering.terminate()


def _answers(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def _status(port: int, header: str, value: str) -> int:
    caller = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    accepted = {"Accept": "application/json, text/event-stream"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    headers = accepted | {"Content-Type": "application/json", header: value}
    caller.request("POST", "/mcp", body, headers)
    status = caller.getresponse().status
    caller.close()
    return status
