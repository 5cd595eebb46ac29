"""A real browser for tests: headless Chromium, driven by selenium."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService

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


def browser_paths() -> tuple[str, str] | None:
    """Return the paths of a browser and of its driver, or None where one of them is missing."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def may_skip() -> bool:
    """Return whether tests of the page may be skipped: there is no browser, and none is required."""
    return browser_paths() is None and not os.environ.get("RUBRICATE_REQUIRE_BROWSER")


class Browser(Chrome):
    """A browser window with the few verbs that the tests need."""

    def look(self, *, width: int = 1280, height: int = 900, dark: bool = False, print_: bool = False) -> None:
        """Set the size of the window and the preferences of the reader."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        media = {"media": "print" if print_ else "", "features": scheme}
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def open(self, page: Path) -> None:
        """Open a page of the disk."""
        self.get(page.resolve().as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a function body in the page and return its value."""
        return self.execute_script(script, *arguments)

    def log(self) -> list[dict[str, Any]]:
        """Return the console messages since the last call."""
        return self.get_log("browser")

    def press(self, keys: str) -> None:
        """Press keys on the element that has the focus."""
        ActionChains(self).send_keys(keys).perform()


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser with an empty profile of its own and close it at the end."""
    paths = browser_paths()
    assert paths is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = paths[0]
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        with Browser(options=options, service=ChromeService(paths[1])) as window:
            yield window
