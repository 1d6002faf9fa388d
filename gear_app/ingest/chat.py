"""Exports of chats to blocks: Slack's days, and what Discord's and Telegram's exporters write.

A message is a line with its time and who wrote it, "10:00 Mara Holt: The pump failed again."; the
document is called by its channel and day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from typing import Any

from gear_app.errors import BadInput
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.decode import decode

_LOOKS = re.compile(rb'"(?:ts|timestamp|date|date_unixtime)"\s*:')
_MARKUP = re.compile(r"<([@#!]?)([^<>|\s]+)(?:\|([^<>]*))?>")
_EVENT = re.compile(r"channel_|group_|bot_add|service|reminder")
People = Mapping[str, str]


def people(content: bytes) -> dict[str, str]:
    """The names in Slack's users.json by their ids; none where it is something else."""
    try:
        users = json.loads(content)
        named = {
            str(user["id"]): (user.get("profile") or {}).get("real_name")
            or user.get("real_name")
            or user.get("name")
            for user in users
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {id_: str(name) for id_, name in named.items() if name}


def read_chat(content: bytes, people: People) -> ReadDocument | None:
    """The messages of a file, or None where it has none. `people` are names by ids."""
    if not _LOOKS.search(content, 0, 4_000):
        return None
    try:
        value = json.loads(decode(content))
    except (BadInput, ValueError, RecursionError):
        return None
    found = value.get("messages") if isinstance(value, Mapping) else value
    messages = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
    if not messages or not all(_time(one) for one in messages) or not any(map(_author, messages)):
        return None
    marked = all("ts" in one or one.get("type") == "message" for one in messages)
    if not (isinstance(value, Mapping) or marked):
        return None
    try:
        return _read(value, messages, people)
    except RecursionError:
        return None


def _read(value: object, messages: list[Mapping[str, Any]], people: People) -> ReadDocument:
    document = ReadDocument(title=_channel(value))
    days = {f"{_time(message):%Y-%m-%d}" for message in messages}
    day = ""
    for message in messages:
        time = _time(message)
        assert time is not None
        if len(days) > 1 and day != (day := f"{time:%Y-%m-%d}"):
            document.add(BlockKind.HEADING, day, level=2)
        _add(document, message, time, people)
    return document


def _add(
    document: ReadDocument, message: Mapping[str, Any], time: datetime, people: People
) -> None:
    if _EVENT.match(str(message.get("subtype") or message.get("type"))):
        document.left_out["event"] += 1
        return
    files = message.get("files") or message.get("attachments")
    document.left_out["file"] += len(files) if isinstance(files, list) else 0
    author = people.get(str(message.get("user")), "") or _author(message) or "somebody"
    words = " ".join(_words(message.get("text") or message.get("content") or "", people).split())
    if words:
        document.add(BlockKind.PAIR, f"{time:%H:%M} {author}: {words}")


def _author(message: Mapping[str, Any]) -> str:
    """Who wrote a message, as it says itself."""
    profile, author = message.get("user_profile"), message.get("author")
    for holder in (profile, author):
        if isinstance(holder, Mapping):
            for name in ("real_name", "nickname", "name"):
                if holder.get(name):
                    return str(holder[name])
    told = (message.get(name) for name in ("username", "from", "author", "user"))
    return next((one for one in told if isinstance(one, str) and one), "")


def _time(message: Mapping[str, Any]) -> datetime | None:
    for name in ("ts", "date_unixtime", "timestamp", "date"):
        given = message.get(name)
        try:
            if isinstance(given, str) and not given.replace(".", "", 1).isdigit():
                return datetime.fromisoformat(given)
            if given:
                return datetime.fromtimestamp(float(given), UTC)
        except (ValueError, TypeError, OverflowError, OSError):
            continue
    return None


def _channel(value: object) -> str:
    if not isinstance(value, Mapping):
        return ""
    channel = value.get("channel")
    name = channel.get("name") if isinstance(channel, Mapping) else value.get("name")
    return str(name or "")


def _words(text: object, people: People) -> str:
    """A text with names for ids; Telegram's comes in parts."""
    if isinstance(text, list):
        return "".join(_words(part, people) for part in text)
    if isinstance(text, Mapping):
        return _words(text.get("text") or "", people)

    def shown(found: re.Match[str]) -> str:
        sign, id_, label = found.groups()
        return label or (people.get(id_, id_) if sign == "@" else id_)

    return unescape(_MARKUP.sub(shown, str(text)))
