"""Explore for chain: a round's card with its links, what is told beside it, and the ranking below."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.events import Followed
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component


def test_a_round_is_drawn_with_its_links_why_a_passage_is_there_and_every_term(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "chain", settings={"starts": 3}).run
    visit(app, run=run, step="1", all="1")
    steps = component(app, "strip")["steps"]
    assert [step["verb"] for step in steps] == [  # type: ignore[attr-defined]
        "retrieve",
        "follow, round 1",
        "follow, round 2",
        "rank",
    ]
    followed = next(e for e in world.runs.events(run) if isinstance(e, Followed))
    flow, terms = component(app, "flow"), component(app, "ranking")
    starts = flow["columns"][0]["cards"]  # type: ignore[index]
    assert [card["id"] for card in starts] == [f"c{start.id}" for start in followed.starts]
    assert flow["selected"] == f"c{terms['selected']}"  # its row is open in the ranking below
    assert [one["name"] for one in terms["terms"]] == [  # type: ignore[attr-defined]
        "base",
        "alone",
        "parts",
        "link",
        "start",
        "cover",
        "spread",
    ]
    html = sentences(app)
    assert "Its score" in html
    assert "What the pair covers of the question" in html
    assert "Chain · 2 rounds of links · demo" in html


def test_the_cut_of_the_ranking_moves(world: Workspace, app: AppTest) -> None:
    visit(app, run=world.ask(factories.QUESTION, "demo", "chain").run, step="1")
    assert component(app, "ranking")["cut"] == 5
    app.segmented_control(key="terms-k").set_value(10).run()
    assert component(app, "ranking")["cut"] == 10


def test_a_round_that_found_no_links_says_so(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "chain", settings={"most_holders": 2}).run
    visit(app, run=run, step="1")
