import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_coembedding, save_figure
from ordinate.plots._layout import lay_out
from ordinate.plots._user_item_map import MOST_LINES, spokes_of, taste_of

RATINGS = od.Ratings(
    [0, 0, 0, 1, 1, 2],
    [0, 1, 2, 0, 2, 1],
    [5, 1, 2, 3, 4, 5],
    user_names=["Ann", "Bob", "Cem"],
    item_names=["tea", "beer", "milk"],
)
USERS, ITEMS = np.random.default_rng(0).normal(size=(2, 3, 2))


def drawn(ax, label):
    (found,) = (c for c in ax.collections if c.get_label() == label)
    return np.asarray(found.get_offsets())


def test_a_taste_is_parted_at_the_users_own_mean():
    taste = taste_of(RATINGS, "Ann")
    assert (taste.user, taste.liked.tolist(), taste.others.tolist()) == (0, [0], [1, 2])


def test_spokes_lead_to_items_behind_the_users():
    spokes = {
        start: [ends.tolist() for ends in both]
        for start, both in spokes_of(RATINGS, ["Ann"]).items()
    }
    assert spokes == {0: [[3], [4, 5]]}


def test_users_and_items_have_marks_of_their_own():
    ax = plot_coembedding(USERS, ITEMS, RATINGS)
    np.testing.assert_array_equal(drawn(ax, "user"), USERS)
    np.testing.assert_array_equal(drawn(ax, "recovered"), ITEMS)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["user", "item"]
    assert {text.get_text() for text in ax.texts} == {"tea", "beer", "milk"}


def test_a_chosen_user_is_joined_to_what_they_rated():
    ax = plot_coembedding(USERS, ITEMS, RATINGS, users=["Ann"])
    np.testing.assert_array_equal(drawn(ax, "Ann"), USERS[:1])
    full = [line for line in ax.lines if line.get_linestyle() == "-"]
    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert (len(full), len(dotted)) == (1, 2)
    np.testing.assert_array_equal(full[0].get_xydata(), [USERS[0], ITEMS[0]])


def test_of_many_ratings_the_highest_and_lowest_are_joined():
    n = 5 * MOST_LINES
    stars = np.random.default_rng(0).permutation(n) + 1.0
    ratings = od.Ratings(np.zeros(n, int), np.arange(n), stars)
    taste = taste_of(ratings, 0)
    assert stars[taste.liked[0]] == n
    assert stars[taste.others[0]] == 1
    ax = plot_coembedding([[0, 0]], np.random.default_rng(1).normal(size=(n, 2)), ratings, [0])
    assert len(ax.lines) == 2 * MOST_LINES


@pytest.mark.parametrize("d", [1, 3, 4])
def test_maps_of_other_dimensions_work(d, tmp_path):
    users, items = np.random.default_rng(d).normal(size=(2, 3, d))
    ax = plot_coembedding(users, items, RATINGS, users=["Bob"])
    save_figure(ax, tmp_path / "map.png")
    assert (ax.name == "3d") == (d == 3)
    places = lay_out(np.concatenate([users, items])).positions
    line = ax.lines[0]
    ends = np.transpose(line.get_data_3d()) if d == 3 else line.get_xydata()
    liked = taste_of(RATINGS, "Bob").liked[0]
    np.testing.assert_allclose(ends, places[[RATINGS.user_number("Bob"), 3 + liked]])


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="3 users and 3 items; got coordinates of 2 and 3"):
        plot_coembedding(USERS[:2], ITEMS, RATINGS)
    with pytest.raises(od.InputError, match="Zoe"):
        plot_coembedding(USERS, ITEMS, RATINGS, users=["Zoe"])
