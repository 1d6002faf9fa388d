"""How programs that speak the protocol are told of the server: an entry in their JSON files."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from gear_app.errors import BadInput
from gear_app.launch import launch

SERVER = "gear-app"  # its name in their files


class ClientFile(NamedTuple):
    """A program's file, in the user's home or, with a dot before it, in the folder one is in; and
    the word in it under which servers stand.
    """

    path: str
    servers: str = "mcpServers"


CLIENTS = {
    "claude-code": ClientFile("./.mcp.json"),
    "claude-desktop": ClientFile("Claude/claude_desktop_config.json"),
    "cursor": ClientFile(".cursor/mcp.json"),
    "gemini-cli": ClientFile(".gemini/settings.json"),
    "lm-studio": ClientFile(".lmstudio/mcp.json"),
    "vscode": ClientFile("./.vscode/mcp.json", "servers"),
    "windsurf": ClientFile(".codeium/windsurf/mcp_config.json"),
}


def file_of(client: str) -> Path:
    """Where the program has its file on this machine."""
    path = CLIENTS[client].path
    if path.startswith("./"):
        return Path(path)
    return (_settings() if client == "claude-desktop" else Path.home()) / path


def _settings() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home()))
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def entry(*arguments: str) -> dict[str, Any]:
    """What starts the server with these arguments, from any folder."""
    command, environment = launch("gear_app", "mcp", *arguments)
    paths = {name: environment[name] for name in ("PYTHONPATH",) if name in environment}
    return {"command": command[0], "args": command[1:], "env": paths}


def configuration(client: str, server: dict[str, Any], present: str = "") -> str:
    """The file with the server in it; what is in it at `present` stays. Raises BadInput where that
    cannot be read.
    """
    try:
        whole = json.loads(present) if present.strip() else {}
        servers = whole.setdefault(CLIENTS[client].servers, {})
        servers[SERVER] = server
    except (ValueError, AttributeError, TypeError) as error:
        raise BadInput(
            f"{file_of(client)} is no JSON that can be added to. Add the server by hand, as"
            f" `gear-app mcp install {client} --dry-run` prints it."
        ) from error
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
