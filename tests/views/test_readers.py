from __future__ import annotations

from gear_app.llm.server import Spec
from gear_app.views import names
from tests.views import compared


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        names.reader_note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert names.reader_note("gpt") == "by gpt"
    assert names.reader_name("local", "tiny") == "local reader"
    assert names.reader_note("") == ""


def test_a_language_model_goes_by_its_name() -> None:
    run = compared.run("a", "gear", reader="llm", model=Spec("http://a/v1", "tiny").to_json())
    assert names.model_of(run) == names.reader_name("llm", "tiny") == "tiny"
    assert names.reader_note("llm", "tiny") == "by tiny, a language model"
    assert (
        names.made_by(run) == "GEAR, read by tiny"
        and names.made_by(compared.run("b", "gear")) == "GEAR"
    )
    earlier = compared.run(
        "c", "gear", reader="llm", versions={"reader": "old"}
    )  # when runs did not say it
    assert names.model_of(earlier) == "old"
    assert (
        names.reader_name("llm") == "language model"
        and names.reader_note("llm") == "by a language model"
    )
