"""Triples made while a question is asked, only of the passages it touches."""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.collections.importer import BatchImport
from gear_app.corpus.lazy_index import Growth, LazyIndex
from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import BadInput, Cancelled, ModelFailed, NotReady, Unknown
from gear_app.events import Answered, Event, Extracted, Failed, Retrieved
from gear_app.ingest import Batch, NewPassage, NewTriple
from gear_app.models import EXTRACTORS
from gear_app.retrievers import METHODS
from gear_app.runs.request import Options, RunRequest
from gear_app.runs.runner import Answer
from gear_app.workspace import Workspace
from tests.small import QUESTION, SmallWorld, index_over, of_kind
from tests.workspaces import ToyExtractor, bare, filled

LAZILY = Options(lazy="toy")
CAN = [
    name
    for name, method in METHODS.items()
    if method.triples and not method.needs_model and not method.graph_first
]


@pytest.fixture
def extractor() -> ToyExtractor:
    return ToyExtractor()


@pytest.fixture
def films(tmp_path: Path, extractor: ToyExtractor) -> Workspace:
    """The small collection without any triples."""
    return bare(tmp_path, extractor)


def other(films: Workspace) -> Workspace:
    """Another process on the same file."""
    return Workspace(films.path, embedder=HashingEmbedder(), extractor=ToyExtractor())


def elsewhere(films: Workspace) -> Workspace:
    """Another process that knows no such extractor: it can make a run again, and nothing new."""
    return Workspace(films.path, embedder=HashingEmbedder())


def of(events: Answer | list[Event], kind: type[Event]) -> list[Any]:
    return of_kind(events.events if isinstance(events, Answer) else events, kind)


def keys(step: Extracted) -> list[str]:
    return [passage.key for passage in step.passages]


def add(films: Workspace, key: str, text: str, **triples: tuple[NewTriple, ...]) -> None:
    batch = Batch(passages=[NewPassage(key, key.capitalize(), text)], triple_sets=triples)
    BatchImport(films.store, films.store.collections.get("films"), [batch]).run()


# What a run extracts


def test_a_run_extracts_the_passages_it_touches_and_no_others(
    films: Workspace, extractor: ToyExtractor
) -> None:
    """BM25 finds the festival and the film; the toy extractor finds nothing in the first, one fact
    in the second.
    """
    began = films.collections.get("films").revision
    answer = films.ask(QUESTION, "films", "naive_ge:bm25", k=2, options=LAZILY)
    assert [
        type(event).__name__ for event in answer.events
    ] == "Started Retrieved Extracted Expanded Fused Ranked EvidenceFound".split()
    (step,) = of(answer, Extracted)
    assert (step.extractor, step.iteration, step.failed, step.meanwhile) == ("toy", 1, (), ())
    assert keys(step) == ["festival", "harbour"] == extractor.asked
    assert [(t.subject, t.predicate, t.object, t.passage_key) for t in step.triples] == [
        ("It", "was directed by", "Ada Quill", "harbour")
    ]
    assert step.triples[0].sentence == "It was directed by Ada Quill."
    assert (step.before, step.revision) == (began, began + 1)
    (made,) = films.collections.get("films").triple_sets
    assert (made.name, made.maker, made.active, made.triples) == ("toy", "toy", True, 1)
    assert made.ready == "unfinished: 2 of 8 passages extracted"
    run = films.runs.get(answer.run)
    assert (run.revision, run.stale, run.triple_set) == (began + 1, False, "toy")


def test_what_was_extracted_stays_for_the_next_question(
    films: Workspace, extractor: ToyExtractor
) -> None:
    films.ask(QUESTION, "films", "gear", options=LAZILY)
    films.ask("Who built the bridge of Port Mira?", "films", "sync_ge", options=LAZILY)
    again = films.ask(QUESTION, "films", "gear", options=LAZILY)
    assert sorted(extractor.asked) == sorted(set(extractor.asked))
    assert of(again, Extracted) == []
    assert films.ask(QUESTION, "films", "gear").ranking == again.ranking


def test_later_iterations_extract_what_only_they_touch(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "gear:bm25", settings={"round_k": 2}, options=LAZILY)
    steps = of(answer, Extracted)
    assert [step.iteration for step in steps] == [1, 2]
    assert keys(steps[0]) == ["festival", "harbour"] and "quill" in keys(steps[1])
    assert steps[0].revision == steps[1].before and films.runs.replay(answer.run).difference == ""


@pytest.mark.parametrize("method", CAN)
def test_on_a_complete_set_a_lazy_run_is_the_normal_one(tmp_path: Path, method: str) -> None:
    """Two passages gave no triples: that they were read is enough."""
    extractor = ToyExtractor()
    films = bare(tmp_path, extractor)
    films.extract("films", "toy")
    extractor.asked.clear()
    normal = films.ask(QUESTION, "films", method)
    lazy = films.ask(QUESTION, "films", method, options=LAZILY)
    assert lazy.events == normal.events and extractor.asked == []
    assert films.runs.get(lazy.run).revision == films.runs.get(normal.run).revision


@pytest.mark.parametrize("method", [*CAN, "ircot:naive_ge:bm25"])
def test_a_lazy_run_is_made_again_without_its_extractor(tmp_path: Path, method: str) -> None:
    films = bare(tmp_path)
    answer = films.ask(QUESTION, "films", method, k=3, options=LAZILY)
    assert of(answer, Extracted)
    happened: list[Event] = []
    assert elsewhere(films).runs.replay(answer.run, happened.append).difference == ""
    assert happened == list(answer.events[1:-1])


def test_a_set_that_was_imported_is_filled_where_it_has_nothing(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    films = filled(tmp_path)
    films.models._extractor = extractor
    add(films, "mira2", "Port Mira was founded in Lorn.")
    answer = films.ask("Where was Port Mira founded?", "films", "naive_ge", k=4, options=LAZILY)
    assert extractor.asked == ["mira2"] and keys(of(answer, Extracted)[0]) == ["mira2"]
    assert [found.name for found in films.collections.get("films").triple_sets] == ["curated"]


def test_a_set_that_is_named_is_begun(tmp_path: Path) -> None:
    films = filled(tmp_path)
    films.ask(QUESTION, "films", "naive_ge", triples="mine", options=LAZILY)
    info = {found.name: found for found in films.collections.get("films").triple_sets}
    assert (info["mine"].maker, info["mine"].active, info["curated"].active) == ("toy", False, True)
    assert info["mine"].triples > 0
    with pytest.raises(Unknown, match="Unknown triple set 'yours'"):
        films.ask(QUESTION, "films", "naive_ge", triples="yours")


def test_the_answers_bounds_extract_nothing(films: Workspace, extractor: ToyExtractor) -> None:
    """Gold passages are not for retrieval: their triples would be there for the next question."""
    answer = films.ask(
        QUESTION,
        "films",
        "naive_ge:bm25",
        k=1,
        options=Options(answer=True, lazy="toy"),
        settings={},
    )
    assert len(of(answer, Answered)) == 3
    assert extractor.asked == ["festival"]


# Who can, who cannot


def test_a_method_that_begins_with_the_graph_is_refused(films: Workspace) -> None:
    for method in ("hipporag", "ircot:hipporag"):
        with pytest.raises(
            BadInput,
            match=r"^hipporag begins with the graph of all .* gear-app extract --collection films$",
        ):
            films.ask(QUESTION, "films", method, options=LAZILY)
    assert films.runs.recent() == [] and films.collections.get("films").triple_sets == []


def test_a_method_without_triples_has_nothing_to_extract(
    films: Workspace, extractor: ToyExtractor
) -> None:
    lazy = films.ask(QUESTION, "films", "hybrid", options=LAZILY)
    assert lazy.events == films.ask(QUESTION, "films", "hybrid").events
    assert not films.runs.get(lazy.run).options and films.collections.get("films").triple_sets == []
    same = films.runs.same(RunRequest(QUESTION, "films", "hybrid", options=LAZILY))
    assert same is not None and extractor.asked == []


def test_an_extractor_that_is_unknown_is_told_before_anything_is_stored(films: Workspace) -> None:
    with pytest.raises(Unknown, match="Unknown extractor 'oracle'"):
        films.ask(QUESTION, "films", "gear", options=Options(lazy="oracle"))
    with pytest.raises(NotReady, match="GEAR_MODEL"):
        films.runs.enqueue(RunRequest(QUESTION, "films", "gear", options=Options(lazy="llm")))
    assert films.runs.recent() == [] and films.collections.get("films").triple_sets == []


def test_a_lazy_run_is_the_same_as_a_lazy_one_only(films: Workspace) -> None:
    assert films.runs.same(RunRequest(QUESTION, "films", "gear", options=LAZILY)) is None
    assert films.collections.get("films").triple_sets == []  # looking makes nothing
    films.ask(QUESTION, "films", "gear", options=LAZILY)
    again = films.ask(QUESTION, "films", "gear", options=LAZILY)
    same = films.runs.same(RunRequest(QUESTION, "films", "gear", options=LAZILY))
    assert same is not None and same.id == again.run
    assert films.runs.same(RunRequest(QUESTION, "films", "gear")) is None


# What goes wrong


def test_a_passage_that_fails_is_told_kept_and_asked_again_by_the_next_run(
    films: Workspace, extractor: ToyExtractor
) -> None:
    add(films, "bad", "BROKEN words of Harbour Lights, the director of Harbour Lights.")
    answer = films.ask(QUESTION, "films", "gear", options=LAZILY)
    (failed,), (step,) = of(answer, Failed), of(answer, Extracted)
    assert (failed.step, failed.message) == ("extract", "Bad: cannot read bad")
    assert [p.key for p in step.passages if p.id in step.failed] == ["bad"]
    assert extractor.asked.count("bad") == 2  # with the others, and alone
    assert [found.passage_key for found in films.jobs.failures("films", "toy")] == ["bad"]
    extractor.asked.clear()
    assert of(films.ask(QUESTION, "films", "gear", options=LAZILY), Extracted)
    assert set(extractor.asked) == {"bad"}
    assert films.runs.replay(answer.run).difference == ""


def test_what_came_before_somebody_asked_to_stop_is_kept(films: Workspace) -> None:
    class Slow(ToyExtractor):
        def extract(self, passages: Any) -> Any:
            films.runs.cancel(films.runs.recent()[0].id)
            yield from super().extract(passages)

    films.models._extractor = Slow()
    with pytest.raises(Cancelled):
        films.ask(QUESTION, "films", "gear", options=LAZILY)
    run = films.runs.recent()[0]
    assert run.state == "cancelled" and of(films.runs.events(run.id), Extracted) == []
    assert films.collections.get("films").triple_sets[0].passages_done == 8


def test_a_run_whose_extractor_cannot_be_loaded_fails_with_its_words(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: ToyExtractor) -> str:
        raise ModelFailed("The parser is missing. Install it.")

    monkeypatch.setattr(ToyExtractor, "fingerprint", property(broken))
    with pytest.raises(NotReady, match=r"^The parser is missing\. Install it\.$"):
        films.ask(QUESTION, "films", "ircot", options=LAZILY)
    assert films.runs.recent()[0].state == "failed"


def test_only_a_run_that_begins_without_triples_is_ended_by_an_extractor_that_gave_none(
    small: SmallWorld,
) -> None:
    """What comes later goes on with what is there, as a replay does."""
    there, without = small.passage("harbour").id, small.passage("quill").id
    facts = [triple for triple in small.triples if triple.passage_id == there]
    index = index_over(small.passages, facts, small.embedder)
    lazy, first = (
        LazyIndex(index, lambda ids: Growth(index, "The account is closed.")) for _ in range(2)
    )
    assert lazy.triples_of([there]) and lazy.triples_of([without]) == []
    with pytest.raises(NotReady, match=r"none could be extracted\. The account is closed"):
        first.triples_of([without])


# Others at the same set


def test_what_a_job_extracts_meanwhile_is_taken_in_and_not_asked_again(
    films: Workspace, extractor: ToyExtractor
) -> None:
    def job(event: Event) -> None:
        if isinstance(event, Retrieved) and event.iteration == 1:
            other(films).extract("films", "toy")

    answer = films.ask(QUESTION, "films", "gear", options=LAZILY, emit=job)
    (step,) = of(answer, Extracted)
    assert extractor.asked == [] and len(step.meanwhile) == len(step.passages) == 6
    assert len(films.collections.triples("films", "toy")) == 8
    assert films.runs.get(answer.run).stale  # it has not seen what it did not touch
    assert elsewhere(films).runs.replay(answer.run).difference == ""
    assert films.ask(QUESTION, "films", "gear", options=LAZILY).ranking == answer.ranking


def test_two_that_extract_a_passage_at_the_same_time_store_it_once(films: Workspace) -> None:
    class Overtaken(ToyExtractor):
        def extract(self, passages: Any) -> Any:
            if not self.asked:
                other(films).extract("films", "toy")
            yield from super().extract(passages)

    films.models._extractor = overtaken = Overtaken()
    answer = films.ask(QUESTION, "films", "naive_ge", k=3, options=LAZILY)
    (step,) = of(answer, Extracted)
    assert len(overtaken.asked) == 3 and step.meanwhile == tuple(p.id for p in step.passages)
    facts = [(t.passage_id, t.text) for t in films.collections.triples("films", "toy")]
    assert len(facts) == len(set(facts)) == 8
    assert films.runs.replay(answer.run).difference == ""


def test_a_lazy_run_that_waited_begins_with_what_is_there_by_then(films: Workspace) -> None:
    """Two in the queue: the second neither extracts what the first did, nor is out of date when it
    ends.
    """
    first, second = (
        films.runs.enqueue(RunRequest(QUESTION, "films", method, options=LAZILY))
        for method in ("gear", "sync_ge")
    )
    for run in (first, second):
        assert films.store.runs.claim(run, films.connection.process)
        films.runner.execute(run)
    assert of(films.runs.events(first), Extracted) and not of(films.runs.events(second), Extracted)
    assert not films.runs.get(second).stale
    assert [films.runs.replay(run).difference for run in (first, second)] == ["", ""]


def test_passages_that_come_and_go_meanwhile_change_nothing_for_the_run(tmp_path: Path) -> None:
    films = bare(tmp_path)
    films.imports.text(
        "Ada Quill again", "Ada Quill was born in Lorn. The director of Harbour Lights.", "films"
    )
    (document,) = films.collections.documents("films")
    reference = films.ask(QUESTION, "films", "gear:bm25", triples="reference", options=LAZILY)

    def meddle(event: Event) -> None:
        if isinstance(event, Extracted) and films.collections.documents("films"):
            there = other(films)
            there.collections.delete_document("films", document.id)
            add(there, "new", "The director of Harbour Lights was born here.")

    answer = films.ask(
        QUESTION, "films", "gear:bm25", triples="meddled", options=LAZILY, emit=meddle
    )
    assert [(line.key, line.score) for line in answer.ranking] == [
        (li.key, li.score) for li in reference.ranking
    ]
    assert films.runs.get(answer.run).stale and not films.collections.documents("films")
    for run in (answer.run, reference.run):
        assert elsewhere(films).runs.replay(run).difference == ""


def test_a_replay_is_identical_whatever_came_later(films: Workspace) -> None:
    runs = [
        films.ask(QUESTION, "films", method, k=2, options=LAZILY)
        for method in ("naive_ge", "griever", "gear")
    ]
    films.ask("Who was born in Lorn and studied music?", "films", "sync_ge", options=LAZILY)
    films.extract("films", "toy")
    add(
        films,
        "vane2",
        "Tom Vane was born in Port Mira.",
        toy=(NewTriple("vane2", "Tom Vane", "was born in", "X"),),
    )
    films.ask(QUESTION, "films", "griever", options=LAZILY)
    fresh = elsewhere(films)
    for answer in runs:
        assert fresh.runs.get(answer.run).stale
        assert (
            fresh.runs.replay(answer.run).ranking
            == answer.ranking
            == films.runs.replay(answer.run).ranking
        )


def test_the_next_run_finds_the_grown_index_open(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And has the same corpus as a process that opens it afresh."""
    films.ask(QUESTION, "films", "naive_ge", k=2, options=LAZILY)
    monkeypatch.setattr(type(films.corpora), "_make", lambda *arguments: 1 / 0)
    after = films.ask(QUESTION, "films", "naive_ge", k=2)
    monkeypatch.undo()
    fresh = elsewhere(films).ask(QUESTION, "films", "naive_ge", k=2)
    assert fresh.events == after.events
    assert films.runs.get(after.run).corpus_hash == films.runs.get(fresh.run).corpus_hash


def test_indexes_that_have_grown_are_let_go(films: Workspace) -> None:
    """Each step leaves one index: those before it would fill the memory of a worker that is asked
    all day.
    """
    indexes: list[weakref.ref[Any]] = []
    grown = type(films.corpora).grown

    def watched(self: Any, *arguments: Any) -> Any:
        made = grown(self, *arguments)
        indexes.append(weakref.ref(made.index))
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(films.corpora), "grown", watched)
        for k in (2, 3, 5):
            films.ask(QUESTION, "films", "naive_ge", k=k, options=LAZILY)
    gc.collect()
    assert [ref() is not None for ref in indexes] == [False, False, True]


# Measuring, and the command line


def test_the_command_line_extracts_on_the_way(
    films: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    monkeypatch.setitem(EXTRACTORS, "local", ToyExtractor)  # type: ignore[index]
    there = ["--workspace", str(films.path), "--collection", "films"]

    def called(*arguments: str, status: int = 0) -> str:
        assert main(list(arguments)) == status
        out, err = capsys.readouterr()
        return out + err

    query = ["query", QUESTION, *there, "--method", "naive_ge:bm25", "--k", "2"]
    assert "has none yet" in called(*query, status=1)
    answer = json.loads(called(*query, "--lazy", "--json"))
    (step,) = [event for event in answer["events"] if event["kind"] == "Extracted"]
    assert (step["extractor"], len(step["passages"])) == ("local", 2)
    shown = called("show", answer["run"], "--workspace", str(films.path))
    assert "1 triple of 2 passages, made on the way by local: revision" in shown
    assert "identical" in called("replay", answer["run"], "--check", "--workspace", str(films.path))
    assert json.loads(called(*query, "--json"))["ranking"] == answer["ranking"]
    assert "extract --collection films" in called(
        "eval", *there, "--methods", "gear", "--lazy", status=2
    )
    assert "GEAR_MODEL" in called(*query, "--lazy", "llm", status=1)
    assert "hipporag begins with" in called(*query[:-4], "--method", "hipporag", "--lazy", status=2)
    with pytest.raises(SystemExit):
        main(["query", "--lazy", QUESTION, *there])
    assert "invalid choice" in capsys.readouterr().err
