"""Signals that end the program: clean-up runs, and the end comes within a second, whatever is being computed.

Python runs a signal's handler between two of its own steps, and leaving a pool of threads waits for their tasks: a
compiled loop that runs for a minute would hold up Ctrl-C for a minute. So a thread watches for signals, too (compiled
loops let other threads run). If the program has not ended by itself `GRACE` seconds after one, that thread removes the
files that were being written and ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from rubricate.storage import remove_parts

__all__ = ["INTERRUPTED", "orderly_end", "say_ending"]

INTERRUPTED = 130
SIGNALLED = 128
GRACE = 0.5
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a program to end; half-written files are removed first, as after Ctrl-C."""
SHOW_CURSOR = "\x1b[?25h"


_warned = Event()
"""Set when the user was told why the program ends: the main thread and the watcher may both come to it."""


def say_ending(number: int) -> None:
    """Say on standard error, once, which signal ends the program."""
    if not _warned.is_set():
        _warned.set()
        reason = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        os.write(2, f"rubricate: {reason}\n".encode())


def _end(number: int, _: Any) -> None:
    say_ending(number)
    sys.exit(SIGNALLED + number)


@contextmanager
def orderly_end() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into SystemExit, so that clean-up runs; an ignored signal (nohup) stays ignored."""
    before = {number: signal.getsignal(number) for number in ENDINGS}
    default = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    try:
        for number in default:
            signal.signal(number, _end)
    except ValueError:  # not in the main thread, where signals arrive
        yield
        return
    try:
        with _watched():
            yield
    finally:
        for number in default:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _watched() -> Iterator[None]:
    """Watch for signals while the block runs; after one, go on watching until the process has ended."""
    reader, writer = _channel()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signalled = Event()
    watcher = Thread(target=_watch, args=(reader, signalled), name="rubricate-endings", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        if not signalled.is_set():
            os.close(writer)  # the watcher reads the end
            watcher.join()
            os.close(reader)


def _channel() -> tuple[int, int]:
    """Return two connected handles, to read from and to write to; Windows wakes up by sockets only."""
    if sys.platform == "win32":
        import socket

        reading, writing = socket.socketpair()
        writing.setblocking(False)
        return reading.detach(), writing.detach()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    return reader, writer


def _watch(reader: int, signalled: Event) -> None:
    handlers: tuple[Callable[..., Any], ...] = (signal.default_int_handler, _end)
    while received := os.read(reader, 1):
        number = received[0]
        if signal.getsignal(number) in handlers:  # else whoever set the handler ends the program (a server)
            signalled.set()
            Event().wait(GRACE)
            _leave(number)


def _leave(number: int) -> None:
    """End the process now; the main thread is in a compiled loop, or waits for one."""
    remove_parts()
    try:
        if sys.__stderr__ is not None and sys.__stderr__.isatty():
            os.write(2, SHOW_CURSOR.encode())
        say_ending(number)
    finally:
        os._exit(SIGNALLED + number)
