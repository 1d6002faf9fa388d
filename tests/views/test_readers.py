from __future__ import annotations

from gear_app.llm.server import Spec
from gear_app.views import labels
from tests.views import compared


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        labels.reader_note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert labels.reader_note("gpt") == "by gpt"
    assert labels.reader_name("local", "tiny") == "local reader"
    assert labels.reader_note("") == ""


def test_a_language_model_goes_by_its_name() -> None:
    run = compared.run("a", "gear", reader="llm", model=Spec("http://a/v1", "tiny").to_json())
    assert labels.model_of(run) == labels.reader_name("llm", "tiny") == "tiny"
    assert labels.reader_note("llm", "tiny") == "by tiny, a language model"
    assert (
        labels.method_and_model(run) == "GEAR, read by tiny"
        and labels.method_and_model(compared.run("b", "gear")) == "GEAR"
    )
    earlier = compared.run(
        "c", "gear", reader="llm", versions={"reader": "old"}
    )  # when runs did not say it
    assert labels.model_of(earlier) == "old"
    assert (
        labels.reader_name("llm") == "language model"
        and labels.reader_note("llm") == "by a language model"
    )
