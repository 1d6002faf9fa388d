"""The card of extraction on the way: the passages that were read, the triples that came of them,
and what failed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from gear_app.events import Extracted, Failed
from gear_app.ui.explore import calls
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import folded_table
from gear_app.views import lazy_extraction, names
from gear_app.views.markup import tag


def _extract(scene: Scene) -> Choice:
    """A step that only failed has nothing to show but why."""
    failures = scene.of(Failed)
    for failed in failures:
        if not failed.reply:
            calls.failed(failed)
    for event in scene.of(Extracted):
        st.html(
            tag(
                "p",
                lazy_extraction.summary(event, names.model_of(scene.run)),
                class_="gear-note",
            )
        )
        st.html(lazy_extraction.drawn(event, scene.gold))
        label = f"All {len(event.triples)} triples as a table" if event.triples else "As a table"
        folded_table.table(
            label, partial(lazy_extraction.rows, event, scene.gold), f"extracted-{scene.key}"
        )
    _replies([event for event in failures if event.reply], scene.key)
    return Choice()


def _replies(failures: list[Failed], key: str) -> None:
    """Replies that could not be used, or not all of them, folded away: there may be one for every
    passage.
    """
    if failures:
        with st.expander(lazy_extraction.replies(failures), key=f"extract-failed-{key}"):
            for event in failures:
                calls.failed(event)


DRAWN: dict[str, Callable[[Scene], Choice]] = {"extract": _extract}
