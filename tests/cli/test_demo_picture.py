import numpy as np
import pytest

import ordinate as od
from ordinate.cli._demo_picture import draw_demo


@pytest.fixture(scope="module")
def picture():
    cities = od.datasets.load_cities(1000)
    return cities, draw_demo(cities, cities.points, wrong=0.1)


def test_nearly_all_names_are_legible(picture):
    cities, ax = picture
    written = {text.get_text() for text in ax.texts} & set(cities.names)
    assert len(written) > 0.9 * len(cities.names)


def test_the_picture_says_what_it_shows(picture):
    _, ax = picture
    assert ax.get_title(loc="left") == "Europe, from comparisons alone"
    subtitle = ax.texts[-1].get_text()
    assert subtitle.startswith("1,000 answers to “is A nearer to B than to C?”, 10% of them wrong")


def test_meridians_and_parallels_do_not_widen_the_view(picture):
    cities, ax = picture
    assert np.ptp(ax.get_xlim()) < 1.3 * np.ptp(cities.points[:, 0])
    assert np.ptp(ax.get_ylim()) < 1.3 * np.ptp(cities.points[:, 1])
