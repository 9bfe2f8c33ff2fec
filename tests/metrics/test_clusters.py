import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordinate as od
from ordinate.metrics import purity

labelings = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(labelings)
def test_equals_counting(pairs):
    classes, clusters = map(list, zip(*pairs, strict=True))
    commonest = 0
    for cluster in set(clusters):
        members = [c for c, g in pairs if g == cluster]
        commonest += max(members.count(c) for c in set(members))
    assert purity(classes, clusters) == pytest.approx(commonest / len(pairs))


@given(labelings)
def test_renaming_changes_nothing(pairs):
    classes, clusters = map(np.array, zip(*pairs, strict=True))
    renamed = np.array(["p", "q", "r", "s", "t"])
    assert purity(renamed[classes], 10 - clusters) == purity(classes, clusters)


def test_one_cluster_per_object_is_pure_and_one_cluster_is_the_commonest_class():
    assert purity(["a", "b", "b"], [0, 1, 2]) == 1
    assert purity(["a", "b", "b"], [7, 7, 7]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("classes", "clusters", "message"),
    [
        ([], [], "labels_true is empty"),
        (["a", "b"], [0], r"labels_pred must have one entry per object, shape \(2,\)"),
        ([["a"], ["b"]], [0, 1], "labels_true must have one entry per object"),
        (["a", "b"], [0, np.nan], "labels_pred must not have missing entries; entry 1"),
    ],
)
def test_bad_arguments_are_refused(classes, clusters, message):
    with pytest.raises(od.InputError, match=message):
        purity(classes, clusters)
