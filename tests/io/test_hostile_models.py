"""Model files that are well formed and mean harm: each is refused before a compiled loop sees it."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline
from tests.io.test_model_file import members, npy, with_array, with_manifest

import rubricate as rb
from rubricate.errors import InvalidFile
from rubricate.training.model_values import check_sparse

pytestmark = pytest.mark.slow

EYE = sparse.csr_array(np.eye(4))
LABELS = sparse.csr_array(np.eye(4, dtype=bool))

OPEN = """
import sys
import rubricate as rb
from scipy import sparse
for path in sys.argv[1:]:
    try:
        model = rb.open(path)
        model.decision_function(sparse.csr_array([[1.0, 0, 0, 0]]))
        print("opened", path)
    except rb.errors.InvalidFile as error:
        print("refused", error)
"""


def open_elsewhere(*paths):
    """Open and use models in a process of their own, which a crash would end; return a line about each."""
    command = [sys.executable, "-c", OPEN, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(paths)
    return lines


def array_number(saved, attribute, part):
    """Return the number of an array of a sparse matrix: part 2 is the data, 3 the indices, 4 the starts."""
    return json.loads(members(saved)["manifest.json"])["model"]["estimator"]["state"][attribute]["sparse"][part]


def test_starts_that_do_not_rise_are_refused(tmp_path):
    """SciPy's full check accepts a last start below 1; `classify` then ended with signal 11."""
    saved = rb.save(rb.KNN(k=2).fit(EYE, LABELS), tmp_path / "knn.rubric")
    number = array_number(saved, "vectors_", 4)
    wrong = [[0, 1, 2, 3, -2], [0, 0, 0, 0, 0], [0, 3, 1, 3, 4], [1, 1, 2, 3, 4], [0, 1, 2, 3, 99]]
    hostile = [
        with_array(saved, tmp_path / f"m{k}", number, npy(np.array(starts, np.int32))) for k, starts in enumerate(wrong)
    ]
    assert all("starts of a sparse matrix" in message for message in open_elsewhere(*hostile))


def test_word_with_a_negative_last_start_is_refused(tmp_path):
    word = rb.classifiers.WORD({"corn": "corn", "gold": "gold"}, terms=["corn", "gold", "oil", "tin"]).fit()
    saved = rb.save(word, tmp_path / "word.rubric")
    number = array_number(saved, "coef_", 4)
    (message,) = open_elsewhere(with_array(saved, tmp_path / "m", number, npy(np.array([0, 1, -2], np.int32))))
    assert message.startswith("refused")


@pytest.mark.parametrize(
    ("data", "indices", "starts"),
    [
        ([1.0], [4], [0, 1]),
        ([1.0], [-1], [0, 1]),
        ([np.nan], [0], [0, 1]),
        ([1.0, 2.0], [0], [0, 1]),
        ([1.0], [0], [0, 1, 1]),
        ([], [], []),
    ],
)
def test_parts_of_a_sparse_matrix_that_do_not_fit(data, indices, starts):
    parts = (np.array(data), np.array(indices, np.int32), np.array(starts, np.int32))
    with pytest.raises(ValueError, match="sparse matrix"):
        check_sparse(*parts, shape=(1, 4))


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    X, y = sparse.csr_array(np.vstack([np.eye(4)] * 15)), ["corn", "gold", "ship", "tin"] * 15
    model = rb.classifiers.Stack([rb.KNN(k=3), rb.classifiers.Rocchio()], rounds=5, leaves=4).fit(X, y)
    return rb.save(model, tmp_path_factory.mktemp("stack") / "stack.rubric")


FEATURES, LIMITS, LEFTS = 8, 9, 10
"""Places of the arrays of the trees in a blend."""


def tree_array(saved, place):
    manifest = json.loads(members(saved)["manifest.json"])
    node = manifest["model"]["estimator"]["state"]["blends_"]["tuple"][0]["tuple"][place]
    number = node["array"]
    return number, np.load(io.BytesIO(members(saved)[f"arrays/{number}.npy"]))


def test_the_sound_stack_opens(stack):
    assert rb.open(stack).predict(EYE).tolist() == ["corn", "gold", "ship", "tin"]


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (FEATURES, lambda array: np.full_like(array, 10**9)),
        (FEATURES, np.zeros_like),
        (FEATURES, lambda array: array[:, :1]),
        (FEATURES, lambda array: array.astype(float)),
        (LIMITS, lambda array: np.full_like(array, np.nan)),
    ],
    ids=["far", "for ever", "short", "fractions", "nan"],
)
def test_trees_of_a_stack_are_checked(stack, tmp_path, place, change):
    """Features of 10⁹ crashed the process, zeros everywhere looped for ever."""
    number, array = tree_array(stack, place)
    with pytest.raises(InvalidFile, match="blend"):
        rb.open(with_array(stack, tmp_path / "m", number, npy(change(array))))


def test_children_that_lead_back_or_out_are_refused(stack):
    model = rb.open(stack)
    blend = list(model.blends_[0])
    for left in (0, -1, 10**6):
        features, lefts = np.zeros((1, 3), np.int64), np.full((1, 3), left)
        model.blends_ = ((*blend[:FEATURES], features, np.zeros((1, 3)), lefts, np.zeros((1, 3))),)
        with pytest.raises(ValueError, match="leads back"):
            model.check_state()


def test_words_do_not_open_to_far_more_memory_than_the_file_has(tmp_path):
    """One word of 60,000 letters among 4,000 short ones took 1 GB: NumPy gives every word the room of the longest."""
    saved = rb.save(rb.KNN(k=2).fit(EYE, ["a", "b", "c", "d"]), tmp_path / "knn.rubric")

    def swell(manifest):
        words = ["x" * 60_000, *("w" * 4 for _ in range(4_000))]
        manifest["model"]["estimator"]["state"]["classes_"] = {"words": [[len(words)], words]}

    with pytest.raises(InvalidFile, match="far more memory than the file"):
        rb.open(with_manifest(saved, tmp_path / "m", swell))


def test_words_of_ordinary_lengths_open(tmp_path):
    names = [f"category {i} " + "long " * (i % 50) for i in range(300)]
    model = rb.KNN(k=1).fit(sparse.csr_array(np.eye(300)), names)
    assert rb.open(rb.save(model, tmp_path / "m")).classes_.tolist() == model.classes_.tolist()


def pipeline_with(tmp_path, name, value, step=0):
    texts = ["corn wheat", "gold mine", "corn field", "gold ring"]
    model = Pipeline([("vectors", TfidfVectorizer()), ("knn", rb.KNN(k=1))]).fit(texts, ["a", "b", "a", "b"])
    saved = rb.save(model, tmp_path / "m.rubric")

    def change(manifest):
        node = manifest["model"]["estimator"]["params"]
        if step is not None:
            node = node["steps"]["list"][step]["tuple"][1]["estimator"]["params"]
        node[name] = value

    return with_manifest(saved, tmp_path / "hostile", change)


@pytest.mark.parametrize(
    ("name", "value", "step"),
    [
        ("input", "filename", 0),
        ("input", "file", 0),
        ("tokenizer", {"plugin": ["engines", "serial"]}, 0),
        ("analyzer", {"plugin": ["engines", "serial"]}, 0),
        ("memory", "somewhere", None),
    ],
)
def test_parameters_that_open_files_or_call_functions_are_refused(tmp_path, name, value, step):
    """A vectorizer with input="filename" made the process that opened the model read local files."""
    with pytest.raises(InvalidFile, match=f"the parameter {name} may"):
        rb.open(pipeline_with(tmp_path, name, value, step))


def test_ordinary_parameters_stay(tmp_path):
    assert rb.open(pipeline_with(tmp_path, "lowercase", False)).steps[0][1].lowercase is False


def with_files(folder):
    """Models whose stop list, rules and names are files, and the parameter that says which."""
    for name, text in (("stop.txt", "gold\n"), ("news.rules", "grain if wheat;\n"), ("names.tsv", "grain\twheat\n")):
        (folder / name).write_text(text)
    analyzer = rb.text.Analyzer(stop=folder / "stop.txt")
    yield rb.text.Vectors(analyzer).fit(["gold rose", "wheat fell"]), "analyzer__stop"
    words = rb.text.Analyzer(stop=None, stem=None)
    yield rb.classifiers.Construe(str(folder / "news.rules"), analyzer=words).fit(), "rules"
    yield rb.classifiers.WORD(str(folder / "names.tsv"), terms=["wheat", "corn"]).fit(), "names"


def test_models_hold_what_files_say_and_never_their_paths(tmp_path):
    """A model could name any file of its reader as a stop list, as rules or as names."""
    for model, parameter in with_files(tmp_path):
        path = tmp_path / "model.rubric"
        rb.save(model, path)
        assert str(tmp_path).encode() not in path.read_bytes()
        content = rb.open(path).get_params()[parameter]
        assert content not in (None, model.get_params()[parameter])

        def name_a_file(manifest, parameter=parameter):
            estimator = manifest["model"]["estimator"]
            owner = estimator["params"]["analyzer"]["estimator"] if "__" in parameter else estimator
            owner["params"][parameter.rpartition("__")[2]] = "/etc/passwd"

        with pytest.raises(InvalidFile, match="names a file"):
            rb.open(with_manifest(path, tmp_path / "hostile.rubric", name_a_file))


def test_a_stop_list_that_is_gone_does_not_stop_saving(tmp_path):
    model, _ = next(with_files(tmp_path))
    (tmp_path / "stop.txt").unlink()
    with pytest.warns(UserWarning, match="saved without it"):
        rb.save(model, tmp_path / "model.rubric")
    assert rb.open(tmp_path / "model.rubric").transform(["gold"]).nnz == 0
