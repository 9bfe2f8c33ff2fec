import numpy as np
import pytest

import ordinate as od
from ordinate.datasets._parsers import CLASSES

HEADER = (
    "survey_round,chosen_center,triplet_object_1,triplet_object_2,triplet_object_3,response_time"
)
SURVEY = f"{HEADER}\n1,2,2,60,1,8.5\n13,1,1,2,3,0.2\n2,3,1,3,2,12\n"


def test_an_archive_as_published_is_read(publish, zipped):
    home = publish(
        "cars60",
        {"60_cars_data.zip": zipped({"60_cars_data/survey_data.csv": SURVEY.encode()})},
        statements=3,
        rounds=3,
        cars=60,
        triplets=4,
        distinct_triplets=4,
    )
    comparisons = od.datasets.load_cars60(home).comparisons
    # round 13 was answered carelessly
    assert comparisons.rows.tolist() == [[59, 1, 0], [0, 1, 59], [0, 2, 1], [1, 2, 0]]
    assert comparisons.groups["round"].tolist() == [1, 1, 2, 2]
    assert comparisons.groups["trial"].tolist() == [0, 0, 1, 1]


def test_classes_cover_all_cars_once():
    members = np.concatenate([list(cars) for cars in CLASSES.values()])
    assert sorted(members) == list(range(1, 61))


def test_real_statements_are_the_authors_own_selection(real_data):
    from pathlib import Path

    published = np.loadtxt(
        Path(real_data) / "car60" / "ordinal_data_preprocessed" / "T_ALL.csv",
        delimiter=",",
        dtype=int,
    )
    first, centre, second = od.datasets.load_cars60(real_data).comparisons.rows[::2].T + 1
    np.testing.assert_array_equal(centre, published[:, 0])
    np.testing.assert_array_equal(
        np.sort(np.column_stack([first, second])), np.sort(published[:, 1:])
    )


def test_a_car_that_was_not_shown_is_refused(publish, zipped):
    survey = f"{HEADER}\n1,9,2,60,1,8.5\n1,2,2,60,1,8.5\n".encode()
    home = publish(
        "cars60",
        {"60_cars_data.zip": zipped({"60_cars_data/survey_data.csv": survey})},
        statements=2,
        rounds=1,
        cars=60,
        triplets=4,
        distinct_triplets=4,
    )
    with pytest.raises(od.InputError, match="central is 8, but shown were"):
        od.datasets.load_cars60(home)
