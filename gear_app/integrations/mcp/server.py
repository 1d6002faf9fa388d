"""The tools behind the protocol: the one file that knows the SDK."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from gear_app import __version__
from gear_app.core.errors import GearError, NotReady
from gear_app.integrations.mcp.tools import NOTICE, McpTools

NAMES = (
    "search",
    "fetch",
    "search_with",
    "neighbours",
    "path",
    "why_not",
    "compare",
    "collections",
)
LOOPBACK = "127.0.0.1"


def serve(tools: McpTools, port: int | None = None) -> None:
    """Answer until the other side is gone: over standard input and output, or with a port over HTTP
    to programs of this machine alone. Raises NotReady without the SDK.
    """
    server = _server(tools)
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host=LOOPBACK, port=port)


def _server(tools: McpTools) -> Any:  # noqa: ANN401 - the SDK's, which need not be installed
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp_types import ToolAnnotations
    except ImportError as error:
        raise NotReady(
            "The Model Context Protocol needs its SDK. Run: pip install 'gear-app[mcp]'"
        ) from error

    class Server(MCPServer[Any]):
        """A server that tells wrong arguments in words."""

        async def call_tool(self, name: str, *arguments: Any) -> Any:  # noqa: ANN401
            try:
                return await super().call_tool(name, *arguments)
            except ToolError as error:
                if isinstance(error.__cause__, ValidationError):
                    raise ToolError(_wrong_arguments(name, error.__cause__)) from error
                raise

    server = Server(
        "gear-app",
        version=__version__,
        instructions=f"Multi-hop search in a person's own documents. {NOTICE}",
        log_level="WARNING",
    )
    one_at_a_time = threading.Lock()
    for name in NAMES:
        reads = ToolAnnotations(
            title=name.replace("_", " "), read_only_hint=True, open_world_hint=False
        )
        tool = _in_turn(getattr(tools, name), one_at_a_time)
        server.add_tool(tool, name=name, annotations=reads)
    return server


def _wrong_arguments(tool: str, error: ValidationError) -> str:
    problems = {
        str(problem["loc"][0]): problem["msg"].lower() for problem in reversed(error.errors())
    }
    words = "; ".join(f"{name}: {problem}" for name, problem in problems.items())
    return f"{tool} does not take these arguments. {words}."


def _in_turn(tool: Callable[..., Any], turn: threading.Lock) -> Callable[..., Any]:
    """The tool for one caller at a time, its errors told in their words."""
    from mcp.server.mcpserver.exceptions import ToolError

    @functools.wraps(tool)
    def call(*arguments: object, **named: object) -> object:
        try:
            with turn:
                return tool(*arguments, **named)
        except GearError as error:
            raise ToolError(str(error)) from error

    return call
