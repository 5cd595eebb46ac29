"""`rubricate label`: where labels are kept, and what is missing to begin."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed")
from rubricate.cli.label import label
from rubricate.errors import InvalidInput
from rubricate.io.reading import Reading
from rubricate.service import labelling


@pytest.fixture
def mail(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mail.csv"
    path.write_text("id,text\n1,an invoice\n2,a complaint\n")
    return path


def test_labels_are_kept_beside_you_and_the_same_command_goes_on_with_them(mail, monkeypatch):
    folders = []

    def begin(docs, folder, **_):
        folders.append(folder)

    monkeypatch.setattr(labelling, "start_labelling", begin)
    for _ in range(2):
        label(str(mail), category=["invoice"], reading=Reading())
    label(str(mail), category=["invoice"], workspace=mail.parent / "work", reading=Reading())
    assert folders == [mail.parent / "mail-labels"] * 2 + [mail.parent / "work"]


def test_without_any_category_it_says_what_to_give(mail):
    with pytest.raises(InvalidInput, match="Fix: give --category"):
        label(str(mail), reading=Reading(), browser=False)
