from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gear_app.core.types import Span
from gear_app.display import chain
from gear_app.display.markup import NO_NAMES
from tests.display.chained import QUILL, changed, rounds

EVIL = "<script>alert('q')</script>"
ARITHMETIC: Mapping[str, object] = {"__builtins__": {}, "ln": math.log}


@pytest.mark.parametrize("number", [0, 1])
def test_every_number_of_a_score_comes_to_what_the_event_has(number: int) -> None:
    shown = rounds()[number]
    for passage in shown.event.ranking:
        *lines, (_, total) = chain.arithmetic(passage, shown.links.get(passage.id))
        for (words, value), part in zip(lines, passage.parts, strict=True):
            *formulas, product = words.partition(": ")[2].replace("×", "*").split(" = ")
            for expected, written in [*((part.score, f) for f in formulas), (part.value, product)]:
                assert re.fullmatch(r"[\dln.()+*/ ]+", written)
                assert eval(written, dict(ARITHMETIC)) == pytest.approx(expected, abs=5e-6), words
            assert float(value) == part.value
        assert float(total) == pytest.approx(passage.score, abs=5e-6)


def test_words_of_passages_are_never_markup() -> None:
    first, _ = rounds()
    link = first.links[QUILL]
    sentence = replace(link.end_sentence, text=EVIL, marks=(Span(0, 8),))
    hostile = replace(link, mention=EVIL, start_sentence=sentence, end_sentence=sentence)
    ranking = [replace(one, title=EVIL) for one in first.event.ranking]
    shown = changed(first, links=(hostile,), ranking=tuple(ranking), query=EVIL)
    drawn = chain.pair(shown, hostile, NO_NAMES) + chain.covered(shown, hostile, NO_NAMES)
    assert "<script" not in drawn
    assert "&lt;script&gt;" in drawn
