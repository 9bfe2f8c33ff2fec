"""Dissimilarities with labels: from models and maps, into files and back, as comparisons."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import ordinate as od

POINTS = np.random.default_rng(0).normal(size=(8, 3))
NAMES = tuple("abcdefgh")


def test_models_and_coordinates_give_their_distances():
    answers = od.sources.random_triplets(POINTS, 300, random_state=0)
    answers = od.Comparisons(answers.rows, names=NAMES)
    model = od.STE(2, random_state=0).fit(answers)
    rdm = od.dissimilarities(model)
    assert rdm.names == NAMES
    np.testing.assert_allclose(rdm.condensed, pdist(model.embedding_))
    np.testing.assert_allclose(rdm.matrix, rdm.matrix.T)
    of_points = od.dissimilarities(POINTS, metric="cosine")
    assert (of_points.names, of_points.measure) == (None, "cosine")
    np.testing.assert_allclose(of_points.condensed, pdist(POINTS, "cosine"))


def test_models_of_dot_products_give_the_choices_they_predict():
    kinds = np.repeat(np.eye(3), 6, axis=0)
    trials = od.sources.random_trials(3 * kinds, 400, random_state=0)
    sparse = od.SparseDimensions(4, penalty=(3.0, 1.0), n_init=1, random_state=0).fit(trials)
    told = od.FeatureEmbedding(3, similarity="dot", prior={"kernel": "linear"}, random_state=0)
    same_kind = squareform(kinds @ kinds.T, checks=False) == 1
    for model in (sparse, told.fit(trials, features=kinds)):
        rdm = od.dissimilarities(model)
        assert rdm.measure == "choice"
        assert rdm.condensed[same_kind].max() < rdm.condensed[~same_kind].min()
        distances = od.dissimilarities(model, metric="euclidean")
        np.testing.assert_allclose(distances.condensed, pdist(model.embedding_))
    np.testing.assert_allclose(od.dissimilarities(sparse).matrix, 1 - sparse.similarity())


def test_square_and_condensed_matrices_are_the_same():
    rdm = od.dissimilarities(POINTS, names=NAMES)
    for given in (rdm.matrix, rdm.condensed):
        again = od.dissimilarities(given, metric="precomputed", names=NAMES)
        np.testing.assert_allclose(again.condensed, rdm.condensed)


def test_a_file_gives_back_what_was_saved(tmp_path):
    for names in (NAMES, None):
        rdm = od.dissimilarities(POINTS, names=names)
        rdm.save(tmp_path / "rdm.npz")
        again = od.Dissimilarities.read(tmp_path / "rdm.npz")
        assert (again.names, again.measure) == (names, "euclidean")
        assert np.array_equal(again.condensed, rdm.condensed)


def test_comparisons_hold_for_the_dissimilarities():
    rdm = od.dissimilarities(POINTS, names=NAMES)
    answers = rdm.to_comparisons(200, random_state=0)
    assert answers.names == NAMES
    assert od.metrics.triplet_accuracy(answers, POINTS) == 1


def test_rsatoolbox_reads_and_writes_the_same(tmp_path):
    rsatoolbox = pytest.importorskip("rsatoolbox")
    rdm = od.dissimilarities(POINTS, names=NAMES)
    rdm.save(tmp_path / "rdm.h5")
    theirs = rsatoolbox.rdm.load_rdm(str(tmp_path / "rdm.h5"), file_type="hdf5")
    np.testing.assert_allclose(theirs.get_matrices()[0], rdm.matrix)
    again = od.Dissimilarities.read(tmp_path / "rdm.h5")
    assert again.names == NAMES
    np.testing.assert_allclose(again.condensed, rdm.condensed)


class Rdms:
    """What Ordinate takes from an object of rsatoolbox."""

    def __init__(self, vectors, **described):
        self._vectors, self.dissimilarity_measure = vectors, "correlation"
        self.pattern_descriptors = {"index": list(range(3)), **described}

    def get_vectors(self):
        return self._vectors


def test_labels_come_from_the_only_descriptor():
    found = od.Dissimilarities.from_rsatoolbox(Rdms([[1.0, 2.0, 3.0]], conds=["x", "y", "z"]))
    assert (found.names, found.measure) == (("x", "y", "z"), "correlation")
    two = Rdms([[1.0, 2.0, 3.0]], conds=["x", "y", "z"], kind=["p", "p", "q"])
    assert od.Dissimilarities.from_rsatoolbox(two).names is None
    with pytest.raises(od.InputError, match="Expected one matrix of dissimilarities; got 2"):
        od.Dissimilarities.from_rsatoolbox(Rdms([[1.0, 2.0, 3.0]] * 2))


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (np.arange(7.0), {"metric": "precomputed"}, r"n\(n−1\)/2 condensed dissimilarities; got 7"),
        (np.eye(3)[:2], {"metric": "precomputed"}, r"square matrix of dissimilarities; got shape"),
        (np.triu(np.ones((3, 3))), {"metric": "precomputed"}, "must be symmetric"),
        ([1.0, np.nan, 2.0], {"metric": "precomputed"}, "must be finite"),
        (np.eye(3), {"metric": "precomputed"}, "source must grow with the distance; got simil"),
        (POINTS, {"names": NAMES[:3]}, "There are 3 names and 8 objects"),
        (POINTS, {"metric": "sideways"}, "metric must be one that SciPy knows"),
    ],
)
def test_what_is_not_a_matrix_of_dissimilarities_is_refused(given, options, message):
    with pytest.raises(od.InputError, match=message):
        od.dissimilarities(given, **options)


def test_a_square_table_has_a_column_per_object(tmp_path):
    rdm = od.dissimilarities(POINTS)
    rdm.save(tmp_path / "rdm.csv")
    header, *lines = (tmp_path / "rdm.csv").read_text().splitlines()
    assert header.startswith('"object","0","1"')
    rows = [[float(entry) for entry in line.split(",")[1:]] for line in lines]
    np.testing.assert_allclose(rows, rdm.matrix, atol=1e-5)


def test_files_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(od.InputError, match=r"Cannot tell the format of .*rdm.txt"):
        od.dissimilarities(POINTS).save(tmp_path / "rdm.txt")
    with pytest.raises(od.InputError, match=r"Expected a file ending in .npz, .h5 or .hdf5"):
        od.Dissimilarities.read(tmp_path / "rdm.csv")
    np.savez(tmp_path / "other.npz", X=POINTS)
    with pytest.raises(od.InputError, match="Expected an array 'dissimilarities'; there are: X"):
        od.Dissimilarities.read(tmp_path / "other.npz")
