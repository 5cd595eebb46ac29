"""A real browser for tests: headless Chromium, driven through ChromeDriver's HTTP interface (W3C WebDriver)."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)


def found() -> tuple[str, str] | None:
    """The paths of a browser and its driver, if both are here."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One window."""

    def __init__(self, port: int, options: dict[str, Any]) -> None:
        self.base = f"http://127.0.0.1:{port}/session"
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.base += "/" + self._send("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            raise AssertionError(problem.read().decode()) from None

    def devtools(self, command: str, **params: Any) -> Any:
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False, print_: bool = False) -> None:
        """Set the size of the window and what the reader prefers."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.devtools("Emulation.setEmulatedMedia", media="print" if print_ else "", features=scheme)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)

    def open(self, page: Path) -> None:
        self._send("POST", "/url", {"url": page.resolve().as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """What a function body returns in the page."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self) -> list[dict[str, Any]]:
        """What the console said since the last time."""
        return self._send("POST", "/se/log", {"type": "browser"})

    def picture(self) -> bytes:
        return base64.b64decode(self._send("GET", "/screenshot"))

    def press(self, keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def close(self) -> None:
        self._send("DELETE", "")


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A browser with an empty profile of its own, closed at the end."""
    paths = found()
    assert paths is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([paths[1], "--port=0"], stdout=subprocess.PIPE, text=True)
        try:
            flags = [*FLAGS, f"--user-data-dir={profile}"]
            window = Browser(_port(process), {"binary": paths[0], "args": flags})
            try:
                yield window
            finally:
                window.close()
        finally:
            process.terminate()
            process.wait(10)


def _port(process: subprocess.Popen[str]) -> int:
    """The port that the driver says it listens on."""
    end = time.monotonic() + 20
    assert process.stdout is not None
    while time.monotonic() < end:
        line = process.stdout.readline()
        if "started successfully on port" in line:
            return int(line.rstrip().rstrip(".").rsplit(" ", 1)[-1])
    raise AssertionError("ChromeDriver did not start")
