"""Processes that parse what clients send. Each has limits of its own and is killed when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from typing import Any

from rubricate.service.problems import Refusal

__all__ = ["UNNAMED", "ParserPool", "UploadProcess"]

UNNAMED = "\x00row "
"""How the ids begin of documents that have none in their file."""

LINE = 256 << 20
"""Most bytes of one line that a parsing process may answer with."""
WAIT_SECONDS = 5
"""So long a request waits for a free process before it is answered with 503."""
SPARE_SECONDS = 600
"""So long a process that was started ahead waits for work."""
WARM = ("evaluate", "compare")
"""Tasks whose code takes seconds to load; a process that has loaded it is started ahead after the first of them."""


class ParserPool:
    """Runs at most `limit` parsing processes at a time; a request that gets none within `wait` seconds is refused."""

    def __init__(self, limit: int, *, seconds: float, wait: float = WAIT_SECONDS) -> None:
        self._free = asyncio.Semaphore(limit)
        self._seconds, self._wait = seconds, wait
        self._spare: Process | None = None
        self._starting = False

    @contextlib.asynccontextmanager
    async def run(self, task: str, options: dict[str, Any]) -> AsyncIterator[UploadProcess]:
        """Start a task; leaving the block kills its process, so that none outlives the request it works for."""
        try:
            async with asyncio.timeout(self._wait):
                await self._free.acquire()
        except TimeoutError:
            raise Refusal(503, "too many uploads are being parsed; try again", retry=WAIT_SECONDS) from None
        try:
            started = self._take_spare() if task in WARM else None
            async with UploadProcess(started or await self.start(), seconds=self._seconds) as process:
                await process.begin(task, options)
                yield process
            if task in WARM:
                await self._start_spare()
        finally:
            self._free.release()

    async def start(self, *arguments: str) -> Process:
        """Start a process that waits for its task."""
        command = (sys.executable, "-m", "rubricate.service.upload_worker", *arguments)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.DEVNULL, env=environment, limit=LINE
        )

    async def _start_spare(self) -> None:
        """Start a process ahead, unless there is one or another request is starting it."""
        if self._spare is not None or self._starting:
            return
        self._starting = True
        try:
            self._spare = await self.start("warm")
        finally:
            self._starting = False
        asyncio.get_running_loop().call_later(SPARE_SECONDS, self._drop, self._spare)

    def _take_spare(self) -> Process | None:
        process, self._spare = self._spare, None
        return None if process is None or process.returncode is not None else process

    def _drop(self, process: Process) -> None:
        """End the spare process unless it was taken."""
        if process is self._spare:
            self._spare = None
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    async def close(self) -> None:
        """End the spare process."""
        process = self._spare
        if process is not None:
            self._drop(process)
            await process.wait()


class UploadProcess:
    """One run of `uploads.worker`: bytes go in, JSON lines come out.

    Use as an async context manager; leaving it kills the process, so that a client who goes away, a time limit or an
    error never leaves it behind.
    """

    def __init__(self, process: Process, *, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        self._feeding: asyncio.Task[None] | None = None

    async def __aenter__(self) -> UploadProcess:
        return self

    async def begin(self, task: str, options: dict[str, Any]) -> None:
        """Say what to do."""
        if self._process.stdin is None:
            raise RuntimeError("a process without an input")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it has ended, which `lines` finds
            self._process.stdin.write(json.dumps({"task": task, "options": options}).encode() + b"\n")
            await self._process.stdin.drain()

    async def __aexit__(self, *_: object) -> None:
        if self._feeding is not None:
            self._feeding.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._feeding
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def feed(self, chunks: AsyncIterator[bytes]) -> None:
        """Send bytes to the process, as fast as it reads them, while its answers are read."""
        self._feeding = asyncio.create_task(self._feed(chunks))

    async def _feed(self, chunks: AsyncIterator[bytes]) -> None:
        process = self._process
        if process.stdin is None:
            raise RuntimeError("a process without an input")
        try:
            async for chunk in chunks:
                process.stdin.write(chunk)
                await process.stdin.drain()
            process.stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            process.stdin.close()  # it has said what is wrong and reads no further
        except BaseException:  # the client went away: half a file must not be taken for a whole one
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            raise

    async def lines(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the answers. The time limit counts from one answer to the next, so that streams may be long."""
        if self._process.stdout is None:
            raise RuntimeError("a process without an output")
        while True:
            try:
                line = await asyncio.wait_for(self._process.stdout.readline(), self._seconds)
            except TimeoutError:
                raise Refusal(422, f"the upload could not be parsed within {self._seconds:g} seconds") from None
            except ValueError:
                raise Refusal(422, "a line of the upload is too long") from None
            if not line:
                break
            answer: dict[str, Any] = json.loads(line)
            if "refused" in answer:
                raise Refusal(422, answer["refused"])
            yield answer
        if self._feeding is not None and self._feeding.done():
            self._feeding.result()
        if await self._process.wait() != 0:
            raise Refusal(422, "the upload could not be parsed; its parser ended (too much memory or time)")
