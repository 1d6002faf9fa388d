"""What went wrong between here and a cluster, in a person's words."""

from __future__ import annotations

from gear_app.errors import ClusterFailed
from gear_app.opensearch import faults
from gear_app.opensearch.address import API_KEY, CA, PASSWORD, URL, USER, ClusterAddress


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
            " are needed stand in docs/cluster.md."
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
    return faults.reason(info.get("error", info)) if isinstance(info, dict) else str(error)[:300]
