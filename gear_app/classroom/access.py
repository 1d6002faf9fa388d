"""What a server that is open for a class is told at its start, and the links that lead into it."""

from __future__ import annotations

import os
from urllib.parse import urlencode, urlsplit

TOKEN_VARIABLE = "GEAR_OPERATOR"  # noqa: S105 - a name
ADDRESS_VARIABLE = "GEAR_CLASS_ADDRESS"
PARAMETER = "operator"
JOIN = "/join"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def operator_token() -> str:
    """The operator's secret, given by `gear-app serve --class`; "" where everybody may do all."""
    return os.environ.get(TOKEN_VARIABLE, "")


def class_address() -> str:
    """The address that learners are given; "" where the server is not open for a class."""
    return os.environ.get(ADDRESS_VARIABLE, "")


def with_token(address: str, token: str) -> str:
    """The operator's link to a server; the address itself where there is no token."""
    return f"{address}/?{urlencode({PARAMETER: token})}" if token else address


def join_link(address: str, code: str) -> str:
    """The link by which a class is joined."""
    return f"{address}{JOIN}?{urlencode({'code': code})}"


def follow_link(address: str, code: str) -> str:
    """The link by which a presentation is followed."""
    return f"{address}{JOIN}?{urlencode({'follow': code})}"


def learners_address(own: str, given: str) -> str:
    """The address for learners, of that in the teacher's own address bar, `own`, and the one that
    the server was `given` at its start.

    A teacher who came by another name than loopback's, such as through a proxy, has the name that
    others reach the server by in front of her.
    """
    parts = urlsplit(own)
    if parts.hostname in LOOPBACK and given:
        return given
    return f"{parts.scheme}://{parts.netloc}"
