"""The page Annotate: queue, form, blind labels, missing runs and question sets."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.annotation.record import Case, Key, Label, Record
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


def test_failures_are_drawn_before_one_gives_a_name(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = start.run().switch_page(PAGE).run()
    assert "by category and method" not in shown(at)
    for run in judged:
        world.annotations.commit(run, "ben", DONE)
    assert "4 of 4 judged runs failed" in shown(at.run())


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


def test_the_queue_begins_with_the_first_open_run_or_that_of_the_address(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ann", DONE)
    at = annotate(start)
    rows = at.dataframe[-1].value
    assert [sign[-1] for sign in rows[""]] == ["✓", "○", "○", "○"]
    assert rows["gold found"][0] == "3 of 4" and rows[""][1] == "▶ ○"
    third = next(one.case for one in world.annotations.items("demo") if one.run == judged[2])
    visit(at, case=third)
    assert at.dataframe[-1].value[""][2] == "▶ ○"


def test_the_suggested_cause_is_not_in_the_page_before_a_category_is_chosen(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = annotate(start)
    case = case_of(at)
    assert "not in the collection" not in shown(at)
    press(at, "Base retriever")
    assert "not in the collection" in shown(at)
    assert label_of(world, case).suggestion.shown == "after"
    press(at, "Next")
    at.toggle(key="annotate-causes").set_value(True).run()
    assert "not in the collection" in shown(at)
    case = case_of(at)
    press(at, "Base retriever")
    assert label_of(world, case).suggestion.shown == "before"


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
    assert "1 run that you have not judged" in at.caption[-1].value and not at.dataframe
    on_tab(at, "Files", "annotate")
    assert "Without others' labels of 1 run" in shown(at)
    world.annotations.commit(judged[0], "ann", DONE)
    assert "Without others' labels" not in shown(at.run())


def test_a_sample_and_its_seed_are_in_the_address(judged: list[str], start: AppTest) -> None:
    at = annotate(start, **{"annotate-sample": "2", "annotate-seed": "3"})
    assert "0 of 2 runs judged" in shown(at)
    at.number_input(key="annotate-sample").set_value(3).run()
    assert "0 of 3 runs judged" in shown(at)


def without_runs(world: Workspace, *methods: str) -> None:
    """Labels whose runs are in another workspace."""
    cases = [Case(factories.QUESTION, method) for method in methods]
    label = Label("n", "reader", "fail", complete=True)
    records = [Record(case, "ben", "2026-01-01T00:00:00Z", label, run="else") for case in cases]
    world.annotations.save(world.store.collections.get("demo").id, records)


def test_the_runs_of_cases_judged_elsewhere_are_made_and_a_refused_one_keeps_none_back(
    world: Workspace, start: AppTest, work: Callable[[], None]
) -> None:
    without_runs(world, "no-such-method", "hybrid", "bm25")
    at = annotate(start, "")
    assert "3 judged runs are not in this workspace" in shown(at)
    at.button(key="annotate-make").click().run()
    assert "Creating the judged runs: 2 remaining." in shown(at) and "no-such-method" in shown(at)
    assert {run.method for run in world.runs.recent()} == {"hybrid", "bm25"}
    work()
    assert "1 judged run is not in this workspace" in shown(at.run())


def test_a_method_without_reader_or_triples_is_offered_no_category_of_theirs(
    world: Workspace, start: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "chain").run
    at = annotate(start, **{"annotate-show": "All finished runs"})
    keys = [str(one.key)[:10] for one in at.button if str(one.key).startswith("category-")]
    assert keys == ["category-1", "category-4", "category-6"]
    world.annotations.commit(run, "ann", DONE)
    assert categories(at.run())[-1] == "Reader hallucination"


def test_the_part_of_a_document_that_was_missed_is_named(world: Workspace, start: AppTest) -> None:
    text = "\n\n".join(f"{word} " * 300 for word in ("Alpha", "Beta", "Gamma"))
    world.imports.text("Rates", text, "parts")
    run = world.ask("Who is Brunel?", "parts", "bm25").run
    last = world.collections.passages("parts")[-1]
    world.runs.mark_gold(run, [last.key])
    at = annotate(start, collection="parts")
    label = world.collections.label(last)
    assert " of " in label and f"★ {label}" in sentences(at)


def test_the_questions_of_failures_are_evaluated_again(world: Workspace, start: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid", settings={"depth": "50"}).run
    world.annotations.commit(run, "ann", Label("n", "graph", "fail", complete=True))
    at = annotate(start)
    on_tab(at, "Charts", "annotate")
    assert "1 of 1 judged run failed" in shown(at)
    at.button(key="set-evaluate").click().run()
    (row,) = world.store.evaluations.all()
    definition = EvaluationService(world).definition(row.id)
    assert (definition.questions, definition.methods) == (("q1",), ("hybrid depth=50",))
    assert definition.choice.words == "1 question picked on Annotate"
    assert definition.before["hybrid depth=50"]["q1"] == {
        key: next((at for at, hit in enumerate(ranked, start=1) if hit == key), None)
        for key in factories.GOLD
        for ranked in [world.store.events.ranked_keys(world.runs.get(run).number)]
    }


def test_the_queue_of_a_question_set_has_its_runs_alone(world: Workspace, start: AppTest) -> None:
    other = "What opened in Bristol?"
    runs = [world.ask(asked, "demo", "bm25").run for asked in (factories.QUESTION, other)]
    world.runs.mark_gold(runs[1], ["clifton"])
    service = EvaluationService(world)
    made = service.create(of_runs(world, "demo", [world.runs.get(runs[0])]))
    assert len(world.annotations.items("demo")) == 2
    at = annotate(start, **{"annotate-show": "All finished runs"})
    name = next(one for one in at.selectbox(key="annotate-set").options if made[:5] in one)
    at.selectbox(key="annotate-set").set_value(name).run()
    assert "0 of 1 run judged" in shown(at)
