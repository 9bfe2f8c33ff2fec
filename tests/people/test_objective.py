"""The sum over people's answers: by brute force, by finite differences, and as for one person."""

import numpy as np
import pytest

import ordinate as od
from ordinate.comparisons.record import PAIR_COLUMNS
from ordinate.engine.cpu import CPUObjective
from ordinate.people.objective import PeopleObjective

# none, one and two parameters, with lapses and without, triplets and quadruplets: the loop sees no
# more of a loss, and each row takes a second to compile
CASES = [
    (od.losses.soe, [1.0], False, 3),
    (od.losses.ste, [], True, 4),
    (od.losses.tste, [1.0], True, 3),
    (od.losses.tete, [1.5, 1.5], False, 4),
]
every_case = pytest.mark.parametrize(
    ("loss", "parameters", "lapses", "columns"), CASES, ids=lambda v: getattr(v, "__name__", "")
)


def setting(columns=3, weighted=True, n_rows=300):
    rng = np.random.default_rng(0)
    rows = np.argsort(rng.random((n_rows, 8)), axis=1)[:, :columns]
    weights = rng.random(n_rows) if weighted else None
    people = rng.integers(4, size=n_rows)
    x = rng.standard_normal((8, 2)), 0.5 * rng.standard_normal((4, 2)), rng.standard_normal(4) - 2
    return od.Comparisons(rows, weights=weights), people, x


@every_case
def test_gradients_by_finite_differences(loss, parameters, lapses, columns):
    comparisons, people, x = setting(columns)
    objective = PeopleObjective(comparisons, people, loss, parameters, lapses)
    gradient = objective(*x)[1]
    for number, part in enumerate(x):
        numeric = np.empty_like(part)
        for place in np.ndindex(part.shape):
            values = []
            for step in (1e-6, -1e-6):
                moved = [other.copy() for other in x]
                moved[number][place] += step
                values.append(objective(*moved)[0])
            numeric[place] = (values[0] - values[1]) / 2e-6
        np.testing.assert_allclose(gradient[number], numeric, atol=2e-6, rtol=1e-5)


@every_case
def test_the_sum_by_brute_force_and_answer_by_answer(loss, parameters, lapses, columns):
    comparisons, people, x = setting(columns)
    objective = PeopleObjective(comparisons, people, loss, parameters, lapses)
    points, logs, logits = x
    total = 0.0
    for row, person, weight in zip(comparisons.rows, people, comparisons.weights, strict=True):
        i, j, k, l = points[row[PAIR_COLUMNS[columns]]] * np.exp(logs[person] / 2)  # noqa: E741
        value = loss(np.sum((i - j) ** 2), np.sum((k - l) ** 2), *parameters)[0]
        if lapses:
            lapse = 1 / (1 + np.exp(-logits[person]))
            value = -np.log(lapse / 2 + (1 - lapse) * np.exp(-value))
        total += weight * value
    value, gradient = objective(*x)
    assert value == pytest.approx(total)
    answers = objective.answers(*x)
    assert comparisons.weights @ answers.value == pytest.approx(total)
    summed = np.zeros((4, 3))
    np.add.at(summed, people, comparisons.weights[:, None] * answers.personal)
    np.testing.assert_allclose(summed[:, :2], gradient.log_weights, atol=1e-9)
    np.testing.assert_allclose(summed[:, 2], gradient.lapse_logits, atol=1e-9)


@pytest.mark.parametrize(
    ("loss", "parameters", "columns", "weighted"),
    [(od.losses.soe, [1.0], 3, False), (od.losses.tete, [1.5, 1.5], 4, True)],
    ids=["soe", "tete"],
)
def test_equal_weights_give_the_bits_of_the_pooled_sum(loss, parameters, columns, weighted):
    comparisons, people, (points, logs, logits) = setting(columns, weighted)
    ours = PeopleObjective(comparisons, people, loss, parameters)(points, 0 * logs, logits)
    theirs = CPUObjective(comparisons, loss, parameters)(points)
    assert ours[0] == theirs[0]
    np.testing.assert_array_equal(ours[1].points, theirs[1])


def test_threads_do_not_change_a_bit():
    comparisons, people, x = setting(n_rows=70_000)
    one, two = (
        PeopleObjective(comparisons, people, od.losses.ste, [], True, n_threads)(*x)
        for n_threads in (1, 3)
    )
    assert one[0] == two[0]
    for a, b in zip(one[1], two[1], strict=True):
        np.testing.assert_array_equal(a, b)
