"""The workspace: what comes in is stored once, questions are answered, runs are kept, replayed and compared."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import gear_app
from gear_app.errors import BadInput, Cancelled, ModelFailed, NotReady, Unknown
from gear_app.events import Event, Failed, Ranked, Retrieved, Started, Stopped
from gear_app.ingest import Batch, FileReport, NewPassage, NewTriple
from gear_app.models.embedder import HashingEmbedder
from gear_app.types import Document, Question, Span
from gear_app.workspace import JobInfo, Workspace, default_path
from gear_app.workspace.importing import Importing
from gear_app.workspace.models import stoppable
from tests.small import PASSAGES, QUESTION, TRIPLES
from tests.workspaces import ToyExtractor, corpus_of, filled, pack, workspace


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


# Opening


def test_open_gives_a_workspace_and_touches_nothing_yet(tmp_path: Path) -> None:
    opened = gear_app.open(tmp_path / "deep" / "w.db")
    assert isinstance(opened, Workspace) and not (tmp_path / "deep").exists()
    assert opened.collections() == [] and (tmp_path / "deep" / "w.db").exists()


def test_the_workspace_is_the_named_one_or_lies_in_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEAR_WORKSPACE", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db" == gear_app.open().path
    monkeypatch.delenv("GEAR_WORKSPACE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_path() == tmp_path / "data" / "gear-app" / "workspace.db"


# Importing


def test_a_pack_keeps_its_ids_and_arrives_complete(films: Workspace) -> None:
    info = films.collection("films")
    assert (info.documents, info.passages, info.questions) == (0, 8, 1)
    assert [(s.name, s.triples, s.passages_done, s.passages_without, s.active) for s in info.triple_sets] == [
        ("curated", len(TRIPLES), 8, 0, True)
    ]
    assert [(p.key, p.title, p.text) for p in films.passages("films")] == PASSAGES
    question = films.questions("films")[0]
    assert (question.id, question.supporting_keys, question.answers) == ("q1", ("harbour", "quill"), ("Port Mira",))
    assert question.decomposition[0].supporting_key == "harbour"


def test_importing_the_same_again_changes_nothing(films: Workspace, tmp_path: Path) -> None:
    before = films.collection("films")
    reports = films.import_path(tmp_path / "pack", "films")
    after = films.collection("films")
    assert (after.passages, after.questions, after.triple_sets[0].triples) == (8, 1, len(TRIPLES))
    corpus = next(report for report in reports if report.name.startswith("corpus"))
    assert (corpus.status, corpus.passages) == ("skipped", 0) and "there already" in corpus.message
    assert [p.id for p in films.passages("films")] == list(range(1, 9))
    assert (before.revision, before.triple_sets) == (after.revision, after.triple_sets)


def test_importing_the_same_again_leaves_what_is_searchable_so(films: Workspace, tmp_path: Path) -> None:
    films.encode("films", "curated")
    films.import_path(tmp_path / "pack", "films")
    films.cancel_job(films.jobs()[0].id)
    assert films.collection("films").triple_sets[0].ready == "ready"


def test_an_id_in_use_for_other_content_is_told_in_the_files_report(films: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    rows = [{"id": "quill", "title": "Other", "text": "Other words."}, {"id": "new", "title": "New", "text": "New."}]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    (report,) = films.import_path(file, "films")
    assert (report.status, report.passages) == ("accepted", 1)
    assert "id 'quill' is in use for another content" in report.message
    assert films.passage_by_key("films", "quill").text == PASSAGES[1][2]
    assert films.passage_by_key("films", "new").title == "New"


def test_the_same_content_under_another_id_is_stored_once_and_found_by_both(films: Workspace, tmp_path: Path) -> None:
    _, title, text = PASSAGES[1]
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "other-id", "title": title, "text": text}))
    (tmp_path / "questions.jsonl").write_text(
        json.dumps({"id": "q9", "question": "Where?", "answers": [], "supporting_ids": ["other-id", "mira"]})
    )
    films.import_path(tmp_path / "corpus.jsonl", "films")
    films.import_path(tmp_path / "questions.jsonl", "films")
    assert films.collection("films").passages == 8
    assert films.passage_by_key("films", "other-id").key == "quill"
    assert films.questions("films")[1].supporting_keys == ("quill", "mira")


def test_documents_are_cut_and_their_passages_lie_where_they_say(films: Workspace) -> None:
    text = "First words here. " * 30 + "\n\n" + "Second part there. " * 30
    (report,) = films.import_text("Notes", text, "films")
    assert (report.status, report.documents) == ("accepted", 1) and report.passages > 1
    document = films.documents("films")[0]
    assert (document.title, document.passages) == ("Notes", report.passages)
    for passage in films.passages("films", search="Notes"):
        assert passage.document_id == document.id
        assert films.document(document.id).text[passage.start : passage.end] == passage.text


def test_the_same_document_under_another_name_is_skipped(films: Workspace) -> None:
    films.import_files([("a.txt", b"Some words about one thing.")], "films")
    (report,) = films.import_files([("b.txt", b"Some words about one thing.")], "films")
    assert report.status == "skipped" and "the same text is there already" in report.message
    assert len(films.documents("films")) == 1


def test_a_deleted_document_is_gone_from_now_on_and_can_come_again(films: Workspace) -> None:
    films.import_files([("a.txt", b"Zebra words about one thing.")], "films")
    document = films.documents("films")[0]
    passage = films.passages("films", search="zebra")[0]
    films.delete_document("films", document.id)
    assert films.passages("films", search="zebra") == [] and films.documents("films") == []
    assert films.passage(passage.id) == passage and films.document(document.id).text.startswith("Zebra")
    with pytest.raises(Unknown):
        films.delete_document("films", document.id)
    assert films.import_files([("a.txt", b"Zebra words about one thing.")], "films")[0].status == "accepted"
    assert [p.key for p in films.passages("films", search="zebra")] == [passage.key]


def test_a_passage_that_two_documents_share_outlives_one_of_them(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.create_collection("c")
    shared = "Shared words stand in both."
    for number in (1, 2):
        text = f"{shared}\n\nOnly number {number} says this."
        batch = Batch(
            documents=(Document("Same title", text, f"{number}.txt"),),
            passages=(
                NewPassage(None, "Same title", shared, 0, 0, len(shared)),
                NewPassage(None, "Same title", text[len(shared) + 2 :], 0, len(shared) + 2, len(text)),
            ),
            reports=(FileReport(f"{number}.txt", "accepted", "", 1, 2),),
        )
        (report,) = Importing(made.store, made.store.collections.get("c"), batch).run()
        assert report.passages == 3 - number
    triples = Batch(triple_sets={"s": (NewTriple(made.passages("c")[0].key, "Both", "share", "words"),)})
    Importing(made.store, made.store.collections.get("c"), triples).run()
    first, second = made.documents("c")
    before = {p.text: p for p in made.passages("c")}
    assert before[shared].document_id == first.id
    made.delete_document("c", first.id)
    after = {p.text: p for p in made.passages("c")}
    assert set(after) == {shared, "Only number 2 says this."}
    assert (after[shared].key, after[shared].document_id, after[shared].start) == (before[shared].key, second.id, 0)
    assert [(t.passage_id, t.text) for t in made.triples("c", "s")] == [(after[shared].id, "Both share words")]
    assert [(e.name, e.passages) for e in made.entities("c", "s")] == [("Both", 1), ("words", 1)]
    assert made.collection("c").triple_sets[0].passages_done == 1


def test_imported_triples_get_the_closest_sentence_and_say_so(films: Workspace) -> None:
    triple = films.triples("films", "curated", search="directed by Ada")[0]
    passage = films.passage(triple.passage_id)
    assert triple.closest and triple.span is not None
    assert passage.text[triple.span.start : triple.span.end] == "It was directed by Ada Quill."


def test_a_sentence_told_by_the_file_is_taken_word_for_word(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.create_collection("c")
    batch = Batch(
        passages=(NewPassage("k", "T", "One. Ada met Bo. Ada met Bo again."),),
        triple_sets={
            "s": (NewTriple("k", "Ada", "met", "Bo", "Ada met Bo."), NewTriple("k", "x", "y", "z", "Nowhere."))
        },
        reports=(FileReport("f", "accepted", "", 0, 1),),
    )
    Importing(made.store, made.store.collections.get("c"), batch).run()
    assert [(t.span, t.closest) for t in made.triples("c", "s")] == [(Span(5, 16), False), (None, False)]


def test_triples_of_unknown_passages_are_told(films: Workspace) -> None:
    batch = Batch(
        triple_sets={"s": (NewTriple("nowhere", "a", "b", "c"), NewTriple("quill", "a", "b", "c"))},
        reports=(FileReport("t.jsonl", "accepted", "", 0, 0),),
    )
    (report,) = Importing(films.store, films.store.collections.get("films"), batch).run()
    assert "1 of 2 passages with triples are not in the collection" in report.message
    assert [t.passage_id for t in films.triples("films", "s")] == [2]


@pytest.mark.parametrize(("first", "second", "limit"), [(2, 2, 2), (2, None, None), (None, 2, None)])
def test_the_iteration_limit_of_two_hop_sets_goes_when_others_join(
    tmp_path: Path, first: int | None, second: int | None, limit: int | None
) -> None:
    made = workspace(tmp_path)
    made.create_collection("c")
    for number, value in enumerate((first, second)):
        batch = Batch(questions=(Question(f"q{number}", f"What is {number}?"),), max_iterations=value)
        Importing(made.store, made.store.collections.get("c"), batch).run()
    assert made.collection("c").max_iterations == limit


def test_a_killed_import_is_finished_by_importing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.workspace.importing.PASSAGES_AT_ONCE", 10)
    made = workspace(tmp_path)
    file = corpus_of(tmp_path, 35)
    add = made.store.passages.add
    calls: list[int] = []

    def dies(*arguments: object) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        add(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(made.store.passages, "add", dies)
    with pytest.raises(KeyboardInterrupt):
        made.import_path(file, "c")
    assert made.collection("c").passages == 20
    monkeypatch.setattr(made.store.passages, "add", add)
    assert made.import_path(file, "c")[0].passages == 15
    assert [p.key for p in made.passages("c")] == [f"p{n}" for n in range(35)]


# Looking


def test_names_that_do_not_exist_are_refused_with_those_that_do(films: Workspace) -> None:
    with pytest.raises(Unknown, match="Available: films"):
        films.passages("film")
    with pytest.raises(Unknown, match="Available: curated"):
        films.triples("films", "gpt")
    with pytest.raises(Unknown):
        films.passage(999)
    with pytest.raises(Unknown):
        films.passage_by_key("films", "nowhere")
    with pytest.raises(Unknown):
        films.neighbourhood("films", "curated", "Nobody")


def test_entities_are_counted_by_passages(films: Workspace) -> None:
    found = {entity.name: entity.passages for entity in films.entities("films", "curated")}
    assert (found["Lorn"], found["Ada Quill"], found["law"]) == (3, 2, 1)


def test_a_neighbourhood_goes_breadth_first_and_says_what_it_left_out(films: Workspace) -> None:
    found = films.neighbourhood("films", "curated", "ada quill", depth=1)
    assert [(node.name, node.distance) for node in found.nodes] == [
        ("Ada Quill", 0), ("Harbour Lights", 1), ("Port Mira", 1), ("law", 1),
    ]  # fmt: skip
    ids = {node.id: node.name for node in found.nodes}
    assert [(ids[e.source], e.triple.predicate, ids[e.target]) for e in found.edges] == [
        ("Harbour Lights", "was directed by", "Ada Quill"),
        ("Ada Quill", "was born in", "Port Mira"),
        ("Ada Quill", "studied", "law"),
    ]
    cut = films.neighbourhood("films", "curated", "Ada Quill", depth=2, cap=3)
    assert [node.name for node in cut.nodes] == ["Ada Quill", "Harbour Lights", "Port Mira"]
    assert (cut.total, cut.left_out, len(cut.edges)) == (7, 4, 2)


# Questions and gold


def test_a_question_of_ones_own_is_kept_once_and_its_gold_is_known_to_later_runs(films: Workspace) -> None:
    own = films.add_question("films", "Who built  the bridge of Port Mira?")
    assert films.add_question("films", "who built the bridge of port mira") == own
    films.set_gold("films", "Who built the bridge of Port Mira?", ["mira"])
    run = films.run(films.enqueue_run("Who built the bridge of Port Mira", "films", "gear"))
    assert run.gold == ("mira",)
    with pytest.raises(Unknown, match="nowhere"):
        films.set_gold("films", "Who?", ["nowhere"])


def test_gold_marked_after_a_run_becomes_its_snapshot_with_a_time(films: Workspace) -> None:
    answer = films.ask("Who studied law?", "films", "bm25")
    assert films.run(answer.run).gold == () and films.run(answer.run).gold_marked is None
    films.mark_gold(answer.run, ["quill"], "me")
    assert films.run(answer.run).gold == ("quill",) and films.run(answer.run).gold_marked is not None


def test_later_gold_does_not_change_the_snapshot_of_an_earlier_run(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "bm25")
    films.set_gold("films", QUESTION, ["mira"])
    assert films.run(answer.run).gold == ("harbour", "quill")


# Asking


def test_an_answer_is_stored_as_it_was_given(films: Workspace) -> None:
    seen: list[Event] = []
    answer = films.ask(QUESTION, "films", "gear", settings={"width": 3}, emit=seen.append)
    assert isinstance(seen[0], Started) and isinstance(seen[-1], Ranked)
    assert seen[0].question == QUESTION and ("beam.width", "3") in seen[0].settings
    assert films.events(answer.run) == seen == list(answer.events)
    assert answer.ranking == seen[-1].ranking and answer.config["beam.width"] == 3
    run = films.run(answer.run)
    assert (run.state, run.triple_set, run.gold) == ("done", "curated", ("harbour", "quill"))
    assert run.iterations == answer.iterations == max(e.iteration for e in seen if isinstance(e, Retrieved))
    assert run.versions["embedder"] == "hashing-64" and run.corpus_hash
    times = [event.at_ms for event in films.timed_events(answer.run)]
    assert times == sorted(times) and times[-1] <= answer.ms
    assert films.events(answer.run, after=2) == seen[2:]


def test_single_step_methods_use_no_triples(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.import_path(corpus_of(tmp_path, 5), "c")
    answer = made.ask("Where was Person3 born?", "c", "bm25")
    assert answer.ranking[0].key == "p3" and answer.iterations == 1
    assert made.run(answer.run).triple_set is None
    with pytest.raises(
        NotReady, match=r"gear needs triples and 'c' has none yet\. Run: gear-app extract --collection c"
    ):
        made.ask("Where?", "c", "gear")


def test_wrong_requests_are_refused_before_anything_is_stored(films: Workspace) -> None:
    with pytest.raises(Unknown, match=r"Unknown method 'gaer'\. Available: bm25"):
        films.ask("Who?", "films", "gaer")
    with pytest.raises(BadInput, match="single-step"):
        films.ask("Who?", "films", "gear:sync_ge")
    with pytest.raises(Unknown, match=r"Unknown reader 'oracle'\. Available: local"):
        films.ask("Who?", "films", "gear", reader="oracle")
    with pytest.raises(Unknown, match=r"Unknown triple set 'gpt'\. Available: curated"):
        films.ask("Who?", "films", "gear", triples="gpt")
    with pytest.raises(BadInput, match="no question"):
        films.ask("  ", "films", "gear")
    with pytest.raises(BadInput, match="k must be at least 1"):
        films.ask("Who?", "films", "gear", k=0)
    with pytest.raises(BadInput, match="k must be at least 1 and at most 10,000, not 10001"):
        films.enqueue_run("Who?", "films", "gear", k=10_001)
    with pytest.raises(BadInput, match="The question has 2,001 characters; at most 2,000 are taken"):
        films.enqueue_run("w" * 2001, "films", "gear")
    with pytest.raises(
        BadInput, match=r"scoring=exact would encode width \* neighbours = 5,100 triples a step; at most"
    ):
        films.enqueue_run("Who?", "films", "gear", settings={"scoring": "exact", "width": 51})
    with pytest.raises(BadInput, match="Lower screen"):
        films.enqueue_run("Who?", "films", "sync_ge", settings={"screen": 5001, "width": 51})
    with pytest.raises(BadInput, match="Unknown setting 'widht'"):
        films.enqueue_run("Who?", "films", "gear", settings={"widht": 2})
    assert films.runs() == []
    limits = {"scoring": "exact", "width": 50}, {"screen": 5000, "width": 1000}, {"screen": 10**9}
    assert all(films.enqueue_run("w" * 2000, "films", "gear", settings=s, k=10_000) for s in limits)  # type: ignore[arg-type]


def test_half_a_character_is_refused_and_null_is_a_character(films: Workspace) -> None:
    for request in (lambda: films.ask("Who \ud800?", "films", "bm25"), lambda: films.create_collection("\ud800")):
        with pytest.raises(BadInput, match="half a character"):
            request()
    assert films.runs() == [] and [info.name for info in films.collections()] == ["films"]
    answer = films.ask("Who is Ada\x00 Quill?", "films", "bm25")
    assert films.run(answer.run).question == "Who is Ada\x00 Quill?" and answer.ranking[0].key == "quill"


def test_the_collections_iteration_limit_counts_unless_one_is_set(films: Workspace) -> None:
    films.set_max_iterations("films", 2)
    assert films.run(films.enqueue_run("Who?", "films", "gear")).config["max_iterations"] == 2
    own = films.enqueue_run("Who?", "films", "gear", settings={"max_iterations": 3})
    assert films.run(own).config["max_iterations"] == 3
    assert films.run(films.enqueue_run("Who?", "films", "bm25")).config.get("max_iterations") is None
    with pytest.raises(BadInput, match="at least 1"):
        films.set_max_iterations("films", 0)


def test_a_cancelled_run_keeps_what_happened(films: Workspace) -> None:
    def cancel_after_first_retrieval(event: Event) -> None:
        if isinstance(event, Retrieved):
            films.cancel(films.runs()[0].id)

    with pytest.raises(Cancelled):
        films.ask(QUESTION, "films", "gear", emit=cancel_after_first_retrieval)
    run = films.runs()[0]
    assert (run.state, run.message) == ("cancelled", "Cancelled. What happened so far is kept.")
    assert [type(event).__name__ for event in films.events(run.id)] == ["Started", "Retrieved"]


class Broken(HashingEmbedder):
    """Fails on everything it has not seen at once."""

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        if any("Who broke" in text for text in texts):
            raise ModelFailed("the model is broken")
        if any("bug" in text for text in texts):
            raise TypeError("a bug")
        return super().embed(texts)


def test_a_failed_run_says_why_and_is_kept(tmp_path: Path) -> None:
    made = filled(tmp_path)
    made = Workspace(made.path, embedder=Broken())
    with pytest.raises(ModelFailed):
        made.ask("Who broke it?", "films", "dense")
    run = made.runs()[0]
    assert (run.state, run.message) == ("failed", "the model is broken")
    assert made.events(run.id)[-1] == Failed("run", "the model is broken", iteration=0)
    with pytest.raises(TypeError):
        made.ask("What bug?", "films", "dense")
    assert (made.runs()[0].state, made.runs()[0].message) == ("failed", "An error in the application: TypeError: a bug")


def test_a_run_asked_again_has_the_same_settings(films: Workspace) -> None:
    first = films.ask(QUESTION, "films", "gear:dense", settings={"width": 4}, k=7)
    again = films.run(films.again(first.run))
    assert (again.question, again.method, again.k, again.config) == (QUESTION, "gear:dense", 7, dict(first.config))
    assert again.state == "queued" and again.id != first.run


def test_runs_are_listed_newest_first_and_by_collection(films: Workspace, tmp_path: Path) -> None:
    films.import_path(tmp_path / "pack", "other")
    ids = [films.enqueue_run(f"Who is {n}?", name, "bm25") for n, name in enumerate(["films", "other", "films"])]
    assert [run.id for run in films.runs()] == ids[::-1]
    assert [run.id for run in films.runs("films")] == [ids[2], ids[0]]
    assert [run.id for run in films.runs(limit=1, offset=1)] == [ids[1]]
    films.rename_collection("other", "renamed")
    assert films.run(ids[1]).collection == "renamed"


# Replay


def test_a_replay_is_identical_also_after_the_collection_has_changed(films: Workspace) -> None:
    methods = ["bm25", "dense", "hybrid", "naive_ge", "sync_ge", "gear", "gear:dense"]
    answers = [films.ask(QUESTION, "films", method) for method in methods]
    films.import_text("Ada Quill again", "Ada Quill was born in Lorn. The director of Harbour Lights.", "films")
    batch = Batch(triple_sets={"curated": (NewTriple("lorn", "Ada Quill", "was born in", "Lorn"),)})
    Importing(films.store, films.store.collections.get("films"), batch).run()
    changed = films.ask(QUESTION, "films", "gear")
    assert [line.key for line in changed.ranking] != [line.key for line in answers[5].ranking]
    fresh = Workspace(films.path, embedder=HashingEmbedder())
    for answer in answers:
        assert fresh.run(answer.run).stale
        replayed = fresh.replay(answer.run)
        assert replayed.difference == "" and replayed.ranking == answer.ranking
    assert not fresh.run(changed.run).stale


def test_a_replay_tells_the_first_difference(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "dense")
    other = Workspace(films.path, embedder=HashingEmbedder(16))
    difference = other.replay(answer.run).difference
    assert difference.endswith("The embedding model was hashing-64 and is hashing-16.") and "it was" in difference


def test_a_replay_of_a_deleted_collection_or_an_unfinished_run_is_refused(films: Workspace) -> None:
    queued = films.enqueue_run(QUESTION, "films", "gear")
    with pytest.raises(NotReady, match="has no ranking to compare with: it is queued"):
        films.replay(queued)
    answer = films.ask(QUESTION, "films", "gear")
    films.delete_collection("films")
    with pytest.raises(NotReady, match=r"'films' of run .* was deleted"):
        films.replay(answer.run)
    assert films.answer(answer.run) == answer


# Vectors and their cache


def test_arrays_beside_the_file_may_be_deleted_or_damaged(films: Workspace) -> None:
    answer = films.ask(QUESTION, "films", "gear")
    folder = films.path.with_name(films.path.name + ".cache")
    files = sorted(folder.glob("*.npy"))
    assert len(files) == 2 and {np.load(file, mmap_mode="r").shape for file in files} == {(8, 64), (14, 64)}
    for file in files:
        file.write_bytes(b"damaged")
    assert Workspace(films.path, embedder=HashingEmbedder()).replay(answer.run).difference == ""
    shutil.rmtree(folder)
    assert Workspace(films.path, embedder=HashingEmbedder()).replay(answer.run).difference == ""
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")
    assert Workspace(films.path, embedder=HashingEmbedder()).replay(answer.run).difference == ""


class Counting(HashingEmbedder):
    """Remembers every text it encodes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        self.texts += texts
        return super().embed(texts)


def test_no_text_is_encoded_twice_in_the_life_of_a_workspace(tmp_path: Path) -> None:
    embedder = Counting()
    path = filled(tmp_path).path
    made = Workspace(path, embedder=embedder)
    made.encode("films", "curated")
    assert len(embedder.texts) == len(set(embedder.texts))
    known = set(embedder.texts)
    assert {f"{title}. {text}" for _, title, text in PASSAGES} <= known
    assert {"Ada Quill was born in Port Mira", "Ada Quill was born in", "was born in Port Mira", "Port Mira"} <= known
    made.ask(QUESTION, "films", "gear")
    before = len(embedder.texts)
    Workspace(path, embedder=embedder).ask(QUESTION, "films", "gear")
    assert len(embedder.texts) == before


# Extraction


def test_extraction_stores_triples_with_their_sentences_and_shows_what_gave_none(films: Workspace) -> None:
    job = films.extract("films", "toy")
    assert (job.state, job.done, job.total, job.failed) == ("done", 8, 8, 0)
    assert job.message == "8 triples from 8 passages; 2 passages gave none."
    info = {s.name: s for s in films.collection("films").triple_sets}["toy"]
    assert (info.triples, info.passages_done, info.passages_without, info.active) == (8, 8, 2, False)
    triple = films.triples("films", "toy", search="directed by Ada")[0]
    assert triple.span is not None and not triple.closest
    assert films.passage(triple.passage_id).text[triple.span.start : triple.span.end] == "It was directed by Ada Quill."


def test_a_passage_that_fails_fails_alone_and_is_tried_again_next_time(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.import_path(corpus_of(tmp_path, 20), "c")
    made.import_text("Bad", "BROKEN words.", "c")
    job = made.extract("c", "toy")
    assert (job.state, job.done, job.failed) == ("done", 20, 1)
    assert [(f.title, f.error.split()[0]) for f in made.failures("c", "toy")] == [("Bad", "cannot")]
    extractor.asked.clear()
    made.extract("c", "toy")
    assert len(extractor.asked) == 1 and len(made.failures("c", "toy")) == 1


def test_a_cancelled_extraction_keeps_what_it_made_and_the_next_one_goes_on(tmp_path: Path) -> None:
    extractor = ToyExtractor()
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=extractor)
    made.import_path(corpus_of(tmp_path, 50), "c")
    job = made.extract("c", "toy", progress=lambda job: made.cancel_job(job.id))
    assert job.state == "cancelled" and len(extractor.asked) == 16
    assert made.collection("c").triple_sets[0].ready == "unfinished: 16 of 50 passages extracted"
    assert made.extract("c", "toy").state == "done"
    assert sorted(extractor.asked) == sorted(f"p{n}" for n in range(50))


def test_a_run_during_an_extraction_is_replayed_on_what_it_saw(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=ToyExtractor())
    made.import_path(corpus_of(tmp_path, 40), "c")
    runs: list[str] = []

    def ask(job: object) -> None:
        runs.append(made.ask("Who else was born in Town3?", "c", "naive_ge").run)

    made.extract("c", "toy", progress=ask)
    revisions = [made.run(run).revision for run in runs]
    assert len(set(revisions)) == 3
    assert len({made.run(run).corpus_hash for run in runs}) == 3
    assert [made.replay(run).difference for run in runs] == [""] * len(runs)


def test_two_extractions_of_one_set_are_one_job_and_the_second_follows_the_first(films: Workspace) -> None:
    job = films.enqueue_extraction("films", "toy")
    assert films.enqueue_extraction("films", "toy") == job
    films.store.jobs.claim(job, "another process")
    seen: list[int] = []

    def other_goes_on(followed: JobInfo) -> None:
        seen.append(followed.done)
        films.store.jobs.progress(job, done=len(seen), total=8, failed=0, worked_s=0.1)
        if len(seen) == 2:
            films.store.jobs.finish(job, "done", "made there")

    assert films.extract("films", "toy", progress=other_goes_on).message == "made there"
    assert seen == [0, 1] and films.triples("films", "toy") == []


def test_the_job_of_a_dead_process_is_taken_over(films: Workspace) -> None:
    job = films.enqueue_extraction("films", "toy")
    films.store.jobs.claim(job, "another process")
    films.store.db.execute("UPDATE jobs SET heartbeat = heartbeat - 60")
    assert films.extract("films", "toy").id == job
    assert films.job(job).state == "done" and len(films.triples("films", "toy")) == 8


def test_an_import_asks_the_worker_for_vectors(films: Workspace) -> None:
    assert [(job.kind, job.triple_set, job.state) for job in films.jobs("films")] == [("vectors", "curated", "queued")]
    job = films.encode("films", "curated")
    assert job.state == "done" and job.done == job.total == 8 + 3 * len(TRIPLES) + 15
    assert films.collection("films").triple_sets[0].ready == "ready"


def test_why_a_run_stopped_is_its_last_word(films: Workspace) -> None:
    stops = [event for event in films.ask(QUESTION, "films", "gear").events if isinstance(event, Stopped)]
    assert len(stops) == 1


def test_a_pack_written_by_the_test_is_what_it_says(tmp_path: Path) -> None:
    assert sorted(file.name for file in pack(tmp_path / "x").iterdir()) == [
        "corpus.jsonl", "questions.jsonl", "triples.jsonl",
    ]  # fmt: skip


class Asked(HashingEmbedder):
    """Has the run in hand cancelled when it is first asked for vectors, and counts what it encodes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.sizes = path, list[int]()

    def embed(self, texts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        self.sizes.append(len(texts))
        other = Workspace(self.path)
        other.cancel(other.runs()[0].id)
        return super().embed(texts)


def test_a_run_that_is_still_encoding_its_collection_stops_at_the_next_slice(tmp_path: Path) -> None:
    embedder = Asked(tmp_path / "w.db")
    made = Workspace(tmp_path / "w.db", embedder=embedder)
    made.import_path(corpus_of(tmp_path, 200), "c")
    with pytest.raises(Cancelled):
        made.ask("Who?", "c", "dense")
    assert embedder.sizes == [64] and made.runs()[0].state == "cancelled"


def test_a_method_that_encodes_much_at_once_stops_at_the_next_slice(tmp_path: Path) -> None:
    calls: list[int] = []

    def check() -> None:
        calls.append(len(calls))
        if len(calls) == 3:
            raise Cancelled("stop")

    embedder = workspace(tmp_path).models.embedder
    texts = [f"text {n}" for n in range(130)]
    with stoppable(check), pytest.raises(Cancelled):
        embedder.embed(texts)
    assert np.array_equal(embedder.embed(texts), HashingEmbedder().embed(texts)) and len(calls) == 3


def test_arrays_are_kept_in_memory_where_the_folder_cannot_be_used(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = films.ask(QUESTION, "films", "gear")

    def refuse(*arguments: object, **names: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    assert Workspace(films.path, embedder=HashingEmbedder()).replay(answer.run).difference == ""
    monkeypatch.setattr(np, "load", refuse)
    assert Workspace(films.path, embedder=HashingEmbedder()).replay(answer.run).difference == ""


def test_a_worker_seen_in_the_future_is_not_taken_for_alive(films: Workspace) -> None:
    films.store.processes.seen("worker:1", "worker", "ready")
    assert films.worker_status() == "ready"
    films.store.db.execute("UPDATE processes SET seen = seen + 60")
    assert films.worker_status() == "not running"
