"""Dendrograms: which joins belong to which cluster, and what is written."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

from ordinate import InputError
from ordinate.plots import plot_dendrogram
from ordinate.plots._dendrogram import node_clusters

POINTS = np.array([[0.0], [1.0], [10.0], [11.5], [30.0]])
TREE = linkage(POINTS, "complete")


def test_joins_belong_to_the_cluster_of_everything_below_them():
    clusters = node_clusters(TREE, 3)
    np.testing.assert_array_equal(clusters[:5], fcluster(TREE, 3, "maxclust") - 1)
    assert clusters[0] == clusters[1] == clusters[5]
    assert clusters[2] == clusters[3] == clusters[6]
    np.testing.assert_array_equal(clusters[7:], [-1, -1])


def test_one_cluster_holds_everything():
    np.testing.assert_array_equal(node_clusters(TREE, 1), np.zeros(9))


def test_names_stand_at_the_leaves_and_clusters_have_their_colours():
    ax = plot_dendrogram(TREE, names=["a", "b", "c", "d", "$5"], n_clusters=3)
    written = [label.get_text() for label in ax.get_yticklabels()]
    assert sorted(written) == [r"\$5", "a", "b", "c", "d"]
    assert abs(written.index("a") - written.index("b")) == 1
    drawn = {tuple(lines.get_colors()[0][:3]) for lines in ax.collections}
    assert len(drawn) == 3  # two clusters with joins inside, and what lies between


def test_the_axis_begins_a_little_before_the_first_join():
    left, right = plot_dendrogram(TREE).get_xlim()
    assert left > TREE[:, 2].max()
    assert 0 <= right < TREE[:, 2].min()


def test_numbers_stand_for_names_and_given_axes_are_used():
    ax = plot_dendrogram(TREE)
    assert plot_dendrogram(TREE, ax=ax) is ax
    assert {label.get_text() for label in ax.get_yticklabels()} == set("01234")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1, 0.5]],), r"tree must be a linkage .*got shape \(1, 3\)"),
        ((TREE, ["a"]), "names must have one entry per object"),
        ((TREE, None, 6), "n_clusters must be an integer >= 1 and <= 5; got 6"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        plot_dendrogram(*arguments)
