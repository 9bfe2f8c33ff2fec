import numpy as np
import pytest

import ordinate as od


def planted(n_users=60, n_items=80, share=0.5, seed=0):
    """Ratings that decrease with the distance of planted positions."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_users + n_items, 2))
    users, items = np.nonzero(rng.random((n_users, n_items)) < share)
    distances = np.linalg.norm(points[users] - points[n_users + items], axis=1)
    return points, od.Ratings(users, items, -distances)


@pytest.fixture(scope="module")
def fitted():
    _, ratings = planted()
    train, test = ratings.train_test_split(0.2, random_state=0)
    return fit_quickly(train, draws_per_object=2000), test


def fit_quickly(ratings, **changes):
    usual = {"normalize": "none", "random_state": 0, "draws_per_object": 300}
    return od.COE(**(usual | changes)).fit(ratings)


@pytest.mark.parametrize("probability", ["sigmoid", "gompertz"])
def test_planted_positions_are_recovered(probability):
    points, ratings = planted()
    model = fit_quickly(ratings, probability=probability, draws_per_object=2000)
    assert od.metrics.procrustes_distance(model.embedding_, points) < 0.05
    report = od.coe_report(model, normalize="none")
    assert report.preservation.h_mean > 0.97


def test_held_out_triples_are_predicted(fitted):
    model, test = fitted
    assert od.coe_report(model, test, normalize="none").prediction.h_mean > 0.9


def test_coordinates_of_users_and_items_are_parts_of_the_embedding(fitted):
    model, _ = fitted
    for name, places in (("user", model.user_embedding_), ("item", model.item_embedding_)):
        np.testing.assert_array_equal(model.embedding_[model.types_ == name], places)
    np.testing.assert_allclose(model.embedding_.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("n_objects", [60, 1500])
def test_same_seed_same_bits_for_any_number_of_threads(n_objects):
    _, ratings = planted(n_objects, n_objects, share=8 / n_objects)
    one = fit_quickly(ratings, n_jobs=1, draws_per_object=20).embedding_
    two = fit_quickly(ratings, n_jobs=2, draws_per_object=20, verbose=True).embedding_
    np.testing.assert_array_equal(one, two)
    other = fit_quickly(ratings, random_state=1, draws_per_object=20).embedding_
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    "changes",
    [
        {"probability": "gompertz"},
        {"penalty": 0.1},
        {"objective": "predict"},
        {"objective": "published"},
        {"user_anchored": 0.9},
        {"normalize": "zscore"},
        {"draws_per_object": 301},
        {"learning_rate": 0.5},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_every_parameter_reaches_the_fit(changes):
    _, ratings = planted(20, 30)
    assert not np.array_equal(
        fit_quickly(ratings).embedding_, fit_quickly(ratings, **changes).embedding_
    )


def liked_by_all(n_users=40, n_items=30, seed=0):
    """Ratings that depend on the item alone, but for noise."""
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.6)
    values = items + rng.normal(scale=3, size=len(items))
    return od.Ratings(users, items, values).train_test_split(0.3, random_state=seed)


def test_to_predict_objects_have_offsets_that_every_measure_counts():
    train, test = liked_by_all()
    model = fit_quickly(train, objective="predict", draws_per_object=1000)
    offsets = model.offsets_[train.n_users :]
    order = np.arange(train.n_items)
    assert np.corrcoef(offsets, order)[0, 1] < -0.95, "what all like counts as nearer"
    found = model.recommend([0], k=train.n_items, exclude_rated=False)
    lengths = np.linalg.norm(model.item_embedding_ - model.user_embedding_[0], axis=1) + offsets
    np.testing.assert_array_equal(found.numbers[0], np.argsort(lengths))
    np.testing.assert_allclose(found.distances[0], np.sort(lengths))
    raters = model.nearest_users(3, k=2, exclude_rated=False)
    to_users = np.linalg.norm(model.user_embedding_ - model.item_embedding_[3], axis=1)
    np.testing.assert_allclose(
        raters.distances, np.sort(to_users + model.offsets_[: train.n_users])[:2]
    )
    holds = lengths[[0, 5, 7]] < lengths[[9, 4, 8]]
    rows = train.n_users + np.array([[0, 9], [5, 4], [7, 8]])
    assert model.score(np.column_stack([[0, 0, 0], rows])) == holds.mean()
    unseen = od.coe_report(model, test, normalize="none").unseen.user_anchored
    model.offsets_[:] = 0
    assert od.coe_report(model, test, normalize="none").unseen.user_anchored < unseen - 0.05


def test_maps_have_no_offsets_unless_they_are_to_predict():
    train, _ = liked_by_all()
    for objective in ("map", "published"):
        assert not fit_quickly(train, objective=objective, draws_per_object=20).offsets_.any()


def test_offsets_go_along_with_new_ratings():
    train, _ = liked_by_all()
    model = fit_quickly(train, objective="predict", draws_per_object=500)
    np.testing.assert_allclose(model.transform_users(train).shape, (train.n_users, 2))
    placed = model.recommend(train, k=1).numbers[:, 0]
    assert (placed >= train.n_items // 2).mean() > 0.9, "new users get what all like"
    before = model.offsets_.copy()
    model.partial_fit(train)
    assert np.corrcoef(before, model.offsets_)[0, 1] > 0.6


def test_the_dimension_is_free():
    _, ratings = planted(20, 30)
    for n_components in (1, 3):
        model = fit_quickly(ratings, n_components=n_components)
        assert model.user_embedding_.shape == (20, n_components)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_components": 0}, "n_components must be an integer >= 1"),
        ({"probability": "probit"}, "probability must be one of 'sigmoid', 'gompertz'"),
        ({"penalty": -1}, "penalty must be a number"),
        ({"objective": "rank"}, "objective must be one of 'map', 'predict', 'published'"),
        ({"user_anchored": 1.5}, "user_anchored must be a number"),
        ({"normalize": "mean"}, "normalize must be one of 'zscore', 'share', 'none'"),
        ({"draws_per_object": 0}, "draws_per_object must be an integer >= 1"),
        ({"learning_rate": 0}, "learning_rate must be a number"),
    ],
)
def test_bad_parameters_are_refused(changes, message):
    _, ratings = planted(5, 6)
    with pytest.raises(od.InputError, match=message):
        od.COE(**changes).fit(ratings)


@pytest.mark.usual_data
def test_explicit_triples_join_objects_of_any_types():
    points, _ = planted(10, 10)
    triples = od.sources.random_triplets(points, 4000, random_state=0)
    types = ["film"] * 8 + ["actor"] * 6 + ["fan"] * 6
    model = od.COE(random_state=0, draws_per_object=2000).fit(triples, types=types)
    assert od.metrics.triplet_accuracy(triples, model.embedding_) > 0.95
    assert np.count_nonzero(model.types_ == "actor") == 6
    with pytest.raises(od.InputError, match="users and items are known only after a fit to Rat"):
        model.nearest_items(0)
    swapped = od.COE(random_state=0, draws_per_object=2000).fit(
        triples.reversed().rows, np.zeros(4000, dtype=bool)
    )
    np.testing.assert_array_equal(swapped.embedding_, model.embedding_)


def test_triples_and_ratings_are_not_mixed_up():
    _, ratings = planted(5, 6)
    with pytest.raises(od.InputError, match="y, sample_weight and types are for explicit triples"):
        od.COE().fit(ratings, types=["a"] * 11)
    with pytest.raises(od.InputError, match="got quadruplets"):
        od.COE().fit([[0, 1, 2, 3]])
    with pytest.raises(od.InputError, match="types must have one entry per object"):
        od.COE(draws_per_object=1).fit([[0, 1, 2]], types=["a"])


def test_a_fit_to_triples_forgets_the_ratings():
    _, ratings = planted(10, 12)
    model = fit_quickly(ratings, draws_per_object=10).fit([[0, 1, 2]])
    assert not hasattr(model, "user_embedding_")


def test_warm_start_stays_near_the_map_and_takes_new_users():
    rng = np.random.default_rng(3)
    _, ratings = planted()
    old = od.Ratings(
        ratings.users, ratings.items, ratings.values,
        user_names=[f"u{u}" for u in range(60)],
    )  # fmt: skip
    model = fit_quickly(old, draws_per_object=2000)
    before = model.user_embedding_.copy()
    more = od.Ratings(
        np.append(ratings.users, [60, 60]), np.append(ratings.items, [0, 1]),
        np.append(ratings.values, rng.normal(size=2)),
        user_names=[f"u{u}" for u in range(61)],
    )  # fmt: skip
    model.partial_fit(more)
    assert model.user_embedding_.shape == (61, 2)
    moved = np.linalg.norm(model.user_embedding_[:60] - before, axis=1)
    assert np.median(moved) < 0.2 * before.std()
    with pytest.raises(od.InputError, match="map has 2 dimensions and n_components is 3"):
        model.set_params(n_components=3).partial_fit(more)
    fresh = od.COE(random_state=0, draws_per_object=50).partial_fit(ratings)
    assert fresh.user_embedding_.shape == (60, 2)


def test_frames_of_users_items_and_ratings_are_taken(fitted):
    frame = {"user": ["Al", "Al", "Bo", "Bo"], "item": [7, 9, 7, 9], "rating": [5, 3, 2, 4]}
    of_frame = od.COE(draws_per_object=10, random_state=0).fit(frame)
    ratings = od.read_ratings(frame)
    of_ratings = od.COE(draws_per_object=10, random_state=0).fit(ratings)
    np.testing.assert_array_equal(of_frame.embedding_, of_ratings.embedding_)
    assert of_frame.score(frame) == of_ratings.score(ratings)
    other = {"who": [0], "film": [1], "stars": [2]}  # not read as a triple
    with pytest.raises(od.InputError, match=r"'user', 'item' and 'rating'; got 'who', 'film'"):
        od.COE().fit(other)
    with pytest.raises(od.InputError, match=r"got 'user'\. Say which is which: .*read_ratings"):
        fitted[0].transform_users({"user": [1]})


@pytest.mark.usual_data
def test_popular_items_of_a_large_table_do_not_throw_the_map_off():
    rng = np.random.default_rng(0)
    n_users, n_items = 8000, 60
    people, things = rng.normal(size=(n_users, 2)), rng.normal(size=(n_items, 2))
    popularity = 1 / np.arange(1, n_items + 1)
    popularity /= popularity.sum()
    cells = np.unique(
        np.repeat(np.arange(n_users), 12) * n_items
        + rng.choice(n_items, size=12 * n_users, p=popularity)
    )
    users, items = np.divmod(cells, n_items)
    values = -np.linalg.norm(people[users] - things[items], axis=1)
    ratings = od.read_ratings(
        {"user": users, "item": items, "value": values}, user="user", item="item", value="value"
    )
    model = od.COE(draws_per_object=60, random_state=0).fit(ratings)
    assert od.coe_report(model).preservation.user_anchored > 0.85
    assert od.metrics.procrustes_distance(things, model.item_embedding_) < 0.1


def test_new_users_get_recommendations_by_their_ratings(fitted):
    model, ratings = fitted
    mine = ratings.users == 5
    new = od.Ratings(np.zeros(mine.sum(), int), ratings.items[mine], ratings.values[mine])
    found = model.recommend(new, k=4)
    assert not set(found.numbers[0]) & set(ratings.items[mine])
    np.testing.assert_array_equal(found.numbers[0] >= 0, True)


def test_an_unknown_item_does_not_reject_a_new_user(fitted):
    model, ratings = fitted
    mine = ratings.users == 5
    items = [ratings.item_names[item] for item in ratings.items[mine]]
    values = ratings.values[mine].tolist()
    frame = {"user": ["new"] * (len(items) + 1), "item": [*items, 10_000]}
    with pytest.warns(od.DroppedRowsWarning, match="1 of .* ratings, of items .* such as 10000"):
        place = model.transform_users(
            od.read_ratings({**frame, "rating": [*values, np.mean(values)]})
        )
    # the ratings are those of user 5, so the place is near
    assert np.linalg.norm(place[0] - model.user_embedding_[5]) < model.user_embedding_.std()
    with pytest.raises(od.InputError, match="None of the items that the new users have rated"):
        model.transform_users(od.Ratings([0, 0], [0, 1], [1, 2], item_names=["x", "y"]))


def test_three_types_have_neighbours_and_scores():
    points, _ = planted(10, 10)
    triples = od.sources.random_triplets(points, 4000, random_state=0)
    types = ["film"] * 8 + ["actor"] * 6 + ["fan"] * 6
    model = od.COE(random_state=0, draws_per_object=500).fit(triples, types=types)
    accuracy = od.metrics.triplet_accuracy(triples, model.embedding_)
    assert model.score(triples) == pytest.approx(accuracy)
    by_type = model.score_by_type(triples)
    assert len(by_type) == 3 * 6
    shares, counts = zip(*by_type.values(), strict=True)
    assert sum(counts) == 4000
    assert np.average(shares, weights=counts) == pytest.approx(accuracy)
    near = model.nearest(0, 3, type="fan")
    distances = np.linalg.norm(model.embedding_[14:] - model.embedding_[0], axis=1)
    assert near.names == (14 + np.argsort(distances)[:3]).tolist()
    assert 0 not in model.nearest(0, 99).names
    with pytest.raises(od.InputError, match="There is no object 'x'; objects are called 0, 1, 2"):
        model.nearest("x")
    with pytest.raises(od.InputError, match="at least one triple"):
        model.score([[0, 1, 2, 3]])


def test_a_report_of_three_types_is_a_mean_over_anchors_for_each_combination():
    points, _ = planted(10, 10)
    triples = od.sources.random_triplets(points, 3000, random_state=0)
    train, test = triples.train_test_split(test_size=0.3, random_state=0)
    types = np.repeat(["film", "actor", "fan"], [8, 6, 6])
    model = od.COE(random_state=0, draws_per_object=200).fit(train, types=types)
    report = od.coe_report(model, test)
    for part, given in ((report.preservation, train), (report.prediction, test)):
        a, i, j = given.rows.T
        near, far = (
            np.linalg.norm(model.embedding_[a] - model.embedding_[k], axis=1) for k in (i, j)
        )
        kind = (types[a] == "fan") & (types[i] != types[j])
        kind &= (types[i] != "actor") & (types[j] != "actor")
        shares = [np.mean((near < far)[kind & (a == anchor)]) for anchor in np.unique(a[kind])]
        assert part.shares["fan", "fan", "film"] == pytest.approx(np.mean(shares))
        assert part.counts["fan", "fan", "film"] == kind.sum()
        assert part.h_mean == pytest.approx(
            len(part.shares) / sum(1 / s for s in part.shares.values())
        )
    assert "fan: fan, film" in str(report)
    assert "<td>" in report._repr_html_()
    assert report.to_dict()["prediction"]["h_mean"] == report.prediction.h_mean
    assert od.coe_report(model).prediction is None
    with pytest.raises(od.InputError, match=r"must be triples .* too; got Ratings"):
        od.coe_report(model, od.Ratings([0, 0], [0, 1], [1, 2]))


@pytest.mark.usual_data
def test_counts_are_predicted_with_items_that_have_none_and_new_users_placed_alike():
    rng = np.random.default_rng(0)
    taste = np.arange(60) % 3
    genre = np.arange(45) % 3
    # whom one listens to tells the genre; how often says nothing
    counts = np.where(taste[:, None] == genre, rng.integers(1, 9, (60, 45)), 0)
    counts *= rng.random(counts.shape) < 0.7
    users, items = np.nonzero(counts)
    ratings = od.Ratings(users, items, counts[users, items])
    own_left = ((taste[:, None] == genre) & (counts == 0)).sum(axis=1)  # some have heard them all

    def share_of_own_genre(given, **parameters):
        model = od.COE(
            objective="predict",
            normalize="share",
            draws_per_object=500,
            random_state=0,
            **parameters,
        ).fit(ratings)
        found = model.recommend(given, 1).numbers
        return np.mean((genre[found[:, 0]] == taste)[own_left >= 2])

    for given in (None, ratings):  # as fitted, and as new users; a guess is right in a third
        assert share_of_own_genre(given) > 0.9
        assert share_of_own_genre(given, unrated=0) < 0.6
    with pytest.raises(od.InputError, match="unrated must be"):
        od.COE(unrated=2).fit(ratings)


def test_the_published_form_of_gompertz_is_exact_and_converges(fitted):
    ratings = fitted[0].ratings_
    settings = {"probability": "gompertz", "objective": "published", "random_state": 0}
    exact = od.COE(draws_per_object=2000, **settings).fit(ratings)
    assert np.abs(exact.embedding_).max() < 50
    assert exact.score(ratings) > 0.8
    given = od.COE(draws_per_object=2000, learning_rate=0.03, **settings).fit(ratings)
    np.testing.assert_array_equal(given.embedding_, exact.embedding_)
