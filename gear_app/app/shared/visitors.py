"""Who a visitor is to this server: whose files, whose key, and which addresses."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import streamlit as st

from gear_app.core import demonstration
from gear_app.core.errors import BadInput
from gear_app.workspace.runs.request import Rights

_PUBLIC, _NAT64 = ipaddress.ip_network("2000::/3"), ipaddress.ip_network("64:ff9b::/96")
_FORWARDED = (
    "x-forwarded",
    "x-original",
    "x-envoy",
    "x-real-ip",
    "x-amzn",
    "cf-",
    "cdn-loop",
    "forwarded",
    "via",
)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPENED, EVERYONE = "GEAR_KEY_FOR", "everyone"
LookUp = Callable[[str], Iterable[str]]


def is_home() -> bool:
    """Whether this visitor sits at the server's machine; in a demonstration nobody does."""
    return not demonstration.is_on() and at_home(st.context.ip_address, st.context.headers)


def may_spend() -> bool:
    """Whether this visitor may spend the key in the server's environment; in a demonstration nobody
    may.
    """
    opened = os.environ.get(OPENED, "").strip().lower() == EVERYONE
    return is_home() or (opened and not demonstration.is_on())


def rights() -> Rights:
    """The rights of what this visitor asks for."""
    return Rights(spend=may_spend(), models=is_home())


def at_home(ip: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a visitor sits at the server's machine: only they may name files of it.

    Streamlit gives no address for loopback. A proxy on this machine looks like loopback too; it is
    told by the headers it adds, by the name it is called by, or by the page the visitor's browser
    came from.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    forwarded = any(name.startswith(_FORWARDED) or name.endswith("client-ip") for name in lower)
    host = lower.get("host", "").rsplit(":", 1)[0].strip("[]")
    return ip is None and not forwarded and host in LOOPBACK and _from_home(lower.get("origin"))


def _from_home(origin: str | None) -> bool:
    try:
        return origin is None or urlsplit(origin).hostname in LOOPBACK
    except ValueError:
        return False


def _looked_up(host: str) -> list[str]:
    return [str(info[4][0]) for info in socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)]


def check_address(base_url: str, look_up: LookUp = _looked_up) -> None:
    """Raise BadInput where a visitor from elsewhere may not have this address asked.

    They could else reach, through this server, what only this server can: itself and its network. A
    name that leads somewhere else later is no way in: over https the server there has to prove that
    it is the one named.
    """
    if not base_url.startswith("https://"):
        raise BadInput("From another machine only addresses that begin with https:// can be used")
    try:
        host = urlsplit(base_url).hostname or ""
        addresses = [ipaddress.ip_address(address.partition("%")[0]) for address in look_up(host)]
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{base_url} leads to no server that can be found. Is the address right?"
        ) from error
    if not addresses or not all(map(_public, addresses)):
        raise BadInput("From another machine no address of this server's own network can be used")


def _public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether everybody can reach an address; what stands for one of version 4 counts as that."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(address.packed[-4:])
        if inner or address not in _PUBLIC:
            return inner is not None and _public(inner)
    return address.is_global and not address.is_multicast
