"""Text to ltc matrix with stop list and Porter stemmer, beside scikit-learn with the same analyzer.

python -m benchmarks.text --json     time on Reuters ApteMod, one and two threads; character n-grams (text-char)
python -m benchmarks.text --memory   peak memory of both, each in a process of its own (Linux)
python -m benchmarks.text --curve    time from 1,000 to 1,000,000 synthetic stories (some minutes)
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import Stemmer
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

import rubricate as rb
from benchmarks._timing import Row, publish, side_by_side
from rubricate.corpora.newswire import stream
from rubricate.text.stop_lists import stop_words

PEER = "scikit-learn CountVectorizer + TfidfTransformer"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
Result = tuple[sparse.csr_array, tuple[str, ...]]


def reuters() -> list[str]:
    corpus = rb.load("reuters21578", split="aptemod")
    return [*corpus.train.texts, *corpus.test.texts]


def ours(texts: Any, threads: int) -> Result:
    vectors = rb.text.Vectors(rb.text.Analyzer(stem="porter"), weights="ltc", threads=threads)
    return vectors.fit_transform(texts), vectors.vocabulary_


def analyser() -> Callable[[str], list[str]]:
    find, stop, stemmer = re.compile(r"[^\W\d_]+").findall, stop_words("smart"), Stemmer.Stemmer("porter")
    return lambda text: stemmer.stemWords([w for w in find(text.lower()) if len(w) > 1 and w not in stop])


def peer(texts: list[str]) -> Result:
    """The weights are scikit-learn's own but for the 1 that it adds to the idf."""
    vectorizer = CountVectorizer(analyzer=analyser())
    counts = vectorizer.fit_transform(texts)
    weights = TfidfTransformer(sublinear_tf=True, smooth_idf=False).fit(counts)
    weights.idf_ = weights.idf_ - 1
    return weights.transform(counts), tuple(vectorizer.get_feature_names_out())


def same(a: Result, b: Result) -> bool:
    return a[1] == b[1] and abs(a[0] - b[0]).max() < 1e-14


def same_counts(texts: list[str]) -> bool:
    """Vocabulary and counts identical to CountVectorizer's."""
    vectorizer = CountVectorizer(analyzer=analyser())
    expected = vectorizer.fit_transform(texts)
    vectors = rb.text.Vectors(rb.text.Analyzer(stem="porter"), weights="nnn")
    found = vectors.fit_transform(texts)
    return vectors.vocabulary_ == tuple(vectorizer.get_feature_names_out()) and (found != expected).nnz == 0


def rows() -> list[Any]:
    texts = reuters()
    megabytes = sum(map(len, texts)) / 1e6
    counted = same_counts(texts)
    return [
        side_by_side(
            lambda threads=threads: ours(texts, threads),
            lambda: peer(texts),
            id=f"text-{threads}",
            work=f"{len(texts):,} Reuters documents ({megabytes:.1f} MB) to ltc, stop list, Porter",
            peer_name=PEER,
            same=lambda a, b: counted and same(a, b),
            threads=threads,
            repeats=9,
        )
        for threads in (1, 2)
    ] + [characters(texts[::4])]


def characters(texts: list[str]) -> Row:
    """Return the row of character n-grams of length 3 to 5 within words, terms of two documents or more."""

    def ours_of() -> Result:
        analyzer = rb.text.Analyzer(tokens="characters", ngrams=(3, 5))
        vectors = rb.text.Vectors(analyzer, weights="lsc", min_df=2, threads=1)
        return vectors.fit_transform(texts), vectors.vocabulary_

    def peer_of() -> Result:
        vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), min_df=2, sublinear_tf=True)
        return vectorizer.fit_transform(texts), tuple(vectorizer.get_feature_names_out())

    return side_by_side(
        ours_of,
        peer_of,
        id="text-char",
        work=f"{len(texts):,} Reuters documents ({sum(map(len, texts)) / 1e6:.1f} MB) to character 3–5-grams",
        peer_name="scikit-learn TfidfVectorizer(analyzer='char_wb')",
        same=same,
        repeats=3,
    )


def status(field: str) -> float:
    """MB of a field of this process's status."""
    found = re.search(rf"{field}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024


def peak(which: str, path: str) -> None:
    """Print the memory that one run adds at its highest, after a warm-up on a few documents.

    The texts are read one by one: what a parser leaves behind would be free room that hides the first megabytes.
    """
    with Path(path).open(encoding="utf-8", newline="") as lines:
        texts = [json.loads(line) for line in lines]
    run = {"ours-1": lambda t: ours(t, 1), "ours-2": lambda t: ours(t, 2), "peer": peer}[which]
    run(texts[:20])
    gc.collect()
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the highest mark starts anew
    result = run(texts)
    print(json.dumps({"which": which, "before": before, "added": status("VmHWM") - before, "nnz": result[0].nnz}))


def memory() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        path.write_text("".join(json.dumps(text) + "\n" for text in reuters()), "utf-8")
        for which in ("ours-1", "ours-2", "peer"):
            command = [sys.executable, "-m", "benchmarks.text", "--peak", which, str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{which:>7}: {found['added']:6.1f} MB at the peak beyond the {found['before']:.0f} MB held before")


class Clocked:
    """Stories one by one, in constant memory; keeps the time spent making them and their length."""

    def __init__(self, documents: int) -> None:
        self.documents, self.seconds, self.characters = documents, 0.0, 0

    def __iter__(self) -> Iterator[str]:
        batches = stream(max(500, self.documents), stop=self.documents)
        while True:
            start = time.process_time()
            batch = next(batches, None)
            texts = [] if batch is None else list(batch.texts)
            self.characters += sum(map(len, texts))
            self.seconds += time.process_time() - start
            if batch is None:
                return
            yield from texts


def curve() -> None:
    """One thread, CPU time without that of making the stories: other work on the machine matters less."""
    ours(["warm up: ä"] * 2, 1)
    print("| documents | MB | terms | stored | CPU seconds | µs a document | MB/s |\n|---|---|---|---|---|---|---|")
    for size in SIZES:
        stories = Clocked(size)
        start = time.process_time()
        matrix, vocabulary = ours(stories, 1)
        seconds = time.process_time() - start - stories.seconds
        megabytes = stories.characters / 1e6
        print(
            f"| {size:,} | {megabytes:.1f} | {len(vocabulary):,} | {matrix.nnz:,} | {seconds:.2f} "
            f"| {1e6 * seconds / size:.1f} | {megabytes / seconds:.0f} |",
            flush=True,
        )
        assert matrix.shape[0] == size
        assert np.isfinite(matrix.data).all()


def main() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    for option in ("--memory", "--curve"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--peak", nargs=2)
    chosen, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    if chosen.peak:
        peak(*chosen.peak)
    elif chosen.memory or chosen.curve:
        (memory if chosen.memory else curve)()
    else:
        publish(rows(), __doc__ or "")


if __name__ == "__main__":
    main()
