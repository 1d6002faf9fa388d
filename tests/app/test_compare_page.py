from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.views.compare.entries import Entry, entry_words
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences

Work = Callable[[], None]
PICKER = "gear_app.ui.shared.components.picker"
Component = dict[str, Any]


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page Compare, not run yet."""
    app.run()
    app.switch_page("compare/page.py")
    return app


def component(at: AppTest, name: str, kind: str = "") -> Component:
    """The data of one of our components; of grids the one of this kind."""
    for element in at.get("bidi_component"):
        if element.proto.component_name == f"gear_app.{name}":
            data: Component = json.loads(element.proto.json)
            if data.get("kind", "") == kind:
                return data
    raise AssertionError(f"no {name} {kind} on the page")


def heads(at: AppTest) -> list[Component]:
    found: list[Component] = component(at, "aligned")["columns"]
    return found


def runs_of(at: AppTest) -> list[str]:
    return str(at.query_params["runs"]).split(",") if "runs" in at.query_params else []


def compared(at: AppTest, *methods: str, question: str = factories.QUESTION) -> AppTest:
    at.run()
    at.text_input(key="compare-question").set_value(question)
    at.multiselect(key="compare-entries").set_value([Entry(method) for method in methods])
    return at.button(key="compare-button").click().run()


def test_an_empty_workspace_says_what_to_do(empty: Workspace, page: AppTest) -> None:
    page.run()
    assert not page.exception
    assert "gear-app demo" in sentences(page)


def test_the_first_look_proposes_methods_and_the_question_asked_last(
    world: Workspace, page: AppTest
) -> None:
    world.ask("Which river flows under the city?", "demo", "hybrid")
    page.run()
    assert not page.exception
    assert page.text_input(key="compare-question").value == "Which river flows under the city?"
    assert [entry.method for entry in page.multiselect(key="compare-entries").value][:3] == [
        "hybrid",
        "chain",
        "gear",
    ]
    assert "Nothing is compared yet" in sentences(page)
    assert world.runs.recent()[1:] == []


def test_where_nothing_was_asked_the_collections_first_question_is_proposed(
    world: Workspace, page: AppTest
) -> None:
    page.run()
    assert page.text_input(key="compare-question").value == factories.QUESTION


def test_a_collection_without_triples_proposes_methods_that_need_none(
    empty: Workspace, page: AppTest
) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    page.run()
    assert not page.exception
    assert [entry.method for entry in page.multiselect(key="compare-entries").value] == [
        "bm25",
        "dense",
        "hybrid",
        "chain",
    ]
    assert "has no triples yet" in sentences(page)


def test_methods_wait_run_and_fill_in(world: Workspace, page: AppTest, work: Work) -> None:
    compared(page, "hybrid", "gear")
    assert not page.exception
    assert [run.method for run in world.runs.recent()] == ["gear", "hybrid"]
    assert [head["words"] for head in heads(page)] == ["Next in the queue", "Waiting, 1 before it"]
    assert "loading its models" in sentences(page)
    work()
    page.run()
    assert not page.exception
    assert [(head["label"], head["state"]) for head in heads(page)] == [
        ("Hybrid", "done"),
        ("GEAR", "done"),
    ]
    assert runs_of(page) == [run.id for run in reversed(world.runs.recent())]
    assert [cell["pieces"][0]["text"] for cell in component(page, "grid", "hops")["head"]] == [
        "Gold passage",
        "Hybrid",
        "GEAR",
    ]
    assert len(page.get("plotly_chart")) == 2
    assert (
        "No language model was asked, so there are no calls, tokens or dollars to compare."
        in sentences(page)
    )
    assert page.segmented_control(key="compare-against").options == ["Time"]


def test_an_address_restores_the_page_and_runs_nothing(world: Workspace, page: AppTest) -> None:
    ids = [
        world.ask(factories.QUESTION, "demo", method).run
        for method in ("naive_ge", "bm25", "hybrid")
    ]
    page.query_params["runs"] = ",".join(id_[:6] for id_ in ids)
    page.query_params["baseline"], page.query_params["k"] = ids[1], "10"
    page.run()
    assert not page.exception
    assert [head["run"] for head in heads(page)] == ids == runs_of(page)
    assert [head["baseline"] for head in heads(page)] == [False, True, False]
    assert component(page, "aligned")["cut"] == 10
    assert [entry.method for entry in page.multiselect(key="compare-entries").value] == [
        "naive_ge",
        "bm25",
        "hybrid",
    ]
    assert page.text_input(key="compare-question").value == factories.QUESTION
    assert len(world.runs.recent()) == 3


def test_the_comparison_survives_a_look_at_another_page(world: Workspace, page: AppTest) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("bm25", "hybrid")]
    page.query_params["runs"] = ",".join(ids)
    page.run()
    page.switch_page("explore/page.py").run()
    assert not page.exception
    page.switch_page("compare/page.py").run()
    assert [head["run"] for head in heads(page)] == ids
    assert runs_of(page) == ids


def test_a_run_that_is_there_is_kept_and_says_so(world: Workspace, page: AppTest) -> None:
    there = world.ask(factories.QUESTION, "demo", "hybrid").run
    compared(page, "hybrid", "bm25")
    assert len(world.runs.recent()) == 2
    assert runs_of(page)[0] == there
    assert (
        "Hybrid was there already, with the same settings on the same data, and was kept"
        in sentences(page)
    )
    assert [head["kept"] for head in heads(page)] == [True, False]


def test_two_of_a_method_compare_by_their_settings(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.number_input(key="variant-gear-beam.width").set_value(3)
    page.selectbox(key="variant-gear-beam.scoring").set_value("exact")
    page.button(key="variant-add").click().run()
    assert not page.exception
    chosen = page.multiselect(key="compare-entries").value
    assert chosen[-1] == Entry("gear", (("beam.width", "3"), ("beam.scoring", "exact")))
    page.multiselect(key="compare-entries").set_value([Entry("gear"), chosen[-1]])
    page.button(key="compare-button").click().run()
    work()
    page.run()
    assert [head["label"] for head in heads(page)] == ["GEAR", "GEAR, Width b 3, Scoring exact"]
    assert [run.config["beam.width"] for run in world.runs.recent()] == [3, 10]


def test_settings_go_by_the_words_that_explore_uses(world: Workspace, page: AppTest) -> None:
    page.run()
    page.selectbox(key="variant-method").set_value("ircot").run()
    page.selectbox(key="variant-base-ircot").set_value("hipporag").run()
    labels = {
        field.label
        for kind in ("number_input", "selectbox", "toggle")
        for field in getattr(page, kind)
    }
    assert {"Passages a query", "Restart probability", "Node specificity", "Spread"} <= labels
    assert [
        words for words in ("IRCoT", "HippoRAG") if f'gear-part">{words}<' in sentences(page)
    ] == [
        "IRCoT",
        "HippoRAG",
    ]
    assert not any("_" in label or "." in label for label in labels)
    page.toggle(key="variant-ircot:hipporag-base.specificity").set_value(False)
    page.number_input(key="variant-ircot:hipporag-max_iterations").set_value(3)
    page.button(key="variant-add").click().run()
    added = page.multiselect(key="compare-entries").value[-1]
    assert added.settings == (("max_iterations", "3"), ("base.specificity", "False"))
    assert entry_words(added) == "IRCoT over HippoRAG, Iterations at most 3, Node specificity off"


def test_only_methods_of_one_retrieval_are_asked_for_k(world: Workspace, page: AppTest) -> None:
    page.run()
    assert "k" not in {field.label for field in page.number_input}
    page.selectbox(key="variant-method").set_value("hybrid").run()
    page.number_input(key="variant-hybrid-k").set_value(5)
    page.button(key="variant-add").click().run()
    assert page.multiselect(key="compare-entries").value[-1] == Entry("hybrid", k=5)


def test_a_wrong_setting_is_explained_and_nothing_is_added(world: Workspace, page: AppTest) -> None:
    page.run()
    before = page.multiselect(key="compare-entries").value
    page.text_input(key="variant-gear-beam.gamma").set_value("much")
    page.button(key="variant-add").click().run()
    assert "Diversity γ takes a whole number or auto or none, not" in sentences(page)
    assert page.multiselect(key="compare-entries").value == before


def test_the_very_same_entry_is_not_added_twice(world: Workspace, page: AppTest) -> None:
    page.run()
    page.button(key="variant-add").click().run()
    assert "GEAR is chosen already" in sentences(page)


def test_what_failed_says_why_and_holds_no_other_up(
    world: Workspace, page: AppTest, work: Work
) -> None:
    compared(page, "hybrid", "bm25", "dense")
    lost, stopped, _ = (run.id for run in world.runs.recent())
    world.runs.cancel(stopped)
    world.store.db.execute(
        "UPDATE runs SET state = 'failed', message = 'The disk is full' WHERE id = ?", [lost]
    )
    work()
    page.run()
    assert not page.exception
    assert [(head["state"], head["words"]) for head in heads(page)] == [
        ("done", ""),
        ("bad", "It was cancelled."),
        ("bad", "It failed: The disk is full."),
    ]
    assert component(page, "grid", "hops")["head"][1]["pieces"][0]["text"] == "Hybrid"


def test_a_refused_method_stops_no_other(empty: Workspace, page: AppTest) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    compared(page, "gear", "bm25", question="Who designed it?")
    assert not page.exception
    assert "GEAR was not run" in sentences(page)
    assert "gear-app extract --collection mine" in sentences(page)
    assert [run.method for run in empty.runs.recent()] == ["bm25"]


def test_nothing_to_ask_is_no_run(world: Workspace, page: AppTest) -> None:
    compared(page, "hybrid", question="   ")
    assert "There is no question yet" in sentences(page)
    compared(page, question="Who?")
    assert "No method is chosen" in sentences(page)
    assert world.runs.recent() == []


def test_addresses_that_name_what_is_not_there_or_does_not_belong_say_so(
    world: Workspace, page: AppTest
) -> None:
    one = world.ask(factories.QUESTION, "demo", "hybrid").run
    other = world.ask("Another?", "demo", "hybrid").run
    page.query_params["runs"] = f"nowhere,{one},{other},{one},<script>"
    page.run()
    assert not page.exception
    assert "Not in this workspace, so left out: nowhere, &lt;script&gt;" in sentences(page)
    assert f"ask another question or another collection: {other}" in sentences(page)
    assert runs_of(page) == [one]


def test_no_more_than_eight_are_shown(world: Workspace, page: AppTest) -> None:
    ids = [world.ask(factories.QUESTION, "demo", "hybrid", k=k).run for k in range(1, 11)]
    page.query_params["runs"] = ",".join(ids)
    page.run()
    assert "10 runs were named; the first 8 are shown" in sentences(page)
    assert runs_of(page) == ids[:8]


def test_a_run_there_is_already_can_be_put_beside_the_others(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = world.ask(factories.QUESTION, "demo", "hybrid").run
    added = world.ask(factories.QUESTION, "demo", "naive_ge").run
    world.ask("Another?", "demo", "bm25")
    page.query_params["runs"] = shown
    page.run()
    offered: list[str] = []

    def picked(table: Any, key: str) -> str:
        offered.extend(row["id"] for row in table["rows"])
        return added

    monkeypatch.setattr(PICKER, picked)
    page.button(key="compare-earlier").click().run()
    assert offered == [added]
    assert runs_of(page) == [shown, added]
    assert [head["label"] for head in heads(page)] == ["Hybrid", "NaiveGE"]


def test_baseline_and_cut_off_go_into_the_address(world: Workspace, page: AppTest) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("bm25", "hybrid")]
    page.query_params["runs"] = ",".join(ids)
    page.run()
    page.selectbox(key="compare-baseline").set_value(ids[1]).run()
    assert (page.query_params["baseline"], heads(page)[1]["baseline"]) == (ids[1], True)
    page.segmented_control(key="compare-k").set_value(15).run()
    assert (page.query_params["k"], component(page, "aligned")["rows"]) == ("15", 15)


def test_the_best_so_far_is_highlighted_until_somebody_chooses(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.query_params["runs"] = world.ask(factories.QUESTION, "demo", "bm25").run
    page.run()
    assert page.selectbox(key="compare-highlight").value == "BM25"
    compared(page, "bm25", "gear")
    work()
    page.run()
    assert page.selectbox(key="compare-highlight").value == "GEAR"
    page.selectbox(key="compare-highlight").set_value("BM25").run()
    page.segmented_control(key="compare-k").set_value(10).run()
    assert page.selectbox(key="compare-highlight").value == "BM25"


def test_without_gold_the_rest_is_shown_and_it_says_how_to_mark_it(
    world: Workspace, page: AppTest
) -> None:
    question = "Which river flows under the city?"
    ids = [world.ask(question, "demo", method).run for method in ("bm25", "hybrid")]
    page.query_params["runs"] = ",".join(ids)
    page.run()
    assert not page.exception
    assert "No gold passage is known for this question" in sentences(page)
    assert component(page, "grid", "differences")["rows"]
    assert page.get("plotly_chart") == []
    world.runs.mark_gold(ids[0], ["rouen"])
    page.run()
    assert "The runs know different gold passages" in sentences(page)
    assert component(page, "grid", "hops")["rows"][0][0]["pieces"][1]["text"] == "Rouen"


def test_runs_of_a_deleted_collection_can_still_be_compared(
    world: Workspace, page: AppTest
) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("bm25", "hybrid")]
    world.collections.create("other")
    world.collections.delete("demo")
    page.query_params["runs"] = ",".join(ids)
    page.run()
    assert not page.exception
    assert "The collection of these runs was deleted" in sentences(page)
    assert len(heads(page)) == 2


def test_runs_of_the_last_collection_outlive_it_on_both_pages(
    world: Workspace, page: AppTest
) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("bm25", "hybrid")]
    world.collections.delete("demo")
    page.query_params["runs"] = ",".join(ids)
    page.run()
    assert not page.exception
    assert "This workspace is empty" in sentences(page)
    assert len(heads(page)) == 2


def test_a_cut_off_that_is_none_leaves_the_address(world: Workspace, page: AppTest) -> None:
    page.query_params["runs"] = world.ask(factories.QUESTION, "demo", "hybrid").run
    page.query_params["k"] = "-1"
    page.run()
    assert not page.exception
    assert "k" not in page.query_params


def test_runs_from_before_a_change_say_so(world: Workspace, page: AppTest) -> None:
    page.query_params["runs"] = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.imports.text("New", "Something new about bridges.", "demo")
    page.run()
    assert "The collection changed after these runs: Hybrid" in sentences(page)


def test_another_collection_begins_a_new_comparison(world: Workspace, page: AppTest) -> None:
    page.query_params["runs"] = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    page.run()
    page.selectbox(key="compare-collection").set_value("mine").run()
    assert not page.exception
    assert "Nothing is compared yet" in sentences(page)
    assert (runs_of(page), page.text_input(key="compare-question").value) == ([], "")


def test_events_of_finished_runs_are_read_once(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("gear", "hybrid")]
    page.query_params["runs"] = ",".join(ids)
    page.run()

    def refuse(*args: object, **named: object) -> None:
        raise AssertionError("the events were worked through again")

    monkeypatch.setattr("gear_app.analysis.comparison.digest", refuse)
    monkeypatch.setattr("gear_app.events.from_row", refuse)
    page.segmented_control(key="compare-k").set_value(10).run()
    assert not page.exception


def test_words_of_documents_never_reach_markdown(world: Workspace, page: AppTest) -> None:
    question = "a page that says href script alert"
    ids = [world.ask(question, "demo", method).run for method in ("naive_ge", "bm25")]
    world.runs.mark_gold(ids[0], ["hostile"])
    page.query_params["runs"] = ",".join(ids)
    page.run()
    assert not page.exception
    read_as_markdown = [
        *page.markdown,
        *page.caption,
        *page.error,
        *page.warning,
        *page.info,
        *page.success,
    ]
    assert all(
        "evil.example" not in element.value and "<script" not in element.value
        for element in read_as_markdown
    )
    assert "<script>alert" not in sentences(page)
    assert "<img" not in sentences(page)


def test_an_iterative_method_is_added_over_a_base_with_a_base_of_its_own(
    world: Workspace, page: AppTest
) -> None:
    page.run()
    page.selectbox(key="variant-method").set_value("ircot").run()
    page.selectbox(key="variant-base-ircot").set_value("sync_ge").run()
    page.selectbox(key="variant-base-ircot:sync_ge").set_value("bm25").run()
    page.number_input(key="variant-ircot:sync_ge:bm25-base.beam.width").set_value(4)
    page.button(key="variant-add").click().run()
    assert not page.exception
    added = page.multiselect(key="compare-entries").value[-1]
    assert added == Entry("ircot:sync_ge:bm25", (("base.beam.width", "4"),))


def test_baseline_and_cut_off_come_back_with_the_runs(world: Workspace, page: AppTest) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("bm25", "hybrid")]
    page.query_params["runs"] = ",".join(ids)
    page.run()
    page.selectbox(key="compare-baseline").set_value(ids[1]).run()
    page.segmented_control(key="compare-k").set_value(15).run()
    page.switch_page("explore/page.py").run()
    for name in ("runs", "baseline", "k"):  # navigation drops them
        page.query_params.pop(name, None)
    page.switch_page("compare/page.py").run()
    assert not page.exception
    assert [head["baseline"] for head in heads(page)] == [False, True]
    assert (component(page, "aligned")["cut"], page.query_params["k"]) == (15, "15")
    assert page.query_params["baseline"] == ids[1]


def test_fields_of_the_closed_popover_show_what_would_be_added(
    world: Workspace, page: AppTest, unopened: None
) -> None:
    page.run()
    page.run()
    method = page.selectbox(key="variant-method")
    assert (method.value, method.proto.set_value) == ("gear", True)


def test_settings_that_were_typed_survive_another_method_and_another_page(
    world: Workspace, page: AppTest
) -> None:
    page.run()
    page.number_input(key="variant-gear-beam.width").set_value(4).run()
    page.selectbox(key="variant-method").set_value("ircot").run()
    page.switch_page("explore/page.py").run()
    page.switch_page("compare/page.py").run()
    assert page.selectbox(key="variant-method").value == "ircot"
    page.selectbox(key="variant-method").set_value("gear").run()
    assert page.number_input(key="variant-gear-beam.width").value == 4


def test_the_page_opens_on_the_question_that_most_methods_were_asked(
    world: Workspace, page: AppTest
) -> None:
    asked = [world.ask(factories.QUESTION, "demo", method).run for method in ("gear", "hybrid")]
    world.ask("Which river flows under the city?", "demo", "hybrid")
    page.run()
    assert not page.exception
    assert runs_of(page) == asked[::-1]  # hybrid first, as methods are listed
    assert page.text_input(key="compare-question").value == factories.QUESTION


def test_one_click_compares_the_proposed_methods(world: Workspace, page: AppTest) -> None:
    page.run()
    button = page.button(key="compare-first")
    assert button.label.startswith("Compare 6 methods on “")
    button.click().run()
    assert not page.exception
    assert {run.method for run in world.runs.recent()} == {
        "hybrid",
        "chain",
        "gear",
        "hipporag",
        "griever",
        "ircot",
    }
    assert len(runs_of(page)) == 6


def test_columns_stand_by_recall_where_the_address_says_so(world: Workspace, page: AppTest) -> None:
    gear = world.ask(factories.QUESTION, "demo", "gear").run
    hybrid = world.ask(factories.QUESTION, "demo", "hybrid").run
    page.query_params["runs"] = f"{gear},{hybrid}"
    page.run()
    assert [head["run"] for head in heads(page)] == [gear, hybrid]
    page.selectbox(key="compare-order").set_value("recall").run()
    assert not page.exception
    assert str(page.query_params["order"]) == "recall"
    assert [head["run"] for head in heads(page)] == [hybrid, gear]
    assert runs_of(page) == [gear, hybrid]  # as picked


def test_the_collection_of_the_address_is_compared(world: Workspace, page: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "hybrid")
    world.imports.text("Clifton", "The bridge was designed by Brunel.", "ops")
    page.query_params["collection"] = "ops"
    page.run()
    assert not page.exception
    assert page.selectbox(key="compare-collection").value == "ops"
    page.selectbox(key="compare-collection").set_value("demo").run()
    assert page.text_input(key="compare-question").value == factories.QUESTION
