"""HTML that cannot forget to escape: a child that is not `Html` already is text."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Html(str):
    """Markup made here. Plain strings are text and get escaped."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Html:
    """`<name attributes>children</name>`; `class_` is written `class`, `data_x` is written
    `data-x`, None is left out.

    Children and attribute values are escaped unless they are `Html`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[object], between: str = "") -> Html:
    """Children in a row, escaped unless `Html`; `between` is text."""
    return Html(html.escape(between).join(escaped(child) for child in children))


def escaped(value: object) -> Html:
    """The value as text, unless it is `Html` already."""
    return value if isinstance(value, Html) else Html(html.escape(str(value), quote=True))
