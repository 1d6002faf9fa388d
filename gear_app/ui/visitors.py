"""Who a visitor is to this server, and what follows: whose files, whose key, which addresses (decision 0016)."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import streamlit as st

from gear_app.errors import BadInput

LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPENED, EVERYONE = "GEAR_KEY_FOR", "everyone"
Found = Callable[[str], Iterable[str]]


def is_home() -> bool:
    """Whether this visitor sits at the server's machine."""
    return at_home(st.context.ip_address, st.context.headers)


def may_spend() -> bool:
    """Whether this visitor may spend the key in the server's environment."""
    return is_home() or os.environ.get(OPENED, "").strip().lower() == EVERYONE


def at_home(ip: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a visitor sits at the server's machine: only they may name files of it.

    Streamlit gives no address for loopback. A proxy on this machine looks like loopback too; it is told by the
    headers it adds, by the name it is called by, or by the page the visitor's browser came from.
    """
    known = {name.lower(): value for name, value in headers.items()}
    forwarded = any(name in known for name in ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"))
    host = known.get("host", "").rsplit(":", 1)[0].strip("[]")
    return ip is None and not forwarded and host in LOOPBACK and _from_home(known.get("origin"))


def _from_home(origin: str | None) -> bool:
    try:
        return origin is None or urlsplit(origin).hostname in LOOPBACK
    except ValueError:
        return False


def _looked_up(host: str) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)]


def check_address(base_url: str, look_up: Found = _looked_up) -> None:
    """Raise BadInput where a visitor from elsewhere may not have this address asked.

    They could else reach, through this server, what only this server can: itself and its network. A name that leads
    somewhere else later is no way in: over https the server there has to prove that it is the one named.
    """
    if not base_url.startswith("https://"):
        raise BadInput("From another machine only addresses that begin with https:// can be used")
    try:
        host = urlsplit(base_url).hostname or ""
        found = [ipaddress.ip_address(one.partition("%")[0]) for one in look_up(host)]
    except (OSError, ValueError) as error:
        raise BadInput(f"{base_url} leads to no server that can be found. Is the address right?") from error
    if not found or not all(one.is_global and not one.is_multicast for one in found):
        raise BadInput("From another machine no address of this server's own network can be used")
