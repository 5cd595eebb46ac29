"""Every Python block and every `rubricate` command of the documentation runs, page by page, in an empty folder.

Blocks with prompts are compared with what they print; those without only have to run. In blocks marked `console`,
lines that start with `$ rubricate` are run in the order of the page and must succeed. A page that loads a real corpus
needs it. `news.csv` is there for pages that speak of the reader's own file.
"""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import warnings
from pathlib import Path

import pytest

import rubricate as rb
from rubricate.registry import KINDS
from tests.conftest import need_corpora

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONTRIBUTING, ARCHITECTURE = ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEWS = [
    ("Wheat exports rose in March", "grain;trade"),
    ("Gold fell in London", "gold"),
    ("Corn and wheat", "grain"),
] * 8


def _blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def _type(block: str, rubricate) -> None:
    """Type the commands of a console block."""
    for line in block.splitlines():
        if line.startswith("$ rubricate "):
            code, _, said = rubricate(*shlex.split(line)[2:])
            assert code == 0, f"{line}\n{said}"


def _run(code: str, names: dict[str, object], where: str) -> None:
    if ">>>" not in code:
        exec(compile(code, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, where, where, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in [CONTRIBUTING, *PAGES] if _blocks(page)], ids=lambda page: page.stem)
def test_the_examples_run(page, tmp_path, monkeypatch, rubricate):
    if "reuters21578" in "".join(code for _, code in _blocks(page)):
        need_corpora("reuters21578.tar.gz")
    rows = "".join(f"d{i},{text},{labels}\n" for i, (text, labels) in enumerate(NEWS))
    (tmp_path / "news.csv").write_text("id,text,labels\n" + rows, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for number, (language, code) in enumerate(_blocks(page), 1):
        if language == "console":
            _type(code, rubricate)
        else:
            _run(code, names, f"{page.name}, block {number}")


@pytest.mark.parametrize("page", [CONTRIBUTING, ARCHITECTURE, *PAGES], ids=lambda page: page.stem)
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_code_of_native_functions_is_that_of_the_sources():
    page = (ROOT / "docs" / "guides" / "native-code.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "native").glob("*.[ch]")))
    blocks = re.findall(r"^```c\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert blocks
    assert [block for block in blocks if block not in sources] == []


def test_every_citation_key_is_in_the_references():
    known = set(re.findall(r"@\w+\{([^,]+),", (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")))
    used = {
        key
        for page in (ROOT / "docs").rglob("*.md")
        for key in re.findall(r"\[([a-z]+(?:19|20)\d\d)\](?!\()", page.read_text(encoding="utf-8"))
    }
    assert used <= known


def test_the_first_lines_show_the_default_and_the_tests_that_compare_prints():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "rb.Categorizer().fit(corpus.train)" in readme  # naming a classifier switches the choice of terms off
    one = rb.as_run([["a"], ["a", "b"], ["b"], ["c"]], [["a"], ["b"], ["b"], ["c"]], name="x")
    other = rb.as_run([["a"], ["a", "b"], ["b"], ["c"]], [["a"], ["a"], ["c"], ["c"]], name="y")
    assert {result.test for result in rb.compare([one, other])} == {"permutation"}
    assert len({result.test for result in rb.compare([one, other], tests="paper")}) == 5
    tutorial = (ROOT / "docs" / "tutorials" / "tutorial.md").read_text(encoding="utf-8")
    for page in (readme, tutorial):
        assert "permutation tests" in page


PROSE = [CONTRIBUTING, ROOT / "SECURITY.md", *(page for page in PAGES if "reproductions" not in page.parts)]


def _resolves(path: str) -> bool:
    """Say whether a dotted path is a module or a name in one, by no deprecated name."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            if not hasattr(value, name):
                return False
            value = getattr(value, name)
        return True
    return False


@pytest.mark.parametrize("page", [ARCHITECTURE, *PROSE], ids=lambda page: page.stem)
def test_dotted_paths_are_modules_names_or_groups_of_entry_points(page):
    text = page.read_text(encoding="utf-8")
    found = set(re.findall(r"(?<![\w/.-])(?:rubricate|rb)(?:\.[A-Za-z_]\w*)+", text))
    paths = {re.sub(r"^rb\b", "rubricate", path) for path in found}
    groups = {f"rubricate.{kind}" for kind in KINDS}
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        assert sorted(path for path in paths - groups if "FAMILY" not in path and not _resolves(path)) == []


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_python_files_that_a_page_names_exist(page):
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|c|h|toml))`", page.read_text(encoding="utf-8")))
    folders = (ROOT, ROOT / "src" / "rubricate", ROOT / "src")
    absent = {name for name in named if not any((folder / name).exists() for folder in folders)}
    assert sorted(name for name in absent if "FAMILY" not in name) == []
