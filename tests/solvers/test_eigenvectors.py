"""Leading eigenvectors, where Lanczos iterations end and where they do not."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackNoConvergence, aslinearoperator

from ordinate.gram.objective import psd_factor
from ordinate.solvers import eigenvectors
from ordinate.solvers.eigenvectors import leading_eigenvectors


@pytest.fixture(params=[True, False], ids=["ends", "does-not-end"])
def _iterations(request, monkeypatch):
    def never(*args, **options):
        raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((40, 0)))

    if not request.param:
        monkeypatch.setattr(eigenvectors, "eigsh", never)


@pytest.mark.parametrize("form", [np.asarray, csr_array, aslinearoperator])
@pytest.mark.usefixtures("_iterations")
def test_they_are_those_of_the_whole_decomposition(form):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(40, 40))
    matrix = matrix + matrix.T
    values, vectors = leading_eigenvectors(form(matrix), 3, rng.normal(size=40))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[-3:], rtol=1e-10)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)


@pytest.mark.usefixtures("_iterations")
def test_a_projection_on_a_few_dimensions():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 4))
    gram = points @ points.T - 0.5 * np.eye(300)
    factor = psd_factor(gram, rank=4)
    np.testing.assert_allclose(factor @ factor.T, psd_factor(gram) @ psd_factor(gram).T, atol=1e-8)
