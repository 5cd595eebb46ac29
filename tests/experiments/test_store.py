"""The store: what is put is got back, what is damaged is noticed, and many may write at once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.errors import InvalidFile, InvalidInput, UnreadableFile
from rubricate.experiments import store as store_module
from rubricate.experiments.store import DamagedEntry, Store, user_folder
from rubricate.io import container
from rubricate.labels import label_matrix
from rubricate.training.cache import Once, canonical, documents_digest
from rubricate.types import Documents

WHAT = {"kind": "scores", "settings": {"C": 1.0}}
ARRAYS = {"values": np.arange(6.0).reshape(2, 3), "flags": np.array([True, False])}


def test_what_is_put_is_got_back(tmp_path):
    store = Store(tmp_path)
    assert store.get(WHAT) is None
    store.put(WHAT, ARRAYS, seconds=1.5, notes={"candidate": 2})
    found = Store(tmp_path).get(WHAT)
    assert found.seconds == 1.5
    assert found.notes == {"candidate": 2}
    assert all(np.array_equal(found.arrays[name], value) for name, value in ARRAYS.items())
    assert len(list(store.entries())) == 1


def test_what_differs_in_anything_has_another_key(tmp_path, monkeypatch):
    store = Store(tmp_path)
    keys = {store.key(what) for what in (WHAT, {**WHAT, "data": "x"}, {"kind": "scores", "settings": {"C": 1}})}
    assert len(keys) == 3
    assert store.key({"settings": {"C": 1.0}, "kind": "scores"}) in keys, "the order of keys does not count"
    monkeypatch.setattr(store_module, "__version__", "9.9.9")
    assert store.key(WHAT) not in keys, "another version of the program may give other numbers"


def test_remember_computes_once(tmp_path):
    store, made = Store(tmp_path), []

    def make():
        made.append(1)
        return ARRAYS, {}

    for _ in range(3):
        store.remember(WHAT, make)
    assert len(made) == 1


def test_fresh_overlooks_what_was_there_and_keeps_what_it_makes(tmp_path):
    Store(tmp_path).put(WHAT, {"values": np.zeros(1)})
    store = Store(tmp_path, fresh=True)
    assert store.get(WHAT) is None
    store.put(WHAT, {"values": np.ones(1)})
    assert store.get(WHAT).arrays["values"] == 1
    assert Store(tmp_path).get(WHAT).arrays["values"] == 1


@pytest.fixture(scope="module")
def check_sparse_indices(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("sound"))
    store.put(WHAT, ARRAYS)
    return store.path(WHAT).read_bytes()


@given(st.data())
def test_damage_is_noticed_or_harmless(tmp_path_factory, check_sparse_indices, data):
    """A cut or a changed byte anywhere: the entry is refused, or what it gives is what was put."""
    store = Store(tmp_path_factory.mktemp("damaged"))
    store.put(WHAT, ARRAYS)
    at = data.draw(st.integers(0, len(check_sparse_indices) - 1))
    flipped = (
        check_sparse_indices[:at]
        + bytes([check_sparse_indices[at] ^ data.draw(st.integers(1, 255))])
        + check_sparse_indices[at + 1 :]
    )
    store.path(WHAT).write_bytes(data.draw(st.sampled_from([check_sparse_indices[:at], flipped])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedEntry)
        found = store.get(WHAT)
    if found is not None:
        assert all(np.array_equal(found.arrays[name], value) for name, value in ARRAYS.items())


def test_a_damaged_entry_is_told_removed_and_made_again(tmp_path):
    store = Store(tmp_path)
    store.put(WHAT, ARRAYS)
    path = store.path(WHAT)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.warns(DamagedEntry, match="computed again"):
        found = store.remember(WHAT, lambda: ({"values": np.ones(2)}, {}))
    assert found.arrays["values"].sum() == 2
    assert store.get(WHAT) is not None


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.EIO, "Input/output error"),
        MemoryError(),
        PermissionError(13, "no"),
    ],
    ids=["files", "disk", "memory", "permission"],
)
def test_an_entry_that_cannot_be_read_now_stays(tmp_path, monkeypatch, error):
    """Passing errors were taken for damage, and sound entries deleted."""
    store = Store(tmp_path)
    store.put(WHAT, ARRAYS)

    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(container.zipfile, "ZipFile", fail)
        with pytest.raises(UnreadableFile, match=r"cannot be read now .* Fix: check permissions, free memory"):
            store.remember(WHAT, lambda: pytest.fail("computed again"))
    assert np.array_equal(store.get(WHAT).arrays["values"], ARRAYS["values"])


def test_an_entry_under_the_name_of_another_is_refused(tmp_path):
    store, other = Store(tmp_path), {"kind": "other"}
    store.put(WHAT, ARRAYS)
    store.path(other).parent.mkdir(parents=True, exist_ok=True)
    store.path(WHAT).rename(store.path(other))
    with pytest.warns(DamagedEntry, match="not the result it is named after"):
        assert store.get(other) is None


def test_pickled_arrays_are_refused(tmp_path):
    store = Store(tmp_path)
    store.put(WHAT, ARRAYS)
    with zipfile.ZipFile(store.path(WHAT), "a") as archive, archive.open("arrays/2.npy", "w") as stream:
        np.save(stream, np.array([object()], dtype=object), allow_pickle=True)
    with pytest.warns(DamagedEntry):
        assert store.get(WHAT) is None


def test_settings_that_are_no_json_are_refused(tmp_path):
    for value in (object(), float("nan")):
        with pytest.raises(InvalidInput, match="as JSON has them"):
            Store(tmp_path).key({"C": value})


def test_a_place_that_cannot_be_a_folder_is_named_with_a_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidFile, match="RUBRICATE_STORE"):
        Store(tmp_path / "file").put(WHAT, ARRAYS)


def test_half_written_files_of_killed_processes_go_away_after_a_day(tmp_path):
    folder = tmp_path / "ab"
    folder.mkdir()
    old, new = folder / ".old.part", folder / ".new.part"
    for path in (old, new):
        path.write_text("")
    os.utime(old, (0, 0))
    Store(tmp_path)
    assert not old.exists()
    assert new.exists()


def test_the_folder_is_the_one_given_then_the_variables_then_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "variable"))
    assert Store(tmp_path / "given").folder == tmp_path / "given"
    assert Store().folder == tmp_path / "variable"
    monkeypatch.delenv("RUBRICATE_STORE")
    assert Store().folder == user_folder()


WRITER = """
import sys, numpy as np
from rubricate.experiments.store import Store
store = Store(sys.argv[1])
while True:
    for i in range(20):
        store.put({"entry": i}, {"values": np.full(2000, float(i))})
        found = store.get({"entry": (i * 7) % 20})
        assert found is None or (found.arrays["values"] == (i * 7) % 20).all()
    print("round", flush=True)
"""


@pytest.mark.slow
def test_processes_that_write_the_same_entries_and_are_killed_leave_a_sound_store(tmp_path):
    command = [sys.executable, "-W", "error", "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for writer in writers:
        assert writer.stdout.readline() == "round\n"
    for writer in writers:
        assert writer.poll() is None, "a writer failed"
        writer.kill()
        assert "Error" not in writer.communicate()[1]
    store = Store(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i in range(20):
            assert (store.get({"entry": i}).arrays["values"] == i).all()


def documents(texts, labels=None, titles=None):
    matrix, names = label_matrix(labels or ["a"] * len(texts))
    return Documents([str(i) for i in range(len(texts))], texts, matrix, names, titles=titles)


def test_documents_have_the_same_hash_only_when_they_are_the_same():
    base = documents(["ab", "c"])
    assert documents_digest(base) == documents_digest(documents(["ab", "c"]))
    others = [
        documents(["a", "bc"]),
        documents(["ab", "c", ""]),
        documents(["ab", "c"], ["a", "b"]),
        documents(["ab", "c"], titles=["", ""]),
        base.take([1, 0]),
    ]
    assert len({documents_digest(one) for one in [base, *others]}) == 6


def test_canonical_json_has_one_form():
    assert canonical({"b": [1, 2.5], "a": "é"}) == '{"a":"\\u00e9","b":[1,2.5]}'


def test_once_keeps_what_was_used_last_and_no_failures():
    once = Once(limit=2)
    for key in ("a", "b", "a", "c"):
        once.get(key, lambda key=key: key)
    assert once.get("a", lambda: "new") == "a"
    assert once.get("b", lambda: "new") == "new"
    with pytest.raises(ZeroDivisionError):
        once.get("d", lambda: 1 // 0)
    assert once.get("d", lambda: 1) == 1
