"""STE stays exact where exponentials overflow, equals TETE with t = t' = 1, and knows lapses."""

import numpy as np
import pytest

import ordinate as od
from ordinate.engine.distances import squared_distances
from ordinate.triplets.ste import likeliest_lapse_rate


def test_far_apart_points(triplets, points):
    model = od.STE(penalty=0, init=1e4 * points).fit(triplets)
    assert np.isfinite(model.loss_)
    assert model.score(triplets) == 1


def test_equals_tete_with_t_1(triplets):
    ste = od.STE(penalty=0, random_state=0).fit(triplets)
    tete = od.TETE(penalty=0, t=1, t_prime=1, random_state=0).fit(triplets)
    np.testing.assert_allclose(tete.predict_proba(triplets), ste.predict_proba(triplets), atol=0.05)


@pytest.fixture(scope="module")
def places():
    """A map on which a quarter of coins is well told from errors of judgement."""
    return np.random.default_rng([0]).normal(size=(20, 2))


@pytest.fixture(scope="module")
def careless(places):
    """Answers of somebody who errs where distances are alike, a quarter of them random."""
    rng = np.random.default_rng([0])
    rows = np.array([rng.choice(20, 3, replace=False) for _ in range(3000)])
    near2, far2 = squared_distances(places, rows)
    chance = 0.125 + 0.75 / (1 + np.exp(near2 - far2))
    return od.Comparisons(rows, rng.random(len(rows)) < chance)


@pytest.fixture(scope="module")
def lapsing(careless):
    return od.STE(penalty=0, lapse_rate="estimate", random_state=0).fit(careless)


@pytest.mark.usual_data
def test_the_lapse_rate_is_found_and_the_map_is_better(careless, lapsing, places):
    truth = od.sources.random_triplets(places, 5000, random_state=np.random.default_rng([2]))
    plain = od.STE(random_state=0).fit(careless)
    assert lapsing.lapse_rate_ == pytest.approx(0.25, abs=0.06)
    assert lapsing.score(truth) > plain.score(truth) + 0.005
    assert plain.lapse_rate_ == 0


def test_what_is_estimated_is_the_likeliest_beside_the_map(careless, lapsing):
    near2, far2 = squared_distances(lapsing.embedding_, careless.rows)
    holds = 1 / (1 + np.exp(near2 - far2))

    def cost(rate):
        return -np.sum(np.log(rate / 2 + (1 - rate) * holds))

    grid = np.linspace(0, 0.9, 181)
    assert lapsing.lapse_rate_ == pytest.approx(grid[np.argmin([cost(r) for r in grid])], abs=0.006)
    given = od.STE(penalty=0, lapse_rate=lapsing.lapse_rate_, init=lapsing.embedding_).fit(careless)
    assert given.loss_ == pytest.approx(lapsing.loss_, rel=1e-3)
    strong = od.STE(lapse_rate="estimate", random_state=0).fit(careless)
    assert strong.lapse_rate_ == pytest.approx(lapsing.lapse_rate_, abs=2e-3)
    assert strong.embedding_.std() < lapsing.embedding_.std()


def test_probabilities_know_of_lapses(careless, lapsing):
    rate = lapsing.lapse_rate_
    chances = lapsing.predict_proba(careless)
    assert chances.max() <= 1 - rate / 2
    assert chances.min() >= rate / 2
    np.testing.assert_allclose(chances.sum(axis=1), 1)


@pytest.mark.usual_data
@pytest.mark.parametrize("rate", ["estimate", 0.2])
def test_few_answers_do_not_run_away(rate, places):
    # the likeliest map without a prior is huge, and what it cannot satisfy would all be lapses
    rng = np.random.default_rng(1)
    rows = np.array([rng.choice(20, 3, replace=False) for _ in range(400)])
    near2, far2 = squared_distances(places, rows)
    answers = od.Comparisons(rows, rng.random(400) < 0.1 + 0.8 / (1 + np.exp(near2 - far2)))
    model = od.STE(penalty=0, lapse_rate=rate, random_state=0).fit(answers)
    assert 0 <= model.lapse_rate_ < 0.3
    assert np.sqrt(np.mean(model.embedding_**2)) < 3


def test_where_no_lapses_are_seen_the_map_stays_as_it_is(triplets):
    plain, none = (
        od.STE(random_state=0, lapse_rate=rate).fit(triplets) for rate in (0.0, "estimate")
    )
    assert none.lapse_rate_ == 0
    assert plain.embedding_.tobytes() == none.embedding_.tobytes()


@pytest.mark.usual_data
def test_random_responses_are_all_lapses_or_all_noise():
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(8, 3, replace=False) for _ in range(4000)])
    model = od.STE(lapse_rate="estimate", random_state=0).fit(rows, rng.random(4000) < 0.5)
    assert np.abs(model.predict_proba(rows) - 0.5).max() < 0.25
    assert 0 <= model.lapse_rate_ <= 0.9


def test_a_rate_that_is_estimated_does_not_remember_the_last_fit(careless, triplets):
    model = od.STE(lapse_rate="estimate", random_state=0).fit(careless)
    again = model.fit(triplets).embedding_
    fresh = od.STE(lapse_rate="estimate", random_state=0).fit(triplets)
    assert again.tobytes() == fresh.embedding_.tobytes()


def test_weights_count_as_answers():
    holds = np.array([0.9, 0.2, 0.6])
    repeated = likeliest_lapse_rate(np.repeat(holds, [5, 2, 3]), 1.0)
    assert likeliest_lapse_rate(holds, np.array([5.0, 2.0, 3.0])) == pytest.approx(repeated)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.0, "lapse_rate must be"),
        (-0.1, "lapse_rate must be"),
        ("guess", 'a number from 0 to below 1 or "estimate"; got'),
    ],
)
def test_other_rates_are_refused(given, message, triplets):
    with pytest.raises(od.InputError, match=message):
        od.STE(lapse_rate=given).fit(triplets)


def test_the_penalty_follows_the_answers_per_object(points):
    for n_answers, penalty in ((40, 2.0), (240, 4.0), (2000, 8.0)):
        answers = od.sources.random_triplets(points, n_answers, random_state=0)
        model = od.STE(n_init=1, random_state=0).fit(answers)
        assert model.penalty_ == pytest.approx(penalty)
        given = od.STE(n_init=1, penalty=penalty, random_state=0).fit(answers)
        np.testing.assert_array_equal(given.embedding_, model.embedding_)
    with pytest.raises(od.InputError, match="penalty"):
        od.STE(penalty="none").fit(answers)


def test_methods_have_the_penalty_that_the_chooser_tries():
    rows = od.compare(od.datasets.load_cities(300).comparisons, n_components=[1], folds=2).rows
    assert [row.estimator.get_params() for row in rows] == [
        getattr(od, row.method)().get_params() for row in rows
    ]
