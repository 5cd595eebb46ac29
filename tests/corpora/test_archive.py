"""Archives: every form reads alike; hostile ones are refused by name, damaged ones never read as if they were whole."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rubricate.corpora.archives import ArchiveLimits, members
from rubricate.errors import InvalidFile, UnsafeArchive

FILES = {"a.txt": b"alpha\nbeta\n", "deep/er/b.txt": b"", "web/http:^^www.cs^~x.html": bytes(range(256)) * 40}


def tar_bytes(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def read_all(path: Path, **options) -> dict[str, bytes]:
    return {member.name: member.read() for member in members(path, **options)}


def make(kind: str, folder: Path) -> Path:
    if kind == "folder":
        for name, data in FILES.items():
            (folder / "unpacked" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "unpacked" / name).write_bytes(data)
        return folder / "unpacked"
    if kind == "zip":
        with zipfile.ZipFile(folder / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in FILES.items():
                archive.writestr(name, data)
        return folder / "x.zip"
    return write(folder / f"x.{kind}", tar_bytes(FILES, "w:gz" if kind.endswith("gz") else "w"))


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "gtar.gz", "tgz", "zip", "folder"])
def test_every_form_gives_the_same_members(kind, tmp_path):
    assert read_all(make(kind, tmp_path)) == FILES


def test_only_wanted_members_are_given_and_leading_dots_are_dropped(tmp_path):
    path = write(tmp_path / "x.tar.gz", tar_bytes({"./a/b.sgm": b"1", "./a/c.txt": b"2"}))
    assert read_all(path, want=lambda name: name.endswith(".sgm")) == {"a/b.sgm": b"1"}


def test_a_single_file_is_its_own_member_with_or_without_gzip(tmp_path):
    assert read_all(write(tmp_path / "lines.dat", b"one\ntwo\n")) == {"lines.dat": b"one\ntwo\n"}
    packed = write(tmp_path / "lines.dat.gz", gzip.compress(b"one\ntwo\n"))
    assert read_all(packed) == {"lines.dat": b"one\ntwo\n"}
    assert [list(member.lines()) for member in members(packed)] == [[b"one\n", b"two\n"]]


def test_an_empty_archive_has_no_members(tmp_path):
    assert read_all(write(tmp_path / "x.tar.gz", tar_bytes({}))) == {}
    with zipfile.ZipFile(tmp_path / "x.zip", "w"):
        pass
    assert read_all(tmp_path / "x.zip") == {}


HOSTILE = ["../up.txt", "a/../../up.txt", "/etc/passwd", "C:/up.txt", "c:up.txt", "..\\up.txt", "\\\\host\\share", ".."]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_leave_the_folder_are_refused(name, tmp_path):
    path = write(tmp_path / "x.tar.gz", tar_bytes({"good.txt": b"", name: b"bad"}))
    with pytest.raises(UnsafeArchive, match="would leave the folder") as caught:
        read_all(path)
    assert caught.value.path == path


@pytest.mark.parametrize("name", [name for name in HOSTILE if "\\" not in name])
def test_names_that_leave_the_folder_are_refused_in_zip_too(name, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(name, b"bad")
    with pytest.raises(UnsafeArchive, match="would leave the folder"):
        read_all(tmp_path / "x.zip")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_links_and_devices_are_refused(kind, tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("odd")
        info.type, info.linkname = kind, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(UnsafeArchive, match="'odd' is a link, a device"):
        read_all(write(tmp_path / "x.tar", out.getvalue()))


def test_links_in_zip_are_refused(tmp_path):
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(UnsafeArchive, match="'link' is a link"):
        read_all(tmp_path / "x.zip")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (ArchiveLimits(members=1), "more than 1 members"),
        (ArchiveLimits(member_bytes=1000), "has 1,000,000 bytes"),
        (ArchiveLimits(total_bytes=1_500_000), "more than 1,500,000 bytes"),
        (ArchiveLimits(ratio=20, ratio_from=100_000), "more than 20 times its size"),
    ],
)
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_floods_are_stopped(limits, problem, kind, tmp_path):
    bomb = {"one": bytes(1_000_000), "two": bytes(1_000_000)}
    path = tmp_path / f"bomb.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in bomb.items():
                archive.writestr(name, data)
    else:
        write(path, tar_bytes(bomb))
    with pytest.raises(UnsafeArchive, match=problem):
        read_all(path, limits=limits)
    assert read_all(path) == bomb


def test_a_flood_is_stopped_although_nobody_reads_the_member(tmp_path):
    path = write(tmp_path / "x.tar.gz", tar_bytes({"big": bytes(3_000_000)}))
    with pytest.raises(UnsafeArchive):
        list(members(path, lambda name: False, limits=ArchiveLimits(total_bytes=1_000_000)))


def test_a_flood_in_a_header_is_stopped(tmp_path):
    path = write(tmp_path / "x.tar.gz", tar_bytes({"x" * 3_000_000: b""}))
    with pytest.raises(UnsafeArchive, match="more than 1,000,000 bytes"):
        read_all(path, limits=ArchiveLimits(total_bytes=1_000_000))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_an_archive_cut_anywhere_is_damaged(mode, tmp_path):
    data = tar_bytes({"a": b"x" * 700, "b": b"y" * 100}, mode)
    end = len(data) if mode == "w:gz" else 4 * 512 + 512  # after the first zero block a tar is whole
    for cut in range(0, end, 7 if mode == "w" else 1):
        path = write(tmp_path / ("x.tar" if mode == "w" else "x.tar.gz"), data[:cut])
        with pytest.raises(InvalidFile):
            read_all(path)


def test_the_checksum_behind_the_last_block_is_read(tmp_path):
    """A tar of exactly five megabytes: whole blocks are read without touching what follows them."""
    data = bytearray(tar_bytes({"zeros": bytes(5 * 2**20 - 3 * 512)}))
    path = write(tmp_path / "x.tar.gz", bytes(data))
    assert len(read_all(path)["zeros"]) == 5 * 2**20 - 3 * 512
    data[-6] ^= 1
    with pytest.raises(InvalidFile, match="CRC"):
        read_all(write(path, bytes(data)))


@given(position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_a_changed_byte_is_found_or_harmless(position, value, tmp_path_factory):
    data = bytearray(tar_bytes({"a": b"some text\n" * 30, "b": b"more"}))
    data[position % len(data)] = value
    path = write(tmp_path_factory.mktemp("flip") / "x.tar.gz", bytes(data))
    with suppress(InvalidFile):
        assert read_all(path) == {"a": b"some text\n" * 30, "b": b"more"}


@given(data=st.binary(max_size=2000), name=st.sampled_from(["x.tar", "x.tar.gz", "x.zip", "x.gz"]))
def test_noise_is_never_an_archive(data, name, tmp_path_factory):
    assume(data.strip(b"\0"))  # nothing but zeros is a tar archive without members
    path = write(tmp_path_factory.mktemp("noise") / name, data)
    with pytest.raises(InvalidFile):
        read_all(path)


def test_messages_name_the_file_and_the_remedy(tmp_path):
    path = write(tmp_path / "x.tar.gz", tar_bytes(FILES)[:-4])
    with pytest.raises(InvalidFile, match=r"x\.tar\.gz: damaged or cut short .* Fix: fetch it again\."):
        read_all(path)
    with pytest.raises(InvalidFile, match="no such file"):
        read_all(tmp_path / "none.tar")
    with pytest.raises(InvalidFile, match="its name says zip archive"):
        read_all(write(tmp_path / "x.zip", b"plain text"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_header_that_would_fill_the_memory_is_refused(kind, tmp_path):
    """64 MB of zeros behind a header that claims them as a name: nothing of them is read."""
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, 64 << 20
    path = write(tmp_path / "x.tar.gz", gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(64 << 20), 1))
    tracemalloc.start()
    with pytest.raises(UnsafeArchive, match="a header has 67,108,864 bytes"):
        read_all(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_long_names_of_both_formats_are_read(tmp_path):
    name = "/".join(["folder"] * 40) + "/é.txt"
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        with tarfile.open(tmp_path / "x.tar", "w", format=form) as archive:
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        assert read_all(tmp_path / "x.tar") == {name: b""}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_packed_otherwise_says_so(method, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        archive.writestr("a.txt", b"some text\n" * 30)
    with pytest.raises(InvalidFile, match=r"'a\.txt' is not compressed by deflate"):
        read_all(tmp_path / "x.zip")


@given(position=st.integers(0, 10_000), value=st.integers(0, 255))
@example(position=-10, value=0)  # the size of the directory
def test_a_changed_byte_of_a_zip_is_found_or_harmless(position, value, tmp_path_factory):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"some text\n" * 30)
    data = bytearray(out.getvalue())
    data[position % len(data)] = value
    path = write(tmp_path_factory.mktemp("flip") / "x.zip", bytes(data))
    with suppress(InvalidFile):
        assert b"some text\n" * 30 in read_all(path).values()


def test_a_zip_of_a_future_version_is_an_invalid_file(tmp_path):
    path = make("zip", tmp_path)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 255
    with pytest.raises(InvalidFile, match="zip file version"):
        read_all(write(path, bytes(data)))


def test_an_encrypted_zip_says_so(tmp_path):
    path = make("zip", tmp_path)
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    with pytest.raises(InvalidFile, match="is encrypted"):
        read_all(write(path, bytes(data)))
