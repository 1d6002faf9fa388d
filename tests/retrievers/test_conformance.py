"""Every method over every base it can stand on does what every method must do
(tests/retrievers/checks.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.errors import BadInput, Unknown
from gear_app.events import Failed, Ranked, Stopped
from gear_app.reader.scripted import ScriptedReader
from gear_app.retrievers import BASES, METHODS, parse
from tests.retrievers.checks import CHECKS, Check, run
from tests.small import QUESTION, SmallWorld
from tests.workspaces import filled

STEPS = [name for name, method in METHODS.items() if method.single_step]
UNDER = {
    "nothing": [""],
    "search": [f":{base}" for base in BASES],
    "step": [f":{step}" for step in STEPS],
}
NAMES = [name + base for name, method in METHODS.items() for base in UNDER[method.over]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_every_method(name: str, check: Check, small: SmallWorld) -> None:
    check(name, small)


@pytest.mark.parametrize(
    "name", [name for name, method in METHODS.items() if method.over == "step"]
)
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


@pytest.mark.parametrize("name", METHODS)
def test_gold_never_reaches_a_method(name: str, tmp_path: Path) -> None:
    films = filled(tmp_path)
    with_gold = films.ask(QUESTION, "films", name)
    films.collections.set_gold("films", QUESTION, ["lorn"])
    other_gold = films.ask(QUESTION, "films", name)
    assert films.runs.get(with_gold.run).gold != films.runs.get(other_gold.run).gold
    assert with_gold.events == other_gold.events


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


def test_an_iterative_method_stands_over_single_steps_only() -> None:
    assert parse("ircot") == ("ircot", "hybrid")
    assert parse("bdtr:sync_ge:bm25") == ("bdtr", "sync_ge:bm25")
    for name in ("ircot:gear", "ircot:ircot", "bdtr:griever", "sync_ge:sync_ge", "gear:hipporag"):
        with pytest.raises(BadInput, match="must be single-step"):
            parse(name)
    with pytest.raises(BadInput, match="bm25 takes no base"):
        parse("ircot:bm25:dense")
