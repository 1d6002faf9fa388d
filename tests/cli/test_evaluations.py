"""`gear-app eval`: measures, baselines, gates, sweeps, run files, and what it writes."""

from __future__ import annotations

from pathlib import Path

from tests.cli.printed import Run, result


def test_eval_prints_exactly_the_promised_fields(films: Run) -> None:
    asked = ("eval", "--collection", "films", "--methods", "bm25,gear", "--k", "1,5")
    found = result(films(*asked, "--triples", "curated", "--json"))
    assert found["collection"] == "films"
    assert list(found) == [
        *("collection", "methods", "questions", "evaluation", "facts", "command", "compared"),
        *("ceiling", "tables", "run_files"),
    ]
    fields = ["method", "n", "recall", "all_recall", "ndcg", "mrr", "tokens", "calls", "kept"]
    fields += ["unusable", "cost", "iterations", "ms_p50", "ms_p95", "failed", "not_measured"]
    assert [list(method) for method in found["methods"]] == [fields] * 2
    assert [(m["method"], m["n"], m["failed"]) for m in found["methods"]] == [
        ("bm25", 1, 0),
        ("gear", 1, 0),
    ]
    fields = ["method", "question", "recall@1", "recall@5", "all@1", "all@5", "mrr", "ndcg@1"]
    fields += ["ndcg@5", "ranks", "run", "failure"]
    assert [list(row) for row in found["questions"]] == [fields] * 2
    assert set(found["methods"][0]["recall"]) == {"1", "5"}
    shown = result(films("show", found["questions"][0]["run"], "--json"))
    top = [line["passage_id"] for line in shown["ranking"]]
    assert found["questions"][0]["recall@1"] == len({"harbour", "quill"} & set(top[:1])) / 2


def test_eval_measures_answers_and_their_bounds(films: Run) -> None:
    asked = ("eval", "--collection", "films", "--methods", "hybrid,gear", "--k", "5", "--answer")
    found = result(films(*asked, "--json"))
    assert [list(method)[-3:] for method in found["methods"]] == [["em", "f1", "n_answers"]] * 2
    assert [(m["method"], m["em"], m["n_answers"]) for m in found["methods"]] == [
        ("hybrid", 0.0, 1),
        ("gear", 1.0, 1),
    ]
    assert found["bounds"] == {
        "gold": {"em": 1.0, "f1": 1.0, "n": 1},
        "nothing": {"em": 0.0, "f1": 0.0, "n": 1},
    }
    assert [row["em"] for row in found["questions"]] == [0.0, 1.0]
    _, out, _ = films(*asked)
    assert "Answers from the gold passages: EM 1.000, F1 1.000 (1 question)" in out


EVAL = ("eval", "--collection", "films", "--methods", "bm25,gear", "--k", "1,5")


def test_eval_goes_on_lists_and_adds_methods(films: Run) -> None:
    first = result(films(*EVAL, "--json"))
    id_ = first["evaluation"]
    assert result(films("eval", "--resume", id_, "--json")) == first
    (listed,) = result(films("eval", "--list", "--json"))
    assert (listed["evaluation"], listed["state"], listed["methods"]) == (
        id_,
        "done",
        ["bm25", "gear"],
    )
    wider = result(films("eval", "--resume", id_, "--methods", "dense", "--json"))
    assert [one["method"] for one in wider["methods"]] == ["bm25", "gear", "dense"]
    assert wider["questions"][:2] == first["questions"]
    assert "bm25, gear, dense" in films("eval", "--list")[1]
    status, _, err = films("eval", "--resume", id_, "--k", "3")
    assert status == 2 and "--resume would ignore --k" in err


def test_eval_compares_with_a_baseline_and_says_how_sure_it_is(films: Run) -> None:
    found = result(films(*EVAL, "--baseline", "gear", "--json"))
    assert found["compared"]["baseline"] == "gear"
    assert found["compared"]["methods"]["gear"]["recall@1"]["p_holm"] is None
    assert found["compared"]["methods"]["bm25"]["recall@1"]["p_holm"] == 1.0
    _, out, _ = films(*EVAL, "--baseline", "gear")
    assert "R@1 over ◆" in out and "p, Holm" in out
    assert "R@1: no method is better than GEAR" in out
    assert films(*EVAL, "--baseline", "dense")[0] == 2


def test_eval_writes_files_and_overwrites_none(films: Run, tmp_path: Path) -> None:
    trec, table, page = tmp_path / "trec", tmp_path / "t.csv", tmp_path / "r.html"
    asked = (*EVAL, "--trec", str(trec), "--csv", str(table), "--html", str(page))
    assert films(*asked)[0] == 0
    written = sorted(file.name for file in trec.iterdir())
    assert written == ["bm25.txt", "facts.json", "gear.txt", "qrels.txt"]
    heads, *rows = table.read_text("utf-8-sig").splitlines()
    assert heads.startswith("question,type,hops,method,recall@1,recall@5,all@1")
    assert [row.split(",")[3] for row in rows] == ["bm25", "gear", "oracle decomposition"]
    html = page.read_text("utf-8")
    assert (
        "gear-app eval --collection films" in html and "http:" not in html and "https:" not in html
    )
    assert films(*asked)[0] == 2 and films(*asked, "--force")[0] == 0


def test_eval_measures_a_run_file_beside_the_methods(films: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.run"
    mine.write_text("q1 Q0 quill 1 2.5 colbert\nq1 Q0 vane 2 2.0 colbert\n")
    found = result(films(*EVAL, "--run-file", str(mine), "--json"))
    (theirs,) = [one for one in found["methods"] if one["method"] == "file:colbert"]
    assert theirs["recall"] == {"1": 0.5, "5": 0.5} and theirs["ms_p50"] is None
    assert found["run_files"] == [
        {"method": "file:colbert", "file": "mine.run", "depth": 2, "missing": []}
    ]
    _, out, _ = films("eval", "--resume", found["evaluation"], "--baseline", "file:colbert")
    assert "colbert is read from" in out and "They end at rank 2" in out
    mine.write_text("q1 Q0 quill")
    status, _, err = films(*EVAL, "--run-file", str(mine))
    assert status == 2 and "not one TREC run" in err
