"""Correcting triples on the page Collections, and runs that say what changed since."""

from __future__ import annotations

from dataclasses import replace

from streamlit.testing.v1 import AppTest

from gear_app.core.types import Triple
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import sentences, visit

PAGE = "collections/page.py"


def triple(world: Workspace, words: str) -> Triple:
    (found,) = world.collections["demo"].triples("curated", words)
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
    assert world.collections["demo"].triples("curated", "drawn by") == []
    page.button(key="curation-undo").click().run()
    assert triple(world, "was drawn by Isambard").span == after.span
    page.button(key="curation-undo").click().run()
    assert replace(triple(world, "designed by Isambard"), id=before.id) == before
    assert "curation-undo" not in [one.key for one in page.button]


def test_an_entity_is_renamed_and_deleted_with_its_number_of_triples(
    world: Workspace, page: AppTest
) -> None:
    visit(page, tab="Entities", entity="Thomas Telford")
    number = len(world.collections["demo"].curation().naming("Thomas Telford"))
    assert f"Delete {number} triples" in [one.label for one in page.button]
    field(page, "rename-", "T. Telford")
    page.button(key="entity-rename").click().run()
    assert page.selectbox(key="entity").value == "T. Telford"
    assert len(world.collections["demo"].curation().naming("T. Telford")) == number
    page.button(key="entity-delete").click().run()
    assert world.collections["demo"].triples("curated", "Telford") == []
    page.button(key="curation-undo").click().run()
    assert len(world.collections["demo"].curation().naming("T. Telford")) == number
