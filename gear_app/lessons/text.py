"""A lesson's texts: Markdown, in which Jinja prints values of a run and `[Name]` lights up."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import StrictUndefined, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from markdown_it import MarkdownIt

from gear_app.core.text import normalise_entity
from gear_app.display.markup import Html, join, tag, term
from gear_app.language.numbers import NUMBER_WORDS, ORDINALS, number_in

_PRINTED = re.compile("\ue000([0-9]+)\ue001")
_NAME = re.compile(r"\[([^\[\]]+)\]")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of a run, as a text prints it and a task compares it."""

    value: str | float
    entity: str = ""  # what lights up with it
    terms: tuple[str, ...] = ()  # its arithmetic, or what it counts
    meaning: str = ""  # of a term
    words: str = ""  # as printed, if not plainly

    def __str__(self) -> str:
        return self.words or (self.value if isinstance(self.value, str) else f"{self.value:g}")

    def equals(self, words: str) -> bool:
        """Whether words state this value; a number in digits or words."""
        if isinstance(self.value, str):
            return normalise_entity(words) == normalise_entity(self.value)
        return number_in(words) == self.value


def _nth(fact: Fact, words: list[str], first: int) -> Fact:
    place = int(fact.value) - first if fact.value != "none" else -1
    return replace(fact, words=words[place]) if 0 <= place < len(words) else fact


@pass_context
def _print(context: Context, fact: object) -> str:
    context["printed"].append(fact)
    return f"\ue000{len(context['printed']) - 1}\ue001"


_JINJA = SandboxedEnvironment(undefined=StrictUndefined, finalize=_print)
_JINJA.filters |= {
    "word": lambda fact: _nth(fact, NUMBER_WORDS, 0),
    "ordinal": lambda fact: _nth(fact, ORDINALS, 1),
    "round": lambda fact, digits: replace(fact, words=f"{fact.value:.{digits}f}"),
    "capitalize": lambda fact: replace(fact, words=str(fact)[:1].upper() + str(fact)[1:]),
}


def rendered(text: str, functions: Mapping[str, Callable[..., Fact]]) -> tuple[Html, list[Any]]:
    """A text as HTML, and the values that it prints. Raises jinja2.TemplateError."""
    printed: list[Any] = []
    page = _MARKDOWN.render(_JINJA.from_string(text).render(functions, printed=printed))
    page = _NAME.sub(lambda match: _element(functions["name"](html.unescape(match[1]))), page)
    page = _PRINTED.sub(lambda match: _element(printed[int(match[1])]), page)
    page = page.replace("<p>", '<div class="gear-lesson-p">').replace("</p>", "</div>")
    return Html(page), printed  # escaped by Markdown, or by `tag`


def _element(fact: object) -> Html:
    if not isinstance(fact, Fact):
        return tag("span", fact)
    if fact.meaning:
        return term(str(fact), meaning=fact.meaning)
    if fact.terms:
        title = tag("summary", fact, data_entity=fact.entity or None, title="What it is made of")
        lines = join(tag("li", line) for line in fact.terms)
        return tag("details", title, tag("ul", lines), class_="gear-lesson-number")
    if not fact.entity:
        return tag("b", fact)
    lit = {"data_entity": fact.entity, "tabindex": 0, "role": "button"}
    return tag("span", fact, **lit, class_="gear-lesson-name")
