"""Correcting triples on the page Collections, and runs that say what changed since."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.core.types import Triple
from gear_app.workspace.collections.edit_steps import TripleDraft
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


def test_a_triple_is_edited_told_and_undone(world: Workspace, page: AppTest) -> None:
    before = triple(world, "designed by Isambard")
    visit(page, tab="Triples", words="designed by Isambard")
    field(page, f"edit-{before.id}-0-predicate", "was drawn by")
    page.button(key="triple-save").click().run()
    assert "Clifton Suspension Bridge was drawn by Isambard Kingdom Brunel" in [
        t.text for t in world.collections.triples("demo", "curated")
    ]
    assert "· was drawn by ·" in sentences(page)
    page.button(key="curation-undo").click().run()
    assert triple(world, "designed by Isambard") == before
    assert "Undid step 1: 1 triple." in sentences(page)


def test_the_last_step_of_the_history_is_undone_then_the_one_before(
    world: Workspace, page: AppTest
) -> None:
    for words in ("designed by Isambard", "crosses"):
        world.curation.delete("demo", [world.collections.triples("demo", "curated", words)[0].id])
    before = len(world.collections.triples("demo", "curated"))
    page.session_state["fold-curation"] = True
    visit(page, tab="Triples", words="")
    for number in (2, 1):
        assert page.button(key="undo-last").label == f"Undo step {number}"
        page.button(key="undo-last").click().run()
        assert f"Undid step {number}: 1 triple." in sentences(page)
    assert len(world.collections.triples("demo", "curated")) == before + 2
    assert "undo-last" not in [one.key for one in page.button]


def test_a_triple_is_added_to_a_passage_of_the_address(world: Workspace, page: AppTest) -> None:
    visit(page, tab="Passages", words="avon")
    avon = world.collections.passage_by_key("demo", "avon")
    assert page.text_input(key=f"add-{avon.id}-0-subject").value == "Avon Gorge"
    page.text_input(key=f"add-{avon.id}-0-predicate").set_value("is crossed by")
    page.text_input(key=f"add-{avon.id}-0-object").set_value("a bridge")
    page.selectbox(key=f"add-{avon.id}-0-sentence").set_value(1)
    page.button(key="triple-add").click().run()
    added = triple(world, "is crossed by a bridge")
    assert added.span and avon.text[added.span.start : added.span.end] == (
        "The Clifton Suspension Bridge crosses it."
    )


def test_an_entity_is_renamed_and_deleted_with_its_number_of_triples(
    world: Workspace, page: AppTest
) -> None:
    visit(page, tab="Entities", entity="Thomas Telford")
    number = len(world.curation.naming("demo", "Thomas Telford"))
    assert f"Delete {number} triples" in [one.label for one in page.button]
    field(page, "merge-into-", "T. Telford")
    page.button(key="entity-merge").click().run()
    assert len(world.curation.naming("demo", "T. Telford")) == number
    page.run()
    page.button(key="entity-delete").click().run()
    assert world.collections.triples("demo", "curated", "Telford") == []
    page.button(key="curation-undo").click().run()
    assert len(world.curation.naming("demo", "T. Telford")) == number


def test_a_run_says_whether_a_triple_of_its_steps_was_changed(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "naive_ge").run
    visit(app, run=run, all="1")
    assert "The collection changed" not in sentences(app)
    one = triple(world, "designed by Isambard")
    world.curation.edit("demo", one.id, TripleDraft(one.subject, "was drawn by", one.object))
    app.run()
    assert "of the triples “curated”, 1 triple that it saw was changed or deleted" in sentences(app)
    assert "Its steps show one of these" in sentences(app)
    assert app.button(key="again")
    world.curation.undo("demo")
    app.run()
    assert "The collection changed" not in sentences(app)
