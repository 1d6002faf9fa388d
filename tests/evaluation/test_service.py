"""Stored evaluations: what is there is not made again, whatever happened in between."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from ir_measures import RR, R, nDCG

from gear_app import methods as retrievers
from gear_app.core.errors import BadInput, NotReady
from gear_app.display.evaluate import sections
from gear_app.display.evaluate.words import verdict
from gear_app.evaluation import results, tables
from gear_app.evaluation.definition import Definition, define
from gear_app.evaluation.evaluation import ranks_by_place
from gear_app.evaluation.exports import table_csv, trec_files
from gear_app.evaluation.frames import oracle_searches
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.tables import missed_passages
from gear_app.evaluation.variants import swept
from gear_app.methods import METHODS
from gear_app.models.server import Spec
from gear_app.store.evaluations import ORACLE
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import ALL_RIGHTS
from gear_app.workspace.workspace import Workspace
from tests.evaluating import small_with
from tests.small import QUESTION
from tests.workspaces import pack, workspace

MADE = {"question": "Who made the film?", "answer": "Bo Hale", "supporting_id": "winter"}
MORE: list[dict[str, object]] = [
    {
        "id": "q2",
        "question": "Who directed Winter Lights?",
        "supporting_ids": ["winter"],
        "decomposition": [MADE],
    },
    {"id": "q3", "question": "Who studied law?", "supporting_ids": ["quill", "mira"]},
    {"id": "q4", "question": "What lies on the coast?", "supporting_ids": ["mira"]},
]
METHODS_ASKED = ("bm25", "hybrid", "gear")


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return small_with(tmp_path, *MORE)


def measured(
    space: Workspace, *methods: str, model: Spec | None = None, **given: Any
) -> tuple[EvaluationService, str]:
    service = EvaluationService(space, ALL_RIGHTS)
    draft = Definition("small", methods or METHODS_ASKED, ks=(1, 5), **given)
    return service, service.create(define(space, draft, model))


def work(service: EvaluationService, id_: str) -> int:
    """Begin it, or go on with it, to its end; how many runs that took."""
    queued = service.start(id_)
    service.work(id_)
    return queued


def worked(space: Workspace, *methods: str, **given: Any) -> tuple[EvaluationService, str]:
    """An evaluation that is done."""
    service, id_ = measured(space, *methods, **given)
    work(service, id_)
    return service, id_


def table(service: EvaluationService, id_: str) -> list[dict[str, Any]]:
    """The table without what differs from one time to the next."""
    found = service.load(id_)
    return [
        {name: value for name, value in found.summary(method).items() if not name.startswith("ms_")}
        for method in found.methods
    ]


def test_an_evaluation_that_was_killed_gives_the_same_table_as_one_that_was_not(
    space: Workspace, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    space.store.db.execute("VACUUM INTO ?", [str(other / "workspace.db")])
    service, id_ = worked(workspace(other))
    service_killed, killed = measured(space)
    assert service_killed.start(killed) == 4 * 3 + 2
    for _ in range(5):
        space.worker().run()
    # The process dies: a run is left in its hands, the others wait.
    assert space.store.tasks.claim_next("run", "7:gone") is not None
    before = set(service_killed.load(killed).runs["run"])
    assert len(before) == 5 and service_killed.progress(killed).state == "going"
    again = EvaluationService(workspace(tmp_path))
    again.start(killed)
    again.work(killed)
    assert again.progress(killed)[:4] == (14, 14, {}, 0)
    assert table(again, killed) == table(service, id_)
    assert before <= set(again.load(killed).runs["run"])


def test_a_method_that_is_added_is_all_that_is_measured(space: Workspace) -> None:
    service, id_ = worked(space, "bm25")
    first = service.load(id_)
    service.set_methods(id_, ["bm25", "hybrid"])
    assert service.progress(id_).state == "stopped"
    assert service.load(id_).unmeasured == {"hybrid": ["q1", "q2", "q3", "q4"]}
    assert work(service, id_) == 4
    assert list(service.load(id_).runs_of("bm25")["run"]) == list(first.runs_of("bm25")["run"])
    other, shared = measured(space, "hybrid")
    assert other.start(shared) == 0, "another evaluation takes the same runs"


def test_failed_runs_are_no_numbers_and_are_tried_again_when_it_is_gone_on_with(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = retrievers.answer

    def failing(retriever: Any, index: Any, question: str, *rest: Any) -> Any:
        if question == QUESTION:
            raise BadInput("gone")
        return answer(retriever, index, question, *rest)

    service, id_ = measured(space, "bm25", "dense")
    with monkeypatch.context() as patched:
        service.start(id_)
        patched.setattr(retrievers, "answer", failing)
        service.work(id_)
    progress, found = service.progress(id_), results.load(space, id_)
    assert (progress.state, progress.failures.total()) == ("done", 2)
    assert progress.failures == {"gone": 2}
    whole = found.evaluation.runs_of("dense")["recall@1"].mean()
    assert found.evaluation.summary("dense")["recall"]["1"] == round(whole, 6)
    told = found.to_json()
    (failed,) = [one for one in told["questions"] if one["method"] == "dense" and one["failure"]]
    assert (failed["question"], failed["recall@1"], failed["failure"]) == ("q1", None, "gone")
    cell = found.comparison.row("dense", "recall@5")
    assert cell["difference"] is not None and cell["p"] is None
    assert (cell["n"], cell["pairs"], cell["verdict"]) == (3, 3, "")
    assert verdict(found, 5).startswith("No verdict yet: 3 of 4 questions measured")
    assert "no verdict" in set(sections.measures(found, 5).words["p, Holm"])
    files = {name: "".join(lines) for name, lines in trec_files(space, found).items()}
    assert not any("q1 " in files[name] for name in ("qrels.txt", "bm25.txt", "dense.txt"))
    rows = {
        (row["question"], row["method"]): row
        for row in csv.DictReader(io.StringIO(table_csv(found).removeprefix("\ufeff")))
    }
    line = rows["q1", "dense"]
    assert (line["recall@5"], line["ranks"], line["error"]) == ("", "", "gone") and line["run"]
    assert service.outdated(id_) == 0 and service.start(id_) == 2
    service.work(id_)
    found = results.load(space, id_)
    assert found.evaluation.failed.empty and found.comparison.row("dense", "recall@5")["p"] <= 1


def test_no_method_is_tested_against_a_baseline_of_which_a_run_failed(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = retrievers.answer

    def failing(retriever: Any, index: Any, question: str, *rest: Any) -> Any:
        if question == QUESTION and retriever.name == "bm25":
            raise BadInput("gone")
        return answer(retriever, index, question, *rest)

    monkeypatch.setattr(retrievers, "answer", failing)
    _, id_ = worked(space, "bm25", "dense", "hybrid")
    compared = results.load(space, id_, "bm25").comparison
    cell = compared.row("dense", "recall@5")
    assert (cell["pairs"], cell["p"], cell["verdict"], compared.tests) == (3, None, "", 0)
    other = results.load(space, id_, "dense").comparison
    assert other.row("bm25", "recall@5")["p"] is None and other.row("hybrid", "recall@5")["p"] <= 1


def test_a_raised_version_and_changed_passages_are_measured_anew(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, id_ = worked(space, "bm25", "dense")
    monkeypatch.setattr(METHODS["dense"], "version", METHODS["dense"].version + 1)
    assert work(service, id_) == 4 + 2, "dense, and the searches over it"
    space.imports.do(Pasted("New", "Some new words."), "small")
    stale = service.load(id_).runs.groupby("method")["stale"].all()
    assert stale["bm25"] and stale["dense"]
    assert service.start(id_) == 8 + 2


def test_gold_that_changes_after_a_run_makes_it_outdated_and_is_measured_anew(
    space: Workspace,
) -> None:
    service, id_ = worked(space, "bm25", "dense")
    assert service.outdated(id_) == 0
    gold = dict.fromkeys(("quill", "mira", "lorn"), 1)
    space.store.questions.set_gold(space.store.collections.get("small").id, "q3", gold)
    found = results.load(space, id_)
    assert service.outdated(id_) == 2 and found.facts.stale == 2
    table = tables.measured(found.evaluation, "bm25")
    listed = table.behind(found.evaluation, ("dense", "recall@5"), 5).set_index("question")
    assert set(listed.loc["q3", "ranks"]) == {"quill", "mira"}, "of the run, until it is made anew"
    assert len(missed_passages(space, found.evaluation, 1)) and found.to_json()
    assert service.start(id_) == 2
    service.work(id_)
    found = results.load(space, id_)
    assert service.outdated(id_) == 0 and found.facts.stale == 0
    ranks = ranks_by_place(found.evaluation.gold)
    assert set(ranks["dense", "q3"]) == {"quill", "mira", "lorn"}
    stamps = {service.stamp(id_)}
    for grades in ({"quill": 1, "mira": 2}, {"quill": 2, "mira": 1}):
        space.store.questions.set_gold(space.store.collections.get("small").id, "q3", grades)
        stamps.add(service.stamp(id_))
    assert len(stamps) == 3, "a sum of grades or lengths is no stamp"


def test_the_oracle_asks_the_known_sub_questions_and_takes_turns(space: Workspace) -> None:
    service, id_ = worked(space, "bm25")
    found = service.load(id_)
    assert list(found.runs_of(ORACLE)["question"]) == ["q1", "q2"]
    second = next(one for one in found.questions if one.id == "q2")
    (asked,) = oracle_searches(second.decomposition)
    keys = [passage.key for passage in space.ask(asked, "small", "hybrid", k=5).ranking]
    ranks = ranks_by_place(found.gold)
    assert ranks[ORACLE, "q2"] == {"winter": keys.index("winter") + 1}
    links = tables.links(found, 5, "bm25")
    assert len(links.behind(found, ("bm25", 1), 5)) == 2


def test_what_asks_a_model_is_never_begun_without_a_cap_and_keeps_the_one_it_has(
    space: Workspace,
) -> None:
    asks = Spec("http://127.0.0.1:9/v1", "tiny")
    service, id_ = measured(space, "gear", reader="llm", model=asks)
    with pytest.raises(NotReady, match="has no cap"):
        service.start(id_)
    assert service.progress(id_).going == 0
    assert service.start(id_, 5_000) == 4 + 2, "and the searches of the oracle"
    assert measured(space, "gear", reader="llm", model=asks)[1] == id_
    assert space.store.evaluations.get(id_).budget == 5_000, "the same definition, so the same cap"
    service.stop(id_)
    service.start(id_)
    assert space.store.evaluations.get(id_).budget == 5_000
    no_model, other = measured(space, "bm25", reader="llm", model=asks)
    no_model.start(other)
    no_model.set_methods(other, ["bm25", "gear"])
    with pytest.raises(NotReady, match="has no cap"):
        no_model.start(other)


def test_a_sweep_is_a_grid_of_what_takes_the_settings() -> None:
    grid = swept(["hybrid", "gear"], {"width": ["1", "5"], "length": ["2", "3"]})
    assert grid == (
        "hybrid",
        *("gear width=1 length=2", "gear width=1 length=3"),
        *("gear width=5 length=2", "gear width=5 length=3"),
    )
    with pytest.raises(BadInput, match="None of these methods takes width"):
        swept(["hybrid"], {"width": ["1", "5"]})


# A graded set: what the grades are worth, a question that is a passage, and gold that is not there.
JUDGED = "q1\tharbour\t2\nq1\tquill\t1\nq1\twinter\t-1\nwinter\tlorn\t3\nwinter\tgone\t1\n"


@pytest.fixture
def judged(tmp_path: Path) -> Workspace:
    made = workspace(tmp_path)
    folder = pack(tmp_path / "judged")
    (folder / "questions.jsonl").unlink()
    asked = [("q1", "Where was Ada Quill of Harbour Lights born?"), ("winter", "Winter Lights")]
    lines = [json.dumps({"_id": id_, "text": text}) for id_, text in asked]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    (folder / "qrels.tsv").write_text(JUDGED)
    made.imports.do(folder, "small")
    return made


def test_grades_count_and_a_question_does_not_find_itself_as_ir_measures_has_it(
    judged: Workspace, tmp_path: Path
) -> None:
    """By the files that were imported, the ranking that is stored, and a run file with the same."""
    service, id_ = worked(judged, "bm25", "hybrid")
    found = service.load(id_)
    qrels = {"q1": {"harbour": 2, "quill": 1, "winter": -1}, "winter": {"lorn": 3, "gone": 1}}
    wanted = [nDCG @ 5, R @ 5, R @ 1, RR]
    for row in found.measured.to_dict("records"):
        run, id_of = judged.runs.get(row["run"]), row["question"]
        keys = [key for key, _ in judged.store.events.ranking(run.number)]
        assert ("winter" in keys) or id_of == "q1"
        scores = {key: -float(n) for n, key in enumerate(keys) if key != id_of}
        of = ir_measures.calc_aggregate(wanted, {id_of: qrels[id_of]}, {id_of: scores})
        names = ("ndcg@5", "recall@5", "recall@1", "mrr")
        assert [row[name] for name in names] == pytest.approx([of[one] for one in wanted])
    files = trec_files(judged, results.load(judged, id_))
    exported = ir_measures.read_trec_qrels("".join(files["qrels.txt"]))
    assert {(one.query_id, one.doc_id, one.relevance) for one in exported} == {
        ("q1", "harbour", 2),
        ("q1", "quill", 1),
        ("winter", "lorn", 3),
        ("winter", "gone", 1),
    }
    lines = list(files["hybrid.txt"])
    assert not [line for line in lines if line.startswith("winter Q0 winter ")]
    service.add_file(id_, b"winter Q0 winter 1 9 own\nwinter Q0 lorn 2 8 own\n", "own.txt")
    ranks = ranks_by_place(service.load(id_).gold)
    assert [[*ranks["file:own", id_].values()] for id_ in ("q1", "winter")] == [
        [None, None],
        [1, None],
    ]
