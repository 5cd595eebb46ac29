"""Load the compiled library and call it with arrays.

`core.rb_name(...)` calls a C function. What each argument must be comes from the header (native/rubricate.h): an array
of the dtype that the pointer has, contiguous, and writable unless the pointer is const; a number; or, for a struct, any
object with attributes of the names that its fields have. None becomes NULL. A function that returns `int` returns a
status, which is raised if it is an error.

The library has two variants on x86-64: `base` runs everywhere, `v3` needs AVX2 (both give the same results).
`RUBRICATE_NATIVE=base` forces the first; `asan` takes the one that `python build_native.py --sanitize` makes, for which
every array is copied to memory of its own, so that the sanitizer sees a read or write past a view.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rubricate.errors import NativeLibraryError

try:
    from rubricate.native._declarations import STAMP, WRITTEN, ffi
except ImportError:
    raise NativeLibraryError(
        "the compiled library is missing. Fix: type `make native` in a checkout, else install the package again"
    ) from None

__all__ = ["STAMP", "VARIANT", "Buffer", "check_lengths", "core", "stop_flag", "stopping"]

FOLDER = Path(__file__).parent
SOURCES = FOLDER.parents[2] / "native"
DTYPES = {
    "int8_t": np.int8, "int16_t": np.int16, "int32_t": np.int32, "int64_t": np.int64,
    "uint8_t": np.uint8, "uint16_t": np.uint16, "uint32_t": np.uint32, "uint64_t": np.uint64,
    "float": np.float32, "double": np.float64, "_Bool": np.bool_, "bool": np.bool_,
}  # fmt: skip
Converter = Callable[[Any, list[Any]], Any]


def _source_stamp() -> str:
    """Return the digest of the C sources; the same rule as in build_native.py."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _open(variant: str) -> Any:
    ending = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    path = FOLDER / "lib" / f"rubricate-{variant}.{ending}"
    try:
        library = ffi.dlopen(str(path))
        stamp = ffi.string(library.rb_stamp()).decode()
    except (OSError, AttributeError) as error:
        raise NativeLibraryError(
            f"the compiled library {path.name} cannot be loaded: {error}. "
            "Fix: type `make native` in a checkout, else install the package again"
        ) from None
    if stamp != STAMP:
        raise NativeLibraryError(
            f"the compiled library {path.name} belongs to another version of the package. "
            "Fix: type `make native` in a checkout, else install the package again"
        )
    return library


def _load() -> tuple[Any, str]:
    """Return the library and the name of its variant."""
    wanted = os.environ.get("RUBRICATE_NATIVE", "")
    if wanted not in ("", "base", "v3", "asan"):
        raise NativeLibraryError(f"RUBRICATE_NATIVE is {wanted!r}. Fix: unset it, or set base, v3 or asan")
    if (SOURCES / "rubricate.h").is_file() and _source_stamp() != STAMP:
        raise NativeLibraryError("the compiled library is older than native/*.c. Fix: type `make native`")
    library = _open(wanted or "base")
    if not wanted and library.rb_level() >= 3:
        return _open("v3"), "v3"
    return library, wanted or "base"


_library, VARIANT = _load()
_copies = VARIANT == "asan"


class Buffer:
    """Memory that C allocates because the length of a result is only known at the end."""

    def __init__(self) -> None:
        self.pointer = ffi.new("rb_buffer *")

    def take(self, dtype: Any) -> np.ndarray:
        """Return the content as a new array and free the memory."""
        content = bytes(ffi.buffer(self.pointer.data, self.pointer.bytes)) if self.pointer.bytes else b""
        self.free()
        return np.frombuffer(bytearray(content), dtype)

    def free(self) -> None:
        """Free the memory; without effect if it is free already."""
        _library.rb_free_buffer(self.pointer)

    def __del__(self) -> None:
        _library.rb_free_buffer(self.pointer)


def _array(kind: str, written: bool, name: str) -> Converter:
    dtype, form = np.dtype(DTYPES[kind]), ffi.typeof(f"{kind}[]")
    from_buffer = ffi.from_buffer

    def convert(value: Any, held: list[Any]) -> Any:
        if value is None:
            return ffi.NULL
        if value.dtype != dtype:
            raise TypeError(f"{name} must be an array of {dtype}, not of {value.dtype}")
        if not value.flags.c_contiguous:
            raise ValueError(f"{name} must be a C-contiguous array")
        if _copies:
            original, value = value, value.copy()
            held.append((original, value) if written else (value, None))
        pointer = from_buffer(form, value, require_writable=written)
        held.append(pointer)
        return pointer

    return convert


def _struct(kind: Any) -> Converter:
    parts = [(name, _converter(field.type, f"{kind.cname}.{name}")) for name, field in kind.fields]

    def convert(value: Any, held: list[Any]) -> Any:
        return [part(getattr(value, name), held) for name, part in parts]

    return convert


def _struct_pointer(kind: Any) -> Converter:
    fill, form = _struct(kind), ffi.getctype(kind, "*")

    def convert(value: Any, held: list[Any]) -> Any:
        if value is None:
            return ffi.NULL
        if isinstance(value, Buffer):
            return value.pointer
        if isinstance(value, ffi.CData):
            return value
        pointer = ffi.new(form, fill(value, held))
        held.append(pointer)
        return pointer

    return convert


def _number(value: Any, held: list[Any]) -> Any:
    return value


def _converter(kind: Any, name: str) -> Converter:
    if kind.kind == "struct":
        return _struct(kind)
    if kind.kind != "pointer":
        return _number
    if kind.item.kind == "struct":
        return _struct_pointer(kind.item)
    return _array(kind.item.cname, name in WRITTEN, name)


def _raise_status(status: int) -> None:
    if status == _library.RB_NO_MEMORY:
        raise MemoryError("not enough memory for a compiled loop")
    if status == _library.RB_STOPPED:
        raise KeyboardInterrupt
    if status:
        raise RuntimeError(f"a compiled loop returned the unknown status {status}")


class Call:
    """A function of the library, with what turns its arguments into C values."""

    def __init__(self, name: str) -> None:
        self.name, self._function = name, getattr(_library, name)
        kind = ffi.typeof(self._function)
        self._converters = [_converter(argument, f"{name}.{i}") for i, argument in enumerate(kind.args)]
        self._is_status = kind.result.cname == "int"

    def __call__(self, *values: Any) -> Any:
        """Call the function; raise what its status says."""
        held: list[Any] = []
        result = self.invoke(values, held)
        if _copies:
            for item in held:
                if isinstance(item, tuple) and item[1] is not None:
                    item[0][...] = item[1]
        if self._is_status:
            _raise_status(result)
            return None
        return result

    def invoke(self, values: tuple[Any, ...], held: list[Any]) -> Any:
        """Call the function and return what it returns; `held` keeps alive what its arguments point to."""
        if len(values) != len(self._converters):
            raise TypeError(f"{self.name} takes {len(self._converters)} arguments, not {len(values)}")
        return self._function(*[convert(value, held) for convert, value in zip(self._converters, values, strict=True)])


class _Core:
    """The functions of the library by name, each made at its first use."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            call = Call(name)
        except AttributeError:
            raise AttributeError(f"the compiled library has no function {name}") from None
        setattr(self, name, call)
        return call

    def run_stoppable(self, name: str, *values: Any) -> Any:
        """Call a function whose last argument is `stop`, so that Ctrl-C ends it: Python sees Ctrl-C only outside of C.

        On the main thread the call runs on another one, for which the main thread waits. On other threads whoever waits
        for them (`engines`) sets the flag, through `stopping`.
        """
        call = getattr(self, name)
        if threading.current_thread() is not threading.main_thread():
            return call(*values, stop_flag)
        with ThreadPoolExecutor(1) as pool, stopping(pool):
            return pool.submit(lambda: call(*values, stop_flag)).result()


core = _Core()
stop_flag = np.zeros(1, np.int32)


@contextmanager
def stopping(pool: Executor) -> Iterator[None]:
    """Make the compiled loops that run in a pool return if Ctrl-C arrives while this thread waits for them."""
    try:
        yield
    except KeyboardInterrupt:
        stop_flag[0] = 1
        pool.shutdown(wait=True, cancel_futures=True)
        stop_flag[0] = 0
        raise


def check_lengths(expected: int, **arrays: np.ndarray) -> None:
    """Raise ValueError unless every array has the expected length."""
    for name, array in arrays.items():
        if len(array) != expected:
            raise ValueError(f"{name} has {len(array)} values, expected {expected}")
