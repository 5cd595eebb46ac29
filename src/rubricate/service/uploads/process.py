"""A process that parses what clients send. It has limits of its own and is killed when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

from rubricate.service.problems import Refusal

__all__ = ["UploadProcess"]

LINE = 256 << 20
"""Most bytes of one line that a parsing process may answer with."""


class UploadProcess:
    """One run of `uploads.worker`: bytes go in, JSON lines come out.

    Use as an async context manager; leaving it kills the process, so that a client who goes away, a time limit or an
    error never leaves it behind.
    """

    def __init__(self, task: str, options: dict[str, Any], *, seconds: float) -> None:
        self._command = (sys.executable, "-m", "rubricate.service.uploads.worker", task, json.dumps(options))
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None
        self._feeding: asyncio.Task[None] | None = None

    async def __aenter__(self) -> UploadProcess:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env=environment, limit=LINE
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._feeding is not None:
            self._feeding.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._feeding
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    def feed(self, chunks: AsyncIterator[bytes]) -> None:
        """Send bytes to the process, as fast as it reads them, while its answers are read."""
        self._feeding = asyncio.create_task(self._feed(chunks))

    async def _feed(self, chunks: AsyncIterator[bytes]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("feed before the process was started")
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
        if self._process is None or self._process.stdout is None:
            raise RuntimeError("lines before the process was started")
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
