from __future__ import annotations

from gear_app.llm.server import Spec
from gear_app.views import reader_names
from tests.views import compared


def test_the_local_reader_never_pretends_to_be_a_language_model() -> None:
    assert (
        reader_names.note("local")
        == "by the local reader: rules, not a language model; English only"
    )
    assert reader_names.note("gpt") == "by gpt"
    assert reader_names.name("local", "tiny") == "local reader"
    assert reader_names.note("") == ""


def test_a_language_model_goes_by_its_name() -> None:
    run = compared.run("a", "gear", reader="llm", model=Spec("http://a/v1", "tiny").to_json())
    assert reader_names.model_of(run) == reader_names.name("llm", "tiny") == "tiny"
    assert reader_names.note("llm", "tiny") == "by tiny, a language model"
    assert (
        reader_names.made_by(run) == "GEAR, read by tiny"
        and reader_names.made_by(compared.run("b", "gear")) == "GEAR"
    )
    earlier = compared.run(
        "c", "gear", reader="llm", versions={"reader": "old"}
    )  # when runs did not say it
    assert reader_names.model_of(earlier) == "old"
    assert (
        reader_names.name("llm") == "language model"
        and reader_names.note("llm") == "by a language model"
    )
