"""Tables and figures of a page, in the words of people."""

import numpy as np

import ordinate as od
from ordinate.results.page import MOST_LISTED, _cells, write_page


def test_columns_are_called_by_words_and_limits_stand_behind_their_values():
    columns = {
        "object": np.array(["tea", "soup"]),
        "x1": np.array([1.23456, np.nan]),
        "x1_low": np.array([1.0, 0.0]),
        "x1_high": np.array([2.0, 0.5]),
        "semi_axis1": np.array([0.1, 0.2]),
        "n_answers": np.array([7, 8]),
        "y_low": np.array([0.0, 1.0]),
    }
    assert _cells(columns) == [
        ["object", "x1", "region: longer half-axis", "n answers", "y low"],
        ["tea", "1.23 (1 to 2)", "0.1", "7", "0"],
        ["soup", " (0 to 0.5)", "0.2", "8", "1"],
    ]


def test_the_first_rows_are_shown():
    assert len(_cells({"object": np.arange(500)})) == 1 + MOST_LISTED


def test_a_map_without_a_frame_is_as_wide_as_the_screen():
    ratings = od.Ratings([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [5, 3, 2, 4, 1, 5])
    page = write_page(od.coembed(ratings, random_state=0, test_size=0))
    assert 'class="map still"' in page
