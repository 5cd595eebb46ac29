"""Compile `native/*.c` into the package, with the machine's C compiler or else with zig from PyPI (ziglang).

Used in two ways: as hatchling's build hook (`pip install .`, `pip install -e .`, wheels), and as a script:

    python build_native.py                      # rebuild what changed, for this machine
    python build_native.py --sanitize           # a library with address and undefined-behaviour sanitizers
    python build_native.py --target linux-aarch64   # cross-compile with zig; targets are listed in TARGETS

`CC` names another compiler. The library knows nothing of Python, so one wheel per platform serves every version of it.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script: no hook is needed
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).resolve().parent
PACKAGE = Path("src/rubricate/native")
ZIG = "ziglang==0.17.0"
# Exceptions of arithmetic are not watched (-fno-trapping-math): gcc vectorises loops with a choice only then; no result
# depends on it.
FLAGS = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden", "-g0"]
WARNINGS = ["-Wall", "-Wextra"]
SANITIZE = ["-O1", "-g", "-fno-omit-frame-pointer", "-DRB_TEST"]
SANITIZE += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
# zig's target, the platform tag of the wheel, the ending of libraries. glibc 2.17 is that of manylinux2014.
TARGETS = {
    "linux-x86_64": ("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", "so"),
    "linux-aarch64": ("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", "so"),
    "musl-x86_64": ("x86_64-linux-musl", "musllinux_1_1_x86_64", "so"),
    "musl-aarch64": ("aarch64-linux-musl", "musllinux_1_1_aarch64", "so"),
    "macos-x86_64": ("x86_64-macos.11.0", "macosx_11_0_x86_64", "dylib"),
    "macos-arm64": ("aarch64-macos.11.0", "macosx_11_0_arm64", "dylib"),
    "windows-amd64": ("x86_64-windows-gnu", "win_amd64", "dll"),
}


class BuildFailed(Exception):
    """The compiler could not be found or failed; the message is for people."""


class Toolchain(NamedTuple):
    """A compiler with what it must be told for one platform."""

    command: tuple[str, ...]
    ending: str
    is_x86: bool
    tag: str

    @property
    def is_zig(self) -> bool:
        """Whether the compiler is zig."""
        return "ziglang" in self.command

    def variants(self) -> dict[str, list[str]]:
        """Return the flags of each variant; always given, because zig and some gcc aim at newer processors."""
        if not self.is_x86:
            return {"base": ["-mcpu=baseline"] if self.is_zig else []}
        base, v3 = ("x86_64", "x86_64_v3") if self.is_zig else ("x86-64", "x86-64-v3")
        return {"base": [f"-march={base}"], "v3": [f"-march={v3}"]}


def source_stamp(root: Path) -> str:
    """Return a digest of all C files."""
    digest = hashlib.sha256()
    for path in sorted((root / "native").glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def find_compiler() -> tuple[str, ...] | None:
    """Return the C compiler that `CC` names or that is on the path, None without one."""
    if given := os.environ.get("CC"):
        return tuple(shlex.split(given))
    if sys.platform == "win32":
        return None  # a Windows compiler on the path may be MSVC, which lacks what the sources use
    return next(((path,) for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


def choose_toolchain(target: str | None) -> Toolchain:
    """Return the toolchain for this machine, or for a row of TARGETS."""
    zig = (sys.executable, "-m", "ziglang", "cc")
    if target:
        if target not in TARGETS:
            raise BuildFailed(f"unknown target {target!r}. Known: {', '.join(TARGETS)}")
        triple, tag, ending = TARGETS[target]
        return Toolchain((*zig, "-target", triple), ending, triple.startswith("x86_64"), tag)
    platform = sysconfig.get_platform()
    ending = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    tag = platform.replace("-", "_").replace(".", "_")
    return Toolchain(find_compiler() or zig, ending, platform.endswith(("x86_64", "amd64")), tag)


def run(command: list[str]) -> None:
    """Run the compiler; what it prints is shown only if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
    except OSError as error:
        raise BuildFailed(f"the C compiler {command[0]!r} cannot be started: {error.strerror}") from None
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise BuildFailed(f"the C compiler failed ({shlex.join(command[:3])} …)")


@contextlib.contextmanager
def replacing(path: Path) -> Any:
    """Yield a temporary path beside `path` that takes its place at the end, so other processes see a whole file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(0o755 if path.suffix != ".py" else 0o644)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def compile_object(toolchain: Toolchain, source: Path, flags: list[str], folder: Path) -> Path:
    """Compile one file unless an object of the same sources and flags exists."""
    digest = hashlib.sha256(repr((toolchain.command, flags)).encode() + source.read_bytes())
    for header in sorted(source.parent.glob("*.h")):
        digest.update(header.read_bytes())
    result = folder / f"{source.stem}-{digest.hexdigest()[:16]}.o"
    if not result.exists():
        for old in folder.glob(f"{source.stem}-*.o"):
            old.unlink(missing_ok=True)
        with replacing(result) as part:
            run([*toolchain.command, *flags, "-c", str(source), "-o", str(part)])
    return result


def build(root: Path, target: str | None = None, *, sanitize: bool = False, output: Path | None = None) -> str:
    """Compile the library in each variant and write the declarations; return the platform tag."""
    toolchain = choose_toolchain(target)
    output = output or root / PACKAGE / "lib"
    stamp = source_stamp(root)
    variants = {"asan": SANITIZE} if sanitize else toolchain.variants()
    shared = [*FLAGS, *WARNINGS, *([] if toolchain.ending == "dll" else ["-fPIC"])]
    sources = sorted((root / "native").glob("*.c"))
    jobs = []
    for variant, flags in variants.items():
        folder = root / "build" / "native" / f"{target or 'here'}-{variant}"
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            extra = [f'-DRB_STAMP="{stamp}"'] if source.name == "library.c" else []
            jobs.append((variant, source, [*shared, *flags, *extra], folder))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda job: (job[0], compile_object(toolchain, *job[1:])), jobs))
    for variant, flags in variants.items():
        path = output / f"rubricate-{variant}.{toolchain.ending}"
        own = [str(item) for kind, item in objects if kind == variant]
        name = [f"-Wl,-install_name,@rpath/{path.name}"] if toolchain.ending == "dylib" else []
        with replacing(path) as part:
            linked = [] if toolchain.ending == "dll" else ["-lm"]
            run([*toolchain.command, "-shared", *flags, *own, "-o", str(part), *name, *linked])
    for leftover in [*output.glob("*.pdb"), *output.glob("*.lib")]:
        leftover.unlink(missing_ok=True)
    write_declarations(root, stamp)
    return toolchain.tag


def write_declarations(root: Path, stamp: str) -> None:
    """Turn the header into a Python module, so that no C is parsed at import."""
    from cffi import FFI

    header = (root / "native" / "rubricate.h").read_text()
    plain = "\n".join(line for line in header.splitlines() if not line.startswith("#")).replace("RB_EXPORT ", "")
    ffi = FFI()
    ffi.set_source("rubricate.native._declarations", None)
    ffi.cdef(plain)
    with replacing(root / PACKAGE / "_declarations.py") as part:
        with contextlib.redirect_stdout(io.StringIO()):  # cffi prints the name of the file
            ffi.emit_python_code(str(part))
        with part.open("a") as file:
            file.write(f"STAMP = {stamp!r}\n# Arrays that C writes to: function.position and struct.field.\n")
            file.write(f"WRITTEN = frozenset({sorted(written_arrays(plain))!r})\n")


def written_arrays(declarations: str) -> set[str]:
    """Return the pointers to values that are not const, as `function.position` and `struct.field`."""
    from pycparser import CParser, c_ast

    prelude = "".join(
        f"typedef int {name};"
        for name in ("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "bool")
    )

    tree = CParser().parse(prelude + re.sub(r"/\*.*?\*/", "", declarations, flags=re.DOTALL))

    def is_written(node: Any) -> bool:
        return isinstance(node, c_ast.PtrDecl) and "const" not in getattr(node.type, "quals", [])

    found = set()
    for item in tree.ext:
        if isinstance(item, c_ast.Typedef) and isinstance(item.type.type, c_ast.Struct):
            found |= {f"{item.name}.{field.name}" for field in item.type.type.decls or [] if is_written(field.type)}
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl) and item.type.args:
            found |= {f"{item.name}.{i}" for i, p in enumerate(item.type.args.params) if is_written(p.type)}
    return found


class CustomBuildHook(BuildHookInterface):
    """Builds the library when hatchling makes a wheel, an editable one included."""

    def dependencies(self) -> list[str]:
        """Ask for zig if it is needed."""
        return [ZIG] if os.environ.get("RUBRICATE_TARGET") or find_compiler() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and name the platform in the wheel's tag."""
        if self.target_name != "wheel":
            return
        try:
            tag = build(Path(self.root), os.environ.get("RUBRICATE_TARGET"))
        except BuildFailed as error:
            sys.exit(f"Rubricate's compiled library cannot be built: {error}.\n{FIX}")
        build_data["pure_python"], build_data["tag"] = False, f"py3-none-{tag}"
        libraries = [str(PACKAGE / "lib" / f"rubricate-{variant}.*") for variant in ("base", "v3")]
        build_data["artifacts"] += [*libraries, str(PACKAGE / "_declarations.py")]


FIX = "Fix: install gcc or clang (or `pip install ziglang`), or set CC to a C11 compiler, then install again."


def main() -> None:
    """Build from the command line."""
    parser = argparse.ArgumentParser(description="Compile native/*.c into the package.")
    parser.add_argument("--target", choices=sorted(TARGETS), help="cross-compile with zig (pip install ziglang)")
    parser.add_argument("--sanitize", action="store_true", help="address and undefined-behaviour sanitizers")
    parser.add_argument("--output", type=Path, help="another folder for the libraries")
    given = parser.parse_args()
    try:
        build(ROOT, given.target, sanitize=given.sanitize, output=given.output)
    except BuildFailed as error:
        sys.exit(f"Rubricate's compiled library cannot be built: {error}.\n{FIX}")


if __name__ == "__main__":
    main()
