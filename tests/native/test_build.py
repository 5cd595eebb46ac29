"""Building the compiled library: with which compiler, into which folder, and what is said when it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COMPILERS = ("cc", "gcc", "clang", "tcc", "c99", "c11")


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A folder whose path has blanks, with the files that a build needs and a library of two small C files."""
    folder = tmp_path / "a folder with blanks"
    (folder / "native").mkdir(parents=True)
    (folder / "src" / "rubricate" / "native").mkdir(parents=True)
    shutil.copy(ROOT / "build_native.py", folder)
    for name in ("library.c", "common.h", "rubricate.h"):
        shutil.copy(ROOT / "native" / name, folder / "native")
    return folder


def build(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "build_native.py", *arguments]
    return subprocess.run(command, cwd=folder, env=os.environ | variables, capture_output=True, text=True)


def libraries(folder: Path) -> list[Path]:
    return sorted((folder / "src" / "rubricate" / "native" / "lib").glob("*"))


def test_a_path_with_blanks(checkout):
    done = build(checkout)
    assert done.returncode == 0, done.stderr
    assert "rubricate-base" in {path.stem for path in libraries(checkout)}
    assert (checkout / "src" / "rubricate" / "native" / "_declarations.py").is_file()


def test_only_what_changed_is_compiled_again(checkout):
    build(checkout)
    objects = {path.name: path.stat().st_mtime_ns for path in checkout.glob("build/native/*/*.o")}
    assert objects
    assert build(checkout).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in checkout.glob("build/native/*/*.o")} == objects
    with (checkout / "native" / "library.c").open("a") as file:
        file.write("/* changed */\n")
    build(checkout)
    assert not {path.name for path in checkout.glob("build/native/*/*.o")} & {*objects}


def test_a_compiler_that_fails_is_explained_in_two_lines(checkout):
    (checkout / "native" / "library.c").write_text("this is not C\n")
    done = build(checkout)
    assert done.returncode == 1
    problem, remedy = done.stderr.splitlines()[-2:]
    assert problem.startswith("Rubricate's compiled library cannot be built: the C compiler failed")
    assert remedy.startswith("Fix: ")
    assert libraries(checkout) == []


def test_a_compiler_that_is_not_there_is_named(checkout):
    done = build(checkout, CC="no-such-compiler")
    assert done.returncode == 1
    assert "the C compiler 'no-such-compiler' cannot be started" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Fix: ")


def test_without_any_compiler_the_remedy_is_named(checkout):
    """Neither on the path nor from PyPI; the script then tries zig, which is not installed here."""
    done = build(checkout, PATH="", CC="")
    if done.returncode == 0:
        pytest.skip("ziglang is installed in this environment")
    assert "pip install ziglang" in done.stderr.splitlines()[-1]


def test_an_old_library_stays_until_the_new_one_is_whole(checkout):
    build(checkout)
    before = [path.read_bytes() for path in libraries(checkout)]
    (checkout / "native" / "library.c").write_text("broken\n")
    build(checkout)
    assert [path.read_bytes() for path in libraries(checkout)] == before


def test_two_builds_at_once_do_no_harm(checkout):
    command = [sys.executable, "build_native.py"]
    both = [subprocess.Popen(command, cwd=checkout, stderr=subprocess.PIPE) for _ in range(2)]
    for process in both:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert {path.stem for path in libraries(checkout)} <= {"rubricate-base", "rubricate-v3"}


def test_the_source_archive_contains_what_a_build_needs():
    import tomllib

    included = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"]
    assert {"native", "build_native.py", "src"} <= {*included["include"]}


def index_answers() -> bool:
    """Return whether pip reaches an index of packages."""
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "six==1.17.0"]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*probe, "-d", folder], capture_output=True, timeout=120).returncode == 0


@pytest.mark.proof
def test_a_clone_is_installed_without_a_compiler(tmp_path):
    """What `make study` does first, in a folder with blanks, with every C compiler hidden: zig comes from PyPI."""
    if not index_answers():
        pytest.skip("no index of packages can be reached")
    clone = tmp_path / "a clone"
    subprocess.run(["git", "clone", "-q", "--no-local", str(ROOT), str(clone)], check=True)
    hidden = tmp_path / "bin"
    hidden.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for path in Path(folder).glob("*") if Path(folder).is_dir() else ():
            name = path.name
            compiles = name in COMPILERS or any(part in name for part in ("gcc", "clang", "g++", "c89", "c99"))
            if not compiles and not (hidden / name).exists() and not (hidden / name).is_symlink():
                (hidden / name).symlink_to(path)
    environment = {key: value for key, value in os.environ.items() if key not in ("CC", "PYTHONPATH")}
    environment["PATH"] = str(hidden)
    done = subprocess.run(
        ["make", f"PYTHON={sys.executable}", ".venv/.study"],
        cwd=clone, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    python = clone / ".venv" / "bin" / "python"
    code = "from rubricate.native.library import VARIANT, core; print(VARIANT, core.rb_level())"
    answer = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert answer.split()[0] in ("base", "v3")
