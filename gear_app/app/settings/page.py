"""Settings, a section for what a visitor would look for; the address says which one is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from gear_app.app.settings import cluster, costs, index, model_form
from gear_app.app.settings.model_words import in_use
from gear_app.app.shared import elements, language_models, session
from gear_app.app.shared.language_models import READER
from gear_app.display import markup
from gear_app.workspace import doctor
from gear_app.workspace.workspace import Workspace


def page() -> None:
    """The sections as tabs; only what is open is drawn, and asked for."""
    workspace = session.workspace()
    elements.tabs({name: partial(draw, workspace) for name, draw in SHOWN.items()}, "section")


def _model(_: Workspace) -> None:
    """The form, under what is in use, which the form may change."""
    above = st.container()
    with st.container(border=True):
        model_form.show()
    spec = language_models.chosen()
    with above:
        elements.message(
            in_use(spec, st.session_state.get(READER, "local")), "good" if spec else "info"
        )


FIRST_FINDINGS = ("gear_app", "workspace", "embedder", "worker", "unfinished", "disk")
APPEARANCE = (
    "Light or dark follows your system. To choose, open the menu ⋮ at the top right of every page."
)


def _about(workspace: Workspace) -> None:
    """What the doctor finds: the most important in sight, the rest folded away."""
    with st.container(border=True):
        _findings(workspace)
    with st.container(border=True):
        st.html(markup.title("Appearance"))
        st.html(markup.tag("p", APPEARANCE))


def _findings(workspace: Workspace) -> None:
    findings = doctor.examine(workspace)
    st.html(markup.title("About", "as gear-app doctor finds it"))
    elements.message(
        " ".join(f"{finding.what}: {finding.found}." for finding in findings if not finding.ok),
        "bad",
    )
    st.html(
        markup.facts(
            [
                (finding.what, finding.found)
                for finding in findings
                if finding.what in FIRST_FINDINGS
            ]
        )
    )
    rows = [
        {"what": finding.what, "as it should be": finding.ok, "found": finding.found}
        for finding in findings
    ]
    elements.folded_table("All that was looked at", lambda: rows, "about")


SHOWN: Mapping[str, Callable[[Workspace], None]] = {
    "Language model": _model,
    "Costs": costs.show,
    "Index": index.show,
    "Cluster": cluster.show,
    "About": _about,
}


page()
