"""The page Annotate: queue, form, blind labels, missing runs and question sets."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.annotation.record import Key, Label
from gear_app.evaluation.question_set import of_runs
from gear_app.evaluation.service import EvaluationService
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import on_tab, sentences, visit
from tests.app.played import missing_runs

PAGE = "annotate/page.py"
DONE = Label("n", "reader", "fail", complete=True)


@pytest.fixture
def judged(world: Workspace) -> list[str]:
    return missing_runs(world, 4)


def annotate(start: AppTest, name: str = "ann", **address: str) -> AppTest:
    at = start.run().switch_page(PAGE)
    at.session_state["annotator"] = name
    return visit(at, **address)


def shown(at: AppTest) -> str:
    """The text of the page, apostrophes as they are read."""
    return unescape(sentences(at))


def case_of(at: AppTest) -> str:
    case = at.query_params["case"]
    return case if isinstance(case, str) else case[0]


def press(at: AppTest, label: str) -> AppTest:
    """The page after a click on a button of the form."""
    button = next(one for one in at.button if one.label == label)
    return button.click().run()


def categories(at: AppTest) -> list[str]:
    return [one.label for one in at.button if str(one.key).startswith("category-")]


def label_of(world: Workspace, case: str, name: str = "ann") -> Label:
    return world.annotations.labels("demo")[Key(case, name)].label


def test_a_name_of_letters_opens_the_queue(judged: list[str], start: AppTest) -> None:
    at = start.run().switch_page(PAGE).run()
    assert "Type your name above" in shown(at)
    at.text_input(key="annotator").set_value("  Ann  B ").run()
    assert "0 of 4 runs judged, 4 remaining" in shown(at)
    at.text_input(key="annotator").set_value("\u200b").run()
    assert "Type your name above" in shown(at)


def test_a_run_is_judged_undone_and_completed(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = annotate(start)
    case = case_of(at)
    press(at, "Complete, next")
    assert "Choose a category or a verdict first." in shown(at)
    at.text_area(key=f"note-{case}").set_value("The reader invents.").run()
    press(at, "Reader hallucination")
    found = label_of(world, case)
    assert (found.note, found.category, found.verdict) == ("The reader invents.", "reader", "fail")
    press(at, "Undo")
    assert label_of(world, case).category == ""
    press(at, "Fail")
    press(at, "Complete, next")
    assert "A failure needs a category." in shown(at)
    press(at, "Base retriever")
    at.segmented_control(key=f"severity-{case}").set_value("low").run()
    at.selectbox(key=f"step-{case}").set_value("iteration 2, read").run()
    press(at, "Complete, next")
    found = label_of(world, case)
    assert (found.severity, found.step, found.complete) == ("low", "iteration 2, read", True)
    assert case_of(at) != case and "1 of 4 runs judged, 3 remaining" in shown(at)
    press(at, "Previous")
    assert case_of(at) == case
    assert at.text_area(key=f"note-{case}").value == "The reader invents."


def test_the_suggested_cause_is_not_in_the_page_before_a_category_is_chosen(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = annotate(start)
    case = case_of(at)
    assert "not in the collection" not in shown(at)
    press(at, "Base retriever")
    assert "not in the collection" in shown(at)
    assert label_of(world, case).suggestion.shown == "after"


def test_another_persons_label_is_nowhere_before_an_own_one(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ben", Label("a secret", "graph", "fail", complete=True))
    at = annotate(start)
    assert at.dataframe[-1].value[""][0] == "▶ ○"
    assert "secret" not in shown(at)
    assert all(one.proto.type != "primary" for one in at.button if one.label in categories(at))
    on_tab(at, "Charts", "annotate")
    assert "1 of 1 judged run failed" in shown(at)
    assert "because second labels are blind: 1." in at.caption[-1].value and not at.dataframe
    on_tab(at, "Files", "annotate")
    assert "Without others' labels of 1 run" in shown(at)
    world.annotations.commit(judged[0], "ann", DONE)
    assert "Without others' labels" not in shown(at.run())


def test_a_chart_has_no_links_that_would_load_the_application_again(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ann", DONE)
    at = on_tab(annotate(start), "Charts", "annotate")
    (chart,) = at.get("plotly_chart")
    assert "Reader hallucination" in chart.proto.spec
    assert "<a " not in chart.proto.spec and "href" not in chart.proto.spec
    assert at.session_state["annotator"] == "ann"


def test_the_queue_of_an_evaluation_or_of_runs_has_these_alone(
    world: Workspace, start: AppTest
) -> None:
    other = "What opened in Bristol?"
    runs = [world.ask(asked, "demo", "bm25").run for asked in (factories.QUESTION, other)]
    world.store.runs.mark_gold(runs[1], ["clifton"])
    service = EvaluationService(world)
    evaluation = service.create(of_runs(world, "demo", [world.runs.get(runs[0])]))
    service.start(evaluation)
    assert len(world.annotations.items("demo")) == 2
    assert "0 of 1 run judged" in shown(annotate(start, evaluation=evaluation))
    del start.query_params["evaluation"]
    assert "0 of 2 runs judged" in shown(annotate(start, runs=",".join(runs)))
    assert "0 of 1 run judged" in shown(annotate(start, runs=runs[1]))
