"""Fetching, against a server on this machine: whole, resumed, refused, cut short, wrong; and from the user's own."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rubricate import registry
from rubricate.corpora import fetch, load, missing
from rubricate.corpora.fetching import download, locked, part_of
from rubricate.corpora.loading import verified
from rubricate.corpora.sources import DataFile, Source, locate, search_path
from rubricate.errors import CorpusMissing, DigestMismatch, InvalidFile, InvalidInput
from rubricate.storage import cache_folder


def packed(files: dict[str, bytes], mtime: int = 0) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), mtime
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


FILES = {"one.txt": b"first\n" * 5000, "two.txt": bytes(range(256)) * 300}
ARCHIVE = packed(FILES)
DIGEST = hashlib.sha256(ARCHIVE).hexdigest()
MEMBERS = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}


class Server:
    """Serves `content`; notes the ranges asked for; can ignore ranges and cut the first answers short."""

    def __init__(self) -> None:
        self.content, self.ranges, self.cut, self.knows_ranges, self.status = ARCHIVE, [], [], True, 200
        self.length, self.redirect, self.pause = str, "", 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *arguments: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}/corpus.tar.gz"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range")
        self.ranges.append(asked)
        if self.redirect:
            request.send_response(302)
            request.send_header("Location", self.redirect)
            request.end_headers()
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and self.knows_ranges else 0
        if start >= len(self.content):
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(self.content)}")
            request.end_headers()
            return
        body = self.content[start:]
        request.send_response(206 if start else self.status)
        request.send_header("Content-Length", self.length(len(body)))
        request.end_headers()
        if self.status == 200:
            body = body[: self.cut.pop(0)] if self.cut else body
            for at in range(0, len(body), 100) if self.pause else ():
                request.wfile.write(body[at : at + 100])
                time.sleep(self.pause)
            request.wfile.write(b"" if self.pause else body)


@pytest.fixture
def server():
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


def source(*addresses: str, sha256: str = DIGEST, members: dict[str, str] | None = None) -> Source:
    file = DataFile("corpus.tar.gz", addresses=addresses, sha256=sha256, members=members or {})
    return Source("toy", "Toy", "free", ("all",), lambda files, split: None, files=(file,))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*")) if folder.exists() else []


def test_a_download_is_whole_checked_and_alone(server, tmp_path):
    seen = []

    def progress(steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        seen.append((steps, total, text))

    paths = fetch(source(server.address), folder=tmp_path, progress=progress)
    assert paths == [tmp_path / "corpus.tar.gz"]
    assert paths[0].read_bytes() == ARCHIVE
    assert names(tmp_path) == ["corpus.tar.gz"]
    assert seen[0] == (0, len(ARCHIVE), "corpus.tar.gz")
    assert sum(steps for steps, _, _ in seen) == len(ARCHIVE)


def test_what_is_there_is_not_downloaded_again(server, tmp_path):
    fetch(source(server.address), folder=tmp_path)
    fetch(source(server.address), folder=tmp_path)
    assert len(server.ranges) == 1


def test_a_wrong_file_that_is_there_is_named(server, tmp_path):
    (tmp_path / "corpus.tar.gz").write_bytes(b"not it")
    with pytest.raises(DigestMismatch, match=f"expected {DIGEST}.*remove it and fetch again"):
        fetch(source(server.address), folder=tmp_path)
    assert (tmp_path / "corpus.tar.gz").read_bytes() == b"not it"


def test_a_broken_download_is_resumed(server, tmp_path):
    part_of(tmp_path / "corpus.tar.gz").write_bytes(ARCHIVE[:100])
    fetch(source(server.address), folder=tmp_path)
    assert server.ranges == ["bytes=100-"]
    assert (tmp_path / "corpus.tar.gz").read_bytes() == ARCHIVE
    assert names(tmp_path) == ["corpus.tar.gz"]


def test_a_connection_that_breaks_is_taken_up_again(server, tmp_path):
    server.cut = [100, 50]
    fetch(source(server.address), folder=tmp_path)
    assert server.ranges == [None, "bytes=100-", "bytes=150-"]
    assert (tmp_path / "corpus.tar.gz").read_bytes() == ARCHIVE


def test_a_connection_that_keeps_breaking_leaves_the_part_to_resume_from(server, tmp_path):
    server.cut = [10, 10, 10]
    with pytest.raises(CorpusMissing, match="fetching again resumes"):
        fetch(source(server.address), folder=tmp_path)
    assert names(tmp_path) == ["corpus.tar.gz.part"]
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE
    assert server.ranges[-1] == "bytes=30-"


def test_interrupted_by_the_user(server, tmp_path):
    def interrupt(steps: int = 0, *, total: int | None = None, text: str | None = None) -> None:
        if steps:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(source(server.address), folder=tmp_path, progress=interrupt)
    assert names(tmp_path) == ["corpus.tar.gz.part"]
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE


def test_a_server_without_ranges_starts_again(server, tmp_path):
    server.knows_ranges = False
    part_of(tmp_path / "corpus.tar.gz").write_bytes(ARCHIVE[:100])
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE
    assert len(server.ranges) == 1


def test_a_part_from_elsewhere_is_thrown_away(server, tmp_path):
    part_of(tmp_path / "corpus.tar.gz").write_bytes(b"x" * 100)
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE
    assert server.ranges == ["bytes=100-", None]


@pytest.mark.parametrize("excess", [0, 7])
def test_a_part_as_long_as_the_file_or_longer(server, tmp_path, excess):
    part_of(tmp_path / "corpus.tar.gz").write_bytes(ARCHIVE + b"x" * excess)
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE
    assert len(server.ranges) == (2 if excess else 1), "what is whole already is not sent again"


def test_something_else_is_not_kept(server, tmp_path):
    server.content = b"<html>moved</html>"
    with pytest.raises(DigestMismatch, match="something other than the file on record") as caught:
        fetch(source(server.address), folder=tmp_path)
    assert "--from PATH" in str(caught.value)
    assert names(tmp_path) == []


def test_packed_differently_but_the_same_files_inside(server, tmp_path):
    server.content = packed({f"folder/{name}": data for name, data in FILES.items()}, mtime=99)
    assert server.content != ARCHIVE
    fetch(source(server.address, members=MEMBERS), folder=tmp_path)
    assert (tmp_path / "corpus.tar.gz").read_bytes() == server.content


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({**FILES, "one.txt": b"changed"}, "member one.txt has sha256"),
        ({"one.txt": FILES["one.txt"]}, "member two.txt is missing"),
    ],
)
def test_a_member_that_differs_or_is_missing(server, tmp_path, files, problem):
    server.content = packed(files)
    with pytest.raises(DigestMismatch, match=problem):
        fetch(source(server.address, members=MEMBERS), folder=tmp_path)
    assert names(tmp_path) == []


def test_the_second_address_is_tried(server, tmp_path):
    gone = "http://127.0.0.1:9/corpus.tar.gz"
    assert fetch(source(gone, server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE


def test_a_length_that_is_no_number_is_passed_over(server, tmp_path):
    server.length = lambda length: "many"
    assert fetch(source(server.address), folder=tmp_path)[0].read_bytes() == ARCHIVE


def test_refused_by_the_server(server, tmp_path):
    server.status = 404
    with pytest.raises(CorpusMissing, match="404"):
        fetch(source(server.address), folder=tmp_path)
    assert names(tmp_path) == []


def test_offline_says_what_to_do(tmp_path):
    address = "http://127.0.0.1:9/corpus.tar.gz"
    with pytest.raises(CorpusMissing) as caught:
        fetch(source(address), folder=tmp_path)
    for advice in (address, "--from PATH", str(tmp_path), "on another machine"):
        assert advice in str(caught.value)
    assert names(tmp_path) == []


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://example.org/a", "http://example.org/corpus.tar.gz"])
def test_only_https_addresses(tmp_path, address):
    with pytest.raises(InvalidInput, match="give an https address"):
        fetch(source(address), folder=tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "goal", ["http://example.org/corpus.tar.gz", "ftp://127.0.0.1/corpus.tar.gz", "file:///etc/passwd"]
)
def test_redirects_to_anything_but_https_are_refused(server, tmp_path, goal):
    server.redirect = goal
    with pytest.raises(CorpusMissing, match=r"not an https address|not allowed"):
        fetch(source(server.address), folder=tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("known", [True, False])
def test_a_server_that_sends_too_much_is_stopped(server, tmp_path, known):
    server.length = str if known else lambda length: "many"
    with pytest.raises(InvalidFile, match=r"more than .* bytes"):
        download(server.address, tmp_path / "corpus.tar.gz", max_bytes=len(ARCHIVE) - 1)
    assert names(tmp_path) == []


def test_every_download_has_a_digest_or_says_why_not():
    for name in registry.names("corpora"):
        for file in registry.load("corpora", name).files:
            if file.addresses:
                assert bool(file.sha256 or file.members) != bool(file.unverified), file.name
            assert all(address.startswith("https://") for address in file.addresses), file.name


PROGRAM = """
import sys, time
from rubricate.corpora import fetch
from rubricate.corpora.loading import verified
from rubricate.corpora.sources import DataFile, Source
address, digest, folder = sys.argv[1:]
file = DataFile("corpus.tar.gz", addresses=(address,), sha256=digest)
fetch(Source("toy", "Toy", "free", ("all",), None, files=(file,)), folder=folder)
"""


@pytest.mark.slow
def test_fetches_at_the_same_time_leave_the_right_file(server, tmp_path):
    """Two downloads into one part file used to mix their bytes after the check of the digest."""
    server.pause = 0.02
    command = [sys.executable, "-c", PROGRAM, server.address, DIGEST, str(tmp_path)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    messages = [process.communicate(timeout=120)[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], messages
    assert (tmp_path / "corpus.tar.gz").read_bytes() == ARCHIVE
    assert names(tmp_path) == ["corpus.tar.gz"]
    assert len(server.ranges) == 1, "the others found the file of the first"


def test_a_lock_passes_from_thread_to_thread(tmp_path):
    inside, most = [], []

    def work() -> None:
        for _ in range(50):
            with locked(tmp_path / "file"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(most) == 200
    assert max(most) == 1
    assert names(tmp_path) == []


def test_no_address_is_said(tmp_path):
    with pytest.raises(CorpusMissing, match="no address is known"):
        fetch(source(), folder=tmp_path)


@pytest.mark.parametrize("inside", [False, True])
def test_from_a_file_or_a_folder_that_holds_it(tmp_path, inside):
    given = tmp_path / "mine" / ("corpus.tar.gz" if inside else "renamed.bin")
    given.parent.mkdir()
    given.write_bytes(ARCHIVE)
    paths = fetch(source(), origin=given.parent if inside else given, folder=tmp_path / "cache")
    assert paths == [tmp_path / "cache" / "corpus.tar.gz"]
    assert paths[0].read_bytes() == ARCHIVE
    assert names(tmp_path / "cache") == ["corpus.tar.gz"]


def test_from_an_unpacked_archive(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    for name, data in FILES.items():
        (mine / name).write_bytes(data)
    paths = fetch(source(members=MEMBERS), origin=mine, folder=tmp_path / "cache")
    assert paths == [tmp_path / "cache" / "corpus"]
    assert names(tmp_path / "cache") == ["corpus", "one.txt", "two.txt"]
    assert locate(source(), "all", tmp_path / "cache") == {"corpus.tar.gz": tmp_path / "cache" / "corpus"}


def test_an_unpacked_archive_that_is_there_stays(tmp_path):
    (tmp_path / "corpus").mkdir()
    assert fetch(source(), folder=tmp_path) == [tmp_path / "corpus"], "nothing on record to check its files by"
    with pytest.raises(DigestMismatch, match=r"one\.txt is missing \(2 of 2 are\)"):
        fetch(source(members=MEMBERS), folder=tmp_path)


def test_from_the_wrong_file_leaves_nothing(tmp_path):
    (tmp_path / "wrong").write_bytes(b"wrong")
    with pytest.raises(DigestMismatch, match="sha256 is"):
        fetch(source(), origin=tmp_path / "wrong", folder=tmp_path / "cache")
    assert names(tmp_path / "cache") == []
    with pytest.raises(InvalidFile, match="no such file"):
        fetch(source(), origin=tmp_path / "none", folder=tmp_path / "cache")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidFile, match=r"no corpus\.tar\.gz in this folder"):
        fetch(source(), origin=tmp_path / "empty", folder=tmp_path / "cache")


def test_from_itself_changes_nothing(tmp_path):
    (tmp_path / "corpus.tar.gz").write_bytes(ARCHIVE)
    assert fetch(source(), origin=tmp_path / "corpus.tar.gz", folder=tmp_path) == [tmp_path / "corpus.tar.gz"]
    assert (tmp_path / "corpus.tar.gz").read_bytes() == ARCHIVE


def test_the_search_order_is_the_variable_then_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "cache"))
    assert search_path() == [tmp_path / "data", cache_folder()]
    assert cache_folder().is_relative_to(tmp_path / "cache")
    assert missing(source()) == ["corpus.tar.gz"]
    fetch(source(), origin=_written(tmp_path / "given.tar.gz"))
    assert locate(source(), "all") == {"corpus.tar.gz": cache_folder() / "corpus.tar.gz"}
    _written(tmp_path / "data" / "corpus.tar.gz")
    assert locate(source(), "all") == {"corpus.tar.gz": tmp_path / "data" / "corpus.tar.gz"}


def _written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ARCHIVE)
    return path


def test_loading_checks_the_digests(server, tmp_path):
    """A file that changed after it was fetched was loaded without a word."""
    toy = source(server.address)
    (path,) = fetch(toy, folder=tmp_path)
    assert verified(toy, "all", {"corpus.tar.gz": path}) == {"corpus.tar.gz": path}
    path.write_bytes(ARCHIVE[:-1] + b"x")
    with pytest.raises(DigestMismatch, match="expected"):
        verified(toy, "all", {"corpus.tar.gz": path})
    repacked = source(server.address, members=MEMBERS)
    path.write_bytes(packed(FILES, mtime=1))
    assert verified(repacked, "all", {"corpus.tar.gz": path}), "packed differently, the same inside"


def test_a_corpus_is_loaded_only_if_it_is_the_one_on_record(tmp_path):
    (tmp_path / "reuters21578.tar.gz").write_bytes(packed({"reut2-000.sgm": b"<REUTERS>"}))
    with pytest.raises(DigestMismatch, match="reut2"):
        load("reuters21578", folder=tmp_path)
