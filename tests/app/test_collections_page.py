from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.errors import ModelFailed
from gear_app.jobs.service import JobService
from gear_app.store.rows import JobInfo
from gear_app.types import Extraction, Passage
from gear_app.ui.shared import elements, visitors
from gear_app.views.labels import literal
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import PatternExtractor, on_tab, sentences

Work = Callable[[], None]
PAGE = "collections/page.py"


def test_the_first_collection_is_made_here(empty: Workspace, page: AppTest) -> None:
    page.run()
    assert "no collection yet" in sentences(page)
    page.text_input(key="new-name-0").set_value("my documents")
    page.button(key="create-0").click().run()
    assert [info.name for info in empty.collections.all()] == ["my documents"]
    assert page.selectbox(key="collection-page-1").value == "my documents"


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
    job = world.imports.unfinished("demo")[0].job
    page.button(key=f"cancel-job-{job}").click().run()
    assert "The import was cancelled. Nothing of it is stored." in sentences(page)
    page.button(key=f"undo-import-{job}").click().run()
    assert world.imports.unfinished("demo") == []
    page.file_uploader(key="files-1").set_value([("new.txt", b"Some new words.", "text/plain")])
    page.button(key="add-files-1").click().run()
    job = world.imports.unfinished("demo")[0].job
    work()
    assert world.collections.get("demo").passages == before + 1
    world.store.db.execute("UPDATE jobs SET state = 'cancelled' WHERE id = ?", [job])
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


def test_what_came_in_while_the_page_was_drawn_stands_above(
    world: Workspace, page: AppTest, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job began and ended between the look at the collection and that at its jobs."""
    recent, left = JobService.recent, ["a text"]

    def late(jobs: JobService, *asked: Any) -> list[JobInfo]:
        while left:
            world.imports.enqueue_text(
                left.pop(), "Nora Plum keeps the mill.", "demo", extract=False
            )
            work()
        return recent(jobs, *asked)

    monkeypatch.setattr(JobService, "recent", late)
    page.run()
    assert "1 document " in " ".join(caption.value for caption in page.caption)


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


def test_nothing_to_add_is_said(world: Workspace, page: AppTest) -> None:
    page.run()
    page.button(key="add-files-0").click().run()
    assert "There is no file yet" in sentences(page)
    page.button(key="add-text-0").click().run()
    assert "There is no text yet" in sentences(page)


def test_a_visitor_from_elsewhere_is_not_offered_a_path(world: Workspace, page: AppTest) -> None:
    page.run()
    assert "path" not in {field.key for field in page.text_input}


def test_a_path_that_is_not_there_is_a_sentence(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    page.run()
    page.text_input(key="path-0").set_value("/no/such/folder")
    page.button(key="import-path-0").click().run()
    assert "/no/such/folder" in sentences(page)


def test_rename_and_delete_with_a_question_back(world: Workspace, page: AppTest) -> None:
    page.run()
    page.text_input(key="other-name").set_value("bridges")
    page.button(key="rename").click().run()
    assert [info.name for info in world.collections.all()] == ["bridges"]
    assert page.selectbox(key="collection-page-1").value == "bridges"
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
    page.selectbox(key="collection-page-0").set_value("demo").run()
    page.text_input(key="paste-title-0").set_value("Secret")
    page.text_area(key="paste-text-0").set_value("Only for the demo.")
    world.collections.rename("demo", "zebra")
    page.button(key="add-text-0").click().run()
    assert "“demo” was renamed or deleted elsewhere" in sentences(page)
    assert [world.collections.passages(name, search="demo") for name in ("aardvark", "zebra")] == [
        [],
        [],
    ]
    page.selectbox(key="collection-page-0").set_value("zebra").run()
    assert "renamed or deleted" not in sentences(page)
    assert page.button(key="add-text-0")


def test_jobs_that_wait_stand_in_the_order_in_which_they_are_done(
    world: Workspace, page: AppTest
) -> None:
    row = world.store.collections.get("demo")
    assert row.active_set_id is not None
    for kind, set_id in (("extraction", row.active_set_id), ("vectors", None)):
        world.store.jobs.ensure(kind, row.id, set_id)
    world.store.jobs.ensure("vectors", row.id, row.active_set_id)
    page.run()
    told = sentences(page)
    names = ("Encoding of passages", "Extraction waits", "Encoding of the triples")
    places = [told.index(name) for name in names]
    assert places == sorted(places)


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


def test_a_finished_job_is_told_where_jobs_are_started_only(
    world: Workspace, page: AppTest, work: Work
) -> None:
    world.jobs.enqueue_extraction("demo")
    work()
    assert "is finished" in sentences(on_tab(page, "Triple sets"))
    for other in ("Passages", "Triples", "Questions"):
        assert "is finished" not in sentences(on_tab(page, other))
    assert "is finished" in sentences(on_tab(page, "Documents"))


def test_extraction_shows_progress_can_be_cancelled_and_goes_on(
    world: Workspace, page: AppTest, work: Work
) -> None:
    on_tab(page, "Triple sets")
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
    on_tab(page, "Triple sets")
    assert set(page.dataframe[0].value["triple set"]) == {"curated", "local"}
    page.selectbox(key="active-set").set_value("local").run()
    page.button(key="activate").click().run()
    assert [found.name for found in world.collections.get("demo").triple_sets if found.active] == [
        "local"
    ]


def test_passages_are_searched_and_shown_in_their_document(world: Workspace, page: AppTest) -> None:
    world.imports.text("Tower Bridge", "It stands in London. It opened in 1894.", "demo")
    on_tab(page, "Passages")
    page.text_input(key="passage-search").set_value("1894").run()
    assert list(page.dataframe[0].value["title"]) == ["Tower Bridge"]
    assert "<mark>It stands in London. It opened in 1894.</mark>" in sentences(page)
    page.text_input(key="passage-search").set_value("zeppelin").run()
    assert "No passage has these words" in sentences(page)


def test_triples_are_shown_with_their_sentence(world: Workspace, page: AppTest, work: Work) -> None:
    world.jobs.enqueue_extraction("demo")
    work()
    world.collections.activate("demo", "local")
    on_tab(page, "Triples")
    page.text_input(key="triple-search").set_value("Telford").run()
    assert page.dataframe[0].value["object"][0] == "Thomas Telford"
    assert re.search(
        r"<mark>The Menai Suspension Bridge was designed by Thomas Telford</mark>", sentences(page)
    )


def test_the_graph_stands_above_its_table(world: Workspace, page: AppTest) -> None:
    on_tab(page, "Entities and graph")
    page.text_input(key="entity-search").set_value("Clifton Suspension Bridge").run()
    table = page.dataframe[-1].value
    assert "Isambard Kingdom Brunel" in set(table["object"])
    assert "not drawn" not in sentences(page)


def test_the_address_holds_tab_words_entity_and_depth(world: Workspace, page: AppTest) -> None:
    on_tab(page, "Entities and graph")
    page.text_input(key="entity-search").set_value("Clifton").run()
    page.segmented_control(key="graph-depth").set_value(2).run()
    assert dict(page.query_params) == {
        "collection": "demo",
        "tab": "entities",
        "words": "Clifton",
        "depth": "2",
    }


def test_communities_colour_the_graph_where_the_address_says_so(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_tab(page, "Entities and graph")
    page.text_input(key="entity-search").set_value("Clifton Suspension Bridge").run()
    page.toggle(key="graph-colour").set_value(True).run()
    assert page.query_params["colour"] == "communities"
    assert "1: community of" in sentences(page)
    assert all(page.dataframe[-1].value["subject’s community"])
    monkeypatch.setattr("gear_app.ui.collections.entities.MOST_CUT", 1)
    page.run()
    assert page.toggle(key="graph-colour").disabled and "community of" not in sentences(page)


def test_an_address_comes_back_to_the_same_neighbourhood(world: Workspace, page: AppTest) -> None:
    page.query_params.update(
        collection="demo", tab="entities", words="Brunel", entity="Clifton Suspension Bridge"
    )
    page.run()
    assert page.text_input(key="entity-search").value == "Brunel"
    assert page.selectbox(key="entity-chosen").value == "Clifton Suspension Bridge"
    assert "Clifton Suspension Bridge" in set(page.dataframe[-1].value["subject"])


def test_an_entity_that_is_not_there_is_said(world: Workspace, page: AppTest) -> None:
    page.query_params.update(tab="entities", entity="Zeppelin")
    page.run()
    assert "“Zeppelin” is no entity of these triples" in sentences(page)


def test_another_tab_leaves_the_words_of_the_last(world: Workspace, page: AppTest) -> None:
    page.query_params.update(tab="passages", words="Telford")
    page.run()
    assert page.text_input(key="passage-search").value == "Telford"
    on_tab(page, "Documents")
    assert "tab" not in page.query_params


@pytest.mark.parametrize(
    ("tab", "words"),
    [
        ("Triple sets", "No triples yet"),
        ("Passages", "No passages yet"),
        ("Triples", "No triples yet"),
        ("Entities and graph", "No entities yet"),
        ("Questions", "There are no questions yet"),
    ],
)
def test_every_empty_tab_says_what_to_do(
    empty: Workspace, page: AppTest, tab: str, words: str
) -> None:
    empty.collections.create("nothing")
    on_tab(page, tab)
    assert words in sentences(page)


def test_passages_that_failed_are_shown_with_their_reason(
    empty: Workspace, page: AppTest, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: PatternExtractor, passages: Sequence[Passage]) -> Iterator[Extraction]:
        if passages:
            raise ModelFailed("the parser is missing")
        yield from ()

    monkeypatch.setattr(PatternExtractor, "extract", broken)
    empty.imports.text("Tower Bridge", "It opened in 1894.", "mine")
    empty.jobs.enqueue_extraction("mine")
    work()
    on_tab(page, "Triple sets")
    assert "the parser is missing" in sentences(page) + page.dataframe[-1].value.to_string()


def test_triples_name_their_passage_and_can_be_paged(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.ui.collections.contents.PAGE", 5)
    on_tab(page, "Triples")
    first = page.dataframe[0].value
    assert list(first["passage"][:4]) == ["Clifton Suspension Bridge"] * 3 + [
        "Isambard Kingdom Brunel"
    ]
    assert page.button(key="triples-earlier").disabled
    assert f"Triples 1 to 5 of {len(factories.TRIPLES)}" in [one.value for one in page.caption]
    page.button(key="triples-later").click().run()
    assert page.dataframe[0].value["object"][0] == factories.TRIPLES[5][3]
    page.text_input(key="triple-search").set_value("Telford").run()
    assert set(page.dataframe[0].value["passage"]) == {"Menai Suspension Bridge", "Thomas Telford"}


def test_a_search_of_triples_says_on_its_first_page_how_many_it_found(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.ui.collections.contents.PAGE", 5)
    there = world.collections.triples("demo", "curated", search="bridge")
    assert len(there) > 6
    on_tab(page, "Triples")
    page.text_input(key="triple-search").set_value("bridge").run()
    assert f"Triples 1 to 5 of {len(there)}" in [one.value for one in page.caption]
    monkeypatch.setattr("gear_app.ui.collections.contents.COUNTED", 6)
    page.run()
    assert "Triples 1 to 5 of more than 6" in [one.value for one in page.caption]
    page.text_input(key="triple-search").set_value(there[0].subject).run()
    few = len(page.dataframe[0].value)
    assert f"Triples 1 to {few} of {few}" in [one.value for one in page.caption]
    assert "triples-later" not in [button.key for button in page.button]


@pytest.mark.parametrize(("rows", "height"), [(0, 73), (1, 73), (3, 143), (1000, 520)])
def test_a_table_is_as_tall_as_its_rows(rows: int, height: int) -> None:
    assert elements.table_height(rows, 520) == height
