import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import ordinate as od
from ordinate.engine.distances import CHUNK
from ordinate.metrics import triplet_accuracy, triplet_error, triplet_margins
from ordinate.metrics._triplets import relative_distances

LINE = [[0.0], [1.0], [3.0]]


def random_case(seed, n=12, d=3, m=200, columns=3, **options):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.choice(n, size=columns, replace=False) for _ in range(m)])
    return od.Comparisons(rows, n_objects=n, **options), rng.normal(size=(n, d))


def brute_force(comparisons, points):
    wrong = 0
    for row in comparisons.to_quadruplets().rows:
        i, j, k, l = points[row]  # noqa: E741
        wrong += not np.linalg.norm(i - j) < np.linalg.norm(k - l)
    return wrong / len(comparisons)


@pytest.mark.parametrize("columns", [3, 4])
def test_equals_brute_force(columns):
    comparisons, points = random_case(0, columns=columns)
    assert triplet_error(comparisons, points) == brute_force(comparisons, points)


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    columns=st.sampled_from([3, 4]),
    scale=st.floats(1e-3, 1e3),
    shift=st.floats(-10, 10),
)
def test_same_after_rotation_scaling_and_translation(seed, columns, scale, shift):
    comparisons, points = random_case(seed, columns=columns)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    moved = scale * points @ rotation + shift
    assert triplet_error(comparisons, moved) == triplet_error(comparisons, points)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32), columns=st.sampled_from([3, 4]))
def test_embedding_distances_and_gram_agree(seed, columns):
    comparisons, points = random_case(seed, columns=columns)
    error = triplet_error(comparisons, points)
    assert triplet_error(comparisons, distances=cdist(points, points)) == error
    assert triplet_error(comparisons, gram=points @ points.T) == error
    assert triplet_accuracy(comparisons, points) == 1 - error


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_triplet_and_its_quadruplet_agree(seed):
    comparisons, points = random_case(seed)
    assert triplet_error(comparisons.to_quadruplets(), points) == triplet_error(comparisons, points)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_negating_every_answer_turns_error_into_accuracy(seed):
    comparisons, points = random_case(seed)
    denied = triplet_error(comparisons, points, answers=np.full(len(comparisons), -1))
    assert denied == pytest.approx(triplet_accuracy(comparisons, points))
    assert denied == triplet_error(comparisons.reversed(), points)


def test_a_tie_is_an_error():
    assert triplet_error([[1, 0, 2], [1, 2, 0]], [[0.0], [1.0], [2.0]]) == 1
    assert triplet_accuracy([[0, 1, 2]], np.zeros((3, 2))) == 0


def test_weights_count():
    comparisons = od.Comparisons([[0, 1, 2], [0, 2, 1]], weights=[3, 1])
    assert triplet_error(comparisons, LINE) == 0.25


def test_weight_two_is_the_same_as_twice():
    comparisons, points = random_case(1)
    weights = np.random.default_rng(2).integers(0, 4, size=len(comparisons))
    weighted = od.Comparisons(comparisons.rows, weights=weights)
    repeated = comparisons[np.repeat(np.arange(len(comparisons)), weights)]
    assert triplet_error(weighted, points) == pytest.approx(triplet_error(repeated, points))


def test_more_rows_than_a_chunk():
    comparisons, points = random_case(3, m=300)
    repeated = comparisons[np.arange(2 * CHUNK + 17) % 300]
    expected = np.array([triplet_error(comparisons[[row]], points) for row in range(300)])
    assert triplet_error(repeated, points) == expected[np.arange(len(repeated)) % 300].mean()


def test_answers_apply_to_arrays():
    assert triplet_error([[0, 1, 2], [0, 1, 2]], LINE, answers=[True, False]) == 0.5


def test_squared_distances_serve_as_distances():
    comparisons, points = random_case(4)
    squared = cdist(points, points, "sqeuclidean")
    assert triplet_error(comparisons, distances=squared) == triplet_error(comparisons, points)


def test_objects_beyond_those_compared_are_allowed_for_arrays():
    assert triplet_error([[0, 1, 2]], [*LINE, [9.0]]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of embedding, distances and gram; got none"),
        ({"embedding": LINE, "gram": np.eye(3)}, "got embedding and gram"),
        ({"embedding": [0.0, 1.0, 3.0]}, r"embedding must be a 2-D array.*got shape \(3,\)"),
        ({"embedding": [[0.0], [np.nan], [1.0]]}, "row 1, column 0 is nan"),
        ({"embedding": LINE[:2]}, "Row 0, column 2 is 2; n_objects is 2"),
        ({"distances": np.ones((3, 2))}, r"distances must be a square matrix; got shape \(3, 2\)"),
        ({"gram": np.ones((3, 4))}, r"gram must be a square matrix; got shape \(3, 4\)"),
        ({"embedding": LINE, "answers": [1, 1]}, "answers must have one entry per comparison"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        triplet_error([[0, 1, 2]], **arguments)


def test_refuses_a_map_of_other_objects():
    comparisons = od.Comparisons([[0, 1, 2]], n_objects=5)
    with pytest.raises(od.InputError, match=r"embedding has 3 rows; .* about 5 objects"):
        triplet_error(comparisons, LINE)


def test_refuses_an_empty_record():
    with pytest.raises(od.InputError, match="No comparisons to judge by"):
        triplet_error(od.Comparisons([[0, 1, 2]])[:0], LINE)


def test_refuses_when_nothing_counts():
    with pytest.raises(od.InputError, match="All weights are 0"):
        triplet_error(od.Comparisons([[0, 1, 2]], weights=[0]), LINE)


def test_inputs_stay_as_they_were():
    comparisons, points = random_case(5)
    before = points.copy()
    triplet_error(comparisons, points)
    np.testing.assert_array_equal(points, before)


POINTS = np.array([[0.0], [1.0], [3.0]])
RADIUS = np.sqrt(np.square(POINTS - POINTS.mean()).mean())


def test_margins_by_hand():
    near, far = relative_distances([[0, 1, 2], [1, 2, 0]], POINTS)
    np.testing.assert_allclose(near, np.array([1, 2]) / RADIUS)
    np.testing.assert_allclose(far, np.array([3, 1]) / RADIUS)
    margins = triplet_margins([[0, 1, 2], [1, 2, 0]], POINTS)
    np.testing.assert_allclose(margins, np.array([2, -1]) / RADIUS)


def test_margins_of_quadruplets():
    np.testing.assert_allclose(triplet_margins([[0, 1, 1, 2]], POINTS), [1 / RADIUS])


def test_size_place_and_direction_of_the_map_do_not_matter():
    points = np.random.default_rng(0).normal(size=(20, 2))
    answers = od.sources.random_triplets(points, 100, random_state=0)
    turned = 7 * points[:, ::-1] - 3
    np.testing.assert_allclose(triplet_margins(answers, turned), triplet_margins(answers, points))


def test_a_map_of_one_place_has_no_margins():
    np.testing.assert_array_equal(triplet_margins([[0, 1, 2]], np.ones((3, 2))), [0])


def test_margins_refuse_a_map_of_other_objects():
    answers = od.Comparisons([[0, 1, 2]], n_objects=5)
    with pytest.raises(od.InputError, match=r"embedding has 3 rows; .* about 5 objects"):
        triplet_margins(answers, POINTS)


@pytest.mark.parametrize("columns", [3, 4])
def test_johnsons_stress_is_its_formula(columns):
    weights = np.random.default_rng(7).uniform(0.5, 2, 200)
    comparisons, points = random_case(1, columns=columns, weights=weights)
    violated = total = 0.0
    for row, weight in zip(comparisons.to_quadruplets().rows, comparisons.weights, strict=True):
        i, j, k, l = points[row]  # noqa: E741
        difference = np.sum((i - j) ** 2) - np.sum((k - l) ** 2)
        violated += weight * max(0, difference) ** 2
        total += weight * difference**2
    stress = od.metrics.johnson_stress(comparisons, points)
    assert stress == pytest.approx(violated / total)
    assert od.metrics.johnson_stress(comparisons, 5 * points) == pytest.approx(stress)


def test_johnsons_stress_needs_a_difference():
    with pytest.raises(od.InputError, match="equally far apart"):
        od.metrics.johnson_stress([[0, 1, 2]], np.zeros((3, 2)))
