"""Every method over every base it can stand on does what every method must do
(tests/methods/checks.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.types import Passage
from gear_app.methods import BASES, METHODS, parse
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Failed, Ranked, Retrieved, Stopped
from tests.acting import LOCAL, READY
from tests.methods.checks import CHECKS, Check, run
from tests.scripted import ScriptedReader
from tests.small import QUESTION, SmallWorld, index_over, of_kind
from tests.workspaces import filled

STEPS = [name for name in READY if METHODS[name].single_step]
UNDER = {
    "nothing": [""],
    "search": [f":{base}" for base in BASES],
    "step": [f":{step}" for step in STEPS],
    "method": [f":{step}" for step in STEPS if step != "rerank"],
}
NAMES = [name + base for name in READY for base in UNDER[METHODS[name].over]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_method(name: str, check: Check, small: SmallWorld) -> None:
    check(name, small)


@pytest.mark.parametrize("name", [name for name in LOCAL if METHODS[name].over == "step"])
def test_an_iterative_method_keeps_what_it_found_when_replies_cannot_be_used(
    name: str, small: SmallWorld
) -> None:
    ranking, events = run(name, small.index, reader=ScriptedReader([]))
    assert ranking.ids == run("hybrid", small.index, k=10)[0].ids
    assert [type(event) for event in events[-4:] if isinstance(event, Failed | Ranked)] == [
        Failed,
        Ranked,
    ]
    assert [event.why for event in events if isinstance(event, Stopped)] == ["model failed"]


@pytest.mark.parametrize("name", LOCAL)
def test_gold_never_reaches_a_method(name: str, tmp_path: Path) -> None:
    films = filled(tmp_path)
    with_gold = films.ask(QUESTION, "films", name)
    films.collections["films"].set_gold(QUESTION, ["lorn"])
    other_gold = films.ask(QUESTION, "films", name)
    assert films.runs.get(with_gold.run).gold != films.runs.get(other_gold.run).gold
    assert with_gold.events == other_gold.events


@pytest.mark.parametrize(
    "name", ["bm25", "hybrid", "weighted", "chain", "griever", "sync_ge", "gear:chain", "ircot"]
)
def test_where_every_word_is_too_common_words_rank_all_the_same_and_it_is_told(name: str) -> None:
    """A word in one of two passages weighs nothing by rank-bm25's idf."""
    texts = ("Hello there, said the keeper of the pier.", "It is quite windy in Lorn.")
    passages = [Passage(n, str(n), "", text) for n, text in enumerate(texts, 1)]
    ranking, events = run(name, index_over(passages, [], HashingEmbedder()), "windy Lorn")
    assert ranking.ids[0] == 2
    (found, *_) = of_kind(events, Retrieved)
    assert (found.lucene, found.ranking[0].id) == (True, 2)
    assert "as in Lucene" in found.summary
    many = [*passages, *(Passage(n, str(n), "", f"Tale {n}.") for n in range(3, 9))]
    _, events = run(name, index_over(many, [], HashingEmbedder()), "windy Lorn")
    assert not of_kind(events, Retrieved)[0].lucene


def test_names_that_do_not_exist_say_which_do() -> None:
    with pytest.raises(
        Unknown,
        match=r"Unknown method 'gaer'\. Did you mean 'gear'\? Available: bm25, dense, hybrid, weighted, ",
    ):
        parse("gaer")
    with pytest.raises(
        BadInput,
        match=(
            r"'gear' cannot be the base of sync_ge: it must be single-step\. Available: bm25, dense"
        ),
    ):
        parse("sync_ge:gear")
    with pytest.raises(BadInput, match="bm25 takes no base"):
        parse("bm25:dense")
    assert parse("gear") == ("gear", "hybrid")
    assert parse("sync_ge:bm25") == ("sync_ge", "bm25")
