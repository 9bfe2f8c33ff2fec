import numpy as np
import pytest

import ordinate as od
from ordinate.plots._colors import (
    COLORS,
    MOST_CLASSES,
    N_LOOKS,
    SCALE,
    SCALE_STOPS,
    class_style,
    color_by,
)


def test_looks_differ_before_they_repeat():
    assert len({class_style(number) for number in range(N_LOOKS)}) == N_LOOKS


def test_the_first_classes_differ_in_colour():
    assert len({class_style(number).color for number in range(len(COLORS))}) == len(COLORS)


def test_every_class_of_a_legend_has_its_own_colour():
    assert len({class_style(number).color for number in range(MOST_CLASSES)}) == MOST_CLASSES


def test_pages_have_the_scale_of_pictures():
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    steps = np.linspace(0, 1, len(SCALE_STOPS))
    assert tuple(to_hex(colormaps[SCALE](step)) for step in steps) == SCALE_STOPS


def test_classes_of_numbers_as_text_come_by_value():
    coloring = color_by(["10", "2", "10"], 3)
    assert coloring.classes == ("2", "10")
    assert coloring.codes.tolist() == [1, 0, 1]


def test_nothing_to_distinguish():
    coloring = color_by(None, 3)
    assert coloring.classes == ("",)
    assert not coloring.listed


def test_text_and_few_numbers_are_classes():
    assert color_by(["b", "a"], 2).classes == ("a", "b")
    coloring = color_by([2.0, 1.0, 2.0], 3)
    assert coloring.values is None
    np.testing.assert_array_equal(coloring.codes, [1, 0, 1])
    assert coloring.listed


def test_many_numbers_are_a_scale_and_many_words_are_not_listed():
    n = MOST_CLASSES + 1
    np.testing.assert_array_equal(color_by(np.arange(n), n).values, np.arange(n))
    words = color_by([f"class {number}" for number in range(n)], n)
    assert words.values is None
    assert not words.listed


def test_refuses_by_the_columns_name():
    with pytest.raises(od.InputError, match=r"Column 'age' must have one entry per object"):
        color_by([1, 2], 3, "Column 'age'")
