"""Output files: special files, links, modes, standard output, signals."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rubricate.errors import InvalidFile
from rubricate.storage import atomic, atomic_text, write_file

HANGING = """
import signal, sys, time
from rubricate import cli
from rubricate.storage import atomic

def hang():
    with atomic(sys.argv[1]) as stream:
        stream.write(b"half")
        stream.flush()
        print("ready", flush=True)
        time.sleep(60)

# Ignored signals are inherited (nohup), and the program leaves them so.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
cli.build = lambda *_: lambda **_: hang()
cli.defaults = lambda app: {}
sys.argv.append("x")
cli.main()
"""


def test_a_link_stays_and_its_target_gets_the_content(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_file(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


def test_a_link_in_another_folder_and_a_dangling_link_are_followed(tmp_path):
    (tmp_path / "deep").mkdir()
    link = tmp_path / "link"
    link.symlink_to("deep/real")
    write_file(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "deep" / "real").read_bytes() == b"new"


def test_links_in_a_circle_are_one_clear_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InvalidFile, match="cannot be written"):
        write_file(tmp_path / "a", b"new")
    assert (tmp_path / "a").is_symlink()
    assert (tmp_path / "b").is_symlink()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_the_mode_of_an_existing_file_is_kept(tmp_path, mode):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"new"


def test_a_private_file_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with atomic(path) as stream:
        stream.write(b"secret")
        (part,) = tmp_path.glob(".*.part")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600


def test_a_new_file_has_the_mode_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_file(tmp_path / "new", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write_file(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device_is_one_clear_error_and_stays_a_device():
    with pytest.raises(InvalidFile, match="No space left"):
        write_file(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_pipe_behind_a_link_is_written_directly(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    with atomic_text(link) as text:
        text.write("é")
    reader.join(10)
    assert received == ["é".encode()]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
def test_the_standard_output_is_appended_to_not_replaced(tmp_path):
    """`rubricate … -o /dev/stdout >> log` keeps what the log held."""
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    inode = log.stat().st_ino
    program = "from rubricate.storage import *\nwith atomic('/dev/stdout') as s: s.write(b'new\\n')"
    with log.open("ab") as stream:
        subprocess.run([sys.executable, "-c", program], stdout=stream, check=True, timeout=60)
    assert log.read_bytes() == b"before\nnew\n"
    assert log.stat().st_ino == inode


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_the_old_file_and_no_part(tmp_path, number):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", HANGING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        _, message = process.communicate(timeout=60)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]
    if number is not signal.SIGINT:
        assert process.returncode == 128 + number
        assert message.decode() == f"rubricate: ended by {number.name}\n"
