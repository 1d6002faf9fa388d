"""Answers in Explore and Compare: asked for in the settings, shown as the last step, absent where
nobody asked.
"""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from gear_app.trace.events import Answered, Failed
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import asked, component
from tests.app.played import played
from tests.display.test_answers import answered


def test_an_answer_is_asked_for_in_the_settings_and_the_run_ends_with_it(
    world: Workspace, app: AppTest, work: Callable[[], None]
) -> None:
    app.run()
    app.selectbox(key="method").set_value("hybrid").run()
    app.checkbox(key="set-answer").check().run()
    asked(app, factories.QUESTION, "hybrid")
    (run,) = world.runs.recent()
    assert run.options["answer"] is True and run.answers == ("François Carpentier",)
    work()
    app.run()
    assert [step["verb"] for step in component(app, "strip")["steps"]][-2:] == ["rank", "answer"]  # type: ignore[attr-defined]
    html = sentences(app) + str(component(app, "columns")["html"])
    assert "From the first 5 passages" in html
    assert "upper bound of retrieval" in html
    assert "François Carpentier" in html
    assert "Answered by the local reader: rules, not a language model" in html
    assert app.checkbox(key="set-answer").value is True


def test_an_answer_that_failed_shows_why_and_words_stay_words(
    world: Workspace, app: AppTest
) -> None:
    events = answered(factories.gear_run(), "![x](http://evil.example/x.png)")
    last = events.pop()
    assert isinstance(last, Answered) and last.source == "nothing"
    events.append(
        Failed("answer", "No answer without passages. It is <b>empty</b>.", "# raw", iteration=0)
    )
    visit(app, run=played(world, "gear", events), step="99")
    html = sentences(app)
    assert "No answer without passages. It is &lt;b&gt;empty" in html
    assert "![x]" in html and all("![x]" not in str(one.value) for one in app.markdown)
    assert (
        "exact match and F1 are not defined" in html
    )  # the run was made of events alone: it knows no answers
