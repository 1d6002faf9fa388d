"""The errors of a server: what is inside them, whether asking again helps, and what is said of them
in a person's words.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gear_app.errors import ClusterFailed
from gear_app.opensearch.address import API_KEY, CA, PASSWORD, URL, USER, ClusterAddress
from gear_app.opensearch.schema import Json

PAUSES_S = (0.5, 1.0, 2.0, 4.0)  # before a node that had no room for a request is asked again
_DIED = frozenset(("node_disconnected_exception", "node_not_connected_exception"))
_NO_MEMORY = "circuit_breaking_exception"  # "Data too large"
_GONE = "index_not_found_exception"
_NO_ROOM = frozenset((_NO_MEMORY, "rejected_execution_exception"))


class Retries:
    """How often one request was sent again so far: once at once where a node died while it
    answered, as another may have the same data; a few times, later and later, where a node had no
    memory or no place in its queue.
    """

    def __init__(self) -> None:
        self._died, self._pauses = False, iter(PAUSES_S)

    def pause(self, errors: Collection[Any]) -> float | None:
        """Seconds to wait before what failed with these errors is sent again. None: it is not, as
        that would not help, or was tried often enough.
        """
        if not all(died(error) or no_room(error) for error in errors):
            return None
        if any(map(no_room, errors)):
            return next(self._pauses, None)
        first, self._died = not self._died, True
        return 0.0 if first else None


def causes(error: Any) -> list[Json]:  # noqa: ANN401
    """An error of the server and all those inside it."""
    if not isinstance(error, dict):
        return []
    inside = [error.get("caused_by"), *(error.get("root_cause") or ())]
    shards = error.get("failed_shards") or ()
    inside += [shard.get("reason") for shard in shards if isinstance(shard, dict)]
    return [error, *(cause for one in inside for cause in causes(one))]


def died(error: Any) -> bool:  # noqa: ANN401
    """Whether a node was lost while it answered."""
    return _is_any(error, _DIED)


def no_room(error: Any) -> bool:  # noqa: ANN401
    """Whether a node had no memory for a request, or no place in its queue."""
    return _is_any(error, _NO_ROOM)


def no_memory(error: Any) -> bool:  # noqa: ANN401
    """Whether it was memory."""
    return _is_any(error, (_NO_MEMORY,))


def gone(error: Any) -> str:  # noqa: ANN401
    """The index that was asked for and is not there; "" for other errors."""
    names = [
        str(cause.get("index") or cause.get("resource.id") or "an index")
        for cause in causes(error)
        if cause.get("type") == _GONE
    ]
    return names[0] if names else ""


def reason(error: Any) -> str:  # noqa: ANN401
    """The innermost reason, in the server's words."""
    reasons = [str(cause["reason"]) for cause in causes(error) if cause.get("reason")]
    return reasons[-1][:300] if reasons else str(error)[:300]


def of_answer(status: Any, info: Any) -> Any:  # noqa: ANN401
    """The error in an answer with this status; what stands before a cluster may say in other words
    than the server's that there is too much to do.
    """
    error = info.get("error") if isinstance(info, dict) else None
    if error is None and status == 429:
        return {"type": "rejected_execution_exception", "reason": str(info)}
    return error


def _is_any(error: Any, types: Collection[str]) -> bool:  # noqa: ANN401
    return any(cause.get("type") in types for cause in causes(error))


def not_opensearch(address: ClusterAddress) -> ClusterFailed:
    """Something else answers there."""
    return ClusterFailed(
        f"At {address} something answers that is not OpenSearch. Check the address and its port."
    )


def explained(error: Exception, address: ClusterAddress) -> ClusterFailed:
    """The error of a call in a person's words."""
    from opensearchpy import exceptions

    text = str(error)
    if isinstance(error, exceptions.AuthenticationException):
        return ClusterFailed(
            f"{address} does not accept the password. Check {USER} and {PASSWORD}, or {API_KEY};"
            f" they are shown only to the cluster that {URL} or --index names."
        )
    if isinstance(error, exceptions.AuthorizationException):
        return ClusterFailed(
            f"{address} does not allow this to the user of {USER}: {_said(error)}. The roles that"
            " are needed stand in docs/opensearch.md."
        )
    if isinstance(error, exceptions.SSLError):
        if "CERTIFICATE_VERIFY_FAILED" in text:
            return _untrusted(text, address)
        return ClusterFailed(
            f"{address} does not speak TLS. Use an http:// address, or switch TLS on there."
        )
    if isinstance(error, exceptions.ConnectionTimeout):
        return ClusterFailed(
            f"{address} did not answer in time. See whether its nodes are busy or stopped."
        )
    if isinstance(error, exceptions.ConnectionError):
        if "RemoteDisconnected" in text or "Connection aborted" in text:
            return ClusterFailed(
                f"{address} closed the connection without an answer. If it speaks TLS, use an"
                " https:// address."
            )
        return ClusterFailed(
            f"{address} cannot be reached. Check the address, and whether the cluster runs."
        )
    if isinstance(error, exceptions.SerializationError):
        return not_opensearch(address)
    return ClusterFailed(f"{address} refused the request: {_said(error)}")


def _untrusted(text: str, address: ClusterAddress) -> ClusterFailed:
    """What is wrong with a certificate, by OpenSSL's words (X509_verify_cert_error_string) and
    those of Python's ssl.
    """
    if "ostname mismatch" in text or "IP address mismatch" in text:
        return ClusterFailed(
            f"The certificate of {address} is of another name. Use the name that it was made for,"
            " or make one that has this name too (subjectAltName)."
        )
    if "has expired" in text or "not yet valid" in text:
        return ClusterFailed(
            f"The certificate of {address}, or of the authority that signed it, has expired or is"
            " not valid yet. Renew it on the nodes, or set this machine's clock."
        )
    return ClusterFailed(
        f"The certificate of {address} is not trusted. Set {CA} to the file of the authority that"
        " signed it."
    )


def _said(error: Exception) -> str:
    info = getattr(error, "info", None)
    return reason(info.get("error", info)) if isinstance(info, dict) else str(error)[:300]
