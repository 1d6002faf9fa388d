from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
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
    page.button(key="add-0").click().run()
    assert "The import waits for its turn" in sentences(page)
    work()
    page.run()
    assert "3 files: 1 accepted" in sentences(page)
    assert list(page.dataframe[0].value["file"]) == ["bridge.txt", "empty.txt", "binary.txt"]
    assert "Extraction is finished" in sentences(page)
    assert (
        world.collections.triples("demo", "local", search="Horace Jones")[0].predicate
        == "was designed by"
    )


def test_a_file_of_no_known_form_can_be_told_which_field_is_which(
    world: Workspace, page: AppTest, work: Work
) -> None:
    content = b'{"frage": "Who opened the Tower Bridge?", "antwort": "Horace Jones"}'
    page.run()
    page.text_input(key="field-question").set_value("frage")
    page.text_input(key="field-answers").set_value("antwort")
    page.file_uploader(key="files-0").set_value([("q.jsonl", content, "application/json")])
    page.button(key="add-0").click().run()
    work()
    answers = {one.question: one.answers for one in world.collections.questions("demo")}
    assert answers["Who opened the Tower Bridge?"] == ("Horace Jones",)


def test_a_text_is_pasted_and_its_cancelled_import_undone(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.text_input(key="title-0").set_value("Tower Bridge")
    page.text_area(key="text-0").set_value("The Tower Bridge opened in 1894.")
    page.checkbox(key="extract-added").set_value(False)
    page.button(key="add-0").click().run()
    job = world.imports.unfinished("demo")[0].id
    assert page.text_area(key="text-1").value == ""
    work()
    assert [one.title for one in world.collections.passages("demo", "1894")] == ["Tower Bridge"]
    assert "extraction" not in [job.kind for job in world.jobs.recent("demo")]
    world.store.db.execute("UPDATE tasks SET state = 'cancelled' WHERE number = ?", [job])
    page.run()
    assert "1 passage stored" in sentences(page)
    page.button(key=f"undo-import-{job}").click().run()
    assert world.collections.passages("demo", "1894") == []
    assert "The import" not in sentences(page)


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


def test_a_form_for_a_collection_that_vanished_reaches_no_other(
    world: Workspace, page: AppTest
) -> None:
    world.collections.create("aardvark")
    page.run()
    page.selectbox(key="collection").set_value("demo").run()
    page.text_area(key="text-0").set_value("Only for the demo.")
    world.collections.rename("demo", "zebra")
    page.button(key="add-0").click().run()
    assert "“demo” was renamed or deleted elsewhere" in sentences(page)
    assert [world.collections.passages(name, search="demo") for name in ("aardvark", "zebra")] == [
        [],
        [],
    ]
    page.selectbox(key="collection").set_value("zebra").run()
    assert "renamed or deleted" not in sentences(page)
    assert page.button(key="add-0")


def test_the_set_runs_use_can_be_chosen(world: Workspace, page: AppTest, work: Work) -> None:
    world.jobs.enqueue_extraction("demo")
    work()
    on_tab(page, "Triples")
    assert set(page.dataframe[0].value["triple set"]) == {"curated", "local"}
    page.selectbox(key="active-set").set_value("local").run()
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


def test_extraction_can_be_cancelled(world: Workspace, page: AppTest) -> None:
    on_tab(page, "Triples")
    page.button(key="extract").click().run()
    job = next(job for job in world.jobs.recent("demo") if job.kind == "extraction")
    assert "Extraction waits for its turn" in sentences(page)
    page.button(key=f"cancel-job-{job.id}").click().run()
    assert world.jobs.get(job.id).state == "cancelled"


def test_an_entity_has_a_graph_and_a_table_of_its_triples(world: Workspace, page: AppTest) -> None:
    visit(page, tab="Entities", entity="Clifton Suspension Bridge")
    picture = component(page, "graph")
    level = {node["name"]: node["level"] for node in picture["nodes"]}  # type: ignore[attr-defined]
    assert level["Clifton Suspension Bridge"] == 0
    assert level["Isambard Kingdom Brunel"] == 1
    assert "Clifton Suspension Bridge" in set(page.dataframe[-1].value["subject"])
