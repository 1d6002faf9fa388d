"""Correcting triples on the page Collections, and runs that say what changed since."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.core.types import Triple
from gear_app.workspace.collections.curation import TripleDraft
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit

PAGE = "collections/page.py"


def triple(world: Workspace, words: str) -> Triple:
    (found,) = world.collections.triples("demo", "curated", words)
    return found


def field(page: AppTest, key: str, words: str) -> None:
    (found,) = [one for one in page.text_input if one.key and one.key.startswith(key)]
    found.set_value(words)


def test_a_triple_is_edited_and_changes_are_undone_one_by_one(
    world: Workspace, page: AppTest
) -> None:
    before = triple(world, "designed by Isambard")
    visit(page, tab="Triples", words="designed by Isambard")
    page.text_input(key=f"predicate-{before.id}").set_value("was drawn by")
    page.button(key="triple-save").click().run()
    after = triple(world, "was drawn by Isambard")
    assert "· was drawn by ·" in sentences(page)
    visit(page, words="drawn by Isambard")
    page.button(key="triple-delete").click().run()
    assert world.collections.triples("demo", "curated", "drawn by") == []
    page.button(key="curation-undo").click().run()
    assert triple(world, "was drawn by Isambard").span == after.span
    page.button(key="curation-undo").click().run()
    assert triple(world, "designed by Isambard") == before
    assert "curation-undo" not in [one.key for one in page.button]


def test_a_triple_is_added_to_a_passage_of_the_address(world: Workspace, page: AppTest) -> None:
    visit(page, tab="Passages", words="avon")
    avon = world.collections.passage_by_key("demo", "avon")
    field(page, "predicate-", "is crossed by")
    field(page, "object-", "a bridge")
    next(box for box in page.selectbox if box.label == "Its sentence").set_value(
        "The Clifton Suspension Bridge crosses it."
    )
    page.button(key="triple-add").click().run()
    added = triple(world, "Avon Gorge is crossed by a bridge")
    assert added.span and avon.text[added.span.start : added.span.end] == (
        "The Clifton Suspension Bridge crosses it."
    )


def test_an_entity_is_renamed_and_deleted_with_its_number_of_triples(
    world: Workspace, page: AppTest
) -> None:
    visit(page, tab="Entities", entity="Thomas Telford")
    number = len(world.curation.naming("demo", "Thomas Telford"))
    assert f"Delete {number} triples" in [one.label for one in page.button]
    field(page, "rename-", "T. Telford")
    page.button(key="entity-rename").click().run()
    assert page.selectbox(key="entity").value == "T. Telford"
    assert len(world.curation.naming("demo", "T. Telford")) == number
    page.button(key="entity-delete").click().run()
    assert world.collections.triples("demo", "curated", "Telford") == []
    page.button(key="curation-undo").click().run()
    assert len(world.curation.naming("demo", "T. Telford")) == number


def test_a_run_says_whether_a_triple_of_its_steps_was_changed(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "naive_ge").run
    visit(app, run=run)
    assert "The collection changed" not in sentences(app)
    one = triple(world, "designed by Isambard")
    world.curation.edit("demo", one.id, TripleDraft(one.subject, "was drawn by", one.object))
    app.run()
    assert "The collection changed after this run" in sentences(app)
    assert app.button(key="again")
    world.curation.undo("demo")
    app.run()
    assert "The collection changed" not in sentences(app)
