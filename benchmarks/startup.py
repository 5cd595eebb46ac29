"""From nothing to a result: whole programs in fresh processes, beside the same job with scikit-learn.

first-train       `rubricate train` of 2,659 short documents; the peer chooses between words and words with
                  characters, and C among the same four, in five folds
classify-one      `rubricate classify MODEL --say TEXT`; the peer opens its model with joblib
classify-import   the same beside `import sklearn.svm, sklearn.feature_extraction.text` alone
evaluate-one      `rubricate evaluate` of 1,000 predictions beside `classification_report`

    python -m benchmarks.startup [--json] [--only ID …]

The same result: the labels and figures of both sides agree, or for training ours is not below by more than .005.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._timing import CPU, Row, measure, publish

IDS = ("classify-one", "classify-import", "evaluate-one", "first-train")
DOCUMENTS = 2659
THREADS = 1 if CPU else 2
TEXT = "My new card still has not arrived"
IMPORTS = "import sklearn.svm, sklearn.feature_extraction.text"
READ = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))
texts, labels = [row["text"] for row in rows], [row["labels"] for row in rows]
"""
TRAIN = f"""{READ}
import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC
words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
both = make_union(words, TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2))
flow = make_pipeline(words, LinearSVC())
grid = {{f"{{flow.steps[0][0]}}": [words, both], "linearsvc__C": [0.5, 1, 2, 4]}}
search = GridSearchCV(flow, grid, cv=5, n_jobs={THREADS}).fit(texts, labels)
joblib.dump(search.best_estimator_, sys.argv[2])
print(search.best_score_)
"""
CLASSIFY = """
import sys, joblib
print(joblib.load(sys.argv[1]).predict([sys.argv[2]])[0])
"""
EVALUATE = """
import csv, sys
from sklearn.metrics import classification_report
truth, said = ({row["id"]: row["labels"] for row in csv.DictReader(open(path, newline=""))} for path in sys.argv[1:])
report = classification_report(list(truth.values()), [said[name] for name in truth], output_dict=True)
print(report["accuracy"], report["macro avg"]["f1-score"])
"""


def program(*arguments: Any) -> str:
    """Run `rubricate` in a new process and return what it prints."""
    return _run([sys.executable, "-m", "rubricate", *map(str, arguments)])


def script(code: str, *arguments: Any) -> str:
    """Run a script in a new process and return what it prints."""
    return _run([sys.executable, "-c", code, *map(str, arguments)])


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class TrainingData:
    """Training documents, a model of each side, predictions and their truth, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.documents = folder, folder / "documents.csv"
        source = Path(os.environ["RUBRICATE_DATA"]) / "banking77" / "train.csv"
        with source.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        chosen = random.Random(0).sample(rows, DOCUMENTS)
        self._write(self.documents, chosen)
        self.ours, self.peer = folder / "ours.rubric", folder / "peer.joblib"
        self.truth, self.said = folder / "truth.csv", folder / "said.csv"
        self._write(self.truth, chosen[:1000])
        labels = sorted({row["labels"] for row in chosen})
        wrong = random.Random(1)
        said = [row | {"labels": wrong.choice(labels) if wrong.random() < 0.2 else row["labels"]} for row in chosen]
        self._write(self.said, said[:1000])

    def _write(self, path: Path, rows: list[dict[str, str]]) -> None:
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, ["id", "text", "labels"])
            writer.writeheader()
            writer.writerows(rows)

    def train(self) -> float:
        """Train ours and return its cross-validated micro-F1."""
        summary = program("train", self.documents, "-o", self.ours, "--json")
        return float(json.loads(summary)["cross_validation"]["micro_f1"])

    def train_peer(self) -> float:
        return float(script(TRAIN, self.documents, self.peer))


def alternated(ours: Callable[[], Any], peer: Callable[[], Any], repeats: int) -> tuple[float, float, Any, Any]:
    """Return the medians of both sides and their last results."""
    pairs = [(measure(ours), measure(peer)) for _ in range(repeats)]
    seconds = [statistics.median(pair[side][0] for pair in pairs) for side in (0, 1)]
    return seconds[0], seconds[1], pairs[-1][0][1], pairs[-1][1][1]


def classify(data: TrainingData, only: list[str]) -> list[Row]:
    rows = []
    ours = lambda: program("classify", data.ours, "--json", "--say", TEXT)  # noqa: E731
    peers = {
        "classify-one": (lambda: script(CLASSIFY, data.peer, TEXT), "scikit-learn, joblib.load(…).predict"),
        "classify-import": (lambda: script(IMPORTS), f"`{IMPORTS}`, nothing else"),
    }
    work = f"one line of text by a model of {DOCUMENTS:,} documents and 77 categories, a fresh process"
    for id, (peer, name) in peers.items():
        if id in only:
            ours(), peer()
            seconds, peer_seconds, mine, theirs = alternated(ours, peer, 7)
            labels = json.loads(mine)["labels"]
            same = labels == [theirs.strip()] if theirs else bool(labels)
            rows.append(Row(id, work, name, seconds, peer_seconds, peer_seconds / seconds, same, 1))
    return rows


def evaluate(data: TrainingData) -> Row:
    ours = lambda: program("evaluate", data.truth, data.said, "--json")  # noqa: E731
    peer = lambda: script(EVALUATE, data.truth, data.said)  # noqa: E731
    ours(), peer()
    seconds, peer_seconds, mine, theirs = alternated(ours, peer, 7)
    figures, (accuracy, macro) = json.loads(mine), map(float, theirs.split())
    same = abs(figures["micro"]["f1"] - accuracy) < 1e-12 and abs(figures["macro"]["f1"] - macro) < 1e-12
    work = "1,000 predictions, 77 categories, a fresh process"
    name = "scikit-learn classification_report"
    return Row("evaluate-one", work, name, seconds, peer_seconds, peer_seconds / seconds, same, 1)


def train(data: TrainingData) -> Row:
    work = f"training on {DOCUMENTS:,} short documents, all defaults, a fresh process"
    seconds, mine = measure(data.train)
    peer, theirs = measure(data.train_peer)
    name = f"scikit-learn GridSearchCV, n_jobs={THREADS} (F1 {theirs:.4f}, ours {mine:.4f})"
    return Row("first-train", work, name, seconds, peer, peer / seconds, mine >= theirs - 0.005, THREADS)


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", nargs="+", choices=IDS, default=list(IDS))
    chosen, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        data = TrainingData(Path(folder))
        if "first-train" in chosen.only:
            rows.append(train(data))
        if {"classify-one", "classify-import"} & {*chosen.only}:
            if not data.ours.exists():
                data.train()
            if not data.peer.exists() and "classify-one" in chosen.only:
                data.train_peer()
            rows += classify(data, chosen.only)
        if "evaluate-one" in chosen.only:
            rows.append(evaluate(data))
    publish(rows, __doc__ or "")


if __name__ == "__main__":
    main()
