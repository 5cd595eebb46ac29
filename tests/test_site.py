"""The documentation site: every page is on it, links lead somewhere, nothing is asked for from outside."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.proof
def test_the_site_is_built_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs")
    pages, site = tmp_path / "docs", tmp_path / "site"
    subprocess.run([sys.executable, ROOT / "tools" / "site.py", pages], check=True, timeout=600)
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").replace("docs_dir: build/docs", f"docs_dir: {pages}")
    for name in ("src", "tools/docstrings.py"):  # from the folder of the settings, which is another one here
        settings = settings.replace(f"[{name}]", f"[{ROOT / name}]")
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site, "-f", tmp_path / "mkdocs.yml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
    written = {page.relative_to(site).with_suffix(".md") for page in site.rglob("*.html")}
    assert {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")} <= written
    asked = re.compile(r"""<(?:script|link|img|iframe)[^>]+(?:src|href)=["']?(?:https?:)?//[^"'> ]+""")
    outside = [asked.findall(page.read_text("utf-8")) for page in site.rglob("*.html")]
    assert {address for found in outside for address in found if 'rel="canonical"' not in address} == set()
    for former, page in runpy.run_path(str(ROOT / "tools" / "site.py"))["REDIRECTS"].items():
        (address,) = re.findall(r'http-equiv="refresh" content="0; url=([^"]+)"', (site / former).read_text("utf-8"))
        assert ((site / former).parent / address).resolve() == (site / page).resolve()
        assert (site / page).exists()
    assert "Categorizer" in (site / "reference" / "api" / "rubricate.html").read_text("utf-8")
