"""Where a cluster is and how to log in: addresses as a person gives them, secrets from the
environment alone.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from gear_app.core.errors import BadInput

URL = "GEAR_OPENSEARCH_URL"
USER, PASSWORD = "GEAR_OPENSEARCH_USER", "GEAR_OPENSEARCH_PASSWORD"
API_KEY, CA = "GEAR_OPENSEARCH_API_KEY", "GEAR_OPENSEARCH_CA"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A cluster's nodes and what is shown to them. Its text never holds a secret."""

    nodes: tuple[str, ...]
    login: tuple[str, str] | None = field(default=None, repr=False)
    api_key: str = field(default="", repr=False)
    ca: str = ""

    def __str__(self) -> str:
        return ",".join(self.nodes)


def address_of(text: str, environment: Mapping[str, str] | None = None) -> ClusterAddress:
    """The cluster at these addresses, with commas between, as the environment logs in to it.

    Only the cluster that the environment names is shown the login: the address of another may come
    out of a workspace file that somebody sent. Raises BadInput for what is no address, and where a
    secret would travel or be kept in the open.
    """
    values = os.environ if environment is None else environment
    nodes = _nodes(text)
    if not nodes:
        raise BadInput(
            f"No cluster is named. Give its address, as in https://search:9200, or set {URL}."
        )
    user, password, api_key, ca = (
        values.get(name, "").strip() for name in (USER, PASSWORD, API_KEY, CA)
    )
    if not set(nodes) <= set(_nodes(values.get(URL, ""))):
        user = password = api_key = ""
    for node in nodes:
        if (password or api_key) and not node.startswith("https://") and not _is_here(node):
            raise BadInput(
                f"{node} would be sent the password unencrypted. Use an https:// address."
            )
    if ca and not Path(ca).is_file():
        raise BadInput(f"{CA} names {ca}, which is no file. It must be a certificate (PEM).")
    return ClusterAddress(nodes, (user, password) if user else None, api_key, ca)


def _nodes(text: str) -> tuple[str, ...]:
    return tuple(_node(part.strip()) for part in text.split(",") if part.strip())


def _node(text: str) -> str:
    try:
        parts = urlsplit(text)
        given = parts.port
    except ValueError as error:
        raise _no_address(text) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _no_address(text)
    if parts.username or parts.password:
        raise BadInput(
            f"The address of {parts.hostname} holds a password. Addresses are stored and shown: set"
            f" {USER} and {PASSWORD} instead."
        )
    port = given or (443 if parts.scheme == "https" else 9200)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _no_address(text: str) -> BadInput:
    given_words = "What is given" if "@" in text else repr(text)  # it may hold a password
    return BadInput(
        f"{given_words} is no address of a cluster. It looks like https://search.example.org:9200."
    )


def _is_here(node: str) -> bool:
    """Whether it is this machine, by its address or as localhost: what begins like such an address
    is the name of any machine.
    """
    host = urlsplit(node).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
