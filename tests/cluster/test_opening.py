"""A collection is pushed, found in another workspace, asked and dropped; and what goes wrong on the
way is said in one message.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.corpus.remote import APART
from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import BadInput, ClusterFailed, NotReady, Unknown
from gear_app.opensearch import catalogue, load, schema
from gear_app.opensearch.address import API_KEY, CA, EF_SEARCH, PASSWORD, URL, USER, address_of
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.load import StorageOptions
from gear_app.runs.request import Options, RunRequest
from gear_app.store.collections import Placed
from gear_app.workspace import Workspace
from tests.cluster import tls
from tests.cluster.worlds import EMBEDDER, ONCE, contents, demo, pushed, silent
from tests.small import QUESTION
from tests.workspaces import filled


def test_questions_that_are_edited_in_a_workspace_stay_so_whatever_sets_a_cluster_has(
    made: Workspace, other: Workspace, url: str
) -> None:
    """Both sets bring the questions; a change of them where they came from is taken."""
    (question,) = made.collections.questions("films")
    second = replace(question, id="q2", question="Where did Tom Vane die?")
    made.collections.save_question("films", second)
    push(made, url)
    made.extract("films", "toy")
    made.clusters.push("films", "toy", url, ONCE, silent)
    other.clusters.adopt(url)
    assert other.collections.questions("films") == [question, second]
    other.collections.set_gold("films", question.question, ["lorn"])
    other.collections.delete_question("films", "q2")
    edited = replace(question, supporting_keys=("lorn",))
    for _ in range(3):
        other.clusters.adopt(url)
        assert other.collections.questions("films") == [edited]
    third = replace(question, id="q3", question="Who built bridges?")
    made.collections.save_question("films", third)
    push(made, url)
    other.clusters.adopt(url)
    assert other.collections.questions("films") == [edited, third]


def test_a_cluster_is_the_same_by_more_of_its_addresses_and_another_is_told_apart(
    made: Workspace, other: Workspace, url: str
) -> None:
    push(made, url)
    elsewhere = Placed("http://other:9200", "gear-films.x-1.2", 1, 8, "", 0, "", None)
    with tls.changed(url, lambda path, body: body) as second:
        assert "films" in other.clusters.adopt(url)
        assert "films" in other.clusters.adopt(f"{url},{second}")
        assert other.collections.get("films").cluster == f"{url},{second}"
        assert "films" in other.clusters.adopt(second)
        assert "films" in other.clusters.opened(f"{second},{url}").values()
    third = Workspace(other.path.parent / "third.db", embedder=HashingEmbedder())
    for number, name in enumerate(("films", "films (cluster)", "films (cluster 2)")):
        third.store.collections.place(name, elsewhere)
        expected = ("films (cluster)", "films (cluster 2)", "films (cluster 3)")[number]
        taken = third.clusters.name_here(url, "films")
        assert taken == expected
        third.collections.delete(taken)


Alter = Callable[..., str]


@pytest.fixture
def made(tmp_path: Path, url: str) -> Iterator[Workspace]:
    """The small collection as `films`, which no test before has left in the cluster."""
    there = filled(tmp_path)
    yield there
    cluster = there.corpora.remote.cluster(url)
    catalogue.drop(
        cluster, [one for one in catalogue.stored(cluster) if one.facts.collection == "films"]
    )


@pytest.fixture
def other(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace(tmp_path / "other.db", embedder=HashingEmbedder())


def push(workspace: Workspace, url: str) -> load.Load:
    return workspace.clusters.push("films", None, url, ONCE, silent)


# Pushed and opened


def test_a_pushed_collection_is_asked_in_another_workspace_with_the_same_result(
    made: Workspace, other: Workspace, url: str
) -> None:
    here = made.ask(QUESTION, "films", "gear")
    push(made, url)
    assert "films" in other.clusters.adopt(url)
    info = other.collections.get("films")
    assert (info.passages, info.questions, info.cluster) == (8, 1, url)
    assert [(one.name, one.triples, one.active) for one in info.triple_sets] == [
        ("curated", 14, True)
    ]
    there = other.ask(QUESTION, "films", "gear")
    assert [(one.key, one.score) for one in there.ranking] == [
        (one.key, one.score) for one in here.ranking
    ]
    run = other.runs.get(there.run)
    assert run.gold == ("harbour", "quill")
    assert run.versions["index"].startswith("OpenSearch 2.") and url in run.versions["index"]
    proved, rankings = run.versions["proved"].split(" of ")
    assert rankings == f"{proved} rankings"
    assert run.corpus_hash == made.runs.get(here.run).corpus_hash
    assert other.runs.replay(there.run).difference == ""


def test_a_passage_of_a_cluster_is_fetched_when_it_is_shown(
    made: Workspace, other: Workspace, url: str
) -> None:
    push(made, url)
    other.import_path(Path(made.path).parent / "pack", "films")
    assert "films (cluster)" in other.clusters.adopt(url), "another collection has the name"
    found = other.ask(QUESTION, "films (cluster)", "hybrid").ranking[0]
    assert found.id >= APART, "its id is no id of a passage here"
    shown = other.collections.passage(found.id)
    assert (shown.key, shown.title) == (found.key, found.title) and shown.text
    assert other.collections.passage_by_key("films (cluster)", found.key) == shown
    with pytest.raises(Unknown):
        other.collections.passage(found.id + 99)
    (mira,) = other.collections.passages_with("films (cluster)", "bridge vane port")
    assert mira.key == "mira"


def test_what_would_be_written_without_its_passages_is_refused(
    made: Workspace, other: Workspace, url: str, tmp_path: Path
) -> None:
    push(made, url)
    other.clusters.adopt(url)
    run = other.ask(QUESTION, "films", "hybrid").run
    for ask in (
        lambda: list(other.collections.every_passage("films")),
        lambda: other.collections.triples("films", "curated"),
        lambda: other.runs.export_bundle([run], tmp_path / "bundle.db"),
    ):
        with pytest.raises(NotReady, match="needs all of 'films'"):
            ask()


def test_what_needs_the_whole_collection_is_refused_before_a_run_is_stored(
    made: Workspace, other: Workspace, url: str
) -> None:
    push(made, url)
    other.clusters.adopt(url)
    for method, options in {
        "hipporag": Options(),
        "ircot:hipporag": Options(),
        "gear": Options(lazy="local"),
        "hybrid": Options(answer=True),
    }.items():
        with pytest.raises(BadInput, match="'films' is in a cluster"):
            other.runs.enqueue(RunRequest(QUESTION, "films", method, options=options))
    assert other.runs.recent() == []
    for change in (
        lambda: other.import_path(Path(made.path).parent / "pack", "films"),
        lambda: other.extract("films"),
        lambda: push(other, url),
    ):
        with pytest.raises(BadInput, match="where it is not changed"):
            change()
    run = other.ask(QUESTION, "films", "gear").run
    with pytest.raises(NotReady, match="is in a cluster"):
        other.why_not.explain(run, "vane")


def test_another_model_is_told_apart_from_the_one_of_the_vectors(
    made: Workspace, tmp_path: Path, url: str
) -> None:
    push(made, url)
    workspace = Workspace(tmp_path / "third.db", embedder=HashingEmbedder(32))
    workspace.clusters.adopt(url)
    with pytest.raises(
        NotReady, match="of the model hashing-64, and questions would be encoded by hashing-32"
    ):
        workspace.ask(QUESTION, "films", "hybrid")


@pytest.fixture
def altered(made: Workspace, url: str, cluster: Cluster) -> Alter:
    """Makes an index that is open and is as the one of films, but for some facts."""
    push(made, url)

    def alter(**facts: object) -> str:
        (one,) = [one for one in catalogue.stored(cluster) if one.facts.collection == "films"]
        told = one.facts.to_json()["gear"] | {"collection": "altered"} | facts
        alias = schema.alias_of("altered", "curated")
        name = f"{alias}.{'0' * 12}"
        there = {alias: {}, catalogue.whole_alias(name): {}}
        mappings = schema.mappings(one.facts) | {"_meta": {"gear": told}}
        body = {"mappings": mappings, "aliases": there, "settings": schema.settings(1, hnsw=False)}
        cluster.client.indices.create(index=name, body=body)
        return name

    return alter


ALTERED = {
    "tokens": (99, "cuts words otherwise"),
    "mentions": (99, "finds names in passages otherwise"),
    "format": (99, "stores an index otherwise"),
    "model": ("other", "are of the model other, and questions would be encoded by hashing-64"),
    "dimension": (65, "have 65 numbers, and those of hashing-64 have 64 here"),
}


def test_what_was_loaded_otherwise_is_told_and_in_no_others_way(
    altered: Alter, other: Workspace, url: str, cluster: Cluster
) -> None:
    for fact, (value, message) in ALTERED.items():
        name, notes = altered(**{fact: value}), list[str]()
        assert "films" in other.clusters.adopt(url, tell=notes.append)
        told_when_opened = fact != "dimension"  # which is that of the model, but for a broken one
        assert [message in note for note in notes] == [True] * told_when_opened
        with pytest.raises(NotReady, match=message):
            catalogue.open_index(cluster, name, EMBEDDER)
        if fact == "format":
            with pytest.raises(NotReady, match=message):
                other.clusters.name_here(url, "altered")
        assert other.ask(QUESTION, "films", "bm25").ranking
        cluster.client.indices.delete(index=name)


# Loading


def test_a_load_that_was_stopped_is_not_opened_and_goes_on_where_it_was(
    made: Workspace, other: Workspace, url: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(load, "AT_ONCE", 9)

    class Stopped(Exception):
        pass

    def stop(what: str, done: int, total: int) -> None:
        if done >= 18:
            raise Stopped

    with pytest.raises(Stopped):
        made.clusters.push("films", None, url, ONCE, stop)
    (half,) = [one for one in made.clusters.status(url).stored if one.facts.collection == "films"]
    assert not half.whole and not half.open
    assert "films" not in other.clusters.adopt(url)
    with pytest.raises(NotReady, match="only in part"):
        other.clusters.name_here(url, "films")
    command = ["query", QUESTION, "--collection", "films", "--workspace", str(other.path)]
    assert main([*command, "--index", url]) == 1
    assert "'films' was loaded only in part, so it is not searched." in capsys.readouterr().err
    with pytest.raises(NotReady, match="only in part"):
        catalogue.open_index(made.corpora.remote.cluster(url), half.name, EMBEDDER)
    done = push(made, url)
    assert done.there == 18 and done.sent > 0
    assert sum(check.documents for check in done.copies) == done.there + done.sent
    assert push(made, url).sent == 0
    assert other.clusters.name_here(url, "films") == "films"


def test_a_changed_collection_takes_the_place_of_the_one_before(
    made: Workspace, other: Workspace, url: str
) -> None:
    first = push(made, url).index
    other.clusters.adopt(url)
    before = other.ask(QUESTION, "films", "bm25").run
    made.import_path(_more(made), "films")
    second = push(made, url).index
    states = {one.name: (one.whole, one.open) for one in made.clusters.status(url).stored}
    assert states[first] == (True, False) and states[second] == (True, True)
    assert other.runs.replay(before).difference == "", "a run goes on with the one that it saw"
    other.clusters.adopt(url)
    assert other.runs.get(before).stale
    assert other.ask("Zanzibar", "films", "bm25").ranking[0].key == "new"
    assert [one.name for one in made.clusters.drop(url, "films", closed=True)] == [first]
    made.clusters.drop(url, "films")
    with pytest.raises(Unknown, match="films"):
        other.clusters.name_here(url, "films")


def _more(workspace: Workspace) -> Path:
    file = Path(workspace.path).parent / "more.jsonl"
    row = {"id": "new", "title": "Zanzibar", "text": "Zanzibar is an island."}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def test_whatever_an_index_stores_is_in_its_name(
    made: Workspace, other: Workspace, url: str
) -> None:
    """Texts stay the same, and from the second push on the counts of documents as well."""
    store, id_ = made.store, made.store.collections.get("films").id
    (question,) = store.questions.of(id_)
    names = [push(made, url).index]

    def changed() -> None:
        done = push(made, url)
        assert done.there == 0 and done.index not in names
        names.append(done.index)

    store.questions.save(id_, [replace(question, id="q2", question="Where did Tom Vane die?")])
    changed()
    store.questions.set_gold(id_, "q2", {"vane": 1})
    changed()
    store.collections.set_max_iterations(id_, 2)
    changed()
    assert push(made, url).sent == 0, "the same content has the same name"
    sharded = made.clusters.push("films", None, url, StorageOptions(2), silent)
    assert sharded.there == 0 and len(sharded.copies) == 2
    other.clusters.adopt(url)
    there = other.store.questions.of(other.store.collections.get("films").id)
    assert [(one.id, one.supporting_keys) for one in there] == [
        (question.id, question.supporting_keys),
        ("q2", ("vane",)),
    ]


def test_what_is_dropped_while_it_is_loaded_does_not_come_back(
    made: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "AT_ONCE", 9)

    def drop(what: str, done: int, total: int) -> None:
        if done == 18:
            made.clusters.drop(url, "films")

    with pytest.raises(
        ClusterFailed, match=r"^gear-films\S+ is no longer in the cluster .* dropped"
    ):
        made.clusters.push("films", None, url, ONCE, drop)
    assert not [one for one in made.clusters.status(url).stored if one.facts.collection == "films"]
    assert made.clusters.status(url).unreadable == []
    assert push(made, url).there == 0


def test_an_index_without_facts_and_one_of_another_version_are_told_and_can_be_dropped(
    made: Workspace, url: str, cluster: Cluster, capsys: Any
) -> None:
    whole = push(made, url).index
    stray, newer = f"{whole[:-12]}{'0' * 12}", f"{whole[:-12]}{'1' * 12}"
    cluster.client.index(index=stray, id="p1", body={"kind": "passage"})
    facts = {"collection": "films", "format": 99}
    cluster.client.indices.create(index=newer, body={"mappings": {"_meta": {"gear": facts}}})
    cluster.client.indices.create(index="gear-films.of-somebody-else")
    command = ["index", "status", "--index", url, "--workspace", str(made.path)]
    try:
        assert main(command) == 0
        said = capsys.readouterr()
        assert [line.split()[-1] for line in said.out.splitlines() if "unreadable" in line] == [
            stray,
            newer,
        ]
        assert f"{stray} has no facts about itself" in said.err
        assert "'films' was loaded by another version of gear_app" in said.err
        with pytest.raises(NotReady, match="by another version"):
            catalogue.open_index(cluster, newer, EMBEDDER)
        deleted = made.clusters.drop(url, "films", closed=True)
        assert [one.name for one in deleted] == [stray, newer]
        assert cluster.client.indices.exists(index="gear-films.of-somebody-else")
        assert [one.name for one in made.clusters.drop(url, "films")] == [whole]
    finally:
        for index in (stray, newer, "gear-films.of-somebody-else"):
            cluster.client.indices.delete(index=index, params={"ignore_unavailable": "true"})


def test_documents_that_are_refused_are_told_and_the_index_is_not_opened(cluster: Cluster) -> None:
    right = contents(demo(), "wrong")
    wrong = replace(right, facts=replace(right.facts, dimension=63))
    said = r"1,085 of 1,902 documents were refused .*: p1: .*; and 1,082 more, which --json lists"
    with pytest.raises(load.DocumentsRefused, match=said) as caught:
        load.push(cluster, wrong, silent)
    assert len(caught.value.refused) == 1085
    assert [one.id for one in pickle.loads(pickle.dumps(caught.value)).refused[:2]] == ["p1", "p2"]
    assert [one.whole for one in catalogue.stored(cluster) if one.facts.collection == "wrong"] == [
        False
    ]


def test_a_copy_that_lacks_something_is_found(cluster: Cluster) -> None:
    index = pushed(cluster, demo(), "lacking", storage=StorageOptions(2))
    assert all(not check.missing for check in load.verify(cluster, index.name, index.facts))
    cluster.client.indices.put_settings(index=index.name, body={"index": {"blocks.write": False}})
    cluster.client.delete(index=index.name, id="t5", params={"refresh": "true"})
    cluster.client.index(
        index=index.name, id="p5", body={"kind": "passage", "id": 5}, params={"refresh": "true"}
    )
    said = " ".join(check.missing for check in load.verify(cluster, index.name, index.facts))
    assert "910 of 911 triple documents in all shards" in said
    assert "1 passage without bytes; 1 passage without passage_vector" in said


# The command line


def test_every_document_that_a_cluster_refuses_is_listed_as_json(
    made: Workspace, url: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """As where an index was made by hand with other fields."""
    monkeypatch.setenv(URL, url)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")

    index = push(made, url).index
    facts = next(one.facts for one in made.clusters.status(url).stored if one.name == index)
    cluster.client.indices.delete(index=index)
    body = {"settings": schema.settings(1, hnsw=False), "mappings": schema.mappings(facts)}
    vector = schema.VECTOR_OF["triples"]
    body["mappings"]["properties"][vector] = {"type": "knn_vector", "dimension": 65}
    cluster.client.indices.create(index=index, body=body)
    command = ["index", "push", "--collection", "films", "--workspace", str(made.path)]
    assert main([*command, "--json"]) == 1
    said = capsys.readouterr()
    refused = json.loads(said.out)["refused"]
    assert [one["id"] for one in refused] == [f"t{number}" for number in range(1, 15)]
    assert all("dimension" in one["why"].lower() for one in refused)
    assert "14 of " in said.err and "and 11 more, which --json lists" in said.err


def test_the_commands_push_ask_and_drop(
    made: Workspace, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv(URL, url)
    push(made, url)
    there = ["--workspace", str(made.path)]
    assert main(["index", "status", *there]) == 0
    assert "films" in capsys.readouterr().out
    assert main(["index", "verify", "--collection", "films", *there, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["missing"] == ""
    nowhere = ["--workspace", str(tmp_path / "nowhere.db")]
    assert main(["index", "verify", "--collection", "films", *nowhere]) == 0
    assert "nothing" in capsys.readouterr().out and not (tmp_path / "nowhere.db").exists()
    assert main(["collections", "--index", url, *there, "--json"]) == 0
    assert "films (cluster)" in [one["name"] for one in json.loads(capsys.readouterr().out)]
    alone = ["--workspace", str(tmp_path / "alone.db")]
    assert main(["collections", *alone]) == 1 and not (tmp_path / "alone.db").exists()
    assert main(["collections", "--index", url, *alone]) == 0
    capsys.readouterr()
    assert main(["questions", "--suggested", "--collection", "films", *alone]) == 2
    assert "films is in a cluster" in capsys.readouterr().err
    assert main(["index", "drop", "--collection", "films", *there]) == 0
    assert capsys.readouterr().out == "1 index deleted\n"
    assert main(["query", "q", "--collection", "films", "--index", url, *there]) == 2
    assert "Unknown collection of the cluster 'films'" in capsys.readouterr().err


# What is shown to whom


def test_addresses_hold_no_secrets_and_secrets_travel_encrypted() -> None:
    with pytest.raises(BadInput, match=f"set {USER} and {PASSWORD} instead"):
        address_of("https://me:secret@search:9200", {})
    with pytest.raises(BadInput, match="unencrypted"):
        address_of("http://search:9200", {API_KEY: "k", URL: "http://search:9200"})
    with pytest.raises(BadInput, match=f"{USER} is set and {PASSWORD} is not"):
        address_of("https://search", {USER: "me"})
    with pytest.raises(BadInput, match="no address of a cluster"):
        address_of("search:9200", {})
    for mistyped in ("me:secret@search:9200", "https:/me:secret@search", "https://[me:secret@x"):
        with pytest.raises(BadInput, match="no address of a cluster") as caught:
            address_of(mistyped, {})
        assert "secret" not in str(caught.value)
    with pytest.raises(BadInput, match="no address of a cluster"):
        address_of("https://search:port", {})
    with pytest.raises(BadInput, match="No cluster is named"):
        address_of("", {})
    with pytest.raises(BadInput, match="which is no file"):
        address_of("https://search", {CA: "/nowhere"})
    with pytest.raises(BadInput, match="from 200"):
        address_of("https://search", {EF_SEARCH: "100"})
    assert str(address_of("https://a, https://b:1/x/", {})) == "https://a:443,https://b:1/x"


def test_only_this_machine_is_sent_a_password_unencrypted() -> None:
    def sent(address: str) -> bool:
        return bool(address_of(address, {API_KEY: "k", URL: address}).api_key)

    assert all(
        map(sent, ("http://localhost", "http://127.0.0.1:9201", "http://127.8.9.1", "http://[::1]"))
    )
    for other in ("127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]"):
        with pytest.raises(BadInput, match="unencrypted"):
            sent(f"http://{other}:9200")


def test_only_the_cluster_that_the_environment_names_is_shown_the_login() -> None:
    login = {API_KEY: "k", USER: "me", PASSWORD: "p"}
    ours = {**login, URL: "https://a.example, https://b.example"}
    for address in ("https://a.example", "https://b.example:443/,https://a.example"):
        known = address_of(address, ours)
        assert (known.login, known.api_key) == (("me", "p"), "k")
    # As a workspace file from somebody else may name one.
    for address in ("https://c.example", "https://a.example,https://c.example"):
        for environment in (ours, login):
            unknown = address_of(address, environment)
            assert (unknown.login, unknown.api_key) == (None, "")
