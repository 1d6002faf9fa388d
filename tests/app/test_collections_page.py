from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.display.labels import literal
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import on_tab, sentences, visit
from tests.app.explored import component

Work = Callable[[], None]
PAGE = "collections/page.py"


def test_the_first_collection_is_made_here(empty: Workspace, page: AppTest) -> None:
    page.run()
    assert "no collection yet" in sentences(page)
    page.text_input(key="new-name-0").set_value("my documents")
    page.button(key="create-0").click().run()
    assert [info.name for info in empty.collections.all()] == ["my documents"]
    assert page.selectbox(key="collection").value == "my documents"


def test_the_name_of_a_triple_set_is_no_markdown(world: Workspace, page: AppTest) -> None:
    """It may come from anybody's file."""
    name = "[log in](https://evil.example)"
    used = world.store.collections.all()[0].active_set_id
    world.store.db.execute("UPDATE triple_sets SET name = ? WHERE id = ?", [name, used])
    page.run()
    (facts,) = [one.value for one in page.caption if "in use" in one.value]
    assert literal(name) in facts and name not in facts


def test_files_are_reported_one_by_one_and_extraction_is_asked_for(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.file_uploader(key="files-0").set_value(
        [
            (
                "bridge.txt",
                b"The Tower Bridge was designed by Horace Jones. It opened in 1894.",
                "text/plain",
            ),
            ("empty.txt", b"", "text/plain"),
            ("binary.txt", bytes(range(256)) * 20, "text/plain"),
        ]
    )
    page.button(key="add-files-0").click().run()
    assert "The import waits for its turn" in sentences(page)
    work()
    page.run()
    assert "3 files: 1 accepted" in sentences(page)
    rows = page.dataframe[0].value
    assert list(rows["file"]) == ["bridge.txt", "empty.txt", "binary.txt"]
    assert rows["result"][0] == "✓ accepted"
    assert {job.kind for job in world.jobs.recent("demo")} >= {"extraction"}
    assert (
        world.collections.triples("demo", "local", search="Horace Jones")[0].predicate
        == "was designed by"
    )


def test_a_file_of_no_known_form_can_be_told_which_field_is_which(
    world: Workspace, page: AppTest, work: Work
) -> None:
    content = b'{"frage": "Who opened the Tower Bridge?", "antwort": "Horace Jones"}'
    page.run()
    assert not [field for field in page.text_input if field.label == "Question"]
    page.file_uploader(key="files-0").set_value([("q.jsonl", content, "application/json")])
    page.button(key="add-files-0").click().run()
    work()
    page.run()
    page.text_input(key="field-question").set_value("frage")
    page.text_input(key="field-answers").set_value("antwort")
    page.file_uploader(key="files-1").set_value([("q.jsonl", content, "application/json")])
    page.button(key="add-files-1").click().run()
    work()
    answers = {one.question: one.answers for one in world.collections.questions("demo")}
    assert answers["Who opened the Tower Bridge?"] == ("Horace Jones",)


def test_an_import_that_was_cancelled_can_be_dismissed_or_undone(
    world: Workspace, page: AppTest, work: Work
) -> None:
    before = world.collections.get("demo").passages
    page.run()
    page.file_uploader(key="files-0").set_value([("new.txt", b"Some new words.", "text/plain")])
    page.button(key="add-files-0").click().run()
    job = world.imports.unfinished("demo")[0].id
    page.button(key=f"cancel-job-{job}").click().run()
    assert "The import was cancelled. Nothing of it is stored." in sentences(page)
    page.button(key=f"undo-import-{job}").click().run()
    assert world.imports.unfinished("demo") == []
    page.file_uploader(key="files-1").set_value([("new.txt", b"Some new words.", "text/plain")])
    page.button(key="add-files-1").click().run()
    job = world.imports.unfinished("demo")[0].id
    work()
    assert world.collections.get("demo").passages == before + 1
    world.store.db.execute("UPDATE tasks SET state = 'cancelled' WHERE number = ?", [job])
    page.run()
    assert "1 passage of it is stored" in sentences(page)
    page.button(key=f"dismiss-{job}").click().run()
    assert "1 passage of it is stored" not in sentences(page)
    page.session_state["jobs_dismissed"] = set()
    page.run()
    page.button(key=f"undo-import-{job}").click().run()
    assert world.collections.get("demo").passages == before
    assert world.imports.unfinished("demo") == []


def test_pasted_text_becomes_passages(world: Workspace, page: AppTest, work: Work) -> None:
    page.run()
    page.text_input(key="paste-title-0").set_value("Tower Bridge")
    page.text_area(key="paste-text-0").set_value("The Tower Bridge opened in 1894.")
    page.checkbox(key="extract-text").set_value(False)
    page.button(key="add-text-0").click().run()
    work()
    assert [found.title for found in world.collections.passages("demo", search="1894")] == [
        "Tower Bridge"
    ]
    assert [job.kind for job in world.jobs.recent("demo") if job.kind == "extraction"] == []
    assert page.text_area(key="paste-text-1").value == ""


def test_an_older_text_of_the_same_name_is_replaced_from_the_page(
    world: Workspace, page: AppTest, work: Work
) -> None:
    for text in (b"Nora Plum keeps the mill.", b"Bo Hale keeps the mill."):
        world.imports.enqueue_files([("mill.txt", text)], "demo", owner="visitor")
        work()
    page.run()
    button = next(button for button in page.button if button.label == "Replace")
    button.click().run()
    assert [document.source for document in world.collections.documents("demo")] == ["mill.txt"]
    assert all(button.label != "Replace" for button in page.button)


def test_a_visitor_from_elsewhere_is_not_offered_a_path(world: Workspace, page: AppTest) -> None:
    page.run()
    assert "path" not in {field.key for field in page.text_input}


def test_rename_and_delete_with_a_question_back(world: Workspace, page: AppTest) -> None:
    page.run()
    page.text_input(key="other-name").set_value("bridges")
    page.button(key="rename").click().run()
    assert [info.name for info in world.collections.all()] == ["bridges"]
    assert page.selectbox(key="collection").value == "bridges"
    assert page.button(key="delete").disabled
    page.checkbox(key="sure-bridges").check().run()
    page.button(key="delete").click().run()
    assert world.collections.all() == []
    assert "“bridges” was deleted" in sentences(page)


def test_a_form_for_a_collection_that_vanished_reaches_no_other(
    world: Workspace, page: AppTest
) -> None:
    world.collections.create("aardvark")
    page.run()
    page.selectbox(key="collection").set_value("demo").run()
    page.text_input(key="paste-title-0").set_value("Secret")
    page.text_area(key="paste-text-0").set_value("Only for the demo.")
    world.collections.rename("demo", "zebra")
    page.button(key="add-text-0").click().run()
    assert "“demo” was renamed or deleted elsewhere" in sentences(page)
    assert [world.collections.passages(name, search="demo") for name in ("aardvark", "zebra")] == [
        [],
        [],
    ]
    page.selectbox(key="collection").set_value("zebra").run()
    assert "renamed or deleted" not in sentences(page)
    assert page.button(key="add-text-0")


def test_a_finished_job_is_told_until_it_is_dismissed(
    world: Workspace, page: AppTest, work: Work
) -> None:
    job = world.jobs.enqueue_extraction("demo")
    work()
    page.run()
    assert "is finished" in sentences(page)
    page.button(key=f"dismiss-{job}").click().run()
    assert "is finished" not in sentences(page)
    assert world.jobs.get(job).state == "done"


def test_extraction_shows_progress_can_be_cancelled_and_goes_on(
    world: Workspace, page: AppTest, work: Work
) -> None:
    on_tab(page, "Triples")
    page.button(key="extract").click().run()
    job = next(job for job in world.jobs.recent("demo") if job.kind == "extraction")
    assert "Extraction waits for its turn" in sentences(page)
    page.button(key=f"cancel-job-{job.id}").click().run()
    assert world.jobs.get(job.id).state == "cancelled"
    page.button(key="extract").click().run()
    work()
    page.run()
    assert "is finished" in sentences(page)
    assert world.collections.triples("demo", "local", search="Telford")


def test_the_set_runs_use_can_be_chosen(world: Workspace, page: AppTest, work: Work) -> None:
    world.jobs.enqueue_extraction("demo")
    work()
    on_tab(page, "Triples")
    assert set(page.dataframe[0].value["triple set"]) == {"curated", "local"}
    page.selectbox(key="active-set").set_value("local").run()
    page.button(key="activate").click().run()
    assert [found.name for found in world.collections.get("demo").triple_sets if found.active] == [
        "local"
    ]


def test_passages_are_searched_and_shown_in_their_document(world: Workspace, page: AppTest) -> None:
    world.imports.text("Tower Bridge", "It stands in London. It opened in 1894.", "demo")
    on_tab(page, "Passages")
    page.text_input(key="words").set_value("1894").run()
    assert list(page.dataframe[0].value["title"]) == ["Tower Bridge"]
    assert "<mark>It stands in London. It opened in 1894.</mark>" in sentences(page)
    page.text_input(key="words").set_value("zeppelin").run()
    assert "No passage has these words" in sentences(page)


def test_an_entity_has_a_graph_and_a_table_of_its_triples(world: Workspace, page: AppTest) -> None:
    visit(page, tab="Entities", entity="Clifton Suspension Bridge", depth=2)  # type: ignore[arg-type]
    picture = component(page, "graph")
    by_name = {node["title"].partition(",")[0]: node for node in picture["nodes"]}  # type: ignore[attr-defined]
    assert by_name["Clifton Suspension Bridge"]["level"] == 0
    assert by_name["Isambard Kingdom Brunel. Click to go there"]["level"] == 1
    assert "Clifton Suspension Bridge" in set(page.dataframe[-1].value["subject"])


def test_triples_name_their_passage_and_can_be_paged(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.app.collections.contents.PAGE", 5)
    on_tab(page, "Triples")
    first = page.dataframe[-1].value
    assert list(first["passage"][:4]) == ["Clifton Suspension Bridge"] * 3 + [
        "Isambard Kingdom Brunel"
    ]
    page.session_state["triples-page"] = 2
    page.run()
    assert page.dataframe[-1].value["object"][0] == factories.TRIPLES[5][3]
    page.text_input(key="words").set_value("Telford").run()
    assert set(page.dataframe[-1].value["passage"]) == {"Menai Suspension Bridge", "Thomas Telford"}
