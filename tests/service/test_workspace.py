"""Projects, documents, labels, the queue, export and history, over HTTP and on both databases."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubricate.service.workspace.database import DatabaseUnavailable, WriteQueue, revisions
from rubricate.service.workspace.documents import DocumentFilter, DocumentStore, NewDocument
from rubricate.service.workspace.labels import consensus
from rubricate.service.workspace.projects import Conflict
from rubricate.service.workspace.workspace import Workspace

pytestmark = pytest.mark.slow


def _project(client, name="news", **options):
    body = {"name": name, "categories": ["grain", "fuel", "<b>😀</b>"], **options}
    answer = client.post("/projects", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def _add(client, documents, name="news"):
    answer = client.post(f"/projects/{name}/documents", json={"documents": documents})
    assert answer.status_code == 201, answer.text
    return answer.json()


def _label(client, document, labels, annotator="ann", name="news"):
    body = {"document": document, "labels": labels, "annotator": annotator}
    answer = client.post(f"/projects/{name}/labels", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()["event"]


def _standing(client, document, name="news"):
    found = client.get(f"/projects/{name}/documents/{document}").json()
    return {each["annotator"]: each["labels"] for each in found["annotations"]}


def test_a_project_has_categories_or_a_taxonomy(workspace):
    assert _project(workspace)["categories"] == ["grain", "fuel", "<b>😀</b>"]
    tree = {"name": "tree", "taxonomy": [["top", "a"], ["top", "b"]], "kind": "single"}
    answer = workspace.post("/projects", json=tree).json()
    assert (answer["categories"], answer["taxonomy"]) == (["top", "a", "b"], [["top", "a"], ["top", "b"]])
    assert [each["name"] for each in workspace.get("/projects").json()["projects"]] == ["news", "tree"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"name": "news", "categories": ["a"]}, 409, "already"),
        ({"name": "a/b", "categories": ["a"]}, 422, "without '/'"),
        ({"name": "x"}, 422, "needs categories"),
        ({"name": "x", "categories": [" "]}, 422, "empty"),
        ({"name": "x", "taxonomy": [["a", "b"], ["b", "a"]]}, 422, "cycle"),
        ({"name": "x", "categories": ["a"], "kind": "both"}, 422, "kind"),
        ({"name": "x\x00", "categories": ["a"]}, 422, "U+0000"),
    ],
)
def test_what_is_no_project_is_refused(workspace, body, status, words):
    _project(workspace)
    answer = workspace.post("/projects", json=body)
    assert (answer.status_code, words in answer.json()["detail"]) == (status, True), answer.text


def test_documents_are_added_once_and_never_changed(workspace):
    _project(workspace)
    first = [{"id": "a", "title": "T", "text": "wheat"}, {"id": 2, "text": "oil"}, {"text": "no id"}]
    assert _add(workspace, first) == {"added": 3, "known": 0}
    assert _add(workspace, [*first, {"id": "c", "text": "new"}]) == {"added": 1, "known": 3}
    changed = workspace.post("/projects/news/documents", json={"documents": [{"id": "a", "text": "other"}]})
    assert (changed.status_code, "never changed" in changed.json()["detail"]) == (409, True)
    assert workspace.get("/projects/news").json()["documents"] == 4


def test_documents_come_as_ndjson_and_their_labels_with_them(workspace):
    _project(workspace)
    lines = [{"id": "a", "text": "wheat", "labels": ["grain"]}, {"id": "b", "text": "oil"}]
    body = "\n".join(map(json.dumps, lines)).encode()
    headers = {"content-type": "application/x-ndjson"}
    assert workspace.post("/projects/news/documents", content=body, headers=headers).json()["added"] == 2
    assert (_standing(workspace, "a"), _standing(workspace, "b")) == ({"import": ["grain"]}, {})
    wrong = workspace.post("/projects/news/documents", content=b'{"id": "c"}', headers=headers)
    assert (wrong.status_code, "document 1: text" in wrong.json()["detail"]) == (422, True)
    strange = {"documents": [{"text": "x", "labels": ["grian"]}]}
    answer = workspace.post("/projects/news/documents", json=strange)
    assert (answer.status_code, "Did you mean 'grain'" in answer.json()["detail"]) == (422, True)


def test_documents_come_as_files(workspace):
    _project(workspace)
    plain = b'id,text\na,"wheat, corn"\nb,oil\n'
    headers = {"content-type": "text/csv"}
    assert workspace.post("/projects/news/documents", content=plain, headers=headers).json()["added"] == 2
    labelled = b"id,title,text,labels\nc,T,gas,fuel;grain\nd,,coal,\n"
    form = {"file": ("../../etc/<b>.csv", labelled)}
    assert workspace.post("/projects/news/documents", files=form).json()["added"] == 2
    assert (_standing(workspace, "c"), _standing(workspace, "d")) == ({"import": ["fuel", "grain"]}, {})
    for name, content in (("x.csv", b"\xff\xfe\x00"), ("x.xlsx", b"PK\x03\x04broken"), ("x.exe", b"")):
        assert workspace.post("/projects/news/documents", files={"file": (name, content)}).status_code == 422


def test_labels_stand_until_they_are_undone(workspace):
    _project(workspace)
    _add(workspace, [{"id": "a", "text": "wheat"}])
    first = _label(workspace, "a", ["grain"])
    second = _label(workspace, "a", ["fuel", "grain"])
    _label(workspace, "a", [], annotator="bob")
    assert _standing(workspace, "a") == {"ann": ["fuel", "grain"], "bob": []}
    assert workspace.delete(f"/projects/news/labels/{second}").status_code == 200
    assert _standing(workspace, "a")["ann"] == ["grain"]
    assert workspace.delete(f"/projects/news/labels/{second}").status_code == 409
    assert workspace.delete(f"/projects/news/labels/{first}").status_code == 200
    assert _standing(workspace, "a") == {"bob": []}
    assert workspace.delete("/projects/news/labels/999999").status_code == 404
    assert workspace.delete(f"/projects/news/labels/{1 << 70}").status_code == 422
    odd = {"document": "a\x00", "labels": ["grain"], "annotator": "ann"}
    assert workspace.post("/projects/news/labels", json=odd).status_code in (404, 422)
    assert workspace.get("/projects/%00").status_code in (404, 422)
    kinds = [each["kind"] for each in workspace.get("/projects/news/history").json()["events"]]
    assert kinds == ["project", "documents", "label", "label", "label", "undo", "undo"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"document": "a", "labels": ["grian"], "annotator": "ann"}, 422),
        ({"document": "a", "labels": ["grain", "grain"], "annotator": "ann"}, 422),
        ({"document": "zzz", "labels": ["grain"], "annotator": "ann"}, 404),
        ({"document": "a", "labels": "grain", "annotator": "ann"}, 422),
        ({"document": "a", "annotator": "ann"}, 422),
        ({"document": "a", "labels": [], "annotator": " "}, 422),
    ],
)
def test_labels_that_do_not_fit_are_refused(workspace, body, status):
    _project(workspace)
    _add(workspace, [{"id": "a", "text": "wheat"}])
    assert workspace.post("/projects/news/labels", json=body).status_code == status
    assert _standing(workspace, "a") == {}


def test_a_single_label_project_takes_one_label(workspace):
    _project(workspace, kind="single")
    _add(workspace, [{"id": "a", "text": "wheat"}])
    for labels in ([], ["grain", "fuel"]):
        body = {"document": "a", "labels": labels, "annotator": "ann"}
        assert workspace.post("/projects/news/labels", json=body).status_code == 422
    _label(workspace, "a", ["grain"])


def test_documents_are_found_by_words_and_labels(workspace):
    _project(workspace)
    texts = ["Wheat exports rose", "wheat fell", "crude oil", "WHEAT and oil", "100% 'quoted' \"words\" <b>"]
    _add(workspace, [{"id": f"d{i}", "title": "Title", "text": text} for i, text in enumerate(texts)])
    _label(workspace, "d3", ["fuel"])

    def found(**query):
        page = workspace.get("/projects/news/documents", params=query).json()
        return [each["id"] for each in page["documents"]], page["next"]

    assert found(query="wheat")[0] == ["d0", "d1", "d3"]
    assert found(query="wheat ex")[0] == ["d0"]
    assert found(query="title")[0] == ["d0", "d1", "d2", "d3", "d4"]
    assert found(query="' OR \" * wheat (")[0] == []
    assert found(query='(wheat)* "')[0] == ["d0", "d1", "d3"]
    assert found(query="*")[0] == []
    assert found(query="wheat_fell \U0001e900x")[0] == []
    assert found(query="crude_oil")[0] == ["d2"]
    assert found(label="fuel")[0] == ["d3"]
    assert found(label="fuel", query="exports")[0] == []
    assert found(labelled=False)[0] == ["d0", "d1", "d2", "d4"]
    assert found(below=0.5)[0] == []
    seen, after = [], 0
    while after is not None:
        page, after = found(query="wheat", n=1, after=after)
        seen += page
    assert seen == ["d0", "d1", "d3"]


def test_the_queue_hands_every_document_to_one_person(workspace):
    _project(workspace)
    _add(workspace, [{"id": str(i), "text": f"text {i}"} for i in range(60)])

    def take(name):
        page = workspace.post("/projects/news/queue", json={"order": "uncertain", "n": 10, "annotator": name}).json()
        assert page["order"] == "random"
        return [each["id"] for each in page["documents"]]

    with ThreadPoolExecutor(4) as pool:
        taken = [name for names in pool.map(take, ["ann", "bob", "eve", "joe"]) for name in names]
    assert len(taken) == len(set(taken)) == 40
    again = take("ann")
    assert len(again) == 10
    for name in again:
        _label(workspace, name, ["grain"])
    assert not set(take("ann")) & set(again)


def test_an_import_is_written_in_few_statements_and_short_transactions(tmp_path, database):
    from sqlalchemy import event

    workspace = Workspace(tmp_path, database)
    project = workspace.projects.create("p", ["a", "b"], kind="multi")
    statements, commits = [], []
    event.listen(workspace.database._engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    event.listen(workspace.database._engine, "commit", lambda _: commits.append(len(statements)))
    documents = [NewDocument(str(i), f"text {i}", None, ("a", "b")[: i % 3]) for i in range(1_000)]
    assert workspace.documents.add(project, documents, "ann") == (1_000, 0)
    assert len(commits) == 4
    assert len(statements) < 80  # not one for each document
    assert workspace.documents.add(project, [*documents, NewDocument("x", "new")]) == (1, 1_000)
    given = workspace.labels.standing(project)
    assert {name: predictions[0][1] for name, predictions in given.items()} == {
        each.name: each.labels for each in documents
    }
    assert workspace.labels.frequencies(project) == {"a": 666, "b": 333}
    long = [NewDocument(f"l{i}", "word " * 60_000) for i in range(3)]
    before = len(commits)
    workspace.documents.add(project, long)
    assert len(commits) == before + 3
    workspace.close()


def test_an_import_with_a_conflict_adds_nothing(tmp_path, database):
    workspace = Workspace(tmp_path, database)
    project = workspace.projects.create("p", ["a"], kind="multi")
    workspace.documents.add(project, [NewDocument("599", "one text")])
    with pytest.raises(Conflict, match="'599'"):
        workspace.documents.add(project, [NewDocument(str(i), "another text") for i in range(600)])
    assert workspace.documents.count(project)["documents"] == 1
    workspace.close()


def test_a_label_waits_for_one_step_of_an_import_only(tmp_path, monkeypatch):
    """Somebody who comes while the first step is written is next, although the import goes on at once."""
    workspace = Workspace(tmp_path)
    project = workspace.projects.create("p", ["a"], kind="multi")
    workspace.documents.add(project, [NewDocument("mine", "wheat")])
    add_step, steps, label = DocumentStore._add_step, [], []

    def slow(store, connection, *given):
        if not steps:
            label.append(threading.Thread(target=save))
            label[0].start()
            while not workspace.database._writers._waiting:
                time.sleep(0.001)
        steps.append(connection)
        return add_step(store, connection, *given)

    def save():
        workspace.labels.add(project, "mine", ["a"], annotator="ann")
        steps.append("label")

    monkeypatch.setattr(DocumentStore, "_add_step", slow)
    workspace.documents.add(project, [NewDocument(str(i), "text") for i in range(1_500)])
    label[0].join()
    assert steps.index("label") <= 2
    assert len(steps) == 7
    workspace.close()


def test_who_waits_too_long_to_write_leaves_the_queue():
    queue = WriteQueue()
    with queue.turn(1), pytest.raises(DatabaseUnavailable, match="busy"), queue.turn(0.01):
        pass
    with queue.turn(0.01):
        assert not queue._waiting


def test_two_people_label_the_share_that_overlaps(workspace):
    _project(workspace)
    _add(workspace, [{"id": str(i), "text": f"text {i}"} for i in range(30)])
    for name in range(30):
        _label(workspace, str(name), ["grain"])
    query = {"n": 50, "annotator": "bob"}
    assert workspace.post("/projects/news/queue", json=query).json()["documents"] == []
    shared = workspace.post("/projects/news/queue", json={**query, "overlap": 1.0}).json()["documents"]
    assert len(shared) == 30


def test_many_people_at_once_lose_no_label(workspace):
    _project(workspace)
    _add(workspace, [{"id": str(i), "text": f"text {i}"} for i in range(20)])

    def work(name):
        return [_label(workspace, str(i), [["grain"], ["fuel"]][i % 2], annotator=name) for i in range(20)]

    with ThreadPoolExecutor(6) as pool:
        events = [event for events in pool.map(work, "abcdef") for event in events]
    assert len(set(events)) == 120
    rows = [json.loads(line) for line in workspace.get("/projects/news/export").text.splitlines()]
    for i, row in enumerate(rows):
        assert {each["annotator"]: each["labels"] for each in row["annotations"]} == dict.fromkeys(
            "abcdef", [["grain"], ["fuel"]][i % 2]
        )


def test_agreement_is_over_documents_that_two_people_labelled(workspace):
    _project(workspace)
    _add(workspace, [{"id": str(i), "text": f"text {i}"} for i in range(6)])
    assert workspace.get("/projects/news/agreement").json()["documents"] == 0
    for i in range(5):
        _label(workspace, str(i), ["grain"] if i < 3 else ["fuel"])
    for i in range(4):
        _label(workspace, str(i), ["grain"], annotator="bob")
    found = workspace.get("/projects/news/agreement").json()
    assert (found["annotators"], found["documents"]) == (["ann", "bob"], 4)
    assert found["overall"]["percent"] == pytest.approx(0.75)
    assert [each["document"] for each in found["disagreements"]] == ["3"]


def test_roles_sessions_and_tokens(workspace):
    _project(workspace)
    _add(workspace, [{"id": "a", "text": "wheat"}])
    first = workspace.post("/accounts", json={"name": "ann", "password": "correct horse", "role": "label"})
    assert (first.status_code, "admin" in first.json()["detail"]) == (422, True)
    for name, role in (("root", "admin"), ("ann", "label"), ("eve", "read")):
        body = {"name": name, "password": "correct horse", "role": role}
        headers = {} if name == "root" else {"x-csrf-token": csrf}  # noqa: F821
        assert workspace.post("/accounts", json=body, headers=headers).status_code == 201
        if name == "root":
            assert workspace.get("/projects").status_code == 401
            session = workspace.post("/login", json={"name": "root", "password": "correct horse"})
            assert "samesite=strict" in session.headers["set-cookie"].lower()
            assert "httponly" in session.headers["set-cookie"].lower()
            csrf = session.json()["csrf"]
    no_csrf = workspace.post("/projects", json={"name": "x", "categories": ["a"]})
    assert (no_csrf.status_code, "X-CSRF-Token" in no_csrf.json()["detail"]) == (403, True)
    tokens = {
        name: workspace.post(f"/accounts/{name}/tokens", headers={"x-csrf-token": csrf}).json()["token"]
        for name in ("ann", "eve")
    }
    assert workspace.post("/logout", headers={"x-csrf-token": csrf}).status_code == 204
    ann, eve = ({"authorization": f"Bearer {tokens[name]}"} for name in ("ann", "eve"))
    body = {"document": "a", "labels": ["grain"]}
    assert workspace.post("/projects/news/labels", json=body, headers=ann).status_code == 201
    assert workspace.post("/projects/news/labels", json=body, headers=eve).status_code == 403
    assert workspace.post("/projects/news/train", headers=ann).status_code == 403
    assert workspace.get("/projects", headers=eve).status_code == 200
    assert workspace.get("/projects", headers={"authorization": "Bearer wrong"}).status_code == 401
    lines = workspace.get("/audit", headers=ann)
    assert lines.status_code == 403


def test_logging_in_is_limited(workspace):
    workspace.post("/accounts", json={"name": "root", "password": "correct horse", "role": "admin"})
    statuses = [workspace.post("/login", json={"name": "root", "password": "x"}).status_code for _ in range(7)]
    assert statuses == [401] * 5 + [429] * 2


def test_changes_are_in_the_audit_log(workspace):
    _project(workspace)
    lines = workspace.get("/audit").json()["lines"]
    assert [(line["who"], line["method"], line["path"], line["status"]) for line in lines] == [
        ("local", "POST", "/projects", 201)
    ]


_TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=30)


@settings(max_examples=15)
@given(
    texts=st.lists(
        st.tuples(_TEXT, st.none() | _TEXT, st.none() | st.sets(st.sampled_from(["a", "ü;", "😀"]))), max_size=8
    )
)
def test_what_was_put_in_comes_back(tmp_path_factory, texts):
    from rubricate.service.workspace.export import export

    workspace = Workspace(tmp_path_factory.mktemp("w"))
    project = workspace.projects.create("p", ["a", "ü;", "😀"], kind="multi")
    documents = [
        NewDocument(f"d{i}", text, title, None if labels is None else tuple(sorted(labels)))
        for i, (text, title, labels) in enumerate(texts)
    ]
    workspace.documents.add(project, documents)
    lines = b"".join(export(workspace.documents, project, "jsonl")).decode().split("\n")[:-1]
    back = [json.loads(line) for line in lines]
    assert [(row["id"], row["text"], row["title"], row["labels"]) for row in back] == [
        (each.name, each.text, each.title, None if each.labels is None else list(each.labels)) for each in documents
    ]
    table = b"".join(export(workspace.documents, project, "csv", separator="|")).decode()
    rows = list(csv.reader(io.StringIO(table, newline="")))[1:]
    assert [row[2] for row in rows] == [each.text for each in documents]
    workspace.close()


@given(
    st.lists(
        st.tuples(st.just("x"), st.lists(st.sampled_from("abc"), unique=True).map(tuple), st.integers()), min_size=1
    )
)
def test_the_consensus_is_a_label_set_that_nobody_outvotes(annotations):
    chosen = frozenset(consensus(annotations))
    votes = [frozenset(labels) for _, labels, _ in annotations]
    assert chosen in votes
    assert all(votes.count(chosen) >= votes.count(other) for other in votes)


def test_a_workspace_is_migrated_once_and_refuses_a_newer_one(tmp_path, database):
    from sqlalchemy import text

    from rubricate.errors import InvalidInput

    Workspace(tmp_path, database).close()
    workspace = Workspace(tmp_path, database)
    with workspace.database.write() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [revisions()[-1]]
        if database is None:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    workspace.close()
    with pytest.raises(InvalidInput, match="newer version"):
        Workspace(tmp_path, database)


def test_tables_have_the_columns_that_migrations_make(tmp_path, database):
    from sqlalchemy import inspect

    from rubricate.service.workspace.database import documents

    tables = documents.metadata.tables
    assert len(tables) >= 8
    workspace = Workspace(tmp_path, database)
    with workspace.database.read() as connection:
        inspector = inspect(connection)
        for name, table in tables.items():
            made = {column["name"] for column in inspector.get_columns(name)} - {"words"}  # PostgreSQL's own index
            assert {column.name for column in table.columns} == made, name
    workspace.close()


def _older(folder, database, newest):
    """Make a workspace as versions before Alembic left it, with the list of migrations that they kept."""
    from sqlalchemy import create_engine, text

    from rubricate.service.workspace.database import database_url, migrate

    engine = create_engine(database_url(folder, database))
    with engine.begin() as connection:
        assert migrate(connection, newest) == [each for each in revisions() if each <= newest]
        connection.execute(text("DROP TABLE alembic_version"))
        connection.execute(text("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied FLOAT)"))
        for number in map(int, revisions()[: int(newest)]):
            connection.execute(text(f"INSERT INTO migrations VALUES ({number}, 'x', 0)"))
    return engine


def test_an_older_workspace_with_several_active_trainings_goes_on_with_the_newest(tmp_path, database):
    from sqlalchemy import text

    engine = _older(tmp_path, database, "0006")
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO projects (id, name, kind, created) VALUES (1, 'p', 'multi', 0)"))
        for job, state in ((1, "done"), (2, "running"), (3, "waiting")):
            row = f"({job}, 1, 'train', '{state}', 0, 0, '', '{{}}', 0, 0, 0)"
            names = "id, project, kind, state, done, total, message, data, cancel, created, heartbeat"
            connection.execute(text(f"INSERT INTO jobs ({names}) VALUES {row}"))
        connection.execute(text("INSERT INTO events (kind, annotator, data, created) VALUES ('label', 'ann', '1', 0)"))
    engine.dispose()
    new = Workspace(tmp_path, database)
    assert [new.jobs.get(job)["state"] for job in (1, 2, 3)] == ["done", "failed", "waiting"]
    with new.database.read() as connection:  # versions before Alembic refuse a list with a number that they do not know
        assert connection.execute(text("SELECT max(number) FROM migrations")).scalar_one() == 9999
    new.close()
    Workspace(tmp_path, database).close()


def test_a_workspace_that_an_earlier_version_wrote_is_brought_up_to_date(tmp_path):
    """The tables of migration 4, as the SQL of those days made them."""
    import sqlite3

    with sqlite3.connect(tmp_path / "workspace.db") as connection:
        connection.executescript((Path(__file__).parent / "workspace_0004.sql").read_text(encoding="utf-8"))
    connection.close()
    workspace = Workspace(tmp_path)
    project = workspace.projects.get("p")
    found, _ = workspace.documents.find(project, DocumentFilter("harv"))
    assert [each["id"] for each in found] == ["d"]
    Workspace(tmp_path / "new").close()
    workspace.close()
    assert _columns(tmp_path / "workspace.db") == _columns(tmp_path / "new" / "workspace.db")


def _columns(path):
    """Return tables with the names of their columns, their foreign keys, and the columns of their indices."""
    import sqlite3

    with sqlite3.connect(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        facts = {
            name: (
                {(row[1], row[5] > 0) for row in connection.execute(f"PRAGMA table_info({name})")},
                {row[2:5] for row in connection.execute(f"PRAGMA foreign_key_list({name})")},
                {
                    (row[2], row[4], *(each[2] for each in connection.execute(f"PRAGMA index_info({row[1]})")))
                    for row in connection.execute(f"PRAGMA index_list({name})").fetchall()
                },
            )
            for name in set(names) - {"migrations"}
        }
    connection.close()
    return facts


def test_a_full_disk_is_a_clear_answer_and_loses_nothing(tmp_path):
    from rubricate.service.workspace.database import DatabaseUnavailable

    workspace = Workspace(tmp_path)
    project = workspace.projects.create("p", ["a"], kind="multi")
    workspace.documents.add(project, [NewDocument("1", "x")])
    workspace.database._engine.dispose()
    from sqlalchemy import event

    @event.listens_for(workspace.database._engine, "connect")
    def limit(connection, _):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(DatabaseUnavailable, match="full"):
        workspace.documents.add(project, [NewDocument(str(i), "word " * 20_000) for i in range(2, 9)])
    assert len(workspace.documents.find(project, DocumentFilter())[0]) == 1
    workspace.close()
