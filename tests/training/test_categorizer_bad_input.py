"""Documents and options that nobody should give: each a clear error, or a documented answer."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import rubricate as rb
from rubricate.cli import build
from rubricate.errors import InvalidInput
from rubricate.training import memory, screening

TEXTS = ["how do i pay", "can you pay it", "why was it sent", "who sent that", "stop it now", "please stop this"] * 4
LABELS = ["pay", "pay", "send", "send", "stop", "stop"] * 4
REPRESENTATIONS = ["auto", "terms", "words", "characters", "mixed"]


@pytest.mark.slow
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_odd_texts_are_learned_and_answered(representation):
    """Empty, of one character, of control characters, without a letter."""
    odd = ["", "x", "é", "\x00\x01", "!!! ??? …", "12 34", " \n\t ", "🙂"]
    model = rb.Categorizer(representation=representation).fit(TEXTS + odd, LABELS + ["stop"] * len(odd))
    assert model.classify(["can you pay"]) == [("pay",)]
    assert np.isfinite(model.decision_function(odd)).all()
    assert all(len(labels) == 1 for labels in model.classify(odd))


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_nothing_but_empty_texts_is_an_error(representation):
    with pytest.raises(InvalidInput, match=r"no term occurs in [12] or more"):
        rb.Categorizer(representation=representation).fit([""] * 24, LABELS)


def test_texts_without_a_letter_are_read_by_the_representations_that_can():
    texts = [f"{i % 3}{i % 3} {i}" for i in range(24)]
    model = rb.Categorizer().fit(texts, [str(i % 3) for i in range(24)])
    assert {each["name"]: bool(each["left_out"]) for each in model.screening_["tried"]}["terms"]
    with pytest.raises(InvalidInput, match="look at the tokens"):
        rb.Categorizer(representation="terms").fit(texts, [str(i % 3) for i in range(24)])


@pytest.mark.slow
def test_a_text_of_fifty_megabytes():
    long = ("pay the bill now and then " * 2_100_000)[: 50 << 20]
    model = rb.Categorizer(representation="terms").fit([*TEXTS, long], [*LABELS, "pay"])
    assert model.classify([long]) == [("pay",)]


@pytest.mark.proof
def test_a_text_of_fifty_megabytes_in_characters():
    long = ("pay the bill now and then " * 2_100_000)[: 50 << 20]
    assert rb.Categorizer().fit([*TEXTS, long], [*LABELS, "pay"]).classify([long]) == [("pay",)]
    assert rb.Categorizer(representation="mixed").fit([*TEXTS, long], [*LABELS, "pay"]).classify([long]) == [("pay",)]


def test_more_memory_than_there_is_is_said_before_it_is_used(monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 100)
    monkeypatch.setattr(memory, "free_memory", lambda: 20_000)
    with pytest.raises(InvalidInput, match=r"would need about 0\.0 GB of memory.*Fix: --representation terms"):
        rb.Categorizer(representation="characters").fit(TEXTS, LABELS)
    rb.Categorizer(representation="terms").fit(TEXTS, LABELS)
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    rb.Categorizer(representation="characters").fit(TEXTS, LABELS)


def test_the_default_leaves_out_what_would_be_too_much(monkeypatch):
    monkeypatch.setattr(screening, "MOST_ENTRIES", 300)
    model = rb.Categorizer().fit(TEXTS, LABELS)
    left_out = {each["name"]: each["left_out"] for each in model.screening_["tried"] if each["left_out"]}
    assert any(name.startswith("mixed") and "million entries" in reason for name, reason in left_out.items())
    assert model.screening_["chosen"] not in left_out


def test_free_memory_is_a_number_of_bytes():
    assert memory.free_memory() > 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_vectors_that_no_fold_can_learn_from_still_give_an_answer(representation):
    """Every document is the same: all weights are 0, and the most frequent category is as good as any."""
    model = rb.Categorizer(representation=representation).fit(["same words"] * 24, ["a", "b"] * 12)
    assert len(model.classify(["same words"])[0]) == 1
    assert model.cross_validation_["micro_f1"] <= 0.75


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text("text,labels\n" + "".join(f"{t},{name}\n" for t, name in zip(TEXTS, LABELS, strict=True)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ngrams", "2,1"], "ngrams must be a length or a range (shortest, longest) within 1 to 9, got (2, 1)"),
        (["--ngrams", "x"], "ngrams must be a length or a range (shortest, longest) within 1 to 9, got 'x'"),
        (["--ngrams", "0"], "within 1 to 9, got 0"),
        (["--tokens", "characters", "--ngrams", "3,9"], "within 1 to 8, got (3, 9)"),
        (["--representation", "word"], "no representation named 'word'. Did you mean 'words'?"),
        (["--stem", "porter3"], "no stemmer named 'porter3'"),
        (["--stop", "nowhere.txt"], "nowhere.txt"),
        (["--outside", "2"], "outside must be a share of documents from 0 to below 1"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_any_work(questions, options, message):
    result = CliRunner().invoke(build(), ["train", str(questions), "-o", str(questions.with_name("m")), *options])
    assert result.exit_code != 0
    assert message in f"{result.exception} {result.output}"
    assert not questions.with_name("m").exists()


def test_outside_documents_only_are_an_error():
    with pytest.raises(InvalidInput, match="label"):
        rb.Categorizer(outside=0.05).fit(TEXTS, [[] for _ in TEXTS])
