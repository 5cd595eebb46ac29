"""A report on Reuters-21578: small enough to mail, with the words that misled a system marked in its errors."""

import re

import pytest

import rubricate as rb
from rubricate.reports.data import ReportData
from rubricate.reports.report import write_report


@pytest.fixture(scope="module")
def page(aptemod, tmp_path_factory):
    models = {
        "NB": rb.Categorizer(rb.NB(), weights="nnn", select="chi2:2000", cut="rcut:1", folds=0),
        "kNN": rb.Categorizer(rb.KNN(k=45), select="chi2:2415", cut="rcut:1", folds=0),
    }
    runs = [model.fit(aptemod.train).run(aptemod.test, name=name) for name, model in models.items()]

    def explain(run, row, category):
        return models[run].explain(aptemod.test.texts[row], category)[category]

    data = ReportData(runs, title="Reuters", documents=aptemod.test, explain=explain, resamples=50)
    return write_report(data, tmp_path_factory.mktemp("reuters") / "report.html")


@pytest.mark.slow
def test_it_is_small_and_whole(page):
    text = page.page.read_text(encoding="utf-8")
    assert 50_000 < page.page.stat().st_size < 500_000
    assert text.count('data-panel="NB"') == text.count('data-panel="kNN"') == 1
    assert "3,019 test documents under 90 categories" in text


def test_the_findings_say_who_leads_and_where_it_is_hard(page):
    assert re.match(r"(kNN|NB) has the highest micro-F1, \.[78]\d\d \(95% interval \.\d+–\.\d+\)", page.findings[0])
    assert any("67 rare categories (at most 60 training documents)" in text for text in page.findings)
    assert any(text.startswith("The commonest confusion of") for text in page.findings)


def test_errors_of_naive_bayes_have_words_marked(page):
    text = page.page.read_text(encoding="utf-8")
    start = text.index('data-panel="NB"')
    assert re.search(r'<mark title="for: \+[\d.]+">\w+</mark>', text[start:])
