"""A lesson's texts: Markdown, in which Jinja prints values of a run and `[Name]` lights up."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping

from jinja2 import StrictUndefined, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from markdown_it import MarkdownIt

from gear_app.core.text import normalise_entity
from gear_app.display.markup import Html, tag
from gear_app.language.numbers import NUMBER_WORDS, ORDINALS, number_in

Value = str | float
Functions = Mapping[str, Callable[..., Value]]
_PRINTED = re.compile("\ue000([0-9]+)\ue001")
_NAME = re.compile(r"\[([^\[\]]+)\]")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")


def words(value: Value) -> str:
    """A value as a text prints it."""
    return value if isinstance(value, str) else f"{value:g}"


def equals(value: Value, stated: str) -> bool:
    """Whether words state a value; a number in digits or words."""
    if isinstance(value, str):
        return normalise_entity(stated) == normalise_entity(value)
    return number_in(stated) == value


def _nth(value: Value, names: list[str], first: int) -> Value:
    place = -1 if isinstance(value, str) else int(value) - first
    return names[place] if 0 <= place < len(names) else value


@pass_context
def _print(context: Context, value: Value) -> str:
    """A mark in the place of a value, which is no Markdown."""
    context["printed"].append(value)
    return f"\ue000{len(context['printed']) - 1}\ue001"


_TEXTS, _VALUES = (
    SandboxedEnvironment(undefined=StrictUndefined, finalize=finalize)
    for finalize in (_print, None)
)
_TEXTS.filters |= {
    "word": lambda value: _nth(value, NUMBER_WORDS, 0),
    "ordinal": lambda value: _nth(value, ORDINALS, 1),
    "round": lambda value, digits: f"{value:.{digits}f}",
}


def rendered(text: str, functions: Functions, name: Callable[[str], Html]) -> Html:
    """A text as HTML; `name` gives what stands for a name. Raises jinja2.TemplateError and what the
    functions raise.
    """
    printed: list[Value] = []
    page = _MARKDOWN.render(_TEXTS.from_string(text).render(functions, printed=printed))
    page = _NAME.sub(lambda match: name(html.unescape(match[1])), page)
    page = _PRINTED.sub(lambda match: tag("b", words(printed[int(match[1])])), page)
    return Html(page)  # escaped by Markdown, or by `tag`


def value(call: str, functions: Functions) -> Value:
    """The value of a call such as `rank("p1")`. Raises as `rendered`."""
    result = _VALUES.compile_expression(call, undefined_to_none=False)(functions)
    return result if isinstance(result, str | float) else str(result)
