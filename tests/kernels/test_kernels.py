"""What users do with a triplet kernel, here mostly k1: the rest is shared."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.decomposition import KernelPCA, TruncatedSVD
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import ordinate as od
from ordinate.kernels import WithoutDataWarning

from .conftest import triplets

KERNELS = [od.K1, od.K2]


@pytest.fixture(scope="module")
def blobs():
    """Two clouds of 20 points, their classes and a good number of answers about them."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    points = rng.standard_normal((40, 2)) + 8 * labels[:, None]
    return labels, od.sources.random_triplets(points, 8000, random_state=1)


@pytest.mark.filterwarnings("ignore::ordinate.kernels.WithoutDataWarning")
@pytest.mark.parametrize("cls", KERNELS)
@given(answers=triplets())
def test_a_kernel_with_ones_on_the_diagonal(cls, answers):
    model = cls().fit(answers)
    kernel = model.kernel()
    np.testing.assert_array_equal(kernel, kernel.T)
    assert np.linalg.eigvalsh(kernel)[0] > -1e-12
    has_data = np.ones(answers.n_objects)
    has_data[model.without_data_] = 0
    np.testing.assert_allclose(kernel.diagonal(), has_data, atol=1e-12)


@pytest.mark.parametrize("cls", KERNELS)
def test_shift_takes_the_smallest_eigenvalue_off_the_diagonal(cls, octave):
    model = cls().fit(od.Comparisons(octave["triplets_plain"], n_objects=30))
    expected = octave[f"lambda_min_{cls.__name__.lower()}_plain"]
    shifted = model.kernel(shift=True)
    np.testing.assert_allclose(model.kernel() - shifted, expected * np.eye(30), atol=1e-10)
    assert np.linalg.eigvalsh(shifted)[0] == pytest.approx(0, abs=1e-10)


def test_shift_does_nothing_where_the_smallest_eigenvalue_is_zero():
    more_objects_than_features = od.K1().fit([[2, 0, 1], [3, 1, 0], [0, 1, 2], [1, 0, 2]])
    kernel = more_objects_than_features.kernel()
    with pytest.warns(UserWarning, match="changed nothing: the smallest eigenvalue"):
        shifted = more_objects_than_features.kernel(shift=True)
    np.testing.assert_array_equal(shifted, kernel)


@pytest.mark.parametrize("cls", KERNELS)
def test_weights_count_as_repetitions(cls, octave):
    repeated = od.Comparisons(octave["triplets_multi"], n_objects=30)
    merged = repeated.merge_repeats()
    assert len(merged) < len(repeated)
    np.testing.assert_allclose(cls().fit(merged).kernel(), cls().fit(repeated).kernel())


def test_a_weight_of_zero_is_not_an_answer():
    weighted = od.Comparisons([[0, 1, 2], [0, 3, 2], [1, 0, 2]], weights=[1, 0, 2])
    with pytest.warns(WithoutDataWarning):
        found = od.K1().fit(weighted).kernel()
    with pytest.warns(WithoutDataWarning):
        np.testing.assert_allclose(found, od.K1().fit(weighted[[0, 2]]).kernel())


@pytest.mark.filterwarnings("ignore::ordinate.kernels.WithoutDataWarning")
def test_weights_decide_between_answers_that_deny_each_other():
    rows = [[0, 2, 3], [0, 3, 2], [0, 2, 4], [1, 2, 3], [1, 2, 4]]
    found = od.K1().fit(od.Comparisons(rows, weights=[3, 1, 1, 1, 1])).kernel()
    assert found[0, 1] == pytest.approx((0.5 + 1) / np.sqrt((0.5**2 + 1) * 2))


def test_negated_rows_are_reversed(octave):
    rows = np.array(octave["triplets_plain"])
    answers = np.where(np.arange(len(rows)) % 3, 1, -1)
    asked = np.where(answers[:, None] > 0, rows, rows[:, [0, 2, 1]])
    np.testing.assert_array_equal(od.K1().fit(asked, answers).kernel(), od.K1().fit(rows).kernel())


@pytest.mark.parametrize("cls", KERNELS)
def test_order_of_answers_does_not_matter(cls, octave):
    rows = np.array(octave["triplets_multi"])
    shuffled = np.random.default_rng(0).permutation(rows)
    np.testing.assert_array_equal(cls().fit(shuffled).kernel(), cls().fit(rows).kernel())


def test_many_answers_are_merged_in_blocks_with_the_same_result(octave, monkeypatch):
    rows = np.array(octave["triplets_multi"])
    whole = od.K2().fit(rows).kernel()
    monkeypatch.setattr("ordinate.kernels._features._BLOCK", 50)
    monkeypatch.setattr("ordinate.kernels._features._CHUNK", 7)
    np.testing.assert_array_equal(od.K2().fit(rows).kernel(), whole)


@pytest.mark.parametrize("landmarks", [None, [0, 1, 2, 3, 4]])
def test_float32_halves_the_memory_and_keeps_seven_digits(octave, landmarks):
    answers = od.Comparisons(octave["triplets_landmark_k1"], n_objects=30)
    half = od.K1(landmarks=landmarks, dtype="float32").fit(answers)
    assert half.features_.dtype == half.kernel().dtype == np.float32
    np.testing.assert_allclose(half.kernel(), octave["landmark_k1"], atol=1e-6)


def test_objects_without_data_are_reported_by_name():
    answers = od.Comparisons([[0, 1, 2], [1, 0, 2]], names=["Oslo", "Bergen", "Rome"])
    with pytest.warns(WithoutDataWarning, match=r"K1 has no data on 1 of 3 objects \(Rome\)"):
        od.K1().fit(answers)


def test_objects_without_data_are_reported():
    with pytest.warns(
        WithoutDataWarning, match=r"K1 has no data on 2 of 4 objects \(2, 3\): .*anc"
    ):
        model = od.K1().fit(od.Comparisons([[0, 1, 2], [1, 0, 2]], n_objects=4))
    np.testing.assert_array_equal(model.without_data_, [2, 3])
    assert model.kernel()[2:].any() == False  # noqa: E712
    with pytest.warns(WithoutDataWarning, match=r"K2 .*\(3\): it needs .*near or far"):
        od.K2().fit(od.Comparisons([[0, 1, 2], [1, 0, 2]], n_objects=4))


@pytest.mark.parametrize("landmarks", [None, [0, 1, 2, 3, 4]])
def test_new_objects_get_the_row_that_a_fit_with_them_would_give(octave, landmarks):
    everything = od.Comparisons(octave["triplets_landmark_k1"], n_objects=30)
    old = od.Comparisons(everything.rows[(everything.rows < 25).all(axis=1)], n_objects=25)
    model = od.K1(landmarks=landmarks).fit(old)
    assert model.transform(everything).shape == (30, 10)
    found = model.kernel(everything)
    with pytest.raises(od.InputError, match="call kernel\\(new\\) without it"):
        model.kernel(everything, shift=True)
    np.testing.assert_allclose(found, np.array(octave["landmark_k1"])[:, :25], atol=1e-11)


def test_new_objects_are_matched_by_name():
    old = od.Comparisons([[0, 1, 2], [1, 2, 0], [2, 1, 0]], names=["a", "b", "c"])
    new = od.Comparisons([[0, 1, 2], [0, 3, 1]], names=["z", "c", "b", "y"])
    model = od.K1().fit(old)
    # z is nearer to c than to b, as a is not; its question about y is unknown to the fit
    row = model.transform(new)[[0]]
    np.testing.assert_allclose((row @ model.features_.T).toarray(), [[-np.sqrt(0.5), 0, 0]])


@pytest.mark.parametrize("cls", KERNELS)
def test_transform_of_the_training_answers_gives_the_features(cls, octave):
    answers = od.Comparisons(octave["triplets_multi"], n_objects=30)
    model = cls()
    features = model.fit_transform(answers)
    assert features is model.features_
    np.testing.assert_array_equal(model.transform(answers).toarray(), features.toarray())


def test_similarity_of_one_pair_and_of_many(blobs):
    model = od.K1().fit(blobs[1])
    kernel = model.kernel()
    assert isinstance(model.similarity(2, 30), float)
    assert model.similarity(2, 30) == pytest.approx(kernel[2, 30])
    np.testing.assert_allclose(model.similarity([[0], [1]], [5, 6]), kernel[:2, 5:7])
    np.testing.assert_allclose(model.similarity(0, np.arange(40)), kernel[0])


def test_scikit_learn_takes_the_matrix(blobs):
    labels, answers = blobs
    kernel = od.K1().fit(answers).kernel()
    np.testing.assert_array_equal(
        SVC(kernel="precomputed").fit(kernel, labels).predict(kernel), labels
    )
    assert KernelPCA(2, kernel="precomputed").fit_transform(kernel).shape == (40, 2)
    spectral = SpectralClustering(2, affinity="precomputed", random_state=0)
    assert od.metrics.purity(labels, spectral.fit_predict(np.exp(3 * kernel))) == 1
    tree = AgglomerativeClustering(2, metric="precomputed", linkage="complete")
    assert od.metrics.purity(labels, tree.fit_predict(1 - kernel)) == 1


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_scikit_learn_takes_the_features(blobs, dtype):
    labels, answers = blobs
    model = od.K1(dtype=dtype)
    features = model.fit_transform(answers)
    assert od.metrics.purity(labels, KMeans(2, n_init=3, random_state=0).fit_predict(features)) == 1
    assert TruncatedSVD(2, random_state=0).fit_transform(features).shape == (40, 2)
    np.testing.assert_array_equal(LinearSVC().fit(features, labels).predict(features), labels)
    neighbors = NearestNeighbors(n_neighbors=1).fit(features).kneighbors(return_distance=False)
    np.testing.assert_array_equal(labels[neighbors[:, 0]], labels)
    pipeline = make_pipeline(model, KMeans(2, n_init=3, random_state=0))
    assert od.metrics.purity(labels, pipeline.fit_predict(answers)) == 1


def test_fit_leaves_the_answers_as_they_are(octave):
    rows = np.array(octave["triplets_multi"], dtype=np.int32)
    before = rows.copy()
    od.K2().fit(rows)
    np.testing.assert_array_equal(rows, before)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: od.K1().fit([[0, 1, 2, 3]]), r"K1 is made of triplets .*got quadruplets.*SOE"),
        (
            lambda: od.K1().fit(od.Comparisons([[0, 1, 2]])[:0]),
            "No comparisons; expected at least one row",
        ),
        (lambda: od.K1(dtype="int8").fit([[0, 1, 2]]), "dtype must be one of 'float32', 'float64'"),
        (
            lambda: od.K1(landmarks=[0, 9]).fit([[0, 1, 2]]),
            "landmarks must hold numbers of objects",
        ),
        (lambda: _fitted().similarity(0, 3), "b must hold numbers of objects, from 0 to 2; got 3"),
        (lambda: _fitted().similarity(0.5, 1), "a must hold whole numbers of objects; got 0.5"),
        (lambda: _fitted().transform([[0, 1, 2, 3]]), "got quadruplets"),
        (
            lambda: (
                od.K1().fit([[0, 1, 3], [1, 0, 3], [2, 1, 0], [3, 1, 0]]).transform([[0, 1, 2]])
            ),
            "The fit has 4 objects and these comparisons 3",
        ),
    ],
)
def test_bad_arguments_are_refused(act, message):
    with pytest.raises(od.InputError, match=message):
        act()


def _fitted():
    return od.K1().fit([[0, 1, 2], [1, 0, 2], [2, 1, 0]])
