from ordinate.plots._palette import COLORS, MARKERS, class_style


def test_looks_differ_before_they_repeat():
    n_looks = len(COLORS) * len(MARKERS)
    assert len({class_style(number) for number in range(n_looks)}) == n_looks
    assert class_style(n_looks) == class_style(0)


def test_the_first_classes_differ_in_colour():
    assert len({class_style(number).color for number in range(len(COLORS))}) == len(COLORS)
