"""What ingest says of one file, and rows as a file of JSON lines."""

from __future__ import annotations

import json

from gear_app.ingest import FileReport, Limits, read_files


def report(name: str, content: bytes, limits: Limits | None = None) -> FileReport:
    """The report of a file that is imported alone."""
    (only,) = read_files([(name, content)], limits).reports
    return only


def json_lines(*rows: object) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def failure(name: str, content: bytes, limits: Limits | None = None) -> str:
    """What is said of a file that is refused."""
    found = report(name, content, limits)
    assert found.status == "failed", found
    return found.message
