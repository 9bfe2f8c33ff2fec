import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.solvers.coordinates import sample_coordinates

from .conftest import observe


def same_size(points):
    points = points - points.mean(axis=0)
    return points / np.linalg.norm(points)


@pytest.mark.parametrize(("method", "n_draws"), [("bootstrap", 100), ("posterior", 800)])
def test_intervals_hold_the_true_distances(case, method, n_draws):
    points, answers, model = case
    sure = od.map_uncertainty(model, answers, method=method, n_draws=n_draws, random_state=0)
    pairs = np.column_stack(np.triu_indices(12, 1))
    unit = np.linalg.norm(sure.embedding_)
    true = unit * np.linalg.norm(np.diff(same_size(points)[pairs], axis=1)[:, 0], axis=1)
    low, high = sure.distance_intervals(pairs).T
    # the share of 66 distances is 0.87 with a deviation of 0.06
    assert 0.55 < np.mean((low <= true) & (true <= high)) <= 1
    wider = sure.distance_intervals(pairs, level=0.99)
    assert np.all(wider[:, 1] - wider[:, 0] >= high - low)


@pytest.mark.usual_data
def test_few_answers_leave_the_bootstrap_as_uncertain_as_it_should_be():
    rng = np.random.default_rng([0])  # answers that a map can all have right
    points = rng.standard_normal((15, 2))
    answers = observe(points, 60, rng)
    model = od.STE(2, penalty=0, random_state=0).fit(answers)
    assert model.score(answers) == 1  # so that a refit that began at the map would stay there
    sure = od.map_uncertainty(model, answers, n_draws=40, random_state=0)
    assert sure.sure_share_ < 0.5
    assert np.median(sure.ellipses_.semi_axes) > 0.1 * np.abs(sure.embedding_).max()


@pytest.mark.usual_data
def test_more_answers_make_it_more_certain(case):
    _, answers, model = case
    few = answers[:200]
    unsure = od.map_uncertainty(od.STE(2, random_state=0).fit(few), few, n_draws=40, random_state=0)
    sure = od.map_uncertainty(model, answers, n_draws=40, random_state=0)
    assert sure.sure_share_ > unsure.sure_share_ + 0.05


@pytest.mark.usual_data
def test_participants_who_differ_make_whole_participants_vary_more():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((10, 2))
    parts = [
        observe(points + rng.standard_normal((10, 2)), 100, rng, groups=np.full(100, who))
        for who in range(8)
    ]
    answers = od.Comparisons.concatenate(parts)
    model = od.STE(2, random_state=0).fit(answers)
    rows, people = (
        od.map_uncertainty(model, answers, by=by, n_draws=60, random_state=0)
        for by in (None, "group")
    )
    assert people.by == "group"
    assert rows.n_groups_ is None
    assert people.n_groups_ == pytest.approx(8)
    assert "With only 8 groups, intervals are somewhat too narrow" in str(people)
    assert people.ellipses_.semi_axes.mean() > 1.2 * rows.ellipses_.semi_axes.mean()


@pytest.mark.parametrize(("n_people", "drawn"), [(8, "whole participants"), (7, "answers")])
def test_whole_participants_are_drawn_unless_there_are_few(case, n_people, drawn):
    _, answers, model = case
    people = np.arange(len(answers)) % n_people
    record = od.Comparisons(answers.rows, groups={"participant": people})
    sure = od.map_uncertainty(model, record, n_draws=10, random_state=0)
    assert str(sure).startswith(f"Uncertainty of the map, by 10 bootstrap resamples of {drawn}\n")
    named = od.map_uncertainty(
        model,
        record,
        by="participant" if n_people == 8 else None,
        n_draws=10,
        random_state=0,
    )
    np.testing.assert_array_equal(sure.draws_, named.draws_)
    assert od.map_uncertainty(model, record, by=None, n_draws=10, random_state=0).by is None


@pytest.mark.filterwarnings("ignore:The chains of the posterior have not converged")
@pytest.mark.parametrize("method", ["bootstrap", "posterior"])
def test_same_bits_for_any_number_of_jobs(case, method):
    _, answers, model = case
    one, two = (
        od.map_uncertainty(model, answers, method=method, n_draws=16, n_jobs=jobs, random_state=3)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.draws_, two.draws_)
    other = od.map_uncertainty(model, answers, method=method, n_draws=16, random_state=4)
    assert not np.array_equal(one.draws_, other.draws_)


class Plain(BaseEstimator):
    """An estimator of somebody else, which takes no start."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        self.embedding_ = od.STE(2, init="random", random_state=self.random_state).fit(X).embedding_
        return self


@pytest.mark.parametrize("model", [od.SOE(2), od.TETE(2), od.GNMDS(2), Plain()])
def test_any_method_that_places_objects(case, model):
    _, answers, _ = case
    fitted = model.set_params(random_state=0).fit(answers)
    before = fitted.embedding_.copy()
    sure = od.map_uncertainty(fitted, answers, n_draws=10, random_state=0)
    assert sure.draws_.shape == (10, 12, 2)
    np.testing.assert_array_equal(fitted.embedding_, before)


@pytest.mark.filterwarnings("ignore:There are no (answers|features) for")
def test_a_map_of_answers_and_features(case):
    points, answers, model = case
    rng = np.random.default_rng(0)
    # an object without features, and two that nobody was asked about
    features = np.column_stack([points, rng.standard_normal((12, 2))])
    features = np.vstack([features, rng.standard_normal((2, 4))])
    features[0] = np.nan
    placed = od.FeatureEmbedding(2, folds=2, random_state=0).fit(answers, features=features)
    sure = od.map_uncertainty(placed, answers, features=features, n_draws=10, random_state=0)
    assert sure.draws_.shape == (10, 14, 2)
    assert (sure.n_answers_[12:] == 0).all()
    assert (sure.ellipses_.semi_axes > 0).all()
    with pytest.raises(od.InputError, match="by answers and features; pass features, too"):
        od.map_uncertainty(placed, answers, random_state=0)
    with pytest.raises(od.InputError, match="by answers alone; leave features out"):
        od.map_uncertainty(model, answers, features=features, random_state=0)
    given = {"features": features, "method": "posterior", "n_draws": 400, "random_state": 0}
    drawn = od.map_uncertainty(placed, answers, **given)
    assert drawn.draws_.shape == (400, 14, 2)


def test_a_prior_from_features_is_chosen_again_for_each_resample(case):
    points, answers, _ = case
    placed = od.FeatureEmbedding(2, folds=2, random_state=0)
    placed.fit(answers, features=points)
    sure = od.map_uncertainty(placed, answers, features=points, n_draws=10, random_state=0)
    assert sure.draws_.shape == (10, 12, 2)
    assert np.isfinite(sure.draws_).all()


def test_draws_of_many_objects_are_kept_as_coordinates_in_single_precision():
    n, n_draws = 1000, 300

    class Guess(BaseEstimator):
        def fit(self, X, y=None):
            rng = np.random.default_rng(int(X.weights.sum()) if X.weights is not None else 0)
            self.embedding_ = rng.standard_normal((n, 2))
            return self

    rows = np.column_stack([np.arange(n), np.roll(np.arange(n), 1), np.roll(np.arange(n), 2)])
    answers = od.Comparisons(rows)
    model = Guess().fit(answers)
    od.map_uncertainty(
        model, answers, n_draws=10, n_jobs=1, random_state=0
    )  # what is imported then is not counted
    tracemalloc.start()
    try:
        sure = od.map_uncertainty(model, answers, n_draws=n_draws, n_jobs=1, random_state=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sure.draws_.nbytes == 4 * n_draws * n * 2
    # the draws one by one and together, and the room of one refit; in double precision 12 MB
    assert peak < 2 * sure.draws_.nbytes + 2_000_000


@pytest.mark.filterwarnings("ignore:The chains of the posterior")
def test_the_likelihood_is_that_of_the_method(case, monkeypatch):
    _, answers, _ = case
    module = __import__("ordinate.uncertainty._map_uncertainty", fromlist=["x"])
    asked = []
    real = module.sample_coordinates
    monkeypatch.setattr(
        module,
        "sample_coordinates",
        lambda *args, **settings: asked.append(settings["likelihood"]) or real(*args, **settings),
    )
    for model in (od.TSTE(2, alpha=3.0), od.GNMDS(2)):
        od.map_uncertainty(
            model.fit(answers), answers, method="posterior", n_draws=50, random_state=0
        )
    # first for the lapse rate, then for the draws
    assert [(loss, list(parameters)) for loss, parameters in asked[::2]] == [
        (od.losses.tste, [3.0]),
        (od.losses.ste, []),
    ]
    assert asked[::2] == asked[1::2]


def test_chains_that_have_not_converged_are_reported(case):
    _, answers, model = case
    with pytest.warns(ConvergenceWarning, match="chains of the posterior have not converged"):
        od.map_uncertainty(model, answers, method="posterior", n_draws=16, random_state=0)


@pytest.mark.usual_data
def test_loosely_connected_parts_that_may_be_mirrored_are_found():
    rng = np.random.default_rng(2)
    left, right = rng.standard_normal((2, 8, 2))
    right[:, 0] += 8
    inner = [
        observe(part, 500, rng, sharpness=3.0).rows + shift
        for part, shift in ((left, 0), (right, 8))
    ]
    # across the parts only what does not tell which side is up: anything there is nearer than here
    across = [[a, b, c] for a in range(4) for b in range(4, 8) for c in range(8, 10)]
    answers = od.Comparisons(np.concatenate([*inner, across]))
    model = od.STE(2, random_state=0).fit(answers)
    sure = od.map_uncertainty(model, answers, n_draws=40, random_state=0)
    assert len(sure.mirrored_) == 1
    part = sure.mirrored_[0]
    assert set(part.objects) in (set(range(8)), set(range(8, 16)))
    assert 0.05 < part.share < 1
    assert "lie mirrored in" in str(sure)
    with pytest.warns(ConvergenceWarning, match="few answers connect a part of the objects"):
        drawn = od.map_uncertainty(model, answers, method="posterior", n_draws=40, random_state=0)
    assert drawn.mirrored_[0].objects == part.objects
    assert "take more draws" not in str(drawn)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "jackknife"}, "method must be one of 'bootstrap', 'posterior'"),
        ({"by": "session"}, "There is no group 'session'; the groups are: 'participant'"),
        ({"by": "participant", "method": "posterior"}, "treats answers as independent"),
        ({"scale": False, "method": "posterior"}, "given the size of the map; leave scale out"),
        ({"level": 1.0}, "level must be"),
        ({"n_draws": 5}, "n_draws must be an integer >= 10"),
        ({"n_draws": 5, "method": "posterior"}, "n_draws must be an integer >= 16"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1"),
    ],
)
def test_bad_settings_are_refused(case, settings, message):
    with pytest.raises(od.InputError, match=message):
        od.map_uncertainty(case[2], case[1], **settings)


def test_a_model_that_does_not_belong_to_the_answers(case):
    _, answers, model = case
    with pytest.raises(od.InputError, match="places 12 objects and the answers are about 13"):
        od.map_uncertainty(model, od.Comparisons(answers.rows, n_objects=13), random_state=0)
    renamed = od.Comparisons(answers.rows, names=[f"thing {number}" for number in range(12)])
    with pytest.raises(od.InputError, match="name their objects differently"):
        od.map_uncertainty(model, renamed, random_state=0)
    with pytest.raises(od.InputError, match="must be a fitted estimator with a map"):
        od.map_uncertainty(od.STE(2), answers, random_state=0)
    with pytest.raises(od.InputError, match="11 answers about 12 objects are too few"):
        od.map_uncertainty(model, answers[:11], random_state=0)


def test_a_single_group(case):
    _, answers, model = case
    one = od.Comparisons(answers.rows, groups={"participant": np.zeros(len(answers), int)})
    with pytest.raises(od.InputError, match="at least two groups of 'participant'; there is 1"):
        od.map_uncertainty(model, one, by="participant", random_state=0)


def test_among_few_objects_not_all_others_are_neighbours():
    answers = od.sources.random_triplets(np.arange(6.0)[:, None], 60, random_state=0)
    sure = od.map_uncertainty(
        od.STE(1, penalty=2).fit(answers), answers, n_draws=10, random_state=0
    )
    assert sure.n_neighbors == 2


@pytest.mark.filterwarnings("ignore:The chains of the posterior")
def test_the_posterior_counts_answers_to_the_power(case, monkeypatch):
    _, answers, model = case
    asked = []

    def note(record, **options):
        asked.append((record.weights, options.get("lapse")))
        return sample_coordinates(record, **options)

    monkeypatch.setattr("ordinate.uncertainty._map_uncertainty.sample_coordinates", note)
    sure = od.map_uncertainty(model, answers, method="posterior", n_draws=200, random_state=0)
    (full, learned), (tempered, held) = asked
    assert (full, learned) == (None, None)
    assert tempered == pytest.approx(0.7)
    assert sure.lapse_rate_ == held > 0
    assert "are right if 2 dimensions are enough" in str(sure)


@pytest.mark.usual_data
@pytest.mark.filterwarnings("ignore:The chains of the posterior")
def test_intervals_of_a_map_that_lacks_dimensions_hold():
    """Answers by a map in six dimensions, fitted in two: the reference is a map of many more."""
    rng = np.random.default_rng([36])
    points = rng.standard_normal((20, 6)) * [1.4, 1.2, 0.6, 0.6, 0.5, 0.5]
    answers, others = observe(points, 800, rng), observe(points, 20_000, rng)
    model, truth = (od.STE(2, random_state=0).fit(record) for record in (answers, others))
    sure = od.map_uncertainty(model, answers, method="posterior", n_draws=200, random_state=0)
    pairs = np.column_stack(np.triu_indices(20, 1))
    places = same_size(truth.embedding_)[pairs]
    true = np.linalg.norm(sure.embedding_) * np.linalg.norm(np.diff(places, axis=1)[:, 0], axis=1)
    low, high = sure.distance_intervals(pairs).T
    assert np.mean((low <= true) & (true <= high)) > 0.8


@pytest.mark.parametrize("model", [od.TSTE(2, random_state=0), od.TETE(2, random_state=0)], ids=str)
def test_posterior_draws_are_of_the_methods_own_likelihood(model):
    answers = od.sources.random_triplets(
        np.random.default_rng(0).normal(size=(8, 2)), 60, random_state=0
    )
    model.fit(answers)
    loss, parameters = model._posterior_likelihood()
    near2, far2 = np.array([0.3, 2.0]), np.array([1.0, 0.5])
    expected = model.__class__(2, random_state=0)._negative_log_likelihood()
    np.testing.assert_allclose(
        loss(near2, far2, *parameters)[0], expected[0](near2, far2, *expected[1])[0]
    )
    with pytest.warns(ConvergenceWarning, match="have not converged"):  # sixteen draws are few
        found = od.map_uncertainty(model, answers, method="posterior", n_draws=16, random_state=0)
    assert np.isfinite(found.draws_).all()


@pytest.mark.parametrize("method", ["bootstrap", "posterior"])
def test_arviz_takes_the_draws_with_their_chains(method):
    pytest.importorskip("arviz")
    answers = od.datasets.load_cities(600).comparisons
    model = od.STE(2, random_state=0).fit(answers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of chains this short
        sure = od.map_uncertainty(model, answers, method=method, n_draws=16, random_state=0)
        found = sure.to_arviz()
    position = found.posterior["position"]
    assert position.dims == ("chain", "draw", "object", "axis")
    assert position.shape[0] == (4 if method == "posterior" else 1)
    np.testing.assert_array_equal(
        position.sel(object="Lisbon").values.reshape(-1, 2),
        sure.draws_[:, sure.names_.index("Lisbon")],
    )
    assert found.posterior.attrs["method"] == method


def test_a_map_without_extent_is_certain_about_nothing():
    rows = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1]] * 10)
    answers = od.Comparisons(np.vstack([rows, rows[:, [0, 2, 1]]]))
    model = od.STE(n_components=2, random_state=0).fit(answers)
    model.embedding_ = np.zeros((4, 2))
    for method in ("bootstrap", "posterior"):
        with pytest.raises(od.InputError, match="all objects in one place"):
            od.map_uncertainty(model, answers, method=method, n_draws=16)
