"""`rubricate serve`: what it refuses before it listens, and that it serves and ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import rubricate as rb

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-c", "from rubricate.cli import main; main()", "serve"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "nothing says who may come in"),
        (["--forwarded-allow-ips", "127.0.0.1"], "nothing says who may come in"),
        (["--forwarded-allow-ips", "*", "--token", "0123456789abcdef"], "not an address or a network"),
        (["--token", "short"], "shorter than 16"),
        (["--database", "postgresql://x"], "needs --workspace"),
        (["missing.rubric"], "missing.rubric"),
    ],
)
def test_what_cannot_be_served_ends_with_code_2(options, words, rubricate):
    code, _, said = rubricate("serve", *options)
    assert (code, words in said) == (2, True), said


def test_the_last_account_is_removed_only_on_purpose(tmp_path, rubricate):
    from rubricate.service.workspace.workspace import Workspace

    workspace = Workspace(tmp_path)
    workspace.accounts.add("root", "correct horse", "admin")
    workspace.close()
    code, _, said = rubricate("account", "remove", "root", "--workspace", str(tmp_path))
    assert (code, "the last account" in said, "--last" in said) == (2, True, True), said
    code, _, said = rubricate("account", "remove", "root", "--last", "--workspace", str(tmp_path))
    assert (code, "no account is left" in said) == (0, True), said


def test_it_serves_a_model_until_it_is_ended(tmp_path):
    model = tmp_path / "topics.rubric"
    rb.Categorizer(rb.SVM(), folds=0).fit(["wheat", "oil"], ["grain", "fuel"]).save(model)
    with subprocess.Popen([*PROGRAM, str(model), "--port", "0"], stderr=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://\S+", process.stderr.readline()).group()
        body = json.dumps({"documents": [{"text": "wheat"}]}).encode()
        request = urllib.request.Request(f"{address}models/topics/classify", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert json.load(answer)["documents"][0]["labels"] == ["grain"]
        process.send_signal(signal.SIGTERM)
        lines = process.stderr.read().splitlines()
        assert process.wait(20) == 128 + signal.SIGTERM
    logged = json.loads(next(line for line in lines if '"request"' in line))
    assert (logged["path"], logged["status"]) == ("/models/topics/classify", 200)
    assert "wheat" not in "".join(lines)


@pytest.mark.proof
def test_accounts_open_the_way_beyond_loopback(tmp_path):
    program = [*PROGRAM[:-1], "account"]
    workspace = ["--workspace", str(tmp_path / "w")]

    def run(*arguments, text=None):
        return subprocess.run(
            [*program, *arguments, *workspace], input=text, capture_output=True, text=True, timeout=60
        )

    weak = run("add", "root", "--role", "admin", text="short\n")
    assert (weak.returncode, "at least 10" in weak.stderr) == (2, True)
    assert run("add", "root", "--role", "admin", text="correct horse\n").returncode == 0
    assert run("list").stdout == "root\tadmin\n"
    token = run("token", "root").stdout.strip()
    serve = [*PROGRAM, "--host", "0.0.0.0", "--port", "0", *workspace]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://\S+", process.stderr.readline()).group().replace("0.0.0.0", "127.0.0.1")
        request = urllib.request.Request(f"{address}projects", headers={"authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert json.load(answer) == {"projects": []}
        process.terminate()
