"""FeatureEmbedding: answers and features together, and what it says when one is missing."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ordinate as od
from ordinate.features.feature_embedding import parts_to_hold_out

N, N_UNSEEN = 60, 30
GIVEN = {"share": 0.9, "variance": 0.3, "kernel": "linear"}
"""A prior that is not chosen, for tests of something else."""


def simulate(explained, seed=0, n_answers=900):
    """Return features, the truth they explain a share of, and noisy answers about the first N."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((N + N_UNSEEN, 15))
    told = features @ rng.standard_normal((15, 2)) / 15**0.5
    truth = explained**0.5 * told + (1 - explained) ** 0.5 * rng.standard_normal(told.shape)
    rows = od.sources.random_triplets(truth[:N], n_answers, random_state=rng).rows
    near2, far2 = (np.square(truth[rows[:, 0]] - truth[rows[:, k]]).sum(axis=1) for k in (1, 2))
    yes = rng.random(len(rows)) < 1 / (1 + np.exp(near2 - far2))
    return features, truth, od.Comparisons(rows, yes, n_objects=N)


def error(points, truth):
    test = od.sources.random_triplets(truth, 4000, random_state=99)
    return od.metrics.triplet_error(test, points)


@pytest.fixture(scope="module")
def told():
    return simulate(1.0, seed=[0])  # fixed: in others rounding decides between equal penalties


@pytest.fixture(scope="module")
def fitted(told):
    features, _, answers = told
    return od.FeatureEmbedding(random_state=0, folds=3, n_jobs=1).fit(
        answers, features=features[:N]
    )


@pytest.mark.usual_data
def test_features_that_explain_all_place_seen_and_unseen_objects(told, fitted):
    features, truth, answers = told
    alone = od.STE(random_state=0).fit(answers)
    assert error(fitted.embedding_, truth[:N]) < 0.6 * error(alone.embedding_, truth[:N])
    placed, std = fitted.transform(features[N:], return_std=True)
    assert error(placed, truth[N:]) < 0.15
    far = fitted.transform(1e3 * features[N:], return_std=True)[1]
    assert (std > 0).all()
    assert (far > std).all()
    assert fitted.prior_["share"] >= 0.8
    assert fitted.explained_ > 0.8
    assert fitted.converged_
    assert set(fitted.placed_by_) == {"both"}


def test_features_that_carry_no_information_are_ignored():
    features, truth, answers = simulate(0.0)
    model = od.FeatureEmbedding(random_state=0, folds=3, n_jobs=1)
    model.fit(answers, features=features[:N])
    assert error(model.embedding_, truth[:N]) < 0.2
    assert model.explained_ < 0.2


def test_in_between_both_are_better_than_either_alone():
    features, truth, answers = simulate(0.7, seed=1)
    both = od.FeatureEmbedding(random_state=0, folds=3, n_jobs=1)
    both.fit(answers, features=features[:N])
    told, free = (
        clone(both).set_params(prior=both.prior_ | {"share": share}) for share in (1 - 1e-6, 0.0)
    )
    errors = [
        error(model.fit(answers, features=features[:N]).embedding_, truth[:N])
        for model in (both, told, free)
    ]
    assert errors[0] < min(errors[1:])
    assert 0 < both.prior_["share"] < 1


def features_that_are_the_metric(n_answers):
    """Return points and noisy answers about the first N by the distances between these."""
    points = np.random.default_rng([4]).normal(size=(N + N_UNSEEN, 5)) * [2, 1.5, 0.6, 0.4, 0.3]
    answers = od.sources.random_triplets(
        points[:N],
        n_answers,
        noise=od.sources.FlippedAnswers(0.15),
        random_state=np.random.default_rng([4]),
    )
    return points, answers


def test_few_answers_leave_features_that_are_already_a_good_metric():
    points, answers = features_that_are_the_metric(150)
    axes = np.linalg.svd(points[:N] - points[:N].mean(axis=0))[2][:2]
    # folds of 50 answers choose another penalty now and then
    model = od.FeatureEmbedding(random_state=np.random.default_rng([0]), folds=3, n_jobs=1)
    model.fit(answers, features=points[:N])
    for part, placed in (
        (points[:N], model.embedding_),
        (points[N:], model.transform(points[N:])),
    ):
        assert error(placed, part) < error(part @ axes.T, part) + 0.06


def test_units_of_single_features_are_chosen_by_held_out_answers():
    rng = np.random.default_rng([5])
    points = rng.normal(size=(N, 2))
    noise = rng.normal(size=(N, 4))
    answers = od.sources.random_triplets(points, 400, random_state=np.random.default_rng([5]))
    fits = [
        od.FeatureEmbedding(random_state=0, folds=3, n_jobs=1).fit(answers, features=features)
        for features in (np.hstack([points, 1e3 * noise]), np.hstack([points, 1e-3 * noise]))
    ]
    assert [model.prior_["standardised"] for model in fits] == [True, False]
    assert all(error(model.embedding_, points) < 0.1 for model in fits)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_map_in_one_place_is_never_chosen_and_never_silent():
    rng = np.random.default_rng([6])
    random = od.sources.random_triplets(
        rng.normal(size=(N, 2)),
        200,
        noise=od.sources.FlippedAnswers(0.45),
        random_state=np.random.default_rng([6]),
    )
    features = rng.normal(size=(N, 3))
    model = od.FeatureEmbedding(random_state=0, folds=3, n_jobs=1, max_iter=50).fit(
        random, features=features
    )
    assert np.square(model.embedding_).sum(axis=1).mean() > 1e-3
    stiff = od.FeatureEmbedding(prior={"variance": 1e-6}, random_state=0)
    unlike = od.Comparisons(random.rows[:, [0, 2, 1]], n_objects=N)
    opposed = od.Comparisons(np.vstack([random.rows, unlike.rows]), n_objects=N)
    with pytest.warns(UserWarning, match="All objects are in one place"):
        stiff.fit(opposed, features=features)


def test_units_and_places_of_features_do_not_matter(told, fitted):
    features, _, answers = told
    other = od.FeatureEmbedding(random_state=0, folds=3, n_jobs=2).fit(
        answers, features=1e3 * features[:N] + 7
    )
    np.testing.assert_allclose(other.embedding_, fitted.embedding_, atol=1e-3)


def test_the_seed_decides_and_threads_do_not(told, fitted):
    features, _, answers = told
    again = clone(fitted).set_params(n_jobs=3).fit(answers, features=features[:N])
    np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(again)).transform(features), fitted.transform(features)
    )


def test_cross_validation_is_reported(fitted):
    table = fitted.cv_results_
    judged = ["answers_loss", "answers_error", "objects_loss", "objects_error"]
    assert list(table) == [*fitted.prior_, *judged]
    assert {name: table[name][0] for name in fitted.prior_} == fitted.prior_
    assert table["answers_loss"].argmin() == 0
    assert table["answers_error"][0] < 0.35
    assert (table["share"] == 0).any()  # features ignored
    assert 0 < table["objects_error"][0] < 0.4


@pytest.mark.usual_data
def test_local_kernels_follow_what_a_matrix_cannot():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 90)
    features = np.column_stack([np.cos(angle), np.sin(angle)])
    truth = 1.5 * np.column_stack([np.cos(2 * angle), np.sin(2 * angle)])
    answers = od.sources.random_triplets(truth[:N], 1500, random_state=0)
    flat, bent = (
        od.FeatureEmbedding(prior={"kernel": kind, "share": 0.99, "variance": 3.0}, random_state=0)
        .fit(answers, features=features[:N])
        .transform(features[N:])
        for kind in ("linear", "local")
    )
    assert error(flat, truth[N:]) > 0.3
    assert error(bent, truth[N:]) < 0.15


def test_rows_are_matched_by_name_and_what_is_missing_is_reported(told):
    pd = pytest.importorskip("pandas")
    features, truth, answers = told
    names = [f"item{i}" for i in range(N)]
    named = od.Comparisons(answers.rows, n_objects=N, names=names)
    frame = pd.DataFrame(features, index=[*names, *(f"new{i}" for i in range(N_UNSEEN))])
    frame = frame.drop("item3").sample(frac=1, random_state=0)
    with (
        pytest.warns(UserWarning, match=r"no answers for objects new\d+, .* and 27 more: placed"),
        pytest.warns(UserWarning, match="no features for object item3: placed by answers alone"),
    ):
        model = od.FeatureEmbedding(prior=GIVEN, random_state=0).fit(named, features=frame)
    assert model.names_[:N] == tuple(names)
    assert len(model.names_) == N + N_UNSEEN
    assert dict(zip(model.names_, model.placed_by_, strict=True))["item3"] == "answers"
    order = [int(name[3:]) for name in model.names_[N:]]
    placed = model.embedding_[N:]
    np.testing.assert_allclose(placed, model.transform(features[N:][order]), atol=1e-2)
    assert error(placed, truth[N:][order]) < 0.2
    assert np.linalg.norm(model.embedding_[3]) > 0.1


@pytest.mark.usual_data
def test_answers_come_first(told):
    features, truth, answers = told
    direct = od.FeatureEmbedding(prior=GIVEN, random_state=0)
    direct.fit(answers, features=features[:N])
    test = od.sources.random_triplets(truth[N:], 500, random_state=0)
    assert (
        direct.predict(test, features=features[N:]).mean()
        == direct.score(test, features=features[N:])
        > 0.85
    )
    assert direct.score(answers) == direct.predict(answers).mean() > 0.7
    assert list(direct.get_feature_names_out()) == ["featureembedding0", "featureembedding1"]
    pipeline = make_pipeline(StandardScaler(), od.FeatureEmbedding())
    for refused in (
        lambda: pipeline.fit(features[:N], answers),
        lambda: direct.score(features[N:], test),
    ):
        with pytest.raises(od.InputError, match="answers come first, then the features by name"):
            refused()
    for by_place in (
        lambda: direct.fit(answers, features),
        lambda: direct.score(answers, features),
    ):
        with pytest.raises(od.InputError, match="Pass the features by name"):
            by_place()


@pytest.mark.usual_data
def test_labels_say_which_rows_hold(told):
    features, _, answers = told
    model = od.FeatureEmbedding(prior=GIVEN, random_state=0)
    holds = np.random.default_rng(0).random(len(answers)) < 0.5
    rows = np.where(holds[:, None], answers.rows, answers.rows[:, [0, 2, 1]])
    signs = np.where(holds, 1, -1)
    mixed = clone(model).fit(rows, signs, features=features[:N])
    plain = model.fit(answers.rows, features=features[:N])
    np.testing.assert_allclose(mixed.embedding_, plain.embedding_)
    assert set(mixed.predict(rows)) == {-1, 1}
    assert mixed.score(rows, signs) == pytest.approx(plain.score(answers.rows))
    with pytest.raises(od.InputError, match="Trials hold their answers"):
        model.fit(od.Trials([[0, 1, 2]]), [True], features=features[:3])


@pytest.mark.usual_data
def test_scikit_learn_cross_validates_answers(told):
    """Answers are split; the features of all objects reach every fit."""
    features, _, answers = told
    model = od.FeatureEmbedding(prior=GIVEN, random_state=0)
    given = {"cv": 3, "params": {"features": features[:N]}, "error_score": "raise"}
    scores = cross_val_score(model, answers.rows, **given)
    frame = pd.DataFrame(features[:N])
    again = cross_val_score(model, answers, **given | {"params": {"features": frame}})
    np.testing.assert_allclose(scores, again)
    folds = KFold(3).split(answers.rows)
    np.testing.assert_allclose(
        scores,
        [
            clone(model).fit(answers.rows[train], features=features[:N]).score(answers.rows[test])
            for train, test in folds
        ],
    )
    search = GridSearchCV(model, {"prior": [GIVEN, GIVEN | {"share": 0.5}]}, cv=3)
    assert search.fit(answers.rows, features=features[:N]).best_score_ > 0.7
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(features=True).set_score_request(features=False)
        np.testing.assert_allclose(cross_val_score(routed, answers.rows, **given), scores)
    few = od.Comparisons(answers.rows[:N], n_objects=N)
    with pytest.raises(od.InputError, match="features has"):  # as many rows as answers: sliced
        cross_val_score(model, few, **given)


def test_float32_features_stay_so(told, fitted):
    features, _, answers = told
    single = od.FeatureEmbedding(prior=GIVEN, random_state=0)
    double = clone(single).fit(answers, features=features[:N])
    single.fit(answers, features=features[:N].astype(np.float32))
    np.testing.assert_allclose(single.embedding_, double.embedding_, atol=0.05)


def test_held_out_parts_cover_each_answer_once_and_keep_questions_together():
    answers = od.sources.random_triplets(np.arange(12.0)[:, None], 100, random_state=0)
    by_answers, by_objects = parts_to_hold_out(
        answers, np.ones(12, bool), 4, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(np.sum(by_answers, axis=0), 1)
    questions = answers.question_groups()
    for rows in by_answers:
        assert not set(questions[rows]) & set(questions[~rows])
    for rows in by_objects:
        held = set(answers.rows[rows].ravel()) - set(answers.rows[~rows].ravel())
        assert len(held) == 3


def nan_in_a_row(X):
    X[2, 1] = np.nan
    return X


@pytest.mark.parametrize(
    ("change", "parameters", "words"),
    [
        (nan_in_a_row, {}, r"row 2, column 1 is nan\. Fill it in, or make the whole row NaN"),
        (lambda X: np.where(X > 0, X, np.inf), {}, r"features must be finite; row 0, column"),
        (lambda X: X[:-1], {}, r"features has 59 rows; the answers are about 60 objects"),
        (lambda X: np.ones_like(X), {}, "All features are constant"),
        (lambda X: 1e-200 * X, {}, "All features are constant"),
        (lambda X: 1e200 * X, {}, "so large that squares overflow"),
        (lambda X: X, {"prior": "none"}, "prior must be 'auto' or a dict; got 'none'"),
        (lambda X: X, {"prior": {"ridge": 1}}, "prior has kernel, .* got 'ridge'. Leave it out"),
        (lambda X: X, {"prior": {"share": 2}}, r"prior\['share'\] must be a number in "),
        (lambda X: X, {"prior": {"variance": 0}}, r"prior\['variance'\] must be a number in "),
        (lambda X: X, {"prior": {"kernel": "cubic"}}, r"prior\['kernel'\] must be one of 'sum'"),
        (lambda X: X, {"device": np.ones(2)}, "device must be"),
        (lambda X: np.full_like(X, np.nan), {}, "No object has features; .* use STE"),
        (lambda X: X[:, 0], {}, r"2-D array with one row per object; got shape \(60,\)"),
        (lambda X: [["a"]] * 60, {}, "features must be a 2-D array of numbers"),
        (lambda X: None, {}, "Features are missing: pass them by name"),
        (lambda X: X, {"loss": "GNMDS"}, "loss must be one of 'STE', 'TSTE'"),
        (lambda X: X, {"similarity": "cosine"}, "similarity must be one of 'euclidean', 'dot'"),
        (
            lambda X: X,
            {"similarity": "auto", "prior": GIVEN},
            "similarity='auto' is chosen together with the prior",
        ),
        (lambda X: X, {"similarity": "dot", "loss": "CKL"}, "Dot products need loss='STE'"),
        (lambda X: X, {"n_init": 3}, "n_init must be 1 without similarity='dot'"),
        (lambda X: X, {"n_init": 0}, "n_init must be"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(told, change, parameters, words):
    features, _, answers = told
    with pytest.raises(od.InputError, match=words):
        od.FeatureEmbedding(**parameters).fit(answers, features=change(features[:N].copy()))


def test_other_bad_input(told, fitted):
    pd = pytest.importorskip("pandas")
    features, _, answers = told
    with pytest.raises(od.InputError, match="features has 3 columns; the fit had 15"):
        fitted.transform(features[:, :3])
    with pytest.raises(od.InputError, match="cannot be held out in 5 parts"):
        od.FeatureEmbedding().fit([[0, 1, 2]], features=features[:3])
    frame = pd.DataFrame(features[:N], index=["tea"] * N)
    with pytest.raises(od.InputError, match="features name 'tea' twice"):
        od.FeatureEmbedding().fit(answers, features=frame)
    frame.index = [f"tea{i}" for i in range(N)]
    with pytest.raises(od.InputError, match="No object of the answers has features"):
        od.FeatureEmbedding().fit(answers, features=frame)
    neither = od.Comparisons(answers.rows, n_objects=N + 1)
    with pytest.raises(od.InputError, match="neither features nor answers for object 60"):
        od.FeatureEmbedding().fit(neither, features=np.vstack([features[:N], np.full(15, np.nan)]))


def test_constant_columns_are_named_and_one_feature_is_enough(told):
    features, truth, answers = told
    given = {"prior": GIVEN, "random_state": 0}
    with pytest.warns(UserWarning, match="1 of 16 features are constant .* column 15"):
        model = od.FeatureEmbedding(**given).fit(answers, features=np.c_[features[:N], np.ones(N)])
    changed = np.c_[features[:N], np.arange(N)]
    np.testing.assert_allclose(
        model.transform(changed), model.transform(np.c_[features[:N], np.ones(N)])
    )
    given["prior"] = {"share": 0.5, "variance": 1.0}
    one = od.FeatureEmbedding(**given).fit(answers, features=features[:N, :1])
    assert one.embedding_.shape == (N, 2)
    assert error(one.embedding_, truth[:N]) < 0.3


def test_a_fit_that_is_cut_short_says_so(told):
    features, _, answers = told
    cut = od.FeatureEmbedding(prior=GIVEN, max_iter=2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="FeatureEmbedding stopped after max_iter=2"):
        cut.fit(answers, features=features[:N])
    assert not cut.converged_
    assert cut.n_iter_ == 2


def odd_one_out(points, n_trials, seed=0):
    alike = -np.square(points[:, None] - points).sum(axis=2)
    return od.sources.random_trials(alike, n_trials, similarity="precomputed", random_state=seed)


@pytest.mark.usual_data
def test_whole_trials_are_fitted_and_scored():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 6))
    trials = odd_one_out(2 * features[:, :2], 1500)
    train, test = trials.train_test_split(random_state=0)
    model = od.FeatureEmbedding(2, prior=GIVEN | {"variance": 3.0}).fit(train, features=features)
    best = (
        od.score_features(test, {"true": features[:, :2]}, "euclidean", random_state=0)
        .rows[0]
        .accuracy
    )
    assert model.score(test) > best - 0.05
    holds = model.predict(test)
    assert holds.mean() == pytest.approx(model.score(test), abs=0.01)
    assert (model.decision_function(test) > 0).tolist() == holds.tolist()
    # fewer objects cannot tell more
    assert model.score(test, features=features) <= 1


def test_trials_are_matched_by_label():
    names = [f"o{number:02}" for number in range(20)]
    points = np.random.default_rng(0).normal(size=(20, 2))
    rows = odd_one_out(3 * points, 400).rows
    frame = pd.DataFrame(points, index=names).iloc[::-1]
    model = od.FeatureEmbedding(2, prior=GIVEN | {"variance": 3.0})
    model.fit(od.Trials(np.array(names)[rows]), features=frame)
    assert model.score(od.Trials(np.array(names)[rows[:100]])) > 0.6


def test_other_losses_do_not_know_trials():
    features = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(od.InputError, match="need loss='STE'; got 'CKL'"):
        od.FeatureEmbedding(2, loss="CKL").fit(odd_one_out(features, 50), features=features)


def kinds_of_objects(n_trials, seed=0):
    """Return features that hint at three kinds, and trials in which objects of one are alike."""
    rng = np.random.default_rng([7])
    kinds = np.repeat(np.eye(3), 20, axis=0)
    features = np.hstack([kinds + 0.3 * rng.normal(size=kinds.shape), rng.normal(size=(60, 5))])
    return features, od.sources.random_trials(2 * kinds, n_trials, random_state=seed)


DOT = {"similarity": "dot", "prior": GIVEN | {"variance": 1.0}, "random_state": 0, "tol": 1e-3}


def test_dot_products_of_what_features_say_predict_new_answers_and_objects():
    features, trials = kinds_of_objects(1500)
    known = od.Trials(trials.rows[(trials.rows % 20 < 15).all(axis=1)], n_objects=60)
    test = kinds_of_objects(2000, seed=1)[1]
    with pytest.warns(UserWarning, match="There are no answers for objects 15, 16, 17"):
        model = od.FeatureEmbedding(6, **DOT).fit(known, features=features)
    best = od.SparseDimensions(3, penalty=(1.0, 1.0), random_state=0).fit(trials).score(test)
    assert (model.embedding_ >= 0).all()
    # a start in which one kind has no coordinate of its own ends .16 below the best
    assert model.score(test) > best - 0.06
    assert model.predict(test).mean() == pytest.approx(model.score(test), abs=0.03)
    with pytest.raises(od.InputError, match="Dot products have no return_std"):
        model.transform(features, return_std=True)


def test_starts_stand_side_by_side_and_their_dot_products_are_averaged():
    features, trials = kinds_of_objects(300)
    model = od.FeatureEmbedding(2, n_init=2, **DOT).fit(trials, features=features)
    assert model.embedding_.shape == (60, 4)
    one = od.FeatureEmbedding(2, **DOT).fit(trials, features=features)
    np.testing.assert_allclose(model.embedding_[:, :2], one.embedding_ / 2**0.5, atol=1e-12)
    assert model.transform(features).shape == (60, 4)
    assert (model.transform(features) >= 0).all()


def test_held_out_answers_choose_between_distances_and_dot_products():
    rng = np.random.default_rng([8])
    loadings = np.repeat(np.eye(3), 20, axis=0) * rng.uniform(0, 4, size=(60, 1))
    features = np.hstack([loadings, rng.normal(size=(60, 5))])
    by_loadings = od.sources.random_trials(loadings, 600, random_state=0)
    by_place = od.sources.random_triplets(features[:, 3:5], 600, random_state=0)
    given = {"n_init": 2, "folds": 2, "random_state": 0, "tol": 1e-2}
    for record, expected, n_init in ((by_loadings, "dot", 2), (by_place, "euclidean", 1)):
        model = od.FeatureEmbedding(10, similarity="auto", **given)
        model.fit(record, features=features)
        assert model.similarity_ == expected
        assert model.embedding_.shape == (60, 10 * n_init)


def test_objects_without_features_have_dot_products_from_answers():
    features, trials = kinds_of_objects(2000)
    features[:3] = np.nan
    with pytest.warns(UserWarning, match="There are no features"):
        model = od.FeatureEmbedding(6, **DOT).fit(trials, features=features)
    alike = model.embedding_[:3] @ model.embedding_[3:].T
    assert alike[:, :17].mean() > alike[:, 17:].mean() + 1


def test_a_prior_takes_trials_and_objects_with_only_answers_or_only_features():
    features, trials = kinds_of_objects(600)
    features[:2] = np.nan
    rows = trials.rows[(trials.rows != 59).all(axis=1)]
    with (
        pytest.warns(UserWarning, match="no answers for object 59"),
        pytest.warns(UserWarning, match="no features for objects 0, 1"),
    ):
        model = od.FeatureEmbedding(random_state=0, folds=2, n_jobs=1).fit(
            od.Trials(rows, n_objects=60), features=features
        )
    assert model.score(trials) > 0.6
    np.testing.assert_allclose(model.embedding_[59], model.transform(features[59:])[0], atol=0.1)


def test_an_object_without_features_is_as_free_as_without_a_prior(told):
    features, _, answers = told
    gap = features[:N].copy()
    gap[5] = np.nan
    with pytest.warns(UserWarning, match="no features for object 5"):
        model = od.FeatureEmbedding(prior=GIVEN | {"share": 1 - 1e-6}, random_state=0).fit(
            answers, features=gap
        )
    assert (
        np.linalg.norm(model.embedding_[5]) > 0.3 * np.linalg.norm(model.embedding_, axis=1).mean()
    )


def test_other_losses_are_judged_by_their_own_probabilities(told):
    features, truth, answers = told
    for loss in ("TSTE", "CKL", "SOE"):
        model = od.FeatureEmbedding(loss=loss, folds=2, random_state=0, n_jobs=1)
        model.fit(answers, features=features[:N])
        assert error(model.embedding_, truth[:N]) < 0.2
