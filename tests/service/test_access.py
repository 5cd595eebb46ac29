"""Who may do what: limits before anybody is known, accounts, log-ins, whose labels they are, and other sites."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import shutil
import stat
import threading
from urllib.parse import urlsplit

import pytest
from tests.service.live import live_service

from rubricate.errors import InvalidInput
from rubricate.service.accounts import Passwords, PasswordsBusy
from rubricate.service.app import make_app
from rubricate.service.running import check_access
from rubricate.service.settings import ServiceSettings
from rubricate.service.workspace.projects import Conflict
from rubricate.service.workspace.workspace import Workspace

pytestmark = pytest.mark.slow

PASSWORD = "correct horse"
MEGABYTE = bytes(1 << 20)


def _send(app, path, kind, *, headers=(), most=200):
    """Send a body without an end, in chunks of a megabyte; return the status and the megabytes that were read."""
    read, statuses = 0, []

    async def receive():
        nonlocal read
        if read >= most:
            return {"type": "http.disconnect"}
        read += 1
        return {"type": "http.request", "body": MEGABYTE, "more_body": True}

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    given = [(b"host", b"127.0.0.1"), (b"content-type", kind.encode()), (b"transfer-encoding", b"chunked"), *headers]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": given,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000),
    }  # fmt: skip
    with contextlib.suppress(Exception):
        asyncio.run(app(scope, receive, send))
    return statuses[0], read


@pytest.fixture(scope="module")
def first_people(tmp_path_factory):
    """A workspace with a project, four accounts and their tokens; passwords are slow to hash, so it is made once."""
    folder = tmp_path_factory.mktemp("people") / "w"
    workspace = Workspace(folder)
    workspace.projects.create("news", ["grain", "fuel"], kind="multi")
    tokens = {}
    for name, role in (("root", "admin"), ("ann", "label"), ("bob", "label"), ("eve", "read")):
        workspace.accounts.add(name, PASSWORD, role)
        tokens[name] = {"authorization": f"Bearer {workspace.accounts.add_token(name)}"}
    workspace.close()
    return folder, tokens


@pytest.fixture
def people(first_people, tmp_path):
    """A copy of that workspace, and the tokens."""
    folder, tokens = first_people
    return shutil.copytree(folder, tmp_path / "w"), tokens


@pytest.fixture
def news(serve, people):
    """A service of that workspace with two documents, and the headers of each person."""
    folder, tokens = people
    client = serve(workspace=folder)
    documents = [{"id": "a", "text": "wheat"}, {"id": "b", "text": "oil"}]
    assert client.post("/projects/news/documents", json={"documents": documents}, headers=tokens["ann"]).is_success
    return client, tokens


@pytest.mark.parametrize("kind", ["text/csv", "application/x-ndjson", "application/json", "multipart/form-data"])
def test_the_body_of_a_login_is_small_whatever_its_type(people, kind):
    app = make_app(ServiceSettings(workspace=people[0]))
    status, read = _send(app, "/login", kind)
    assert (status, read) == (413, 1)


@pytest.mark.parametrize("path", ["/models/topics/classify", "/projects/news/documents", "/projects", "/evaluate"])
def test_nothing_is_read_from_a_sender_without_identity(people, path):
    app = make_app(ServiceSettings(workspace=people[0]))
    assert _send(app, path, "text/csv") == (401, 0)


@pytest.mark.parametrize("path", ["/projects", "/projects/news/labels", "/accounts", "/projects/news/queue"])
def test_the_content_type_of_a_stream_lifts_no_limit_elsewhere(people, path):
    app = make_app(ServiceSettings(workspace=people[0], max_body=3 << 20))
    token = people[1]["root"]["authorization"].encode()
    status, read = _send(app, path, "text/csv", headers=[(b"authorization", token)])
    assert (status, read) == (413, 4)


def test_a_stream_of_documents_is_not_limited_as_a_whole(people):
    app = make_app(ServiceSettings(workspace=people[0], max_body=3 << 20, max_line=20 << 20))
    token = people[1]["ann"]["authorization"].encode()
    status, read = _send(app, "/projects/news/documents", "application/x-ndjson", headers=[(b"authorization", token)])
    assert (status, read) == (413, 21)  # the line is too long, not the body


def test_without_accounts_a_service_that_others_reach_is_closed(serve, people):
    folder, tokens = people
    beyond, local = serve(workspace=folder, host="0.0.0.0"), serve(workspace=folder)
    assert beyond.get("/projects", headers=tokens["root"]).status_code == 200
    for name in ("ann", "bob", "eve"):
        assert beyond.delete(f"/accounts/{name}", headers=tokens["root"]).status_code == 204
    last = beyond.delete("/accounts/root", headers=tokens["root"])
    assert (last.status_code, "the last account" in last.json()["detail"]) == (409, True)
    workspace = Workspace(folder)
    with pytest.raises(Conflict, match="--last"):
        workspace.accounts.remove("root")
    workspace.accounts.remove("root", last=True)
    workspace.close()
    for service in (beyond, local):
        service.app.state.service.forget_accounts()
    account = {"name": "x", "password": PASSWORD, "role": "admin"}
    assert beyond.get("/projects").status_code == 401
    assert beyond.post("/accounts", json=account).status_code == 401
    assert local.get("/projects").status_code == 200


def test_a_service_behind_a_proxy_is_not_local(serve, tmp_path):
    behind = serve(workspace=tmp_path / "w", forwarded_allow_ips="127.0.0.1")
    assert behind.get("/projects").status_code == 401
    with pytest.raises(InvalidInput, match="--forwarded-allow-ips names a proxy"):
        check_access(ServiceSettings(forwarded_allow_ips="127.0.0.1"))
    for wrong in ("*", "proxy.example", ""):
        with pytest.raises(InvalidInput, match="is not an address"):
            ServiceSettings(forwarded_allow_ips=wrong)


def _log_in(site, address, name, password="wrong"):
    where = urlsplit(site)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    headers = {"content-type": "application/json", "x-forwarded-for": address}
    connection.request("POST", "/login", json.dumps({"name": name, "password": password}), headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_a_forged_address_is_not_believed(people):
    with live_service(workspace=people[0]) as site:
        statuses = [_log_in(site, f"10.7.0.{n}", f"name{n}") for n in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    workspace = Workspace(people[0])
    assert {line["client"] for line in workspace.accounts.audit()} == {"127.0.0.1"}
    workspace.close()


def test_many_addresses_do_not_help_to_guess_and_do_not_lock_out(people):
    with live_service(workspace=people[0], forwarded_allow_ips="127.0.0.0/8") as site:
        assert _log_in(site, "192.0.2.1", "ann", PASSWORD) == 200
        statuses = [_log_in(site, f"10.7.{n}.1", "ann") for n in range(12)]
        assert statuses[:9] == [401] * 9
        assert 429 in statuses[9:]
        assert _log_in(site, "192.0.2.1", "ann", PASSWORD) == 200  # from where she was before
        assert _log_in(site, "10.8.0.1", "bob", PASSWORD) == 200
        shared = [_log_in(site, f"2001:db8::{n:x}", f"name{n}") for n in range(6)]
        assert shared == [401] * 5 + [429]  # one network of a host


def test_an_annotator_is_who_sends_the_labels(news):
    client, tokens = news
    forged = {"document": "a", "labels": ["grain"], "annotator": "root"}
    assert client.post("/projects/news/labels", json=forged, headers=tokens["ann"]).status_code == 403
    assert client.post("/projects/news/queue", json={"annotator": "root"}, headers=tokens["ann"]).status_code == 403
    own = {"document": "a", "labels": ["grain"]}
    first = client.post("/projects/news/labels", json=own, headers=tokens["ann"]).json()["event"]
    second = client.post("/projects/news/labels", json=own | {"annotator": "ann"}, headers=tokens["root"])
    assert second.status_code == 201
    imported = {"documents": [{"id": "c", "text": "gas", "labels": ["fuel"]}]}
    assert client.post("/projects/news/documents", json=imported, headers=tokens["bob"]).status_code == 201
    events = client.get("/projects/news/history", headers=tokens["eve"]).json()["events"]
    labels = [(each["annotator"], each["sender"]) for each in events if each["kind"] == "label"]
    assert labels == [("ann", "ann"), ("ann", "root"), ("import", "bob")]
    stranger = client.delete(f"/projects/news/labels/{first}", headers=tokens["bob"])
    assert (stranger.status_code, "of ann" in stranger.json()["detail"]) == (403, True)
    assert client.delete(f"/projects/news/labels/{first}", headers=tokens["ann"]).status_code == 200
    last = second.json()["event"]
    assert client.delete(f"/projects/news/labels/{last}", headers=tokens["root"]).status_code == 200
    lines = client.get("/audit", headers=tokens["root"]).json()["lines"]
    assert ("bob", "DELETE", f"/projects/news/labels/{first}", 403) in [
        (line["who"], line["method"], line["path"], line["status"]) for line in lines
    ]
    assert [line["who"] for line in lines if line["path"] == "/projects/news/labels"] == ["ann", "ann", "root"]


def test_looking_at_the_queue_reserves_nothing(news):
    client, tokens = news
    for _ in range(2):
        seen = client.get("/projects/news/queue", params={"n": 200, "annotator": "evil"}, headers=tokens["eve"])
        assert len(seen.json()["documents"]) == 2
    assert client.post("/projects/news/queue", json={"n": 200}, headers=tokens["eve"]).status_code == 403
    taken = client.post("/projects/news/queue", json={"n": 1}, headers=tokens["ann"]).json()["documents"]
    left = client.post("/projects/news/queue", json={"n": 200}, headers=tokens["bob"]).json()["documents"]
    assert {each["id"] for each in taken + left} == {"a", "b"}
    assert len(taken) == len(left) == 1
    assert client.get("/projects/news/queue", headers=tokens["eve"]).json()["documents"] == []


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-dest": "empty"}, 403),
        ("POST", {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}, 403),
        ("GET", {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}, 200),  # a link that was followed
        ("GET", {"sec-fetch-site": "same-origin", "sec-fetch-dest": "empty"}, 200),
        ("POST", {"sec-fetch-site": "same-origin", "origin": "http://testserver"}, 200),
        ("POST", {"origin": "http://evil.example"}, 403),
    ],
)
def test_a_local_service_refuses_what_pages_of_other_sites_send(serve, tmp_path, method, headers, status):
    client = serve(workspace=tmp_path / "w")
    client.post("/projects", json={"name": "news", "categories": ["a"]})
    assert client.request(method, "/projects/news/queue", headers=headers).status_code == status


def test_few_passwords_are_hashed_at_once_and_few_wait():
    passwords = Passwords(at_once=1, waiting=1)
    waited = threading.Thread(target=lambda: passwords.hash(PASSWORD))
    with passwords.turn():
        waited.start()
        while passwords._admitted._value:
            pass
        with pytest.raises(PasswordsBusy):
            passwords.verify(None, PASSWORD)
    waited.join()
    assert passwords.verify(passwords.hash(PASSWORD), PASSWORD)
    assert not passwords.verify(None, PASSWORD)
    assert not passwords.verify("no hash", PASSWORD)


def test_a_login_that_cannot_wait_is_503(serve, people):
    client = serve(workspace=people[0])
    client.app.state.service.workspace.accounts._passwords = Passwords(at_once=1, waiting=0)
    with client.app.state.service.workspace.accounts._passwords.turn():
        answer = client.post("/login", json={"name": "ann", "password": PASSWORD})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert client.post("/login", json={"name": "ann", "password": PASSWORD}).status_code == 200


def test_a_new_password_revokes_tokens_and_the_audit_log_names_accounts(news):
    client, tokens = news
    assert client.post("/login", json={"name": "ann", "password": "wrong"}).status_code == 401
    assert client.post("/login", json={"name": "ann", "password": PASSWORD}).status_code == 200
    client.cookies.clear()
    changed = {"name": "ann", "password": PASSWORD * 2, "role": "label"}
    assert client.post("/accounts", json=changed, headers=tokens["root"]).status_code == 201
    assert client.get("/projects", headers=tokens["ann"]).status_code == 401
    lines = client.get("/audit", headers=tokens["root"]).json()["lines"][-3:]
    assert [(line["path"], line["who"], line["about"], line["status"]) for line in lines] == [
        ("/login", "", "ann", 401),
        ("/login", "ann", "ann", 200),
        ("/accounts", "root", "ann", 201),
    ]


@pytest.mark.parametrize("name", ["import", "token", "local"])
def test_names_of_the_history_are_no_accounts(tmp_path, name):
    with pytest.raises(InvalidInput, match="used by the service"):
        Workspace(tmp_path / "w").accounts.add(name, PASSWORD, "admin")


def test_monitors_are_outside_the_rate_limits(serve):
    client = serve(rate=1.0)
    assert [client.get("/models").status_code for _ in range(3)][-1] == 429
    assert {client.get(path).status_code for path in ("/health", "/ready") for _ in range(4)} == {200}


def test_a_new_workspace_is_its_owners_alone(tmp_path):
    workspace = Workspace(tmp_path / "w")
    project = workspace.projects.create("p", ["a"], kind="multi")
    workspace.models.claim(project)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "w").iterdir()}
    workspace.close()
    assert stat.S_IMODE((tmp_path / "w").stat().st_mode) == 0o700
    assert modes.pop("models") == 0o700
    assert set(modes) >= {"workspace.db", "workspace.db-wal"}
    assert set(modes.values()) == {0o600}
