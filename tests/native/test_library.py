"""The loader: what arrays it takes, what it refuses, and what it says about a library that does not fit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rubricate.errors import NativeLibraryError
from rubricate.native import library
from rubricate.native.library import Buffer, check_lengths, core

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rubricate"


def run_python(folder: Path, code: str = "import rubricate.native.library", **variables: str):
    """Import the copy of the package in a folder, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(folder)} | variables
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


@pytest.fixture
def installed(tmp_path) -> Path:
    """A copy of the package as a wheel installs it: no C sources beside it."""
    ignored = shutil.ignore_patterns("__pycache__", "kernels", "service", "cli", "experiments")
    shutil.copytree(PACKAGE, tmp_path / "site" / "rubricate", ignore=ignored)
    return tmp_path / "site"


def test_both_variants_load(installed):
    for variant in ("base", "v3") if core.rb_level() >= 3 else ("base",):
        assert run_python(installed, RUBRICATE_NATIVE=variant).returncode == 0


def test_an_unknown_variant_is_named(installed):
    done = run_python(installed, RUBRICATE_NATIVE="v9")
    assert done.returncode == 1
    assert "RUBRICATE_NATIVE is 'v9'. Fix: unset it" in done.stderr


def test_a_missing_library_says_what_to_type(installed):
    shutil.rmtree(installed / "rubricate" / "native" / "lib")
    done = run_python(installed)
    assert done.returncode == 1
    assert "cannot be loaded" in done.stderr
    assert "make native" in done.stderr


def test_missing_declarations_say_what_to_type(installed):
    (installed / "rubricate" / "native" / "_declarations.py").unlink()
    assert "the compiled library is missing. Fix: type `make native`" in run_python(installed).stderr


def test_a_library_that_is_no_library_is_refused(installed):
    for file in (installed / "rubricate" / "native" / "lib").iterdir():
        file.write_bytes(b"not a library")
    assert "cannot be loaded" in run_python(installed).stderr


def test_a_library_of_another_version_is_refused(installed):
    declarations = installed / "rubricate" / "native" / "_declarations.py"
    declarations.write_text(declarations.read_text().replace(library.STAMP, "0" * 16))
    assert "belongs to another version of the package" in run_python(installed).stderr


def test_a_stale_library_in_a_checkout_says_make_native(tmp_path):
    ignored = shutil.ignore_patterns("__pycache__", "kernels", "service", "cli", "experiments")
    shutil.copytree(PACKAGE, tmp_path / "src" / "rubricate", ignore=ignored)
    shutil.copytree(ROOT / "native", tmp_path / "native")
    assert run_python(tmp_path / "src").returncode == 0
    with (tmp_path / "native" / "library.c").open("a") as file:
        file.write("/* changed */\n")
    done = run_python(tmp_path / "src")
    assert "the compiled library is older than native/*.c. Fix: type `make native`" in done.stderr


def test_a_read_only_installation_works(installed):
    for path in [*installed.rglob("*"), installed]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert run_python(installed).returncode == 0
    finally:
        for path in [installed, *installed.rglob("*")]:
            path.chmod(0o755)


def test_the_error_is_one_of_ours_and_an_import_error():
    assert issubclass(NativeLibraryError, ImportError)


def test_an_array_of_another_dtype_is_refused():
    convert = library._array("double", False, "values")
    with pytest.raises(TypeError, match="values must be an array of float64, not of int64"):
        convert(np.arange(3), [])


def test_an_array_with_gaps_is_refused():
    convert = library._array("double", False, "values")
    with pytest.raises(ValueError, match="contiguous"):
        convert(np.zeros(6)[::2], [])
    with pytest.raises(ValueError, match="contiguous"):
        convert(np.zeros((2, 3), order="F"), [])


def test_only_arrays_that_c_leaves_alone_may_be_read_only():
    values = np.zeros(3)
    values.flags.writeable = False
    library._array("double", False, "values")(values, [])
    with pytest.raises((ValueError, BufferError), match=r"[wW]rit|read-only"):
        library._array("double", True, "values")(values, [])


def test_none_is_null_and_empty_arrays_pass():
    convert = library._array("double", True, "values")
    assert convert(None, []) == library.ffi.NULL
    convert(np.empty(0), [])


def test_a_struct_takes_attributes_by_name():
    fill = library._struct(library.ffi.typeof("rb_lists"))
    lists = SimpleNamespace(items=np.arange(3, dtype=np.int32), starts=np.array([0, 3]), length=1)
    held: list[object] = []
    packed = fill(lists, held)
    assert packed[0] == 1
    assert packed[1][1] == 3
    assert packed[2][2] == 2


def test_a_wrong_number_of_arguments_is_refused():
    with pytest.raises(TypeError, match="rb_level takes 0 arguments, not 1"):
        core.rb_level(3)


def test_an_unknown_function_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no function rb_nothing"):
        core.rb_nothing()


def test_status_codes_become_errors():
    library._raise_status(0)
    with pytest.raises(MemoryError):
        library._raise_status(-1)
    with pytest.raises(KeyboardInterrupt):
        library._raise_status(-2)
    with pytest.raises(RuntimeError, match="status -9"):
        library._raise_status(-9)


def test_an_empty_buffer_is_an_empty_array():
    buffer = Buffer()
    assert buffer.take(np.int32).tolist() == []
    buffer.free()


def test_lengths_are_compared():
    check_lengths(2, a=np.zeros(2), b=np.zeros(2))
    with pytest.raises(ValueError, match="b has 3 values, expected 2"):
        check_lengths(2, a=np.zeros(2), b=np.zeros(3))
