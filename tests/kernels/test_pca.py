"""Kernel PCA against scikit-learn's, from features and from the matrix."""

import numpy as np
import pytest
from sklearn.decomposition import PCA, KernelPCA

import ordinate as od
from ordinate.kernels import kernel_pca


@pytest.fixture(scope="module", params=[60, 260], ids=["few", "many"])
def fitted(request):
    points = np.random.default_rng(0).standard_normal((request.param, 2))
    answers = od.sources.landmark_triplets(points, range(25), random_state=0)
    return od.K1(landmarks=range(25)).fit(answers)


def test_equals_scikit_learn_up_to_sign(fitted):
    reference = PCA(3, svd_solver="full").fit_transform(fitted.features_)
    for kernel in (fitted, fitted.kernel()):
        np.testing.assert_allclose(np.abs(kernel_pca(kernel, 3)), np.abs(reference), atol=1e-8)


def test_of_float32_features_keeps_four_digits(fitted):
    points = np.random.default_rng(0).standard_normal((fitted.n_objects_, 2))
    answers = od.sources.landmark_triplets(points, range(25), random_state=0)
    half = od.K1(landmarks=range(25), dtype="float32").fit(answers)
    np.testing.assert_allclose(kernel_pca(half, 3), kernel_pca(fitted, 3), atol=1e-4)


@pytest.mark.filterwarnings("ignore:shift=True changed nothing")
def test_of_a_shifted_matrix_equals_scikit_learn_up_to_sign(fitted):
    kernel = fitted.kernel(shift=True)
    reference = KernelPCA(2, kernel="precomputed", eigen_solver="dense").fit_transform(kernel)
    np.testing.assert_allclose(np.abs(kernel_pca(kernel)), np.abs(reference), atol=1e-8)


def test_is_centred_ordered_and_repeatable(fitted):
    points = kernel_pca(fitted, 4)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-10)
    assert (np.diff(points.std(axis=0)) < 0).all()
    np.testing.assert_array_equal(kernel_pca(fitted, 4), points)
    assert (points[np.abs(points).argmax(axis=0), range(4)] > 0).all()


def test_as_many_components_as_objects_keep_all_distances(octave):
    model = od.K2().fit(octave["triplets_plain"])
    points = kernel_pca(model, 30)
    np.testing.assert_allclose(
        np.square(points[0] - points[1]).sum(), 2 - 2 * model.similarity(0, 1)
    )


def test_refuses_more_components_than_objects():
    with pytest.raises(od.InputError, match="n_components must be an integer >= 1 and <= 3; got 4"):
        kernel_pca(np.eye(3), 4)
