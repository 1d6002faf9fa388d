"""Exports of chats: who said what and when, and nothing of what programs add."""

from __future__ import annotations

import json

import pytest

from gear_app.ingest import Batch, read_files
from tests.ingest.make import make_zip


def imported(name: str, value: object) -> Batch:
    return read_files([(name, json.dumps(value).encode())])


def test_messages_of_slack_have_their_authors_and_times() -> None:
    users = [
        {"id": "U7", "name": "ida", "profile": {"real_name": "Ida Brand"}},
        {"id": "U8", "name": "karl"},
    ]
    day = [
        {"type": "message", "subtype": "channel_join", "user": "U7", "text": "x", "ts": "1709280000.1"},
        {"type": "message", "user": "U7", "text": "Ask <@U8> &amp; <#C1|office>.", "ts": "1709283600.2"},
        {"type": "message", "user": "U9", "user_profile": {"real_name": "Bo Hale"}, "text": "See <http://a.b|the list>", "ts": "1709287200"},
        {"type": "message", "user": "U8", "text": "", "files": [{"name": "a.jpg"}], "ts": "1709287300"},
    ]  # fmt: skip
    files = {"users.json": users, "channels.json": [{"id": "C1"}], "kiln/2024-03-01.json": day}
    zipped = make_zip({name: json.dumps(value).encode() for name, value in files.items()})
    batch = read_files([("export.zip", zipped)])
    (document,) = batch.documents
    assert document.title == "kiln 2024-03-01"
    assert document.text == ("09:00 Ida Brand: Ask karl & office.\n10:00 Bo Hale: See the list")
    assert [(report.name.partition("/")[2], report.message) for report in batch.reports] == [
        ("channels.json", "says what channels there are; their messages lie in their folders"),
        ("kiln/2024-03-01.json", "1 document, 1 passage; left out: 1 event, 1 file"),
        ("users.json", "names of 2 people, taken for the messages beside it"),
    ]


def test_an_export_of_several_days_is_under_their_dates() -> None:
    telegram = {
        "name": "Boat club",
        "messages": [
            {"type": "service", "date": "2024-03-01T09:00:00", "from": "Bo", "text": "joined"},
            {"type": "message", "date": "2024-03-01T10:05:00", "from": "Bo Hale",
             "text": ["The ", {"type": "bold", "text": "rope"}, " is wet."]},
            {"type": "message", "date": "2024-03-02T08:00:00", "from": "Ida Brand", "text": "Dry it."},
        ],
    }  # fmt: skip
    (document,) = imported("result.json", telegram).documents
    assert document.title == "Boat club"
    assert document.text == (
        "2024-03-01\n\n10:05 Bo Hale: The rope is wet.\n\n2024-03-02\n\n08:00 Ida Brand: Dry it."
    )


def test_messages_of_discord_are_read_too() -> None:
    discord = {
        "channel": {"name": "pier"},
        "messages": [
            {"timestamp": "2024-03-01T10:00:00+00:00", "author": {"name": "mara"}, "content": "Low tide."}
        ],
    }  # fmt: skip
    (document,) = imported("pier.json", discord).documents
    assert (document.title, document.text) == ("pier", "10:00 mara: Low tide.")


@pytest.mark.parametrize(
    "value",
    [
        [{"id": "a", "title": "A", "text": "Text.", "date": "2024-03-01"}],
        [{"id": "a", "text": "Text.", "ts": "yesterday", "user": "U1"}],
        [{"id": "a1", "title": "Ice", "date": "2020-01-01", "author": "Ann", "text": "It melts."}],
        {"messages": [{"role": "user", "content": "Hello.", "date": 5}, {"content": "x"}]},
    ],
)
def test_what_only_looks_so_is_no_chat(value: object) -> None:
    reports = imported("a.json", value).reports
    assert "document" not in reports[0].message
