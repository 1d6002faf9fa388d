from __future__ import annotations

from gear_app.models.server import Spec
from gear_app.views import readers
from tests.views import compared


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert readers.note("local") == "by the local reader: rules, not a language model; English only"
    assert readers.note("gpt") == "by gpt"
    assert readers.name("local", "tiny") == "local reader"
    assert readers.note("") == ""


def test_a_language_model_goes_by_its_name() -> None:
    run = compared.run("a", "gear", reader="llm", model=Spec("http://a/v1", "tiny").to_json())
    assert readers.model_of(run) == readers.name("llm", "tiny") == "tiny"
    assert readers.note("llm", "tiny") == "by tiny, a language model"
    assert (
        readers.made_by(run) == "GEAR, read by tiny"
        and readers.made_by(compared.run("b", "gear")) == "GEAR"
    )
    earlier = compared.run(
        "c", "gear", reader="llm", versions={"reader": "old"}
    )  # when runs did not say it
    assert readers.model_of(earlier) == "old"
    assert readers.name("llm") == "language model" and readers.note("llm") == "by a language model"
