from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests.app.conftest import sentences, visit
from tests.app.explored import component

PAGE = "collections/page.py"

Work = Callable[[], None]


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
        world.collections["demo"].triples("local", "Horace Jones")[0].predicate == "was designed by"
    )


def test_a_text_is_pasted_and_its_cancelled_import_undone(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.text_input(key="title-0").set_value("Tower Bridge")
    page.text_area(key="text-0").set_value("The Tower Bridge opened in 1894.")
    page.checkbox(key="extract-added").set_value(False)
    page.button(key="add-0").click().run()
    job = world.collections.get("demo").unfinished_imports[0].id
    assert page.text_area(key="text-1").value == ""
    work()
    assert [one.title for one in world.collections["demo"].passages("1894")] == ["Tower Bridge"]
    assert "extraction" not in [job.kind for job in world.jobs.recent("demo")]
    world.store.db.execute("UPDATE tasks SET state = 'cancelled' WHERE number = ?", [job])
    page.run()
    assert "Import the same again to complete it, or undo it." in sentences(page)
    page.button(key=f"undo-import-{job}").click().run()
    assert world.collections["demo"].passages("1894") == []
    assert "The import" not in sentences(page)


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


def test_an_entity_has_a_graph_and_a_table_of_its_triples(world: Workspace, page: AppTest) -> None:
    visit(page, tab="Entities", entity="Clifton Suspension Bridge")
    picture = component(page, "graph")
    level = {node["name"]: node["level"] for node in picture["nodes"]}  # type: ignore[attr-defined]
    assert level["Clifton Suspension Bridge"] == 0
    assert level["Isambard Kingdom Brunel"] == 1
    assert "Clifton Suspension Bridge" in set(page.dataframe[-1].value["subject"])
